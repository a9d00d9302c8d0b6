import { HELD_STATE_INTERVAL_SECONDS, PROTOCOL_VERSION, type InputMessage } from "@dreamloop/protocol";
import type { ClientEnvironment } from "../browser/client-environment.ts";
import type { InputState } from "./input-state.ts";

/** Shortest time between two messages, in milliseconds; well inside the server's rate limit. */
export const SHORTEST_INTERVAL_MILLISECONDS = 8;

/** Time between two messages while something is held; below the promised 100 ms, since timers are late. */
export const HELD_INTERVAL_MILLISECONDS = HELD_STATE_INTERVAL_SECONDS * 1000 * 0.75;

/** When a change is told again over a transport that may lose messages, in milliseconds after it. */
export const REPEAT_AFTER_MILLISECONDS: readonly number[] = Object.freeze([16, 50, 120, 300]);

/** What the schedule has to know. */
export interface ScheduleFacts {
  /** Version of the input state. */
  readonly version: number;
  /** Whether anything is held. */
  readonly anythingHeld: boolean;
}

/**
 * Decides when the input state is sent: at once after a change, not more often than every 8 ms, at least every 100 ms while anything is held, and
 * a few times more after a change where a message may be lost. Pure: the time comes in.
 */
export class SendSchedule {
  readonly #repeats: readonly number[];
  #sentVersion = -1;
  #sentAt = Number.NEGATIVE_INFINITY;
  #changedAt = Number.NEGATIVE_INFINITY;
  #repeated = 0;

  /** `isReliable`: nothing that is sent gets lost, so that repeats are needless. */
  constructor(options: { readonly isReliable: boolean }) {
    this.#repeats = options.isReliable ? [] : REPEAT_AFTER_MILLISECONDS;
  }

  /** When the next message is due, on the clock of the calls; `undefined` while there is nothing to tell. Never before now when overdue. */
  nextDue({ version, anythingHeld }: ScheduleFacts): number | undefined {
    if (version !== this.#sentVersion) return this.#sentAt + SHORTEST_INTERVAL_MILLISECONDS;
    const repeat = this.#repeats[this.#repeated];
    const repeatAt = repeat === undefined ? undefined : this.#changedAt + repeat;
    const heldAt = anythingHeld ? this.#sentAt + HELD_INTERVAL_MILLISECONDS : undefined;
    if (repeatAt === undefined) return heldAt;
    return heldAt === undefined ? repeatAt : Math.min(repeatAt, heldAt);
  }

  /** A message with this version has been sent. */
  sent(now: number, version: number): void {
    if (version !== this.#sentVersion) {
      this.#changedAt = now;
      this.#repeated = 0;
    } else {
      while (this.#changedAt + (this.#repeats[this.#repeated] ?? Number.POSITIVE_INFINITY) <= now) this.#repeated += 1;
    }
    this.#sentVersion = version;
    this.#sentAt = now;
  }
}

/** What a sender needs of the link. */
export interface InputOutlet {
  /** Whether nothing that is sent gets lost. */
  readonly isReliable: boolean;
  /** Sends a message, or drops it when the link cannot take it now. */
  sendInput(message: string): void;
}

/** What a sender reports about each message. */
export interface SentInput {
  /** Number of the stretch over which counts run. */
  readonly epoch: number;
  /** Number of the message. */
  readonly sequence: number;
  /** When it was sent, in milliseconds of the environment's clock. */
  readonly sentAtMilliseconds: number;
  /** Whether it tells something that no message before it told. */
  readonly isNews: boolean;
}

/** Sends the input state over a link when the schedule says so. */
export class InputSender {
  readonly #environment: ClientEnvironment;
  readonly #state: InputState;
  readonly #onSent: (sent: SentInput) => void;
  #schedule = new SendSchedule({ isReliable: true });
  #outlet: InputOutlet | undefined;
  #epoch = 0;
  #sequence = 0;
  #sentVersion = -1;
  #timer: unknown;
  #timerAt = Number.POSITIVE_INFINITY;

  /** `onSent` hears of every message. */
  constructor(environment: ClientEnvironment, state: InputState, onSent: (sent: SentInput) => void) {
    this.#environment = environment;
    this.#state = state;
    this.#onSent = onSent;
  }

  /** Messages go to this outlet from now on, counting in a new epoch; `undefined`: nowhere. */
  connect(outlet: InputOutlet | undefined, epoch = 0): void {
    this.#cancelTimer();
    this.#outlet = outlet;
    if (outlet === undefined) return;
    this.#epoch = epoch;
    this.#state.beginEpoch();
    this.#schedule = new SendSchedule({ isReliable: outlet.isReliable });
    this.changed();
  }

  /** The state has changed: sends it at once when it may, else as soon as it may. */
  changed(): void {
    if (this.#outlet === undefined) return;
    const { version, anythingHeld } = this.#state;
    const due = this.#schedule.nextDue({ version, anythingHeld });
    if (due === undefined) {
      this.#cancelTimer();
      return;
    }
    const now = this.#environment.now();
    if (due <= now) this.#send(now);
    else this.#wakeAt(due, now);
  }

  /** Sends nothing any more. */
  close(): void {
    this.connect(undefined);
  }

  #send(now: number): void {
    const { version } = this.#state;
    this.#sequence += 1;
    const message: InputMessage = {
      type: "input",
      version: PROTOCOL_VERSION,
      sequence: this.#sequence,
      epoch: this.#epoch,
      sentAtMilliseconds: Math.max(0, now),
      states: this.#state.states(this.#epoch, this.#sequence),
    };
    this.#outlet?.sendInput(JSON.stringify(message));
    this.#onSent({
      epoch: this.#epoch,
      sequence: this.#sequence,
      sentAtMilliseconds: now,
      isNews: version !== this.#sentVersion,
    });
    this.#sentVersion = version;
    this.#schedule.sent(now, version);
    const due = this.#schedule.nextDue({ version, anythingHeld: this.#state.anythingHeld });
    if (due === undefined) this.#cancelTimer();
    else this.#wakeAt(due, now);
  }

  #wakeAt(due: number, now: number): void {
    if (this.#timerAt === due) return;
    this.#cancelTimer();
    this.#timerAt = due;
    this.#timer = this.#environment.setTimer(
      () => {
        this.#timer = undefined;
        this.#timerAt = Number.POSITIVE_INFINITY;
        this.changed();
      },
      Math.max(0, due - now),
    );
  }

  #cancelTimer(): void {
    if (this.#timer !== undefined) this.#environment.clearTimer(this.#timer);
    this.#timer = undefined;
    this.#timerAt = Number.POSITIVE_INFINITY;
  }
}
