import {
  DreamloopError,
  ERROR_CODES,
  chosenModelConfig,
  FRAME_LAYOUTS,
  isDreamloopError,
  PIXEL_FORMATS,
  sessionDescription,
  type FrameLayout,
  type InferenceConfig,
  type PixelFormat,
  type SessionDescription,
  type StandardSchema,
  type StandardSchemaIssue,
} from "@dreamloop/core";
import {
  finite,
  flag,
  isPlainObject,
  nearest,
  oneOf,
  optional,
  withDefault,
  type FieldReaders,
} from "@dreamloop/core/internal";

/** Identity of the probe world's adapter. */
export const PROBE_MODEL_ID = "probe";

/** The runtime options of the probe world, with their defaults filled in. */
export interface ProbeOptions {
  /** Columns, 1 to 4096; default 640. */
  readonly width: number;
  /** Rows, 1 to 4096; default 360. */
  readonly height: number;
  /** Frames per second of the world's timeline, above 0 to 1000; default 30. */
  readonly framesPerSecond: number;
  /** Frames of each step, 1 to 16; default 1. `ModelConfig.framesPerStep` says the same; where both are given they must agree. */
  readonly framesPerStep?: number;
  /** Frames of the first step, 1 to 16; default those of each step. */
  readonly firstStepFrames?: number;
  /** Simulated cost of a step in seconds, 0 to 60; default 0. */
  readonly stepTimeSeconds: number;
  /** Simulated cost of a load in seconds, 0 to 600; default 0. */
  readonly loadTimeSeconds: number;
  /** Simulated cost of finalising a step in seconds, 0 to 60; default 0. Needs `finalize`. */
  readonly finalizeTimeSeconds: number;
  /** Whether the simulated cost of loads, steps and finalising holds the thread, as an inference engine does; default false. */
  readonly blocking: boolean;
  /** Whether a step's state counts only after `finalizeStep`; default false. */
  readonly finalize: boolean;
  /** Whether painting is skipped: each chunk is one that was painted at the start. For benchmarks of the loop; default false. */
  readonly instant: boolean;
  /** Steps until the rollout is complete; default never. */
  readonly stepLimit?: number;
  /** Type and channel order of the pixels; default `rgb8`. */
  readonly format: PixelFormat;
  /** Order of the axes; default `thwc`. */
  readonly layout: FrameLayout;
  /** Sessions at a time, 1 to 1024; default 64. */
  readonly maxSessions: number;
  /** The step whose first try fails, for tests; default none. */
  readonly failAtStep?: number;
  /** How many frames of the failing step are painted before it fails; default 0. */
  readonly failAfterFrames: number;
  /** The step whose last value is NaN, for tests; needs `rgbf32`; default none. */
  readonly nanAtStep?: number;
}

const index = finite({ integer: true, min: 0 });
const side = finite({ integer: true, min: 1, max: 4096 });
const frames = finite({ integer: true, min: 1, max: 16 });
const stepSeconds = withDefault(finite({ min: 0, max: 60 }), 0);

const FIELDS: FieldReaders<ProbeOptions> = {
  width: withDefault(side, 640),
  height: withDefault(side, 360),
  framesPerSecond: withDefault(finite({ min: 0, aboveMin: true, max: 1000 }), 30),
  framesPerStep: optional(frames),
  firstStepFrames: optional(frames),
  stepTimeSeconds: stepSeconds,
  loadTimeSeconds: withDefault(finite({ min: 0, max: 600 }), 0),
  finalizeTimeSeconds: stepSeconds,
  blocking: withDefault(flag, false),
  finalize: withDefault(flag, false),
  instant: withDefault(flag, false),
  stepLimit: optional(finite({ integer: true, min: 1 })),
  format: withDefault(oneOf(PIXEL_FORMATS), PIXEL_FORMATS.rgb8),
  layout: withDefault(oneOf(FRAME_LAYOUTS), FRAME_LAYOUTS.thwc),
  maxSessions: withDefault(finite({ integer: true, min: 1, max: 1024 }), 64),
  failAtStep: optional(index),
  failAfterFrames: withDefault(finite({ integer: true, min: 0, max: 16 }), 0),
  nanAtStep: optional(index),
};
const NAMES = Object.keys(FIELDS) as (keyof ProbeOptions)[];

