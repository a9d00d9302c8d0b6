import type { Source } from "./reference.ts";
import type { PlannedItem } from "./world-plan.ts";

/** For each item of the condition phase the initial inputs that it depends on, directly or through values. */
export function conditionInputs(items: readonly PlannedItem[]): readonly ReadonlySet<string>[] {
  const ofValue = new Map<string, Set<string>>();
  return items.map((item) => {
    const inputs = new Set<string>();
    for (const name of [item.condition.when, item.condition.unless]) {
      if (name !== undefined) inputs.add(name);
    }
    for (const source of sourcesOf(item)) {
      if (source.kind === "initial") inputs.add(source.name);
      if (source.kind === "value") for (const name of ofValue.get(source.name) ?? []) inputs.add(name);
    }
    for (const name of valuesOf(item)) {
      const known = ofValue.get(name) ?? new Set();
      for (const input of inputs) known.add(input);
      ofValue.set(name, known);
    }
    return inputs;
  });
}

function sourcesOf(item: PlannedItem): readonly Source[] {
  switch (item.type) {
    case "graph":
      return item.inputs.map(({ source }) => source);
    case "sample":
      return [item.start, ...[...item.inputs, ...(item.otherInputs ?? [])].map(({ source }) => source)];
    case "add_noise":
      return [item.latent, item.noise];
    case "set":
      return [item.from];
  }
}

function valuesOf(item: PlannedItem): readonly string[] {
  const targets = item.type === "graph" ? item.outputs.flatMap((output) => output.targets) : item.targets;
  return targets.flatMap((target) => (target.kind === "value" ? [target.name] : []));
}
