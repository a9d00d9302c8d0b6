import { PROTOCOL_VERSION, type InputMessage } from "@dreamloop/protocol";
import type { ClientEnvironment } from "../session/environment.ts";
import type { InputState } from "./input-state.ts";
import { SendSchedule } from "./send-schedule.ts";

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