/** One fault of an option, in the shape of a Standard Schema issue. */
interface OptionIssue extends StandardSchemaIssue {
  readonly path?: readonly string[];
}

function read(value: unknown): { readonly options: ProbeOptions; readonly issues: readonly OptionIssue[] } {
  if (!isPlainObject(value)) return { options: {} as ProbeOptions, issues: [{ message: "expected a mapping" }] };
  const issues: OptionIssue[] = [];
  const options: Record<string, unknown> = {};
  for (const key of Object.keys(value).filter((name) => !(name in FIELDS))) {
    const near = nearest(key, NAMES);
    const hint = near === undefined ? `known options: ${NAMES.join(", ")}` : `did you mean ${JSON.stringify(near)}?`;
    issues.push({ path: [key], message: `unknown option; ${hint}` });
  }
  for (const name of NAMES) {
    try {
      const entry: unknown = FIELDS[name](value[name], name);
      if (entry !== undefined) options[name] = entry;
    } catch (error) {
      if (!isDreamloopError(error)) throw error;
      issues.push({ path: [name], message: error.message.replace(`${name}: `, "") });
    }
  }
  return { options: Object.freeze(options) as unknown as ProbeOptions, issues };
}

/** Checks runtime options of the probe world and fills in defaults; unknown options are refused with the nearest known one. */
export const probeOptionsSchema: StandardSchema<unknown, ProbeOptions> = {
  "~standard": {
    version: 1,
    vendor: "dreamloop",
    validate: (value) => {
      const { options, issues } = read(value);
      return issues.length > 0 ? { issues } : { value: options };
    },
  },
};

function conflict(message: string): never {
  throw new DreamloopError(ERROR_CODES.unsupportedConfig, `InferenceConfig.runtimeOptions.${message}`);
}

/** The options of a configuration with the frames of a step settled; throws where options contradict each other. */
export function probeOptionsOf(config: InferenceConfig): ProbeOptions & { readonly framesPerStep: number } {
  const { options, issues } = read(config.runtimeOptions);
  const issue = issues[0];
  if (issue !== undefined) conflict(`${issue.path?.[0] ?? ""}: ${issue.message}`);
  const wanted = chosenModelConfig(config).framesPerStep;
  if (wanted !== undefined && wanted > 16) {
    throw new DreamloopError(
      ERROR_CODES.unsupportedConfig,
      `ModelConfig.framesPerStep: expected 1 to 16 for the probe world, found ${wanted}`,
    );
  }
  if (wanted !== undefined && options.framesPerStep !== undefined && wanted !== options.framesPerStep) {
    conflict(
      `framesPerStep: ${options.framesPerStep} contradicts ModelConfig.framesPerStep ${wanted}; give one of them`,
    );
  }
  if (options.nanAtStep !== undefined && options.format !== PIXEL_FORMATS.rgbf32) {
    conflict(
      `nanAtStep: only float frames hold NaN, found format ${JSON.stringify(options.format)}; set format to "rgbf32"`,
    );
  }
  if (options.nanAtStep !== undefined && options.instant) {
    conflict("nanAtStep: an instant step paints nothing; leave out one of the two");
  }
  if (options.finalizeTimeSeconds > 0 && !options.finalize) {
    conflict("finalizeTimeSeconds: steps are not finalised; set finalize to true");
  }
  return { ...options, framesPerStep: wanted ?? options.framesPerStep ?? 1 };
}

/** What sessions with these options deliver. */
export function describeProbe(options: ProbeOptions & { readonly framesPerStep: number }): SessionDescription {
  return sessionDescription({
    worldId: PROBE_MODEL_ID,
    width: options.width,
    height: options.height,
    framesPerSecond: options.framesPerSecond,
    framesPerStep: options.framesPerStep,
    firstStepFrames: options.firstStepFrames ?? options.framesPerStep,
    format: options.format,
    layout: options.layout,
    range: options.format === PIXEL_FORMATS.rgbf32 ? "unit" : "full",
    inputLatencySteps: 0,
    deterministic: true,
  });
}
