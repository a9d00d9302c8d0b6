import { DreamloopError, ERROR_CODES } from "../foundation/dreamloop-error.ts";
import type { TimeWindow } from "../foundation/time/time-window.ts";
import { finite, listOf, refuse, within } from "../foundation/validate/reader.ts";
import { refuseUnknownKeys } from "../foundation/validate/record.ts";
import { eventCatalogue, type EventCatalogue } from "./event-catalogue.ts";
import { madeEvent } from "./held/made-events.ts";
import { InputTracker } from "./input-tracker.ts";
import type { OriginalTime } from "./pending-input.ts";
import type { UserInputEvent, UserInputEventInput } from "./user-input-event.ts";
import type { UserInputSchema } from "./user-input-schema.ts";
import type { UserInputSource } from "./user-input-source.ts";
import { userInputs, type UserInputs } from "./user-inputs.ts";

/** What `eventListSource` takes. */
export interface EventListOptions {
  /** The events, in non-decreasing time. */
  readonly events: readonly UserInputEventInput[];
  /** What the source declares; default everything in the catalogue. */
  readonly schema?: UserInputSchema;
  /** The types of events; default the core's own. */
  readonly catalogue?: EventCatalogue;
  /** Where the source ends, in seconds, above the time of the last event; default just after it, 0 without events. */
  readonly endSeconds?: number;
}

/** A source that ends. */
export interface FiniteInputSource extends UserInputSource {
  /** The first instant after the last event, or the end that was asked for. */
  readonly endSeconds: number;
}

class EventListSource implements FiniteInputSource {
  readonly schema: UserInputSchema;
  readonly endSeconds: number;
  readonly #events: readonly UserInputEvent[];
  readonly #tracker = new InputTracker();
  #next = 0;
  #readUntilSeconds = 0;
  #inputSequence = 0;
  readonly #isNumbered: boolean;

  constructor(events: readonly UserInputEvent[], schema: UserInputSchema, endSeconds: number) {
    this.schema = schema;
    this.endSeconds = endSeconds;
    this.#events = events;
    this.#isNumbered = events.some((event) => numberOf(event) !== undefined);
  }

  read(window: TimeWindow): UserInputs {
    if (window.startSeconds < this.#readUntilSeconds) {
      throw new DreamloopError(
        ERROR_CODES.invalidState,
        `UserInputSource.read: windows go in order; the last ended at ${this.#readUntilSeconds} s, this one starts at ` +
          `${window.startSeconds} s. Make a new source to read the events again`,
      );
    }
    this.#readUntilSeconds = window.endSeconds;
    const events: UserInputEvent[] = [];
    const originalTimes: OriginalTime[] = [];
    for (let event = this.#events[this.#next]; event !== undefined; event = this.#events[this.#next]) {
      if (event.timestampSeconds >= window.endSeconds) break;
      this.#next += 1;
      this.#inputSequence = this.#isNumbered ? (numberOf(event) ?? this.#inputSequence) : this.#next;
      const { timestampSeconds } = event;
      const isOld = timestampSeconds < window.startSeconds;
      const timed = isOld
        ? madeEvent({ ...event, timestampSeconds: window.startSeconds }, event.eventType, event.payload)
        : event;
      for (const resolved of this.#tracker.resolve(timed)) {
        if (isOld) originalTimes.push({ eventIndex: events.length, timestampSeconds });
        events.push(resolved);
      }
    }
    const metadata = {
      ...(this.#next === 0 ? {} : { inputSequence: this.#inputSequence }),
      ...(originalTimes.length === 0 ? {} : { originalTimes: Object.freeze(originalTimes) }),
    };
    return userInputs({ events, snapshot: this.#tracker.snapshot(), metadata });
  }
}

/**
 * A source that gives the events of a list, for batch runs: scripts, traces, tests. Every event is validated here; held state is resolved as in
 * live input, but nothing is merged. `metadata.inputSequence` is the newest `sequence` that a cumulative state carries or, where none
 * does, how many events of the list have been read. An event older than its window stands at the window's start, as in `PendingInput.drain`.
 *
 * Refuses malformed and unsorted events, events that `schema` does not declare, and an end that is not after the last event. A source can be read once.
 */
export function eventListSource(options: EventListOptions): FiniteInputSource {
  refuseUnknownKeys(options, ["events", "schema", "catalogue", "endSeconds"], "EventListOptions");
  const catalogue = options.catalogue ?? eventCatalogue();
  const read = (value: unknown, path: string): UserInputEvent =>
    within(path, () => catalogue.read(value as UserInputEvent));
  const events = listOf(read)(options.events, "EventListOptions.events");
  for (const [index, event] of events.entries()) {
    const before = events[index - 1]?.timestampSeconds ?? 0;
    if (event.timestampSeconds < before) {
      refuse(
        `EventListOptions.events[${index}].timestampSeconds`,
        `at least ${before}, as events are sorted by time`,
        event.timestampSeconds,
      );
    }
    if (options.schema !== undefined)
      within(`EventListOptions.events[${index}]`, () => options.schema?.validateEvent(event));
  }
  const last = events[events.length - 1]?.timestampSeconds;
  const endSeconds =
    options.endSeconds === undefined
      ? instantAfter(last)
      : finite({ min: 0 })(options.endSeconds, "EventListOptions.endSeconds");
  if (last !== undefined && endSeconds <= last) {
    refuse("EventListOptions.endSeconds", `above the time of the last event (${last})`, endSeconds);
  }
  return new EventListSource(events, options.schema ?? catalogue.schema(), endSeconds);
}

/** The smallest convenient number above `seconds`. */
function instantAfter(seconds: number | undefined): number {
  return seconds === undefined ? 0 : seconds + Math.max(seconds * Number.EPSILON, Number.MIN_VALUE);
}

function numberOf(event: UserInputEvent): number | undefined {
  const { sequence } = event.payload;
  return typeof sequence === "number" ? sequence : undefined;
}
