import { DreamloopError, ERROR_CODES } from "../foundation/dreamloop-error.ts";
import type { TimeWindow } from "../foundation/time/time-window.ts";
import { InputTracker } from "../inputs/input-tracker.ts";
import { rewindBridge } from "../inputs/pending/reapply.ts";
import type { RewindOrder } from "../inputs/split-control.ts";
import { userInputs, type UserInputs } from "../inputs/user-inputs.ts";
import type { Rollout } from "../rollout/rollout.ts";
import type { RewindRecord } from "../rollout/run-observer.ts";
import type { Boundary, DriverHistory } from "../snapshot/driver-history.ts";
import { restoreState } from "../snapshot/restore-state.ts";
import type { DriverState, SessionState } from "../snapshot/session-state.ts";

/** What a `HistoryKeeper` works with. */
export interface HistoryKeeperOptions {
  /** The history; absent: a rewind is refused, and nothing is kept. */
  readonly history: DriverHistory | undefined;
  /** The rollout. */
  readonly rollout: Rollout;
  /** What the driver counts, as of now. */
  readonly driverState: () => DriverState;
  /** Cancels what runs again. */
  readonly signal: AbortSignal | undefined;
}

/** Tells a driver's history of every step boundary, and brings the rollout back when a window asks for it. */
export class HistoryKeeper {
  readonly #options: HistoryKeeperOptions;

  /** Keeps nothing without a history. */
  constructor(options: HistoryKeeperOptions) {
    this.#options = options;
  }

  /** The session stands at its first boundary. */
  async begin(): Promise<void> {
    const frameSeconds = 1 / this.#options.rollout.description.framesPerSecond;
    await this.#options.history?.begin({ ...this.#boundary(), frameSeconds });
  }

  /** A step was committed with these inputs. */
  async stepped(inputs: UserInputs, window: TimeWindow, frameCount: number): Promise<void> {
    await this.#options.history?.add({ type: "step", window, inputs }, this.#boundary(), frameCount);
  }

  /** A reset was applied. */
  async reset(): Promise<void> {
    const { history, rollout } = this.#options;
    // Fresh converters have heard of nothing yet that is held.
    await history?.add({ type: "reset", seed: rollout.seed }, this.#boundary(new InputTracker()), 0);
  }

  /** The complete state now; `heard` is what converters have heard of where that is not what the driver has read. */
  async state(heard?: InputTracker): Promise<SessionState> {
    const { rollout, driverState } = this.#options;
    const driver = driverState();
    const held = heard === undefined ? driver.held : heard.save();
    return { rollout: await rollout.snapshot(), driver: { ...driver, held }, lead: [] };
  }

  /**
   * Goes back to a moment as a new generation. What was held then is released by the first events of the window, whose inputs are given back. Throws
   * `unavailable` without a history, `not_found` for a moment that is not kept, or why the moment cannot be reached; the rollout is then as it was.
   */
  async rewind(
    order: RewindOrder,
    inputs: UserInputs,
    now: { readonly tracker: InputTracker; readonly timestampSeconds: number },
  ): Promise<{ readonly inputs: UserInputs; readonly record: Omit<RewindRecord, "clearedDeltas"> }> {
    const { history, rollout, signal } = this.#options;
    if (history === undefined) {
      throw new DreamloopError(ERROR_CODES.unavailable, "rewind: this run keeps no history; give it one");
    }
    const { timestampSeconds } = now;
    const state = await history.stateAt(order);
    const before = await rollout.snapshot();
    let then: InputTracker;
    try {
      ({ tracker: then } = await restoreState(rollout, state, signal === undefined ? {} : { signal }));
    } catch (error) {
      await rollout.restore(before);
      throw error;
    }
    const generation = before.generation + 1;
    rollout.continueAs({ generation, stepNumber: before.stepNumber });
    await history.rewound(order, this.#boundary(then));
    const bridge = rewindBridge(then, { focused: now.tracker.focused, timestampSeconds });
    return {
      inputs: bridge.length === 0 ? inputs : withEventsBefore(bridge, inputs),
      record: {
        generation,
        timestampSeconds,
        toGeneration: order.generation,
        stepIndex: rollout.stepIndex,
        seed: rollout.seed,
      },
    };
  }

  #boundary(heard?: InputTracker): Boundary {
    const { rollout, driverState } = this.#options;
    const { generation, stepIndex, seed } = rollout;
    const { sessionSeconds } = driverState();
    return { position: { generation, stepIndex }, seed, sessionSeconds, takeState: () => this.state(heard) };
  }
}

function withEventsBefore(bridge: UserInputs["events"], inputs: UserInputs): UserInputs {
  const { snapshot, metadata } = inputs;
  const { originalTimes, ...others } = metadata as {
    readonly originalTimes?: readonly { readonly eventIndex: number }[];
  };
  const moved = originalTimes?.map((entry) => ({ ...entry, eventIndex: entry.eventIndex + bridge.length }));
  return userInputs({
    events: [...bridge, ...inputs.events],
    snapshot,
    metadata: { ...others, ...(moved === undefined ? {} : { originalTimes: moved }) },
  });
}
