import type { TensorSignature } from "../manifest/tensor.ts";
import type { RunCondition } from "./world-plan.ts";

interface ValueEntry {
  readonly signature: TensorSignature;
  readonly producers: RunCondition[];
}

/** The values that items know by name at one point of the pipeline. */
export class ValueScope {
  readonly #entries: Map<string, ValueEntry>;

  /** Begins with the values of `outer`, which is not changed by what is added here. */
  constructor(outer?: ValueScope) {
    this.#entries = new Map();
    for (const [name, entry] of outer?.entries() ?? []) {
      this.#entries.set(name, { signature: entry.signature, producers: [...entry.producers] });
    }
  }

  /** Names of all values. */
  get names(): readonly string[] {
    return [...this.#entries.keys()];
  }

  /** The values and who produces them. */
  entries(): Iterable<[string, ValueEntry]> {
    return this.#entries;
  }

  /** What is known of a value; `undefined` when nothing produces it. */
  signature(name: string): TensorSignature | undefined {
    return this.#entries.get(name)?.signature;
  }

  /** Adds a producer; `false` when one before it may run in the same case. */
  add(name: string, signature: TensorSignature, condition: RunCondition): boolean {
    const entry = this.#entries.get(name);
    if (entry === undefined) {
      this.#entries.set(name, { signature, producers: [condition] });
      return true;
    }
    const excluded = entry.producers.every((other) => excludes(other, condition));
    entry.producers.push(condition);
    return excluded;
  }

  /** Whether the value is there whenever an item with this condition runs. */
  isSure(name: string, consumer: RunCondition): boolean {
    const producers = this.#entries.get(name)?.producers ?? [];
    const open = producers.filter((producer) => couldRun(producer, consumer));
    if (open.some((producer) => follows(producer, consumer))) return true;
    // Two producers that share the cases between them: one runs when an input is given, the other when it is not.
    return open.some(
      (one) =>
        one.when !== undefined &&
        follows({ unless: one.unless }, consumer) &&
        open.some((two) => two.unless === one.when && follows({ when: two.when }, consumer)),
    );
  }
}

/** Whether an item with condition `producer` runs whenever one with condition `consumer` does. */
function follows(producer: RunCondition, consumer: RunCondition): boolean {
  const when = producer.when === undefined || producer.when === consumer.when;
  return when && (producer.unless === undefined || producer.unless === consumer.unless);
}

function couldRun(producer: RunCondition, consumer: RunCondition): boolean {
  return !excludes(producer, consumer);
}

/** Whether two conditions never hold together. */
export function excludes(one: RunCondition, two: RunCondition): boolean {
  const contradicts = (given: string | undefined, absent: string | undefined): boolean =>
    given !== undefined && given === absent;
  return contradicts(one.when, two.unless) || contradicts(two.when, one.unless);
}
