import { finite, listOf, optional } from "../foundation/validate/reader.ts";
import { refuseUnknownKeys } from "../foundation/validate/record.ts";
import type { TimeWindow } from "../foundation/time/time-window.ts";
import { eventCatalogue, type EventCatalogue } from "./event-catalogue.ts";
import { madeEvent } from "./held/made-events.ts";
import type { InputTrackerState } from "./held/tracker-state.ts";
import { InputTracker, TIMEOUT_SOURCE } from "./input-tracker.ts";
import { coalesce, DeltaRests } from "./pending/coalesce.ts";
import { fold } from "./pending/fold.ts";
import { isDelta, isOrdered, isRestart, type MessageNumber, type PendingEvent } from "./pending/pending-event.ts";
import { userInputEvent, type UserInputEvent, type UserInputEventInput } from "./user-input-event.ts";
import type { UserInputSchema } from "./user-input-schema.ts";
import type { UserInputSource } from "./user-input-source.ts";
import { userInputs, type UserInputs } from "./user-inputs.ts";

/** Without a message for this long while something is held, in seconds, everything is released. */
export const DEFAULT_HOLD_TIMEOUT_SECONDS = 1;
/** Edges that wait in their order at most; beyond that they are folded. */
export const MAX_ORDERED_EDGES = 64;
/** Events that wait at most before they are folded. */
const MAX_PENDING_EVENTS = 256;

/** What a `PendingInput` is made with. */
export interface PendingInputOptions {
  /** The types of events; default the core's own. */
  readonly catalogue?: EventCatalogue;
  /** What the session's devices declare; default everything in the catalogue. */
  readonly schema?: UserInputSchema;
  /** Seconds without a device event after which what is held is released; above 0, `Infinity` for never; default 1. */
  readonly holdTimeoutSeconds?: number;
  /** What is held at the start, when a session continues elsewhere; default nothing. */
  readonly held?: InputTrackerState;
}

/** What a `PendingInput` has counted since it was made. */
export interface PendingInputCounters {
  /** Events that were pushed. */
  readonly received: number;
  /** Events that were merged into later ones while they waited. */
  readonly superseded: number;
  /** Events that said nothing new: repetitions, and state messages that are not newer than one seen before. */
  readonly duplicates: number;
  /** Keys that were released because too many were held. */
  readonly limitReleases: number;
  /** Complete taps, and conditions with a key of their own, that were left out since too many waited. */
  readonly dropped: number;
  /** Movements that stood before a reset or a rewind in the same window. */
  readonly clearedDeltas: number;
  /** Releases for want of a message, or because a link was lost. */
  readonly linkReleases: number;
  /** Events that came after the end of their window and were moved to the start of the next. */
  readonly moved: number;
  /** How often what waited was folded. */
  readonly folds: number;
}

/** An event that was moved to the start of its window, in `UserInputs.metadata.originalTimes`. */
export interface OriginalTime {
  /** Index of the event in `UserInputs.events`. */
  readonly eventIndex: number;
  /** The time that it was stamped with, in seconds. */
  readonly timestampSeconds: number;
}

/**
 * The live input of one session between transport and driver: bounded, never refusing because of load, never losing held state, presses of
 * real keyboards, releases or movement. Time is an argument throughout. It is a source: `read` is `drain`.
 *
 * Up to 64 edges keep their order. Beyond that, or beyond 256 events, all that waits is folded: at most two edges for each key, sums of
 * movements, the newest states. A button of a pad or an action that is pressed and released while its states are merged stays in
 * `pressed` of the newest state.
 */
export class PendingInput implements UserInputSource {
  /** What the session's devices declare. */
  readonly schema: UserInputSchema;
  readonly #catalogue: EventCatalogue;
  readonly #holdTimeoutSeconds: number;
  /** What is held as of the newest event that was pushed. */
  readonly #arrived: InputTracker;
  /** What is held as of the newest event that was drained. */
  readonly #delivered: InputTracker;
  readonly #rests = new DeltaRests();
  #pending: PendingEvent[] = [];
  #newestSeconds = 0;
  #lastDeviceSeconds: number | undefined;
  #linkLost = false;
  #edgesSinceFold = 0;
  #eventsSinceFold = 0;
  #pushedMessage: MessageNumber | undefined;
  #deliveredMessage: MessageNumber | undefined;
  #counts = { received: 0, superseded: 0, dropped: 0, clearedDeltas: 0, linkReleases: 0, moved: 0, folds: 0 };

