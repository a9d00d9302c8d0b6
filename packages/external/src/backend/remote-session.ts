import {
  DreamloopError,
  ERROR_CODES,
  framesOfStep,
  modelInputs,
  throwIfCancelled,
  type InferenceSession,
  type ModelInputs,
  type ResetOptions,
  type RestoreOptions,
  type SessionDescription,
  type SessionSnapshot,
  type StepOptions,
  type StepRequestInput,
  type StepResultInput,
} from "@dreamloop/core";
import { z } from "zod";
import {
  sessionStatusSchema,
  snapshotReplySchema,
  stepReplySchema,
  type SessionStatus,
  type StepReply,
} from "../protocol/message-schemas.ts";
import { encodeValues } from "../protocol/value-encoder.ts";
import type { ConnectedWorld } from "./connected-world.ts";

/** Seconds that parts of a session may take. */
export interface SessionDeadlines {
  /** A step, its finalisation, a start, a reset. */
  readonly stepSeconds: number;
}

/** What a session at the other end shares with the others. */
export interface RemoteSessionOptions {
  /** The world at the other end. */
  readonly world: ConnectedWorld;
  /** How errors name the world. */
  readonly label: string;
  /** What is delivered. */
  readonly description: SessionDescription;
  /** The session's number at the other end. */
  readonly session: number;
  /** How long anything may take. */
  readonly deadlines: SessionDeadlines;
  /** Of which world and version its snapshots are. */
  readonly snapshotVersion: string;
  /** Called once when the session is closed. */
  readonly onClose: () => void;
  /** Called when a step has succeeded. */
  readonly onStep: () => void;
  /** Called when a request has not been answered in time; fails the world. */
  readonly onHang: (what: string) => void;
}

/** How long a session may take to close. */
const CLOSE_SECONDS = 30;

const NOTHING = z.object({});

/**
 * A rollout at the other end of a carrier. Its requests carry numbers that count up, so that one which is repeated after a reconnect is answered
 * and not run again.
 */
export class RemoteSession implements InferenceSession {
  readonly #options: RemoteSessionOptions;
  #number = 0;
  #status: SessionStatus;
  #before: SessionStatus | undefined;
  #isPending = false;
  #isBusy = false;
  #closing: Promise<void> | undefined;
  #discarding: Promise<unknown> = Promise.resolve();

  private constructor(options: RemoteSessionOptions, status: SessionStatus) {
    this.#options = options;
    this.#status = status;
  }

  /** Starts a rollout at the other end. */
  static async open(
    options: RemoteSessionOptions,
    inputs: ModelInputs,
    { seed, signal }: { readonly seed: number; readonly signal?: AbortSignal },
  ): Promise<RemoteSession> {
    const place = `${options.label}: the start of a session`;
    throwIfCancelled(signal, place);
    const { json, payload } = encodeValues({ initial: modelInputs(inputs).initial }, "ModelInputs");
    const { value } = await options.world.client.request({
      message: { type: "open", session: options.session, seed, initial: json.initial },
      payload,
      reply: sessionStatusSchema,
      deadlineSeconds: options.deadlines.stepSeconds,
      onDeadline: () => options.onHang("the start of a session"),
      ...(signal === undefined ? {} : { signal }),
    });
    const session = new RemoteSession(options, value);
    if (signal?.aborted) await session.close();
    throwIfCancelled(signal, place);
    return session;
  }

  /** The next index with the length of the step, or nothing when the rollout is complete. */
  nextStepRequest(): StepRequestInput | undefined {
    this.#requireOpen("nextStepRequest");
    const { stepIndex, isComplete } = this.#isPending && this.#before !== undefined ? this.#before : this.#status;
    if (isComplete) return undefined;
    const { description } = this.#options;
    const frameCount = framesOfStep(description, stepIndex);
    return { stepIndex, metadata: { frameCount, durationSeconds: frameCount / description.framesPerSecond } };
  }

