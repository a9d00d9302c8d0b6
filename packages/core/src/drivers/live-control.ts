import { DreamloopError, ERROR_CODES } from "../foundation/dreamloop-error.ts";
import type { PendingInput } from "../inputs/pending-input.ts";
import type { UserInputEventInput } from "../inputs/user-input-event.ts";
import type { Clock } from "../foundation/time/clock.ts";
import { finite, listOf, refuse } from "../foundation/validate/reader.ts";
import { deferred, type Deferred } from "../foundation/deferred.ts";
import type { ObserverQueue } from "./observer-queue.ts";
import type { Pacer } from "./pacer.ts";
import type { SessionTimeline } from "./session-timeline.ts";

const timestamp = finite();

/** An event with a time of the driver's clock, whose origin may lie anywhere; the queue checks the rest. */
function liveEvent(value: unknown, path: string): UserInputEventInput {
  if (typeof value !== "object" || value === null) refuse(path, "an event", value);
  const event = value as UserInputEventInput;
  timestamp(event.timestampSeconds, `${path}.timestampSeconds`);
  return event;
}

/** What `LiveControl` works on. */
export interface LiveControlOptions {
  /** The session's live queue. */
  readonly input: PendingInput;
  /** The driver's clock. */
  readonly clock: Clock;
  /** Told about pauses. */
  readonly observers: ObserverQueue;
  /** Called when the run is asked to end. */
  readonly onClose: () => void;
}

/**
 * What comes from outside into a live run, between two steps: events with their times, and orders (pause, resume, reset, single step, close).
 * Orders act on the session's time at once; the loop looks at the rest at its next boundary, and is woken for it.
 */
export class LiveControl {
  readonly #options: LiveControlOptions;
  readonly #waiters: Deferred<number>[] = [];
  #timeline: SessionTimeline | undefined;
  #pacer: Pacer | undefined;
  #wake = new AbortController();
  #resetAsked = false;
  #stepGrants = 0;
  #closeAsked = false;
  #over = false;

  /** Nothing runs before `begin`. */
  constructor(options: LiveControlOptions) {
    this.#options = options;
  }

  /** Whether a reset waits for the next boundary: frames of a step that ends meanwhile are void. */
  get resetAsked(): boolean {
    return this.#resetAsked;
  }

  /** Whether the run is to end. */
  get closeAsked(): boolean {
    return this.#closeAsked;
  }

  /** Whether the loop may step now: time goes on, or one step or a reset was asked for. */
  get mayStep(): boolean {
    return this.#timeline?.paused !== true || this.#stepGrants > 0 || this.#resetAsked;
  }

  /** The session's time starts. */
  begin(timeline: SessionTimeline, pacer: Pacer): void {
    this.#timeline = timeline;
    this.#pacer = pacer;
  }

  /** Uses up a single step that was asked for while paused. */
  useGrant(): void {
    if (this.#timeline?.paused === true && this.#stepGrants > 0) this.#stepGrants -= 1;
  }

  /** Takes device events and orders, with times of the driver's clock. */
  push(events: readonly UserInputEventInput[], sequence: number | undefined): void {
    const timeline = this.#timeline;
    const given = listOf(liveEvent)(events, "RealtimeRun.push(events)");
    const stamped = given.map((event) => ({ ...event, timestampSeconds: timeline?.at(event.timestampSeconds) ?? 0 }));
    this.#options.input.push(stamped, sequence === undefined ? {} : { sequence });
    for (const { eventType } of events) this.#obey(eventType);
  }

  /** Stops session time, or lets it go on, as an event that is recorded. */
  order(eventType: "pause" | "resume"): void {
    this.push([{ timestampSeconds: this.#options.clock.nowSeconds(), eventType, source: "control" }], undefined);
  }

  /** Asks for one step while paused. */
  stepOnce(): void {
    this.#stepGrants += 1;
    this.wake();
  }

  /** Asks for a reset; resolves with the new generation when it was applied. */
  reset(seed: number | undefined): Promise<number> {
    if (this.#over) {
      return Promise.reject(new DreamloopError(ERROR_CODES.closed, "RealtimeRun.reset: the session has ended"));
    }
    const timestampSeconds = this.#options.clock.nowSeconds();
    const payload = seed === undefined ? {} : { seed };
    this.push([{ timestampSeconds, eventType: "reset", payload, source: "control" }], undefined);
    const waiter = deferred<number>();
    this.#waiters.push(waiter);
    return waiter.promise;
  }

  /** A reset was applied: answers all who asked for one. */
  resetApplied(generation: number): void {
    this.#resetAsked = false;
    for (const waiter of this.#waiters.splice(0)) waiter.resolve(generation);
  }

  /** Asks the loop to end at its next boundary. */
  close(): void {
    this.#closeAsked = true;
    this.#options.onClose();
    this.wake();
  }

  /** The run is over: who still waits for a reset is told so. */
  end(cause: unknown): void {
    this.#over = true;
    const closed = new DreamloopError(ERROR_CODES.closed, "the session ended before the reset was applied", { cause });
    for (const waiter of this.#waiters.splice(0)) waiter.reject(closed);
  }

  /** Ends the loop's sleep. */
  wake(): void {
    this.#wake.abort();
  }

  /** Sleeps until `timeSeconds` of the clock; true when something woke it before. */
  async sleep(timeSeconds: number): Promise<boolean> {
    if (this.#wake.signal.aborted) this.#wake = new AbortController();
    const { signal } = this.#wake;
    await this.#options.clock.sleepUntil(timeSeconds, signal);
    return signal.aborted;
  }

  #obey(eventType: string): void {
    switch (eventType) {
      case "pause":
        this.#setPaused(true);
        break;
      case "resume":
        this.#setPaused(false);
        break;
      case "reset":
        this.#resetAsked = true;
        this.wake();
        break;
      case "close":
        this.close();
        break;
    }
  }

  #setPaused(paused: boolean): void {
    const timeline = this.#timeline;
    if (timeline === undefined || timeline.paused === paused) return;
    const clockSeconds = this.#options.clock.nowSeconds();
    if (paused) {
      timeline.pause(clockSeconds);
      this.#pacer?.pause(clockSeconds);
    } else {
      timeline.resume(clockSeconds);
      this.#pacer?.resume(clockSeconds);
    }
    this.#stepGrants = 0;
    const timestampSeconds = timeline.at(clockSeconds);
    this.#options.observers.tell((observer) => observer.pauseChanged?.({ paused, timestampSeconds }));
    this.wake();
  }
}
