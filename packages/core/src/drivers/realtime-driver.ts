import {
  DreamloopError,
  errorText,
  ERROR_CODES,
  isDreamloopError,
  throwIfCancelled,
} from "../foundation/dreamloop-error.ts";
import { InputTracker } from "../inputs/input-tracker.ts";
import { PendingInput } from "../inputs/pending-input.ts";
import { splitControl } from "../inputs/split-control.ts";
import type { OutputArtifact } from "./output-target.ts";
import { FrameLease } from "../rollout/frame-lease.ts";
import { planRun } from "../rollout/run-plan.ts";
import type { Rollout } from "../rollout/rollout.ts";
import type { StepOutcome } from "../rollout/rollout-types.ts";
import { RUN_OUTCOMES, type RunOutcome, type StepTiming } from "../rollout/run-observer.ts";
import { STAGES, StageTimer } from "../rollout/stages.ts";
import { timeWindow } from "../foundation/time/time-window.ts";
import { refuseUnknownKeys } from "../foundation/validate/record.ts";
import { readWaitLimits, WaitGuard } from "../foundation/time/wait-guard.ts";
import type { MomentPosition } from "../snapshot/driver-history.ts";
import { notKept } from "../snapshot/planned-history.ts";
import { positionOf, type DriverState } from "../snapshot/session-state.ts";
import type { StateBinding } from "../snapshot/state-binding.ts";
import { Cleanup } from "./cleanup.ts";
import { Pacer } from "./pacer.ts";
import type { RunReport } from "./run-options.ts";
import { deferred } from "../foundation/deferred.ts";
import { LiveControl } from "./live-control.ts";
import { ObserverQueue } from "./observer-queue.ts";
import { startOf } from "./go-on-from.ts";
import { HistoryKeeper } from "./history-keeper.ts";
import type {
  CapturedState,
  MomentAgo,
  RealtimeOptions,
  RealtimeRun,
  RealtimeStatus,
  RewindAnswer,
} from "./realtime-options.ts";
import { checkRealtimeOptions, readMoment, readPosition, readSink } from "./read-options.ts";
import { PromptWarnings } from "./prompt-warnings.ts";
import { SinkSet } from "./sink-set.ts";
import { closeWithRun, startRollout } from "./start-rollout.ts";
import { stepRecord } from "./tell-observers.ts";
import { recordStepMetrics } from "./run-metrics.ts";
import { hashFrames } from "./hash-frames.ts";
import { WarningCounter } from "./run-warnings.ts";
import { SessionTimeline } from "./session-timeline.ts";

/**
 * Starts a session on live input: wall-clock pacing, input read after the pacing wait, the latest state for the next chunk, generation
 * ahead of presentation by at most the declared lead. Nothing in it waits for a sink. Throws when an option is unknown or of the wrong type.
 */
