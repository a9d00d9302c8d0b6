import { DreamloopError, ERROR_CODES } from "../foundation/dreamloop-error.ts";
import type { PendingInput } from "../inputs/pending-input.ts";
import type { MomentPosition } from "../snapshot/driver-history.ts";
import type { UserInputEventInput } from "../inputs/user-input-event.ts";
import type { Clock } from "../foundation/time/clock.ts";
import { finite, listOf, readContainer } from "../foundation/validate/reader.ts";
import { isMade } from "../foundation/validate/record.ts";
import { deferred, type Deferred } from "../foundation/deferred.ts";
import type { ObserverQueue } from "./observer-queue.ts";
import type { Pacer } from "./pacer.ts";
import type { SessionTimeline } from "./session-timeline.ts";

const timestamp = finite();

/** What may wait for the next step boundary at a time. */
const MAX_TASKS = 64;

/** An event with a time of the driver's clock, whose origin may lie anywhere; the queue checks the rest. */
function liveEvent(value: unknown, path: string): UserInputEventInput {
  const event = (
    isMade(value, "UserInputEvent") ? value : readContainer(value, path, "an event")
  ) as UserInputEventInput;
  timestamp(event.timestampSeconds, `${path}.timestampSeconds`);
  return event;
}

function isRewind(event: unknown): boolean {
  return (event as Partial<UserInputEventInput> | null | undefined)?.eventType === "rewind";
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
  readonly #tasks: { readonly run: () => Promise<void>; readonly reject: (error: unknown) => void }[] = [];
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
    if (Array.isArray(events) && events.some(isRewind)) {
      throw new DreamloopError(ERROR_CODES.invalidValue, "RealtimeRun.push(events): a rewind is ordered with rewind()");
    }
    this.#take(events, sequence);
  }

  #take(events: readonly UserInputEventInput[], sequence: number | undefined): void {
    const timeline = this.#timeline;
    const given = listOf(liveEvent)(events, "RealtimeRun.push(events)");
    const stamped = given.map((event) => ({ ...event, timestampSeconds: timeline?.at(event.timestampSeconds) ?? 0 }));
    this.#options.input.push(stamped, sequence === undefined ? {} : { sequence });
    for (const { eventType } of given) this.#obey(eventType);
  }

  /** Stops session time, or lets it go on, as an event that is recorded. */
  order(eventType: "pause" | "resume"): void {
    this.push([{ timestampSeconds: this.#options.clock.nowSeconds(), eventType, source: "control" }], undefined);
  }

  /** Does something at the next step boundary, also while paused; rejects when the run ends before. */
  atBoundary<T>(work: () => Promise<T>): Promise<T> {
    if (this.#over) {
      return Promise.reject(new DreamloopError(ERROR_CODES.closed, "RealtimeRun: the session has ended"));
    }
    if (this.#tasks.length >= MAX_TASKS) {
      const message = `RealtimeRun: ${MAX_TASKS} requests wait for the next step already; wait for their answers`;
      return Promise.reject(new DreamloopError(ERROR_CODES.busy, message, { retryable: true }));
    }
    const { promise, resolve, reject } = deferred<T>();
    this.#tasks.push({ run: () => work().then(resolve, reject), reject });
    this.wake();
    return promise;
  }

  /** Whether something waits for the boundary. */
  get hasTasks(): boolean {
    return this.#tasks.length > 0;
  }

  /** Does all that waits for the boundary. */
  async runTasks(): Promise<void> {
    for (const task of this.#tasks.splice(0)) await task.run();
  }

  /** Orders a rewind, as an event that is recorded. */
  orderRewind({ generation, stepIndex }: MomentPosition): void {
    const timestampSeconds = this.#options.clock.nowSeconds();
    const event = { timestampSeconds, eventType: "rewind", payload: { generation, stepIndex }, source: "control" };
    this.#take([event], undefined);
  }

  /** The generation that the reset or rewind which was ordered last begins. */
  nextGeneration(): Promise<number> {
    const waiter = deferred<number>();
    this.#waiters.push(waiter);
    return waiter.promise;
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
    return this.nextGeneration();
  }

  /** A reset or a rewind was applied: answers all who asked for one. */
  restarted(generation: number): void {
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
    const closed = new DreamloopError(ERROR_CODES.closed, "the session ended before this could be done", { cause });
    for (const waiter of this.#waiters.splice(0)) waiter.reject(closed);
    for (const task of this.#tasks.splice(0)) task.reject(closed);
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
      case "rewind":
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
