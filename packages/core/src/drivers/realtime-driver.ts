import { DreamloopError, ERROR_CODES, isDreamloopError } from "../errors/dreamloop-error.ts";
import { InputTracker } from "../inputs/input-tracker.ts";
import { PendingInput } from "../inputs/pending-input.ts";
import { splitControl } from "../inputs/split-control.ts";
import type { UserInputEventInput } from "../inputs/user-input-event.ts";
import type { OutputArtifact } from "../outputs/output-target.ts";
import { FrameLease } from "../rollout/frame-lease.ts";
import type { Rollout, StepOutcome } from "../rollout/rollout.ts";
import { RUN_OUTCOMES, type RunObserver, type RunOutcome, type StepTiming } from "../rollout/run-observer.ts";
import { STAGES, type Stage } from "../rollout/stages.ts";
import { timeWindow, type TimeWindow } from "../time/time-window.ts";
import type { UserInputs } from "../inputs/user-inputs.ts";
import type { ChunkSink } from "./chunk-sink.ts";
import { Cleanup } from "./cleanup.ts";
import { Pacer } from "./pacer.ts";
import type { RunOptions, RunReport } from "./run-options.ts";
import { hashFrames, refuseSecondPacer, startRollout, WarningCounter } from "./run-setup.ts";
import { SessionTimeline } from "./session-timeline.ts";

/** What the realtime driver takes beside `RunOptions`. */
export interface RealtimeOptions extends RunOptions {
  /** The live queue of this session; default a new `PendingInput`. */
  readonly input?: PendingInput;
  /** Where chunks go; more can be added while it runs. */
  readonly outputs?: readonly ChunkSink[];
  /** By how many frames generation may lead presentation, at least the frames of one step; default those of two steps. */
  readonly leadFrames?: number;
  /** Steps to run over all generations; default no limit. */
  readonly stepLimit?: number;
  /** Called after the pacing wait and before input is read: the place to take in what has arrived meanwhile. */
  readonly pollInput?: () => void;
}

/** Counters of a realtime run. */
export interface RealtimeStatus {
  /** Steps that were committed, over all generations. */
  readonly stepCount: number;
  /** Frames that were handed to sinks. */
  readonly frameCount: number;
  /** Resets so far. */
  readonly generation: number;
  /** Whether session time stands still. */
  readonly paused: boolean;
  /** Session time in seconds. */
  readonly sessionSeconds: number;
  /** Frames that are generated but not yet due. */
  readonly leadFrames: number;
  /** Steps that were later than their due time. */
  readonly underrunCount: number;
  /** Sum of their lateness in seconds. */
  readonly stallSeconds: number;
  /** Frames held back because a reset had been asked for meanwhile. */
  readonly discardedFrames: number;
  /** Number of the newest client message that a step has seen; absent before the first. */
  readonly inputSequence?: number;
}

/** A session that runs live. Control calls take effect at the next step boundary and resolve then. */
export interface RealtimeRun {
  /** Resolves when the run is over and everything is closed; rejects with the first error. */
  readonly done: Promise<RunReport>;
  /** Resolves when the session has started; rejects when it could not. */
  readonly started: Promise<void>;
  /**
   * Takes device events, with times of the driver's clock in seconds. Never refuses because of load; an event with a wrong payload is
   * refused with an error. `sequence` is the number of the client message they came in.
   */
  push(events: readonly UserInputEventInput[], options?: { readonly sequence?: number }): void;
  /** Stops session time. */
  pause(): void;
  /** Lets session time go on. */
  resume(): void;
  /** While paused: runs one step. */
  stepOnce(): void;
  /** Starts the rollout anew at the next boundary; resolves with the new generation. */
  reset(options?: { readonly seed?: number }): Promise<number>;
  /** Adds a sink while the session runs. */
  addOutput(sink: ChunkSink): Promise<void>;
  /** Removes a sink, closes it and gives what it made. */
  removeOutput(sink: ChunkSink): Promise<readonly OutputArtifact[]>;
  /** Counters of now. */
  status(): RealtimeStatus;
  /** Ends the run at the next step boundary; idempotent, gives `done`. */
  close(): Promise<RunReport>;
}

