import { isDreamloopError, type Clock, type UserInputEventInput } from "@dreamloop/core";
import { PROTOCOL_LIMITS, readInputMessage, type InputEchoMessage, type InputMessage } from "@dreamloop/protocol";
import { TokenBucket } from "../platform/limits/token-bucket.ts";
import { messageNumber } from "./message-number.ts";

/** What an `InputGate` is made with. */
export interface InputGateOptions {
  /** Measures rates. */
  readonly clock: Clock;
  /** Stamps events: the clock of the process, which all threads share. */
  readonly stampClock: Clock;
  /** The epoch of this connection; messages of others are ignored. */
  readonly epoch: number;
  /** Gets the events of one message and its number over all epochs. */
  readonly push: (events: readonly UserInputEventInput[], messageNumber: number) => void;
  /** Answers a message that carries a send time. */
  readonly echo: (message: InputEchoMessage) => void;
}

/** What an `InputGate` has counted. */
export interface InputGateCounters {
  /** Messages that were passed on. */
  readonly accepted: number;
  /** Messages that were replaced by a newer one because of the rate. */
  readonly superseded: number;
  /** Messages that were not readable, too large, or of another epoch. */
  readonly refused: number;
}

/** Messages at once, before the rate counts. */
const BURST = 50;

/**
 * Takes the messages of one connection's input channel: bounded in size and rate, stamped on arrival. Beyond the rate only the newest
 * message waits; since each holds the whole state, nothing that is held or released is lost.
 */
export class InputGate {
  readonly #options: InputGateOptions;
  readonly #bucket = new TokenBucket({ perSecond: PROTOCOL_LIMITS.inputMessagesPerSecond, burst: BURST });
  readonly #closing = new AbortController();
  #waiting: InputMessage | undefined;
  #isTimerSet = false;
  #accepted = 0;
  #superseded = 0;
  #refused = 0;

  /** Takes messages until it is closed. */
  constructor(options: InputGateOptions) {
    this.#options = options;
  }

  /** What has been counted. */
  get counters(): InputGateCounters {
    return { accepted: this.#accepted, superseded: this.#superseded, refused: this.#refused };
  }

  /** Takes one message as it came; gives whether it was one. */
  take(text: string): boolean {
    const message = this.#closing.signal.aborted ? undefined : this.#read(text);
    if (message === undefined) {
      this.#refused += 1;
      return false;
    }
    const now = this.#options.clock.nowSeconds();
    if (this.#waiting === undefined && this.#bucket.take(now)) {
      this.#pass(message);
      return true;
    }
    if (this.#waiting !== undefined) this.#superseded += 1;
    if (this.#waiting === undefined || message.sequence > this.#waiting.sequence) this.#waiting = message;
    this.#setTimer(now);
    return true;
  }

  /** Passes on what waits and takes no more; idempotent. */
  close(): void {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    if (this.#waiting !== undefined) this.#pass(this.#waiting);
    this.#waiting = undefined;
  }

  #read(text: string): InputMessage | undefined {
    if (text.length > PROTOCOL_LIMITS.inputMessageBytes) return undefined;
    try {
      const message = readInputMessage(JSON.parse(text));
      return message.epoch === this.#options.epoch ? message : undefined;
    } catch (error) {
      if (error instanceof SyntaxError || isDreamloopError(error)) return undefined;
      throw error;
    }
  }

  #setTimer(nowSeconds: number): void {
    if (this.#isTimerSet) return;
    this.#isTimerSet = true;
    const { signal } = this.#closing;
    void this.#options.clock.sleepUntil(this.#bucket.readyAtSeconds(nowSeconds), signal).then(() => {
      this.#isTimerSet = false;
      const message = this.#waiting;
      if (signal.aborted || message === undefined) return;
      const now = this.#options.clock.nowSeconds();
      if (this.#bucket.take(now)) {
        this.#waiting = undefined;
        this.#pass(message);
      } else this.#setTimer(now);
    });
  }

  #pass(message: InputMessage): void {
    const timestampSeconds = this.#options.stampClock.nowSeconds();
    const { epoch, sequence, states, sentAtMilliseconds } = message;
    this.#accepted += 1;
    const events = states.map(({ eventType, payload }) => ({
      timestampSeconds,
      eventType,
      // The counts run within the connection's epoch, whatever the client says of it.
      payload: "epoch" in payload ? { ...payload, epoch, sequence } : { ...payload },
      source: "browser",
    }));
    this.#options.push(events, messageNumber(epoch, sequence));
    if (sentAtMilliseconds !== undefined) this.#options.echo({ type: "input_echo", sequence, sentAtMilliseconds });
  }
}
