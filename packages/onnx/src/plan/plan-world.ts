import { assertDistinctStreams, isDreamloopError } from "@dreamloop/core";
import { FaultList } from "../faults/fault-list.ts";
import { type Fault, FAULT_CODES } from "../faults/fault.ts";
import type { ItemDeclaration, WorldManifest } from "../manifest/world-manifest.ts";
import { checkInputs } from "./check-inputs.ts";
import { checkState } from "./check-state.ts";
import { ItemPlanner } from "./item-planner.ts";
import { type Phase, startStreamName } from "./phases.ts";
import type { Source } from "./reference.ts";
import { ValueScope } from "./scope.ts";
import { SourceResolver } from "./source-resolver.ts";
import { TargetChecker } from "./target-checker.ts";
import type { PlannedItem, WorldPlan } from "./world-plan.ts";

/** A plan and what is wrong with it; a plan with faults must not be run. */
export interface Planning {
  /** The pipeline with its references resolved. */
  readonly plan: WorldPlan;
  /** What is wrong; none means that the plan can be run. */
  readonly faults: readonly Fault[];
}

/** Resolves every reference of a manifest and compares every type and shape, without reading any other file. */
export function planPipeline(manifest: WorldManifest): Planning {
  const planner = new WorldPlanner(manifest);
  return { plan: planner.plan(), faults: planner.faults.faults };
}

class WorldPlanner {
  readonly faults = new FaultList();
  readonly #manifest: WorldManifest;
  readonly #resolver: SourceResolver;
  readonly #items: ItemPlanner;
  readonly #written = new Set<string>();

  constructor(manifest: WorldManifest) {
    this.#manifest = manifest;
    this.#resolver = new SourceResolver(manifest, this.faults);
    this.#items = new ItemPlanner(manifest, this.faults, this.#resolver);
  }

  plan(): WorldPlan {
    const { pipeline, video } = this.#manifest;
    checkInputs(this.#manifest, this.faults);
    checkState(this.#manifest, this.faults);
    this.#checkStreams();
    const outside = new ValueScope();
    const condition = this.#phase(pipeline.condition, "condition", "condition", outside, this.#targets(0));
    const starting = this.#targets(0);
    const start = this.#phase(pipeline.start, "start", "start", outside, starting);
    this.#note(starting);

    const [step, finalize] = this.#step(
      ["step", pipeline.step],
      ["finalize", pipeline.finalize],
      video.framesPerStep,
      outside,
    );
    const first = pipeline.firstStep ?? pipeline.step;
    const firstName = pipeline.firstStep === undefined ? "step" : "firstStep";
    const firstFinalizeName = pipeline.firstFinalize === undefined ? "finalize" : "firstFinalize";
    const isSame =
      firstName === "step" &&
      firstFinalizeName === "finalize" &&
      (video.firstStepFrames ?? video.framesPerStep) === video.framesPerStep;
    const [firstStep, firstFinalize] = isSame
      ? [step, finalize]
      : this.#step(
          [firstName, first],
          [firstFinalizeName, pipeline.firstFinalize ?? pipeline.finalize],
          video.firstStepFrames ?? video.framesPerStep,
          outside,
        );
    this.#checkUse();
    return {
      condition,
      conditionInputs: conditionInputs(condition),
      start,
      firstStep,
      firstFinalize,
      step,
      finalize,
    };
  }

  #targets(frameCount: number): TargetChecker {
    return new TargetChecker(this.#manifest, this.faults, frameCount);
  }

  #note(targets: TargetChecker): void {
    for (const name of targets.written) this.#written.add(name);
  }

  #step(
    [stepName, stepItems]: [string, readonly ItemDeclaration[]],
    [finalizeName, finalizeItems]: [string, readonly ItemDeclaration[]],
    frameCount: number,
    outside: ValueScope,
  ): [readonly PlannedItem[], readonly PlannedItem[]] {
    const scope = new ValueScope(outside);
    const targets = this.#targets(frameCount);
    const step = this.#phase(stepItems, stepName, "step", scope, targets);
    if (!targets.written.includes("frames")) {
      this.faults.add({
        code: FAULT_CODES.frames,
        path: `pipeline.${stepName}`,
        expected: 'one output with the target "frames"',
        found: "none",
        mend: "Give the decoder's output this target.",
      });
    }
    const finalize = this.#phase(finalizeItems, finalizeName, "finalize", scope, targets);
    this.#note(targets);
    return [step, finalize];
  }

  #phase(
    items: readonly ItemDeclaration[],
    name: string,
    phase: Phase,
    scope: ValueScope,
    targets: TargetChecker,
  ): readonly PlannedItem[] {
    return items.flatMap((item, index) => {
      const path = `pipeline.${name}[${index}]`;
      return this.#items.plan(item, { path, phase, scope, targets }) ?? [];
    });
  }

  #checkStreams(): void {
    const names = this.#manifest.randomStreams;
    try {
      assertDistinctStreams([...names, ...names.map(startStreamName)]);
    } catch (error) {
      if (!isDreamloopError(error)) throw error;
      this.faults.add({
        code: FAULT_CODES.invalidValue,
        path: "randomStreams",
        expected: "names with different numbers",
        found: error.message,
        mend: "Rename one.",
      });
    }
  }

  /** What is declared and then used by nothing is nearly always a slip, and never does what its author hopes. */
  #checkUse(): void {
    const unused = (path: string, expected: string): void =>
      this.faults.add({
        code: FAULT_CODES.reference,
        path,
        expected,
        found: "none",
        mend: "Use it in the pipeline, or remove it.",
      });
    for (const name of Object.keys(this.#manifest.graphs)) {
      if (!this.#items.ports.used.has(name)) unused(`graphs.${name}`, "an item that runs the graph");
    }
    for (const slot of ["initial", "step"] as const) {
      for (const name of Object.keys(this.#manifest.inputs[slot])) {
        if (!this.#resolver.used.has(`${slot}:${name}`))
          unused(`inputs.${slot}.${name}`, "an item that uses the input");
      }
    }
    for (const name of Object.keys(this.#manifest.state)) {
      if (!this.#written.has(`state:${name}`)) unused(`state.${name}`, "an item that writes the state");
    }
  }
}

/** For each item of the condition phase the initial inputs that it depends on, directly or through values. */
function conditionInputs(items: readonly PlannedItem[]): readonly ReadonlySet<string>[] {
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
    case "sample": {
      const { start, inputs, branches, rescale, context } = item;
      const fed = [inputs, ...branches.map((branch) => branch.inputs)].flat().map(({ source }) => source);
      const numbers = [rescale, ...branches.map(({ scale }) => scale)].filter((each) => typeof each !== "number");
      return [start, ...fed, ...numbers, ...(context === undefined ? [] : [context.source])];
    }
    case "add_noise":
      return [item.latent, item.noise];
    case "set":
    case "transform":
      return [item.from];
    case "concat":
      return item.parts.map(({ source }) => source);
  }
}

function valuesOf(item: PlannedItem): readonly string[] {
  const targets = item.type === "graph" ? item.outputs.flatMap((output) => output.targets) : item.targets;
  return targets.flatMap((target) => (target.kind === "value" ? [target.name] : []));
}
