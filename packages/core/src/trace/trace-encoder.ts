import { DreamloopError, ERROR_CODES, isDreamloopError } from "../foundation/dreamloop-error.ts";
import type { UserInputEvent } from "../inputs/user-input-event.ts";
import type { ModelInputs } from "../mapping/model-inputs.ts";
import type {
  ForkRecord,
  FrameHasher,
  PauseRecord,
  ResetRecord,
  RewindRecord,
  RunEnd,
  RunObserver,
  RunStart,
  StepRecord,
} from "../rollout/run-observer.ts";
import { finite, flag, jsonMapping, optional, text, withDefault, type Json } from "../foundation/validate/reader.ts";
import { DREAMLOOP_VERSION } from "../foundation/version.ts";
import { DEFAULT_INLINE_BYTES, DEFAULT_TRACE_LIMITS, INLINE_BYTES_PER_LINE } from "./format/trace-records.ts";
import * as write from "./format/write-records.ts";
import { hashValue, type HashedValue } from "./value/hash-value.ts";
import { encodeModelInputs, storeModelInputs } from "./value/model-inputs-payload.ts";
import type { PayloadStore } from "../snapshot/content/payload-store.ts";

/** Where the text of a trace goes. */
export interface TraceSink {
  /** Takes whole lines, each with its line feed: everything of one step in one call. Its promise is the back-pressure. */
  write(lines: string): void | Promise<void>;
}

/** How a run is recorded. */
export interface TraceEncoderOptions {
  /** Where the text goes; who made it closes it. */
  readonly sink: TraceSink;
  /** Hashes model inputs and arrays: the same that hashes frames. */
  readonly hasher: FrameHasher;
  /** Version of Dreamloop that records; default `DREAMLOOP_VERSION`. */
  readonly dreamloopVersion?: string;
  /** When the run began (ISO 8601); absent: the trace does not say. */
  readonly recordedAt?: string;
  /** The machine and its software, plain JSON; default empty. */
  readonly environment?: { readonly [key: string]: Json };
  /** Where arrays go that are too big for a line, and model inputs with `recordModelInputs`; absent: only their hashes are kept. */
  readonly payloads?: PayloadStore;
  /** Whether the model inputs of every step are kept, so that the trace can be replayed without mapping and converters; needs `payloads`; default false. */
  readonly recordModelInputs?: boolean;
  /** Arrays of up to this many bytes stand in the line itself, 0 to 1,048,576; default 65,536. */
  readonly inlineBytes?: number;
}

/**
 * Records a run as a trace: the observer to give to a driver. Every step is handed to the sink as a whole, so that a process which
 * is killed leaves a trace that can be read up to its last whole step. The first failure (of the sink, of the store, of a value that no
 * trace can hold) is thrown once and ends the recording, so that nothing is ever missing in the middle.
 */
export class TraceEncoder implements RunObserver {
  readonly #sink: TraceSink;
  readonly #hasher: FrameHasher;
  readonly #facts: Pick<write.HeaderFacts, "dreamloopVersion" | "recordedAt" | "environment" | "inlineBytes">;
  readonly #payloads: PayloadStore | undefined;
  readonly #recordModelInputs: boolean;
  #state: "new" | "recording" | "ended" | "failed" = "new";
  #failure: unknown;
  #waiting = "";
  #stepCount = 0;
  #eventCount = 0;
  #resetCount = 0;