  /** Runs one step; its state counts only if it succeeds. */
  async step(inputs: ModelInputs, { signal }: StepOptions = {}): Promise<StepResultInput> {
    this.#requireIdle("step");
    const { stepIndex } = this.#status;
    const place = `${this.#options.label}: step ${stepIndex}`;
    throwIfCancelled(signal, place);
    if (this.#isPending) throw this.#invalid("step", "the step before is not finalised; finalise or discard it first");
    const { step, update } = modelInputs(inputs);
    const { json, payload } = encodeValues({ step, update }, "ModelInputs");
    const reply = await this.#exclusively(() =>
      this.#ask({ message: { type: "step", ...json }, payload, reply: stepReplySchema, signal }, `step ${stepIndex}`),
    );
    const before = this.#status;
    this.#advance(reply.value);
    this.#before = before;
    this.#isPending = this.finalizeStep !== undefined;
    const result = this.#result(reply.value, reply.payload);
    this.#options.onStep();
    if (signal?.aborted) {
      result.output?.release?.();
      this.discardStep();
    }
    throwIfCancelled(signal, place);
    return result;
  }

  /** Completes the step just returned; there only where the world does so. */
  finalizeStep?: (options: StepOptions) => Promise<void>;

  /** Says that the world completes its steps after their frames are on their way. */
  withFinalization(): this {
    this.finalizeStep = async ({ signal } = {}) => {
      this.#requireIdle("finalizeStep");
      if (!this.#isPending) return;
      const { stepIndex } = this.#before ?? this.#status;
      await this.#exclusively(() =>
        this.#ask(
          { message: { type: "finalize" }, reply: sessionStatusSchema, signal },
          `the finalisation of step ${stepIndex}`,
        ),
      );
      this.#isPending = false;
      this.#before = undefined;
    };
    return this;
  }

  /** Takes the step just returned back, once. */
  discardStep(): void {
    if (this.#before === undefined || this.#closing !== undefined) return;
    this.#status = this.#before;
    this.#before = undefined;
    this.#isPending = false;
    // Sent now and answered before anything that is asked later.
    this.#discarding = this.#ask(
      { message: { type: "discard" }, reply: sessionStatusSchema },
      "taking a step back",
    ).catch((error: unknown) => {
      this.#options.world.client.fail(
        new DreamloopError(ERROR_CODES.workerFailed, `${this.#options.label}: a step could not be taken back`, {
          cause: error,
        }),
      );
    });
  }

  /** Starts the rollout anew; when that fails, the old one goes on. */
  async reset({ inputs, seed, signal }: ResetOptions = {}): Promise<void> {
    this.#requireIdle("reset");
    throwIfCancelled(signal, `${this.#options.label}: the reset`);
    const given =
      inputs === undefined ? undefined : encodeValues({ initial: modelInputs(inputs).initial }, "ModelInputs");
    const { value } = await this.#exclusively(() =>
      this.#ask(
        {
          message: { type: "reset", ...(seed === undefined ? {} : { seed }), ...given?.json },
          ...(given === undefined ? {} : { payload: given.payload }),
          reply: sessionStatusSchema,
          signal,
        },
        "the reset",
      ),
    );
    this.#settle(value);
  }

  /** A copy of everything that the rollout is, as bytes. */
  async snapshot(): Promise<SessionSnapshot> {
    this.#requireIdle("snapshot");
    if (this.#isPending)
      throw this.#invalid("snapshot", "the step before is not finalised; snapshots are taken at step boundaries");
    await this.#discarding;
    const { session, world, deadlines } = this.#options;
    const { payload } = await this.#exclusively(() =>
      world.client.request({
        message: { type: "snapshot", session },
        reply: snapshotReplySchema,
        deadlineSeconds: deadlines.stepSeconds,
        onDeadline: () => this.#options.onHang("the snapshot"),
      }),
    );
    return { version: this.#options.snapshotVersion, data: payload };
  }

  /** Continues from a snapshot of the same world and version, with its seed or another. */
  async restore(snapshot: SessionSnapshot, { seed }: RestoreOptions = {}): Promise<void> {
    this.#requireIdle("restore");
    const { snapshotVersion } = this.#options;
    if (snapshot?.version !== snapshotVersion || !(snapshot.data instanceof Uint8Array)) {
      throw new DreamloopError(
        ERROR_CODES.invalidValue,
        `${this.#options.label}: restore: expected a snapshot of ${JSON.stringify(snapshotVersion)}, found one of ${JSON.stringify(snapshot?.version)}`,
      );
    }
    const payload = snapshot.data;
    const { value } = await this.#exclusively(() =>
      this.#ask(
        {
          message: { type: "restore", ...(seed === undefined ? {} : { seed }) },
          payload,
          reply: sessionStatusSchema,
        },
        "the restore",
      ),
    );
    this.#settle(value);
  }

  /** Frees the session at both ends; idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** The same as `close`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(): Promise<void> {
    const { world, session, onClose } = this.#options;
    try {
      const request = { message: { type: "close", session }, reply: NOTHING, deadlineSeconds: CLOSE_SECONDS } as const;
      await world.client.request(request);
    } catch (error) {
      // A world that is gone has closed its sessions.
      if (world.client.failure === undefined) throw error;
    } finally {
      onClose();
    }
  }

  async #ask<Schema extends z.ZodType>(
    {
      message,
      payload,
      reply,
      signal,
    }: {
      readonly message: {
        readonly type: "step" | "finalize" | "discard" | "reset" | "restore";
        readonly [field: string]: unknown;
      };
      readonly payload?: Uint8Array;
      readonly reply: Schema;
      readonly signal?: AbortSignal | undefined;
    },
    what: string,
  ): Promise<{ readonly value: z.output<Schema>; readonly payload: Uint8Array<ArrayBuffer> }> {
    const { world, session, deadlines, onHang } = this.#options;
    this.#number += 1;
    const number = this.#number;
    try {
      return await world.client.request({
        message: { ...message, session, number } as never,
        ...(payload === undefined ? {} : { payload }),
        reply,
        deadlineSeconds: deadlines.stepSeconds,
        onDeadline: () => onHang(what),
        ...(signal === undefined ? {} : { signal }),
      });
    } catch (error) {
      // A refused request has not happened, so that its number is free again.
      if (this.#number === number) this.#number -= 1;
      throw error;
    }
  }

  async #exclusively<T>(work: () => Promise<T>): Promise<T> {
    this.#isBusy = true;
    try {
      return await work();
    } finally {
      this.#isBusy = false;
    }
  }

  #advance({ stepIndex, isComplete }: SessionStatus): void {
    this.#status = { stepIndex, isComplete };
  }

  #settle(status: SessionStatus): void {
    this.#advance(status);
    this.#before = undefined;
    this.#isPending = false;
  }

  #result(
    { index, frameCount, frames, metadata, metrics }: StepReply,
    payload: Uint8Array<ArrayBuffer>,
  ): StepResultInput {
    const { world, description } = this.#options;
    const { width, height, format, layout, colorSpace, range } = description;
    const expected = width * height * 3 * frameCount;
    const common = { width, height, format, layout, colorSpace, range, frameCount };
    if (frames.bytes !== expected || (frames.slot === undefined && payload.length !== expected)) {
      throw this.#invalid("step", `its frames have ${frames.bytes} bytes and should have ${expected}`);
    }
    if (frames.slot === undefined) return { stepIndex: index, output: { ...common, data: payload }, metadata, metrics };
    if (world.frames === undefined) throw this.#invalid("step", "its frames are in shared memory, and there is none");
    const release = (slot: number): void => world.client.notify({ type: "release", slots: [slot] });
    const leased = world.frames.lease(frames.slot, expected, release);
    return { stepIndex: index, output: { ...common, data: leased.bytes, release: leased.release }, metadata, metrics };
  }

  #invalid(method: string, what: string): DreamloopError {
    return new DreamloopError(ERROR_CODES.invalidState, `${this.#options.label}: ${method}: ${what}`);
  }

  #requireOpen(method: string): void {
    if (this.#closing === undefined) return;
    throw new DreamloopError(
      ERROR_CODES.closed,
      `${this.#options.label}: ${method}: the session is closed; start another`,
    );
  }

  #requireIdle(method: string): void {
    this.#requireOpen(method);
    if (this.#isBusy) throw this.#invalid(method, "a step or reset is still running; await it first");
  }
}