  /** Refuses unknown keys and a hold timeout that is not above 0. */
  constructor(options: PendingInputOptions = {}) {
    refuseUnknownKeys(options, ["catalogue", "schema", "holdTimeoutSeconds", "held"], "PendingInputOptions");
    const { holdTimeoutSeconds = DEFAULT_HOLD_TIMEOUT_SECONDS } = options;
    this.#holdTimeoutSeconds =
      holdTimeoutSeconds === Infinity
        ? Infinity
        : finite({ min: 0, aboveMin: true })(holdTimeoutSeconds, "PendingInputOptions.holdTimeoutSeconds");
    this.#catalogue = options.catalogue ?? eventCatalogue();
    this.schema = options.schema ?? this.#catalogue.schema();
    this.#arrived = new InputTracker(options.held);
    this.#delivered = new InputTracker(options.held);
  }

  /** What has been counted. */
  get counters(): PendingInputCounters {
    const { repeats, staleStates, limitReleases } = this.#arrived.counters;
    return { ...this.#counts, duplicates: repeats + staleStates, limitReleases };
  }

  /** How many events wait. */
  get pendingCount(): number {
    return this.#pending.length;
  }

  /** Whether anything is held as of the newest event. */
  get anythingHeld(): boolean {
    return this.#arrived.anythingHeld;
  }

  /**
   * Takes the events of one message, stamped on arrival. `sequence` is the message's number, `epoch` the stretch over which numbers rise.
   * A malformed event throws `invalid_value` and leaves everything as it was; nothing is refused because of load. An event stamped before one that
   * was pushed earlier takes that one's time.
   */
  push(
    events: readonly UserInputEventInput[],
    options: { readonly sequence?: number; readonly epoch?: number } = {},
  ): void {
    refuseUnknownKeys(options, ["sequence", "epoch"], "PendingInput.push(options)");
    const number = optional(finite({ integer: true, min: 0 }));
    number(options.sequence, "PendingInput.push(options).sequence");
    number(options.epoch, "PendingInput.push(options).epoch");
    const read = listOf((event) => this.#catalogue.read(event as UserInputEventInput))(
      events,
      "PendingInput.push(events)",
    );
    for (const event of read) this.#take(event);
    this.#counts.received += read.length;
    if (options.sequence !== undefined) this.#markMessage({ ...options, sequence: options.sequence });
    if (this.#edgesSinceFold > MAX_ORDERED_EDGES || this.#eventsSinceFold > MAX_PENDING_EVENTS) this.#fold();
  }

  /**
   * Releases everything when something is held and no device event has come for the hold timeout. Call it before each read with the present
   * session time; the release is stamped with it. Gives whether it released. The next state message restores what is held without counting a press.
   */
  timeoutRelease(nowSeconds: number): boolean {
    if (!this.#arrived.anythingHeld) return false;
    this.#lastDeviceSeconds ??= nowSeconds;
    if (nowSeconds - this.#lastDeviceSeconds < this.#holdTimeoutSeconds) return false;
    return this.release(nowSeconds, { reason: "no_message" });
  }

  /** Releases everything at once, as when a channel closes; gives whether anything changed. `source` is by default `timeout`. */
  release(nowSeconds: number, options: { readonly source?: string; readonly reason?: string } = {}): boolean {
    const time = Math.max(nowSeconds, this.#newestSeconds);
    const released = this.#arrived.releaseAll(time, options.source ?? TIMEOUT_SOURCE, options.reason ?? "link");
    for (const event of released) this.#append(event, undefined);
    if (released.length === 0) return false;
    this.#linkLost ||= released.some((event) => event.eventType === "focus");
    this.#counts.linkReleases += 1;
    if (this.#edgesSinceFold > MAX_ORDERED_EDGES) this.#fold();
    return true;
  }

  /**
   * The events before the window's end, each resolved; later ones wait for the next window. An event older than the window's start stands at
   * the start, its own time in `metadata.originalTimes` (a list of `OriginalTime`). The snapshot is what is held at the window's end.
   * `metadata.inputSequence` is the number of the newest message that is included, `metadata.inputEpoch` its epoch where one was given.
   */
  drain(window: TimeWindow): UserInputs {
    const due = this.#takeDue(window);
    const { pending, superseded } =
      due.length > 1 ? coalesce(due, this.#rests, this.#catalogue) : { pending: due, superseded: 0 };
    this.#counts.superseded += superseded;
    const events: UserInputEvent[] = [];
    const originalTimes: OriginalTime[] = [];
    for (const { event, originalSeconds } of pending) {
      for (const resolved of this.#delivered.resolve(event)) {
        if (originalSeconds !== undefined)
          originalTimes.push({ eventIndex: events.length, timestampSeconds: originalSeconds });
        events.push(resolved);
      }
    }
    this.#counts.moved += originalTimes.length;
    const reset = events.findLastIndex(isRestart);
    for (let index = 0; index < reset; index += 1) if (isDelta(events[index])) this.#counts.clearedDeltas += 1;
    return userInputs({ events, snapshot: this.#delivered.snapshot(), metadata: this.#metadata(originalTimes) });
  }

  /** The same as `drain`. */
  read(window: TimeWindow): UserInputs {
    return this.drain(window);
  }

  #metadata(originalTimes: readonly OriginalTime[]): Record<string, unknown> {
    const { sequence, epoch } = this.#deliveredMessage ?? {};
    return {
      ...(sequence === undefined ? {} : { inputSequence: sequence }),
      ...(epoch === undefined ? {} : { inputEpoch: epoch }),
      ...(originalTimes.length === 0 ? {} : { originalTimes: Object.freeze(originalTimes) }),
    };
  }

  #take(event: UserInputEvent): void {
    const { eventType } = event;
    if (!this.#catalogue.isControl(eventType) && !this.#catalogue.isConditioning(eventType)) {
      this.#lastDeviceSeconds = Math.max(event.timestampSeconds, this.#lastDeviceSeconds ?? 0);
      if (this.#linkLost) this.#endLinkLoss(event);
    }
    for (const resolved of this.#arrived.resolve(event)) this.#append(resolved, event.timestampSeconds);
  }

  /** The link is back: focus is too, unless the device has said otherwise itself. */
  #endLinkLoss({ timestampSeconds }: UserInputEvent): void {
    this.#linkLost = false;
    if (this.#arrived.focused !== false) return;
    const payload = { focused: true, reason: "link" };
    const event = userInputEvent({ timestampSeconds, eventType: "focus", payload, source: TIMEOUT_SOURCE });
    for (const resolved of this.#arrived.resolve(event)) this.#append(resolved, timestampSeconds);
  }

  #append(event: UserInputEvent, stampedSeconds: number | undefined): void {
    const { timestampSeconds } = event;
    if (timestampSeconds >= this.#newestSeconds) {
      this.#newestSeconds = timestampSeconds;
      this.#pending.push({ event });
    } else {
      this.#pending.push({
        event: retimed(event, this.#newestSeconds),
        originalSeconds: stampedSeconds ?? timestampSeconds,
      });
    }
    this.#eventsSinceFold += 1;
    if (isOrdered(event) || this.#catalogue.isControl(event.eventType)) this.#edgesSinceFold += 1;
  }

  /** A message is included once the last event that waits now is; at once when none waits. */
  #markMessage(message: MessageNumber): void {
    const newest = this.#pushedMessage;
    if (newest !== undefined && newest.epoch === message.epoch && message.sequence <= newest.sequence) return;
    this.#pushedMessage = message;
    const last = this.#pending[this.#pending.length - 1];
    if (last === undefined) this.#deliveredMessage = message;
    else this.#pending[this.#pending.length - 1] = { ...last, message };
  }

  #fold(): void {
    const { pending, message, superseded, dropped } = fold(
      this.#pending,
      this.#delivered,
      this.#rests,
      this.#catalogue,
    );
    this.#pending = [...pending];
    if (pending.length === 0) this.#deliveredMessage = message ?? this.#deliveredMessage;
    this.#edgesSinceFold = 0;
    this.#eventsSinceFold = 0;
    this.#counts.folds += 1;
    this.#counts.superseded += superseded;
    this.#counts.dropped += dropped;
  }

  #takeDue(window: TimeWindow): readonly PendingEvent[] {
    let due: PendingEvent[] = this.#pending;
    const end = this.#pending.findIndex(({ event }) => event.timestampSeconds >= window.endSeconds);
    if (end < 0) {
      this.#pending = [];
    } else {
      due = this.#pending.slice(0, end);
      this.#pending = this.#pending.slice(end);
    }
    if (due.length > 0) {
      this.#eventsSinceFold = Math.min(this.#eventsSinceFold, this.#pending.length);
      this.#edgesSinceFold = Math.min(this.#edgesSinceFold, this.#pending.length);
    }
    for (const [index, item] of due.entries()) {
      this.#deliveredMessage = item.message ?? this.#deliveredMessage;
      const { event } = item;
      if (event.timestampSeconds >= window.startSeconds) continue;
      const originalSeconds = item.originalSeconds ?? event.timestampSeconds;
      due[index] = { ...item, event: retimed(event, window.startSeconds), originalSeconds };
    }
    return due;
  }
}

function retimed(event: UserInputEvent, timestampSeconds: number): UserInputEvent {
  return madeEvent({ ...event, timestampSeconds }, event.eventType, event.payload);
}