  /** Refuses wrong values, and `recordModelInputs` without a store. */
  constructor(options: TraceEncoderOptions) {
    this.#sink = options.sink;
    this.#hasher = options.hasher;
    this.#payloads = options.payloads;
    this.#recordModelInputs = withDefault(flag, false)(
      options.recordModelInputs,
      "TraceEncoderOptions.recordModelInputs",
    );
    this.#facts = {
      dreamloopVersion: withDefault(text({ maxLength: 128 }), DREAMLOOP_VERSION)(
        options.dreamloopVersion,
        "TraceEncoderOptions.dreamloopVersion",
      ),
      recordedAt: optional(text({ maxLength: 64 }))(options.recordedAt, "TraceEncoderOptions.recordedAt"),
      environment: jsonMapping(options.environment ?? {}, "TraceEncoderOptions.environment"),
      inlineBytes: withDefault(finite({ integer: true, min: 0, max: INLINE_BYTES_PER_LINE }), DEFAULT_INLINE_BYTES)(
        options.inlineBytes,
        "TraceEncoderOptions.inlineBytes",
      ),
    };
    if (this.#recordModelInputs && this.#payloads === undefined) {
      throw new DreamloopError(
        ERROR_CODES.invalidValue,
        "TraceEncoderOptions.recordModelInputs: expected a payload store to keep them in, found none; give payloads",
      );
    }
  }

  /** What ended the recording before the run was over; absent: nothing did. */
  get failure(): unknown {
    return this.#failure;
  }

  /** Writes the header. */
  runStarted(start: RunStart): Promise<void> {
    return this.#guard("new", async () => {
      const { initial, step, update, metadata } = start.requestedInputs;
      const requested = withoutEmptySlots({ initial, step, update, metadata });
      const requestedInputs = await this.#hash(requested, "ModelInputs");
      const { address } = await this.#keepModelInputs(start.initialInputs);
      const moment = start.origin?.moment;
      if (moment !== undefined) await this.#payloads?.put(moment.address, moment.bytes);
      const facts = { ...this.#facts, modelInputsRecorded: this.#recordModelInputs };
      await this.#write([write.headerText(start, { ...facts, requestedInputs, initialInputs: address })]);
      this.#state = "recording";
    });
  }

  /** Keeps the line of a reset until its step, so that both are written together. */
  resetApplied(record: ResetRecord): Promise<void> {
    return this.#guard("recording", async () => {
      const { address } = await this.#keepModelInputs(record.initialInputs);
      this.#waiting += write.resetText(this.#stepCount, record, address);
      this.#resetCount += 1;
    });
  }

  /** Keeps the line of a rewind until its step. */
  rewindApplied(record: RewindRecord): Promise<void> {
    return this.#guard("recording", async () => {
      this.#waiting += write.rewindText(this.#stepCount, record);
    });
  }

  /** Writes that another session was begun from here. */
  forkTaken(record: ForkRecord): Promise<void> {
    return this.#guard("recording", () => this.#write([write.forkText({ stepNumber: this.#stepCount, ...record })]));
  }

  /** Writes a step and everything that belongs to it. */
  stepCommitted(record: StepRecord): Promise<void> {
    return this.#guard("recording", async () => {
      const { inlineBytes } = this.#facts;
      const lines = [this.#waiting];
      if (record.events.length > DEFAULT_TRACE_LIMITS.eventsPerStep) {
        throw limitError(`step ${this.#stepCount} has ${record.events.length} events`, "give smaller windows");
      }
      for (const event of record.events)
        lines.push(write.eventText(event, await this.#hashPayload(event), inlineBytes));
      const { update } = record.modelInputs;
      if (Object.keys(update).length > 0) {
        lines.push(write.updateText(this.#stepCount, await this.#hash(update, "ModelInputs.update"), inlineBytes));
      }
      lines.push(write.stepText(record, this.#stepCount, await this.#keepModelInputs(record.modelInputs)));
      this.#waiting = "";
      await this.#write(lines);
      this.#stepCount += 1;
      this.#eventCount += record.events.length;
    });
  }

  /** Writes a pause or its end. */
  pauseChanged(record: PauseRecord): Promise<void> {
    return this.#guard("recording", () => this.#write([write.pauseText({ stepNumber: this.#stepCount, ...record })]));
  }

  /** Writes the footer. */
  runEnded(end: RunEnd): Promise<void> {
    return this.#guard("recording", async () => {
      const counts = { events: this.#eventCount, resets: this.#resetCount };
      await this.#write([this.#waiting, write.footerText({ ...end, stepCount: this.#stepCount }, counts)]);
      this.#waiting = "";
      this.#state = "ended";
    });
  }

  /** Runs in the expected state only; what fails is thrown once and ends the recording. */
  async #guard(expected: "new" | "recording", action: () => Promise<void>): Promise<void> {
    if (this.#state !== expected) return;
    try {
      await action();
    } catch (error) {
      this.#state = "failed";
      this.#failure = error;
      throw error;
    }
  }

  async #write(lines: readonly string[]): Promise<void> {
    const tooLong = lines.find((line) => line.length > DEFAULT_TRACE_LIMITS.lineBytes / 3);
    if (tooLong !== undefined && new TextEncoder().encode(tooLong).byteLength > DEFAULT_TRACE_LIMITS.lineBytes) {
      const found = `a line of more than ${DEFAULT_TRACE_LIMITS.lineBytes} bytes`;
      throw limitError(found, "give big data as typed arrays, which are kept outside of the line");
    }
    await this.#sink.write(lines.join(""));
  }

  /** Hashes a value and keeps its big arrays. */
  async #hash(value: unknown, path: string): Promise<HashedValue> {
    const hashed = await hashValue(value, path, this.#hasher);
    if (this.#payloads !== undefined) {
      for (const { hash, bytes } of hashed.outside(write.inlineBudget(this.#facts.inlineBytes))) {
        await this.#payloads.put(hash, bytes);
      }
    }
    return hashed;
  }

  #hashPayload(event: UserInputEvent): Promise<HashedValue> {
    return this.#hash(event.payload, `UserInputEvent.payload (in ${event.eventType})`);
  }

  /** Hashes model inputs, and keeps them when asked to. What no trace can hold is noted when only the hash was wanted. */
  async #keepModelInputs(inputs: ModelInputs): Promise<{ readonly address?: string; readonly note?: string }> {
    try {
      const encoded = await encodeModelInputs(inputs, this.#hasher);
      if (this.#recordModelInputs && this.#payloads !== undefined) await storeModelInputs(encoded, this.#payloads);
      return { address: encoded.address };
    } catch (error) {
      if (this.#recordModelInputs || !isDreamloopError(error, ERROR_CODES.invalidValue)) throw error;
      return { note: error.message };
    }
  }
}

function withoutEmptySlots(slots: Readonly<Record<string, object>>): Readonly<Record<string, object>> {
  return Object.fromEntries(Object.entries(slots).filter(([, slot]) => Object.keys(slot).length > 0));
}

function limitError(found: string, advice: string): DreamloopError {
  return new DreamloopError(ERROR_CODES.limitExceeded, `trace: ${found}, which readers refuse; ${advice}`);
}
