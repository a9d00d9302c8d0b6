import { DreamloopError, ERROR_CODES } from "../dreamloop-error.ts";
import { mapping, refuse, text, withDefault, type Mapping } from "../validate/reader.ts";
import { isMade, markMade, refuseUnknownKeys } from "../validate/record.ts";

/** What a sample is about. */
export const METRIC_CATEGORIES = {
  /** Set-up, loading, warm-up, closing: once a run. */
  lifecycle: "lifecycle",
  /** A duration in seconds. */
  timing: "timing",
  /** Bytes in use. */
  memory: "memory",
  /** Work a second. */
  throughput: "throughput",
  /** Packets, queues, drops, round trips. */
  transport: "transport",
  /** How good the pictures are. */
  quality: "quality",
  /** Anything else about the run. */
  runtime: "runtime",
} as const;

/** One of `METRIC_CATEGORIES`. */
export type MetricCategory = (typeof METRIC_CATEGORIES)[keyof typeof METRIC_CATEGORIES];

/** One measurement. */
export interface RuntimeMetricSample {
  /** Its name; not blank. */
  readonly name: string;
  /** A finite number. */
  readonly value: number;
  /** Its unit; default `s`. */
  readonly unit: string;
  /** The step it belongs to. */
  readonly stepIndex?: number;
  /** What it is about; default `runtime`. A `timing` has the unit `s`. */
  readonly category: MetricCategory;
  /** Further facts. */
  readonly metadata: Mapping;
}

/** What the factory of `RuntimeMetricSample` takes. */
export type RuntimeMetricSampleInput = Partial<RuntimeMetricSample> & Pick<RuntimeMetricSample, "name" | "value">;

const KEYS = ["name", "value", "unit", "stepIndex", "category", "metadata"];

/**
 * Makes a `RuntimeMetricSample`. Checked in this order: blank name; value not a number (a boolean is none); not finite;
 * negative step index; blank unit; category `timing` with a unit other than `s`.
 */
export function runtimeMetricSample(input: RuntimeMetricSampleInput): RuntimeMetricSample {
  const type = "RuntimeMetricSample";
  if (isMade(input, type)) return input as RuntimeMetricSample;
  refuseUnknownKeys(input, KEYS, type);
  const name = text({ maxLength: 200 })(input.name, `${type}.name`);
  if (typeof input.value !== "number") refuse(`${type}.value`, "a numeric value", input.value);
  if (!Number.isFinite(input.value)) refuse(`${type}.value`, "a finite number", input.value);
  if (input.stepIndex !== undefined && (!Number.isSafeInteger(input.stepIndex) || input.stepIndex < 0)) {
    refuse(`${type}.stepIndex`, "an integer of at least 0", input.stepIndex);
  }
  const unit = withDefault(text({ maxLength: 32 }), "s")(input.unit, `${type}.unit`);
  const category = input.category === undefined ? METRIC_CATEGORIES.runtime : input.category;
  const categories: readonly string[] = Object.values(METRIC_CATEGORIES);
  if (!categories.includes(category)) refuse(`${type}.category`, `one of ${categories.join(", ")}`, category);
  if (category === METRIC_CATEGORIES.timing && unit !== "s") {
    throw new DreamloopError(
      ERROR_CODES.invalidValue,
      `${type}.unit: a timing is given in "s", found ${JSON.stringify(unit)}; convert it to seconds`,
    );
  }
  const sample = {
    name,
    value: input.value,
    unit,
    ...(input.stepIndex === undefined ? {} : { stepIndex: input.stepIndex }),
    category,
    metadata: withDefault(mapping, Object.freeze({}))(input.metadata, `${type}.metadata`),
  };
  return markMade(sample, type);
}