export function startRealtime(options: RealtimeOptions): RealtimeRun {
  checkRealtimeOptions(options);
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
  #tracker = new InputTracker();
  readonly #sinks: SinkSet;
  readonly #observers: ObserverQueue;
  readonly #control: LiveControl;
  readonly #waits: WaitGuard;
  readonly #timer: StageTimer;
  #artifacts: readonly OutputArtifact[] = [];
  readonly #warnings: WarningCounter;
  readonly #prompts = new PromptWarnings((warning) => this.#warnings.warn(warning));
  #rollout: Rollout | undefined;
  #keeper: HistoryKeeper | undefined;
  #binding: StateBinding | undefined;
  #pacer: Pacer | undefined;
  #timeline: SessionTimeline | undefined;
  #windowEndSeconds = 0;
  #frameCount = 0;
  #resetCount = 0;
  #discardedFrames = 0;
  #inputSequence: number | undefined;
  #over = false;

  constructor(options: RealtimeOptions) {
    this.#options = options;
    this.#input = options.input ?? new PendingInput();
    this.#warnings = new WarningCounter(options.onWarning);
    const limits = readWaitLimits(options.waits, "RealtimeOptions.waits");
    this.#waits = new WaitGuard(options.clock, limits, options.signal);
    this.#sinks = new SinkSet((warning) => this.#warnings.warn(warning), this.#waits);
    this.#timer = new StageTimer(options.stages, options.clock);
    this.#observers = new ObserverQueue(options.observers ?? [], this.#warnings, this.#waits);
    this.#control = new LiveControl({
      input: this.#input,
      clock: options.clock,
      observers: this.#observers,
      onClose: () => this.#waits.stop("the session was closed"),
    });
  }

  run(): RealtimeRun {
    const { promise: started, resolve: markStarted, reject: markFailed } = deferred<void>();
    started.catch(() => undefined);
    const done = this.#main(markStarted).catch((error: unknown) => {
      markFailed(error);
      throw error;
    });
    done.catch(() => undefined);
    const control = this.#control;
    const { signal } = this.#options;
    const wake = (): void => control.wake();
    signal?.addEventListener("abort", wake, { once: true });
    // A signal may outlive many sessions.
    void done.catch(() => undefined).finally(() => signal?.removeEventListener("abort", wake));
    return {
      done,
      started,
      push: (events, pushOptions = {}) => {
        refuseUnknownKeys(pushOptions, ["sequence"], "RealtimeRun.push(options)");
        control.push(events, pushOptions.sequence);
      },
      pause: () => control.order("pause"),
      resume: () => control.order("resume"),
      stepOnce: () => control.stepOnce(),
      reset: async (resetOptions = {}) => {
        refuseUnknownKeys(resetOptions, ["seed"], "RealtimeRun.reset(options)");
        return control.reset(resetOptions.seed);
      },
      rewind: (to) => this.#askRewind(to),
      capture: async (at) => {
        const position = at === undefined ? undefined : readPosition(at, "RealtimeRun.capture(at)");
        return control.atBoundary(() => this.#capture(position));
      },
      fork: async (at) => {
        const position = at === undefined ? undefined : readPosition(at, "RealtimeRun.fork(at)");
        return control.atBoundary(() => this.#fork(position));
      },
      addOutput: async (sink) => {
        readSink(sink, "ChunkSink");
        if (this.#rollout === undefined || this.#over)
          throw new DreamloopError(ERROR_CODES.invalidState, "RealtimeRun.addOutput: the session does not run");
        await this.#sinks.add(sink, this.#rollout.description);
      },
      removeOutput: (sink) => this.#sinks.remove(sink),
      status: () => this.#status(),
      close: () => {
        control.close();
        return done;
      },
    };
  }

  async #main(markStarted: () => void): Promise<RunReport> {
    const options = this.#options;
    const cleanup = new Cleanup();
    let outcome: RunOutcome = RUN_OUTCOMES.failed;
    try {
      const { metrics, signal } = options;
      if (metrics !== undefined) closeWithRun(cleanup, metrics, this.#waits);
      throwIfCancelled(signal, "the run");
      const plan = planRun({ ...options, ...startOf(options), sourceSchema: this.#input.schema });
      const started = await startRollout(
        plan,
        options,
        { cleanup, warnings: this.#warnings, waits: this.#waits },
        { realtime: true, dropRefusedUpdates: true },
      );
      const { rollout } = started;
      this.#rollout = rollout;
      this.#binding = started.binding;
      this.#tracker = started.tracker;
      this.#windowEndSeconds = started.sessionSeconds;
      const { history } = options;
      this.#keeper = new HistoryKeeper({ history, rollout, driverState: () => this.#driverState(rollout), signal });
      await this.#keeper.begin();
      const { framesPerSecond, framesPerStep, firstStepFrames } = rollout.description;
      const stepFrames = Math.max(framesPerStep, firstStepFrames);
      this.#pacer = new Pacer({
        framesPerSecond,
        leadFrames: Math.max(stepFrames, options.leadFrames ?? 2 * framesPerStep),
      });
      cleanup.add(async () => (this.#artifacts = await this.#sinks.close()));
      for (const sink of options.outputs ?? []) {
        await this.#sinks.add(sink, rollout.description);
      }
      this.#timeline = new SessionTimeline(options.clock.nowSeconds() - started.sessionSeconds);
      this.#control.begin(this.#timeline, this.#pacer);
      markStarted();
      outcome = await this.#loop(rollout, this.#keeper, this.#pacer, this.#timeline);
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
    this.#observers.tell((observer) => observer.runEnded?.({ outcome, stepCount, frameCount }));
    const told = this.#waits.wait({ what: "the observers", kind: "stop" }, () => this.#observers.settled());
    await Promise.resolve(told).catch((error: unknown) =>
      this.#warnings.warn({ kind: "observer_failed", message: errorText(error) }),
    );
    this.#waits.close();
    this.#control.end(cause);
  }

  async #loop(rollout: Rollout, keeper: HistoryKeeper, pacer: Pacer, timeline: SessionTimeline): Promise<RunOutcome> {
    const { clock, signal, stepLimit, stages, pollInput } = this.#options;
    const control = this.#control;
    for (;;) {
      if (signal?.aborted) return RUN_OUTCOMES.cancelled;
      if (control.closeAsked) return RUN_OUTCOMES.closed;
      if (control.hasTasks) await control.runTasks();
      if (stepLimit !== undefined && rollout.stepNumber >= stepLimit) return RUN_OUTCOMES.completed;
      if (!control.mayStep) {
        await control.sleep(Infinity);
        continue;
      }
      const paceStart = clock.nowSeconds();
      const startAt = timeline.paused ? paceStart : pacer.earliestStart(rollout.nextFrames);
      // A sleep into the past still lets the event loop turn, so that input which has arrived is seen.
      if (await control.sleep(startAt)) continue;
      pollInput?.();
      if (control.closeAsked) return RUN_OUTCOMES.closed;
      if (!control.mayStep) continue;
      control.useGrant();
      stages?.stage(STAGES.pace, rollout.stepNumber, paceStart, clock.nowSeconds());
      const turn = await this.#turn(rollout, keeper, pacer, timeline);
      if (turn !== undefined) return turn;
    }
  }

  /** One step boundary: read what is held now, apply what was asked for, step, hand over, finalise. */
  async #turn(
    rollout: Rollout,
    keeper: HistoryKeeper,
    pacer: Pacer,
    timeline: SessionTimeline,
  ): Promise<RunOutcome | undefined> {
    const { clock, signal } = this.#options;
    const readSeconds = clock.nowSeconds();
    let mark = this.#timer.now();
    const endSeconds = Math.max(this.#windowEndSeconds, timeline.at(readSeconds)) + READ_MARGIN_SECONDS;
    this.#input.timeoutRelease(timeline.at(readSeconds));
    const window = timeWindow({ startSeconds: this.#windowEndSeconds, endSeconds });
    const inputs = this.#input.read(window);
    const split = splitControl(inputs, this.#tracker);
    this.#windowEndSeconds = endSeconds;
    this.#timer.end(STAGES.read, rollout.stepNumber, mark);
    let stepInputs = split.inputs;
    if (split.control.rewind !== undefined) {
      const now = { tracker: this.#tracker, timestampSeconds: window.startSeconds };
      const rewound = await keeper.rewind(split.control.rewind, stepInputs, now);
      stepInputs = rewound.inputs;
      this.#restarted(pacer, rewound.record.generation);
      const record = { ...rewound.record, clearedDeltas: split.clearedDeltas };
      this.#observers.tell((observer) => observer.rewindApplied?.(record));
    }
    for (const reset of split.control.resets) {
      await this.#applyReset(rollout, pacer, reset.seed, endSeconds, split.clearedDeltas);
      await keeper.reset();
    }
    if (split.control.close) return RUN_OUTCOMES.closed;
    const request = rollout.nextRequest();
    if (request === undefined) return RUN_OUTCOMES.completed;
    const stepNumber = rollout.stepNumber;
    pacer.begin(rollout.nextFrames, clock.nowSeconds());
    const outcome = await rollout.step(request, stepInputs, window, signal);
    const lease = new FrameLease(outcome.result.output);
    try {
      mark = this.#timer.now();
      const discarded = this.#control.resetAsked;
      const firstDueSeconds = this.#handOver(outcome, pacer, lease, discarded);
      const handedOverSeconds = clock.nowSeconds();
      const timing: StepTiming = {
        readSeconds,
        handedOverSeconds,
        ...(firstDueSeconds === undefined ? {} : { firstDueSeconds }),
        leadFrames: pacer.leadAt(handedOverSeconds),
      };
      this.#timer.end(STAGES.write, stepNumber, mark);
      await rollout.commit(signal);
      this.#prompts.take(outcome.result, stepNumber);
      mark = this.#timer.now();
      const frameHashes = await hashFrames(outcome.result, this.#options.frameHasher, this.#waits);
      if (frameHashes !== undefined) this.#timer.end(STAGES.hash, stepNumber, mark);
      this.#inputSequence = outcome.result.inputSequence ?? this.#inputSequence;
      recordStepMetrics(this.#options.metrics, outcome.result);
      if (this.#observers.attached) {
        const record = stepRecord(outcome, { stepNumber, inputs, window, discarded, frameHashes, timing });
        const release = lease.hold();
        this.#observers.tell((observer) => observer.stepCommitted?.(record));
        void this.#observers.settled().then(release);
      }
      await keeper.stepped(stepInputs, window, outcome.result.frameCount);
    } catch (error) {
      rollout.discard();
      lease.releaseQuietly();
      throw error;
    }
    lease.release();
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
    this.#resetCount += 1;
    const { generation, seed: inForce } = rollout;
    this.#restarted(pacer, generation);
    this.#observers.tell((observer) =>
      observer.resetApplied?.({ generation, seed: inForce, initialInputs, timestampSeconds, clearedDeltas }),
    );
  }

  /** The rollout goes on from another state: frames of older generations are void, and who asked for it hears of it. */
  #restarted(pacer: Pacer, generation: number): void {
    this.#sinks.beginGeneration(generation);
    pacer.restart();
    this.#control.restarted(generation);
  }

  async #askRewind(to: MomentPosition | MomentAgo): Promise<RewindAnswer> {
    const { history } = this.#options;
    if (history === undefined)
      throw new DreamloopError(ERROR_CODES.unavailable, "RealtimeRun.rewind: this run keeps no history; give it one");
    const target = readMoment(to, "RealtimeRun.rewind(to)");
    let found: MomentPosition | undefined;
    let applied: Promise<number> | undefined;
    // Looked for at the boundary itself, so that the history cannot let go of it meanwhile.
    await this.#control.atBoundary(async () => {
      found = "secondsAgo" in target ? history.positionAgo?.(target.secondsAgo) : target;
      if (found === undefined || !history.has(found)) throw notKept(found ?? { generation: 0, stepIndex: 0 });
      this.#control.orderRewind(found);
      applied = this.#control.nextGeneration();
    });
    const from = found as unknown as MomentPosition;
    return { generation: await (applied as unknown as Promise<number>), from };
  }

  async #capture(at: MomentPosition | undefined): Promise<CapturedState> {
    const { history } = this.#options;
    if (this.#keeper === undefined || this.#binding === undefined)
      throw new DreamloopError(ERROR_CODES.invalidState, "RealtimeRun.capture: the session does not run");
    const { generation, stepIndex } = this.#rollout as Rollout;
    const isNow = at === undefined || (at.generation === generation && at.stepIndex === stepIndex);
    if (isNow) return { state: await this.#keeper.state(), binding: this.#binding };
    if (history === undefined)
      throw new DreamloopError(ERROR_CODES.unavailable, "RealtimeRun.capture: this run keeps no history; give it one");
    return { state: await history.stateAt(at), binding: this.#binding };
  }

  async #fork(at: MomentPosition | undefined): Promise<CapturedState> {
    const captured = await this.#capture(at);
    const { generation, stepIndex } = at ?? positionOf(captured.state);
    this.#observers.tell((observer) => observer.forkTaken?.({ generation, stepIndex }));
    return captured;
  }

  #driverState(rollout: Rollout): DriverState {
    const sessionSeconds = this.#windowEndSeconds;
    const timelineFrames = Math.ceil(sessionSeconds * rollout.description.framesPerSecond);
    return { held: this.#tracker.save(), sessionSeconds, timelineFrames };
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
    this.#sinks.push(result, firstDueSeconds, lease);
    return firstDueSeconds;
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
