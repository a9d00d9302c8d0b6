import type { UserInputEvent } from "../../inputs/user-input-event.ts";
import type { RewindRecord, RunEnd, RunStart, StepRecord } from "../../rollout/run-observer.ts";
import { jsonMapping, type Json } from "../../foundation/validate/reader.ts";
import {
  FRAME_HASH_NAME,
  INLINE_BYTES_PER_LINE,
  TRACE_FORMAT,
  TRACE_FORMAT_VERSION,
  type TraceFork,
  type TracePause,
  type TraceTolerance,
} from "./trace-records.ts";
import type { HashedValue, InlineBudget } from "../value/hash-value.ts";

/** One line as JSON, its line feed included. Fields that are `undefined` are left out. */
export type TraceText = string;

/** What the header says beside what the run itself knows. */
export interface HeaderFacts {
  /** Version of Dreamloop that records. */
  readonly dreamloopVersion: string;
  /** When the run began. */
  readonly recordedAt: string | undefined;
  /** The machine and its software. */
  readonly environment: { readonly [key: string]: Json };
  /** Whether the model inputs of every step are kept. */
  readonly modelInputsRecorded: boolean;
  /** The initial inputs as the caller gave them. */
  readonly requestedInputs: HashedValue;
  /** Address of the initial inputs after mapping. */
  readonly initialInputs: string | undefined;
  /** Arrays of up to this many bytes stand in the line. */
  readonly inlineBytes: number;
}

/** The first line. */
export function headerText(start: RunStart, facts: HeaderFacts): TraceText {
  const { description, sourceSchema, origin } = start;
  const { generation, stepIndex, sessionSeconds } = origin ?? {};
  return lineText({
    type: "header",
    format: TRACE_FORMAT,
    formatVersion: TRACE_FORMAT_VERSION,
    dreamloopVersion: facts.dreamloopVersion,
    recordedAt: facts.recordedAt,
    worldId: description.worldId,
    seed: start.seed,
    config: start.config,
    candidateIndex: start.candidateIndex,
    versions: start.versions,
    runtimeFacts: jsonMapping(start.runtimeFacts, "RunStart.runtimeFacts"),
    description,
    sourceSchema: {
      capabilities: sourceSchema.capabilities,
      snapshotFields: sourceSchema.snapshotFields,
      description: sourceSchema.description,
    },
    requestedInputs: facts.requestedInputs.json(inlineBudget(facts.inlineBytes)),
    initialInputs: facts.initialInputs,
    modelInputsRecorded: facts.modelInputsRecorded,
    frameHash: FRAME_HASH_NAME,
    environment: facts.environment,
    exactness: description.deterministic
      ? { promised: true }
      : {
          promised: false,
          reason: "the world does not promise the same frames for the same inputs and seed (deterministic is false)",
        },
    origin:
      origin === undefined ? undefined : { generation, stepIndex, sessionSeconds, moment: origin.moment?.address },
  });
}

/** The line of one event. */
export function eventText(event: UserInputEvent, payload: HashedValue, inlineBytes: number): TraceText {
  const { timestampSeconds, eventType, source, sourceEventId } = event;
  const hasPayload = Object.keys(event.payload).length > 0;
  return lineText({
    type: "event",
    timestampSeconds,
    eventType,
    payload: hasPayload ? payload.json(inlineBudget(inlineBytes)) : undefined,
    source,
    sourceEventId,
  });
}

/** The line of a change of initial values. */
export function updateText(stepNumber: number, values: HashedValue, inlineBytes: number): TraceText {
  return lineText({ type: "update", stepNumber, values: values.json(inlineBudget(inlineBytes)) });
}

/** The line of a step itself. */
export function stepText(
  record: StepRecord,
  stepNumber: number,
  modelInputs: { readonly address?: string; readonly note?: string },
): TraceText {
  const { result, window } = record;
  return lineText({
    type: "step",
    stepNumber,
    generation: result.generation,
    stepIndex: result.stepIndex,
    window: { startSeconds: window.startSeconds, endSeconds: window.endSeconds },
    eventCount: record.events.length,
    inputSequence: result.inputSequence,
    modelInputs: modelInputs.address,
    modelInputsNote: modelInputs.note,
    canonicalSources: Object.keys(record.canonicalSources).length === 0 ? undefined : record.canonicalSources,
    frameCount: result.frameCount,
    frameHashes: record.frameHashes,
    discarded: record.discarded ? true : undefined,
  });
}

/** The line of a reset; `initialInputs` is the address of the new rollout's. */
export function resetText(
  stepNumber: number,
  reset: {
    readonly generation: number;
    readonly seed: number;
    readonly timestampSeconds: number;
    readonly clearedDeltas: number;
  },
  initialInputs: string | undefined,
): TraceText {
  const { generation, seed, timestampSeconds, clearedDeltas } = reset;
  return lineText({ type: "reset", stepNumber, generation, seed, timestampSeconds, clearedDeltas, initialInputs });
}

/** The line of a return to an earlier moment. */
export function rewindText(stepNumber: number, rewind: RewindRecord): TraceText {
  const { generation, toGeneration, stepIndex, seed, timestampSeconds, clearedDeltas } = rewind;
  return lineText({
    type: "rewind",
    stepNumber,
    generation,
    toGeneration,
    stepIndex,
    seed,
    timestampSeconds,
    clearedDeltas,
  });
}

/** The line of a session that was begun from a moment of this one. */
export function forkText(fork: TraceFork): TraceText {
  const { stepNumber, generation, stepIndex } = fork;
  return lineText({ type: "fork", stepNumber, generation, stepIndex });
}

/** The line of a pause or its end. */
export function pauseText({ stepNumber, paused, timestampSeconds }: TracePause): TraceText {
  return lineText({ type: "pause", stepNumber, paused, timestampSeconds });
}

/** The last line; `stillRunning` marks that of a copy that was made while the run went on. */
export function footerText(
  end: RunEnd,
  counts: { readonly events: number; readonly resets: number; readonly stillRunning?: true },
): TraceText {
  return lineText({
    type: "footer",
    outcome: end.outcome,
    stepCount: end.stepCount,
    frameCount: end.frameCount,
    eventCount: counts.events,
    resetCount: counts.resets,
    stillRunning: counts.stillRunning,
  });
}

/** The line that adds a measured tolerance to a trace, after its footer. */
export function toleranceText(tolerance: TraceTolerance): TraceText {
  return lineText({ type: "tolerance", ...tolerance });
}

function lineText(fields: { readonly type: string; readonly [field: string]: unknown }): TraceText {
  return `${JSON.stringify(fields)}\n`;
}

/** How much of its arrays a line carries when arrays of up to `inlineBytes` bytes stand in it. */
export function inlineBudget(inlineBytes: number): InlineBudget {
  return { inlineBytes, inlineBudgetBytes: INLINE_BYTES_PER_LINE };
}