/**
 * Starts a session on live input: wall-clock pacing, input read after the pacing wait, the latest state for the next chunk, generation
 * ahead of presentation by at most the declared lead. Nothing in it waits for a sink.
 */
export function startRealtime(options: RealtimeOptions): RealtimeRun {
  const driver = new RealtimeDriver(options);
  return driver.run();
}

/**
 * Windows are half-open, and session time stands still while paused: without a margin an event stamped at the very instant of the
 * read would wait for the next window, or for ever. A microsecond is below what any device resolves.
 */
const READ_MARGIN_SECONDS = 1e-6;

class RealtimeDriver {
  readonly #options: RealtimeOptions;
  readonly #input: PendingInput;
  readonly #tracker = new InputTracker();
  readonly #sinks = new Set<ChunkSink>();
  readonly #artifacts: OutputArtifact[] = [];
  readonly #warnings: WarningCounter;
  readonly #waiters: { readonly resolve: (generation: number) => void; readonly reject: (error: unknown) => void }[] =
    [];
  #rollout: Rollout | undefined;
  #pacer: Pacer | undefined;
  #timeline: SessionTimeline | undefined;
  #wake = new AbortController();
  #observing: Promise<void> = Promise.resolve();
  #windowEndSeconds = 0;
  #frameCount = 0;
  #resetCount = 0;
  #discardedFrames = 0;
  #resetAsked = 0;
  #stepGrants = 0;
  #inputSequence: number | undefined;
  #closeAsked = false;
  #over = false;

  constructor(options: RealtimeOptions) {
    this.#options = options;
    this.#input = options.input ?? new PendingInput();
    this.#warnings = new WarningCounter(options.onWarning);
  }

