import type {
  Clock,
  CloseOptions,
  OutputArtifact,
  OutputTarget,
  SessionDescription,
  StepResult,
} from "@dreamloop/core";
import { outputArtifact } from "@dreamloop/core";
import { closedError, FAILURE_POINTS, FailurePlan } from "./failure-plan.ts";

/** How a recording target behaves; everything may be left out. */
export interface RecordingTargetOptions {
  /** Clock on which opening, writing and closing take their time; without one they take none. */
  readonly clock?: Clock;
  /** Seconds that each write takes; default 0. */
  readonly writeSeconds?: number;
  /** Calls that fail; default none. */
  readonly failures?: FailurePlan;
  /** Where calls are noted in their order; share it with a fake world to see the order over both. */
  readonly log?: string[];
}

/** One result as a target saw it, with a copy of its pixels. */
export interface RecordedResult {
  /** The result; its pixels may have been reused since. */
  readonly result: StepResult;
  /** The pixels as they were during the write. */
  readonly pixels: readonly number[];
  /** When the write began on the target's clock, in seconds; 0 without a clock. */
  readonly startSeconds: number;
}

/** A target that keeps what it is given, as slow or as broken as a test needs it. */
export class RecordingTarget implements OutputTarget {
  readonly #options: RecordingTargetOptions;
  readonly #failures: FailurePlan;
  readonly #results: RecordedResult[] = [];
  readonly #descriptions: SessionDescription[] = [];
  readonly #closes: CloseOptions[] = [];
  #artifacts: readonly OutputArtifact[] = [];
  #isOpen = false;
  #writing = 0;

  /** Makes a closed target. */
  constructor(options: RecordingTargetOptions = {}) {
    this.#options = options;
    this.#failures = options.failures ?? new FailurePlan();
  }

  /** Whether it is open. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Writes that have begun and not ended. */
  get pendingWrites(): number {
    return this.#writing;
  }

  /** The results of all runs in the order of their writes. */
  get results(): readonly RecordedResult[] {
    return [...this.#results];
  }

  /** What it was opened with, once for each run. */
  get descriptions(): readonly SessionDescription[] {
    return [...this.#descriptions];
  }

  /** What each close that had an effect was told. */
  get closes(): readonly CloseOptions[] {
    return [...this.#closes];
  }

  /** Begins a run. */
  async open(description: SessionDescription): Promise<void> {
    this.#options.log?.push("target.open");
    this.#failures.pass(FAILURE_POINTS.openTarget);
    this.#descriptions.push(description);
    this.#isOpen = true;
  }

  /** Keeps one result and a copy of its pixels; refused while closed. */
  async write(result: StepResult): Promise<void> {
    if (!this.#isOpen) throw closedError("RecordingTarget.write");
    this.#options.log?.push(`target.write ${result.stepIndex}`);
    this.#writing += 1;
    try {
      const { clock, writeSeconds = 0 } = this.#options;
      const startSeconds = clock?.nowSeconds() ?? 0;
      if (clock !== undefined && writeSeconds > 0) await clock.sleepUntil(startSeconds + writeSeconds);
      this.#failures.pass(FAILURE_POINTS.writeTarget);
      // Read at the end of the write: a driver that releases the pixels too early shows here.
      this.#results.push({ result, pixels: Array.from(result.output?.data ?? []), startSeconds });
    } finally {
      this.#writing -= 1;
    }
  }

  /** Ends the run and says what was kept; a repeated call says the same. */
  async close(options: CloseOptions = {}): Promise<readonly OutputArtifact[]> {
    if (!this.#isOpen) return this.#artifacts;
    this.#isOpen = false;
    this.#options.log?.push("target.close");
    this.#closes.push(options);
    const frames = this.#results.reduce((sum, { result }) => sum + result.frameCount, 0);
    const metadata = { frames, ...options };
    this.#artifacts = [outputArtifact({ kind: "test/recording", uri: "memory:recording", metadata })];
    this.#failures.pass(FAILURE_POINTS.closeTarget);
    return this.#artifacts;
  }
}
