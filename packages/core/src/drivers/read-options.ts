import type { OutputTarget } from "./output-target.ts";
import { callable, finite, flag, listOf, optional, refuse, type Reader } from "../foundation/validate/reader.ts";
import { refuseUnknownKeys, shape } from "../foundation/validate/record.ts";
import { readWaitLimits } from "../foundation/time/wait-guard.ts";
import type { BatchOptions } from "./batch-driver.ts";
import type { ChunkSink } from "./chunk-sink.ts";
import type { MomentPosition } from "../snapshot/driver-history.ts";
import type { MomentAgo, RealtimeOptions } from "./realtime-options.ts";
import type { RunOptions } from "./run-options.ts";

type OptionReaders<Options> = { readonly [Name in keyof Options]-?: Reader<unknown> };

/** An object with methods; the error names the one that is missing. */
function withMethods(...methods: readonly string[]): Reader<unknown> {
  return (value, path) => {
    if (typeof value !== "object" || value === null) refuse(path, "an object", value);
    for (const method of methods) callable()((value as Record<string, unknown>)[method], `${path}.${method}`);
    return value;
  };
}

/** Checked by `planRun` in the order of the standard loop. */
const later: Reader<unknown> = (value) => value;
const hook = optional(callable());

const RUN_READERS: OptionReaders<RunOptions> = {
  adapter: later,
  config: later,
  candidateIndex: later,
  mapping: later,
  canonicalizer: later,
  initialInputs: later,
  seed: later,
  clock: withMethods("nowSeconds", "sleepUntil"),
  from: later,
  history: optional(withMethods("begin", "add", "rewound", "has", "stateAt", "close")),
  runtime: optional(withMethods("describe", "startSession", "close")),
  observers: optional(listOf(withMethods())),
  metrics: optional(withMethods("record", "close")),
  frameHasher: optional(withMethods("digest")),
  checkFrames: optional(flag),
  stages: optional(withMethods("stage")),
  onProgress: hook,
  onWarning: hook,
  waits: readWaitLimits,
  signal: optional(withMethods("addEventListener", "removeEventListener")),
};

const TARGET_METHODS: readonly (keyof OutputTarget)[] = ["open", "write", "close"];
const SINK_METHODS: readonly (keyof ChunkSink)[] = ["open", "push", "close"];
const count = optional(finite({ integer: true, min: 0 }));

const BATCH_READERS: OptionReaders<BatchOptions> = {
  ...RUN_READERS,
  source: optional(withMethods("read")),
  outputs: optional(listOf(withMethods(...TARGET_METHODS))),
  stepLimit: count,
  frameLimit: count,
  secondsLimit: optional(finite({ min: 0, aboveMin: true })),
  onStep: hook,
};

const REALTIME_READERS: OptionReaders<RealtimeOptions> = {
  ...RUN_READERS,
  input: optional(withMethods("push", "read")),
  outputs: optional(listOf(withMethods(...SINK_METHODS))),
  leadFrames: optional(finite({ min: 0, aboveMin: true })),
  stepLimit: count,
  pollInput: hook,
};

function readOptions(readers: Readonly<Record<string, Reader<unknown>>>, type: string, options: unknown): void {
  refuseUnknownKeys(options, Object.keys(readers), type);
  for (const [name, read] of Object.entries(readers)) {
    read((options as Readonly<Record<string, unknown>>)[name], `${type}.${name}`);
  }
}

/** Refuses unknown, missing and mistyped options of a batch run before anything starts. */
export function checkBatchOptions(options: unknown): void {
  readOptions(BATCH_READERS, "BatchOptions", options);
}

/** Refuses unknown, missing and mistyped options of a realtime run before anything starts. */
export function checkRealtimeOptions(options: unknown): void {
  readOptions(REALTIME_READERS, "RealtimeOptions", options);
}

const position = shape<MomentPosition>({
  generation: finite({ integer: true, min: 0 }),
  stepIndex: finite({ integer: true, min: 0 }),
});
const ago = shape<MomentAgo>({ secondsAgo: finite({ min: 0 }) });

/** Reads a moment of a run. */
export const readPosition: Reader<MomentPosition> = position;

/** Reads a moment of a run, or how long ago it was. */
export const readMoment: Reader<MomentPosition | MomentAgo> = (value, path) =>
  typeof value === "object" && value !== null && "secondsAgo" in value ? ago(value, path) : position(value, path);

/** Refuses what is no sink. */
export const readSink: Reader<unknown> = withMethods(...SINK_METHODS);