  run(): RealtimeRun {
    const { promise: started, resolve: markStarted, reject: markFailed } = deferred<void>();
    started.catch(() => undefined);
    const done = this.#main(markStarted).catch((error: unknown) => {
      markFailed(error);
      throw error;
    });
    done.catch(() => undefined);
    const close = (): Promise<RunReport> => {
      this.#closeAsked = true;
      this.#wakeUp();
      return done;
    };
    this.#options.signal?.addEventListener("abort", () => this.#wakeUp(), { once: true });
    return {
      done,
      started,
      push: (events, pushOptions) => this.#push(events, pushOptions?.sequence),
      pause: () => this.#control("pause"),
      resume: () => this.#control("resume"),
      stepOnce: () => {
        this.#stepGrants += 1;
        this.#wakeUp();
      },
      reset: (resetOptions) => this.#askReset(resetOptions?.seed),
      addOutput: async (sink) => {
        if (this.#rollout === undefined || this.#over)
          throw new DreamloopError(ERROR_CODES.invalidState, "RealtimeRun.addOutput: the session does not run");
        await this.#addSink(sink, this.#rollout);
      },
      removeOutput: async (sink) => (this.#sinks.delete(sink) ? sink.close() : []),
      status: () => this.#status(),
      close,
    };
  }

  async #main(markStarted: () => void): Promise<RunReport> {
    const options = this.#options;
    const cleanup = new Cleanup();
    let outcome: RunOutcome = RUN_OUTCOMES.failed;
    try {
      const rollout = await startRollout(options, this.#input.schema, cleanup, this.#warnings, {
        realtime: true,
        dropRefusedUpdates: true,
      });
      this.#rollout = rollout;
      const { framesPerSecond, framesPerStep, firstStepFrames } = rollout.description;
      const stepFrames = Math.max(framesPerStep, firstStepFrames);
      this.#pacer = new Pacer({
        framesPerSecond,
        leadFrames: Math.max(stepFrames, options.leadFrames ?? 2 * framesPerStep),
      });
      cleanup.add(() => this.#closeSinks());
      for (const sink of options.outputs ?? []) {
        await this.#addSink(sink, rollout);
      }
      this.#timeline = new SessionTimeline(options.clock.nowSeconds());
      markStarted();
      outcome = await this.#loop(rollout, this.#pacer, this.#timeline);
    } catch (error) {
      if (isDreamloopError(error, ERROR_CODES.cancelled)) outcome = RUN_OUTCOMES.cancelled;
      await this.#end(cleanup, outcome, error);
      throw error;
    }
    await this.#end(cleanup, outcome, undefined);
    cleanup.raise();
    const { stepCount, frameCount } = this.#status();
    return {
      outcome,
      stepCount,
      frameCount,
      resetCount: this.#resetCount,
      sessionSeconds: this.#windowEndSeconds,
      artifacts: this.#artifacts,
      warnings: { ...this.#warnings.counts },
    };
  }

  async #end(cleanup: Cleanup, outcome: RunOutcome, cause: unknown): Promise<void> {
    this.#over = true;
    await cleanup.run();
    const { stepCount, frameCount } = this.#status();
    this.#observe((observer) => observer.runEnded?.({ outcome, stepCount, frameCount }));
    await this.#observing;
    const closed = new DreamloopError(ERROR_CODES.closed, "the session ended before the reset was applied", { cause });
    for (const waiter of this.#waiters.splice(0)) waiter.reject(closed);
  }

  async #addSink(sink: ChunkSink, rollout: Rollout): Promise<void> {
    if (sink.ownsPacing === true) refuseSecondPacer("an output");
    await sink.open(rollout.description);
    this.#sinks.add(sink);
  }

  async #closeSinks(): Promise<void> {
    const closing = new Cleanup();
    for (const sink of [...this.#sinks].reverse())
      closing.add(async () => this.#artifacts.push(...(await sink.close())));
    this.#sinks.clear();
    await closing.run();
    closing.raise();
  }

  async #loop(rollout: Rollout, pacer: Pacer, timeline: SessionTimeline): Promise<RunOutcome> {
    const { clock, signal, stepLimit, stages, pollInput } = this.#options;
    for (;;) {
      if (signal?.aborted) return RUN_OUTCOMES.cancelled;
      if (this.#closeAsked) return RUN_OUTCOMES.closed;
      if (stepLimit !== undefined && rollout.stepNumber >= stepLimit) return RUN_OUTCOMES.completed;
      if (timeline.paused && this.#stepGrants === 0 && this.#resetAsked === 0) {
        await this.#sleep(Infinity);
        continue;
      }
      const paceStart = clock.nowSeconds();
      const startAt = timeline.paused ? paceStart : pacer.earliestStart(rollout.nextFrames);
      // A sleep into the past still lets the event loop turn, so that input which has arrived is seen.
      if (await this.#sleep(startAt)) continue;
      pollInput?.();
      if (this.#closeAsked) return RUN_OUTCOMES.closed;
      stages?.stage(STAGES.pace, rollout.stepNumber, paceStart, clock.nowSeconds());
      if (timeline.paused && this.#stepGrants > 0) this.#stepGrants -= 1;
      else if (timeline.paused && this.#resetAsked === 0) continue;
      const turn = await this.#turn(rollout, pacer, timeline);
      if (turn !== undefined) return turn;
    }
  }

  /** One step boundary: read what is held now, apply what was asked for, step, hand over, finalise. */
  async #turn(rollout: Rollout, pacer: Pacer, timeline: SessionTimeline): Promise<RunOutcome | undefined> {
    const { clock, signal } = this.#options;
    const readSeconds = clock.nowSeconds();
    let mark = readSeconds;
    const endSeconds = Math.max(this.#windowEndSeconds, timeline.at(readSeconds)) + READ_MARGIN_SECONDS;
    this.#input.timeoutRelease(timeline.at(readSeconds));
    const window = timeWindow({ startSeconds: this.#windowEndSeconds, endSeconds });
    const inputs = this.#input.read(window);
    const split = splitControl(inputs, this.#tracker);
    this.#windowEndSeconds = endSeconds;
    mark = this.#stage(STAGES.read, rollout.stepNumber, mark);
    for (const reset of split.control.resets)
      await this.#applyReset(rollout, pacer, reset.seed, endSeconds, split.clearedDeltas);
    if (split.control.close) return RUN_OUTCOMES.closed;
    const request = rollout.nextRequest();
    if (request === undefined) return RUN_OUTCOMES.completed;
    const stepNumber = rollout.stepNumber;
    pacer.begin(rollout.nextFrames, clock.nowSeconds());
    const outcome = await rollout.step(request, split.inputs, window, signal);
    const lease = new FrameLease(outcome.result.output);
    try {
      mark = clock.nowSeconds();
      const discarded = this.#resetAsked > 0;
      const firstDueSeconds = this.#handOver(outcome, pacer, lease, discarded);
      const handedOverSeconds = clock.nowSeconds();
      const timing: StepTiming = {
        readSeconds,
        handedOverSeconds,
        ...(firstDueSeconds === undefined ? {} : { firstDueSeconds }),
        leadFrames: pacer.leadAt(handedOverSeconds),
      };
      this.#stage(STAGES.write, stepNumber, mark);
      await rollout.commit(signal);
      mark = clock.nowSeconds();
      const frameHashes = await hashFrames(outcome.result, this.#options.frameHasher);
      if (frameHashes !== undefined) this.#stage(STAGES.hash, stepNumber, mark);
      this.#inputSequence = outcome.result.inputSequence ?? this.#inputSequence;
      this.#recordMetrics(outcome);
      this.#observeStep(outcome, { stepNumber, inputs, window, lease, discarded, frameHashes, timing });
    } catch (error) {
      rollout.discard();
      throw error;
    } finally {
      lease.release();
    }
    return undefined;
  }

  async #applyReset(
    rollout: Rollout,
    pacer: Pacer,
    seed: number | undefined,
    timestampSeconds: number,
    clearedDeltas: number,
  ): Promise<void> {
    const initialInputs = await rollout.reset({ seed, signal: this.#options.signal });
    this.#resetAsked = 0;
    this.#resetCount += 1;
    const { generation, seed: inForce } = rollout;
    for (const sink of this.#sinks) sink.beginGeneration?.(generation);
    pacer.restart();
    this.#observe((observer) =>
      observer.resetApplied?.({ generation, seed: inForce, initialInputs, timestampSeconds, clearedDeltas }),
    );
    for (const waiter of this.#waiters.splice(0)) waiter.resolve(generation);
  }

  #handOver(outcome: StepOutcome, pacer: Pacer, lease: FrameLease, discarded: boolean): number | undefined {
    const { result } = outcome;
    if (result.frameCount === 0) return undefined;
    if (discarded) {
      this.#discardedFrames += result.frameCount;
      return undefined;
    }
    const firstDueSeconds = pacer.schedule(result.frameCount, this.#options.clock.nowSeconds());
    this.#frameCount += result.frameCount;
    for (const sink of this.#sinks) sink.push(result, firstDueSeconds, lease.hold());
    return firstDueSeconds;
  }

  #recordMetrics(outcome: StepOutcome): void {
    const { metrics } = this.#options;
    if (metrics === undefined) return;
    const { stepIndex } = outcome.result;
    for (const sample of outcome.result.metrics)
      metrics.record(sample.stepIndex === undefined ? { ...sample, stepIndex } : sample);
  }

  #observeStep(
    outcome: StepOutcome,
    step: {
      readonly stepNumber: number;
      readonly inputs: UserInputs;
      readonly window: TimeWindow;
      readonly lease: FrameLease;
      readonly discarded: boolean;
      readonly frameHashes: readonly string[] | undefined;
      readonly timing: StepTiming;
    },
  ): void {
    const { stepNumber, inputs, window, lease, discarded, frameHashes, timing } = step;
    if ((this.#options.observers?.length ?? 0) === 0) return;
    const release = lease.hold();
    const canonicalSources = (outcome.canonical.metadata.canonicalSources ?? {}) as Readonly<Record<string, string>>;
    this.#observe((observer) =>
      observer.stepCommitted?.({
        stepNumber,
        result: outcome.result,
        window,
        events: inputs.events,
        modelInputs: outcome.modelInputs,
        canonicalSources,
        ...(frameHashes === undefined ? {} : { frameHashes }),
        discarded,
        timing,
      }),
    );
    void this.#observing.then(release);
  }

  /** Observers hear of everything in order, but nothing here waits for them. */
  #observe(tell: (observer: RunObserver) => void | Promise<void>): void {
    for (const observer of this.#options.observers ?? []) {
      this.#observing = this.#observing
        .then(() => tell(observer))
        .catch((error: unknown) => {
          const message = error instanceof Error ? error.message : String(error);
          this.#warnings.warn({ kind: "observer_failed", message });
        });
    }
  }

  #push(events: readonly UserInputEventInput[], sequence: number | undefined): void {
    const { clock } = this.#options;
    const timeline = this.#timeline;
    const stamped = events.map((event) => ({ ...event, timestampSeconds: timeline?.at(event.timestampSeconds) ?? 0 }));
    this.#input.push(stamped, sequence === undefined ? {} : { sequence });
    for (const event of events) {
      switch (event.eventType) {
        case "pause":
          this.#setPaused(true, clock.nowSeconds());
          break;
        case "resume":
          this.#setPaused(false, clock.nowSeconds());
          break;
        case "reset":
          this.#resetAsked += 1;
          this.#wakeUp();
          break;
        case "close":
          this.#wakeUp();
          this.#closeAsked = true;
          break;
      }
    }
  }

  #control(eventType: "pause" | "resume"): void {
    this.#push([{ timestampSeconds: this.#options.clock.nowSeconds(), eventType, source: "control" }], undefined);
  }

  #askReset(seed: number | undefined): Promise<number> {
    if (this.#over)
      return Promise.reject(new DreamloopError(ERROR_CODES.closed, "RealtimeRun.reset: the session has ended"));
    const payload = seed === undefined ? {} : { seed };
    this.#push(
      [{ timestampSeconds: this.#options.clock.nowSeconds(), eventType: "reset", payload, source: "control" }],
      undefined,
    );
    return new Promise((resolve, reject) => this.#waiters.push({ resolve, reject }));
  }

  #setPaused(paused: boolean, clockSeconds: number): void {
    const timeline = this.#timeline;
    if (timeline === undefined || timeline.paused === paused) return;
    if (paused) {
      timeline.pause(clockSeconds);
      this.#pacer?.pause(clockSeconds);
    } else {
      timeline.resume(clockSeconds);
      this.#pacer?.resume(clockSeconds);
    }
    this.#stepGrants = 0;
    const timestampSeconds = timeline.at(clockSeconds);
    this.#observe((observer) => observer.pauseChanged?.({ paused, timestampSeconds }));
    this.#wakeUp();
  }

  #wakeUp(): void {
    this.#wake.abort();
  }

  /** Sleeps until `timeSeconds` of the clock; true when something woke it before. */
  async #sleep(timeSeconds: number): Promise<boolean> {
    if (this.#wake.signal.aborted) this.#wake = new AbortController();
    const { signal } = this.#wake;
    await this.#options.clock.sleepUntil(timeSeconds, signal);
    return signal.aborted;
  }

  #stage(stage: Stage, stepNumber: number, startSeconds: number): number {
    const { stages, clock } = this.#options;
    if (stages === undefined) return startSeconds;
    const endSeconds = clock.nowSeconds();
    stages.stage(stage, stepNumber, startSeconds, endSeconds);
    return endSeconds;
  }

  #status(): RealtimeStatus {
    const now = this.#options.clock.nowSeconds();
    return {
      stepCount: this.#rollout?.stepNumber ?? 0,
      frameCount: this.#frameCount,
      generation: this.#rollout?.generation ?? 0,
      paused: this.#timeline?.paused ?? false,
      sessionSeconds: this.#timeline?.at(now) ?? 0,
      leadFrames: this.#pacer?.leadAt(now) ?? 0,
      underrunCount: this.#pacer?.underrunCount ?? 0,
      stallSeconds: this.#pacer?.stallSeconds ?? 0,
      discardedFrames: this.#discardedFrames,
      ...(this.#inputSequence === undefined ? {} : { inputSequence: this.#inputSequence }),
    };
  }
}

function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void; reject: (error: unknown) => void } {
  let resolve: (value: T) => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const promise = new Promise<T>((onValue, onError) => {
    resolve = onValue;
    reject = onError;
  });
  return { promise, resolve, reject };
}
