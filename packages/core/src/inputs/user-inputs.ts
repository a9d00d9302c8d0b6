import { timeWindow, type TimeWindowInput } from "../foundation/time/time-window.ts";
import { listOf, mapping, refuse, withDefault, type Mapping } from "../foundation/validate/reader.ts";
import { isMade, made, markMade, refuseUnknownKeys } from "../foundation/validate/record.ts";
import { userInputEvent, type UserInputEvent, type UserInputEventInput } from "./user-input-event.ts";

/** Events in non-decreasing time (equal times keep their order), with a snapshot of held state and metadata. */
export interface UserInputs {
  /** The events, in non-decreasing time. */
  readonly events: readonly UserInputEvent[];
  /** Device state as of the end, by field name; default empty. */
  readonly snapshot: Mapping;
  /** Facts about the inputs, such as `inputSequence`; default empty. */
  readonly metadata: Mapping;
  /** The same inputs with only the events inside `window`; snapshot and metadata are carried unchanged. */
  window(window: TimeWindowInput): UserInputs;
}

/** What the factory of `UserInputs` takes: every field may be left out. */
export interface UserInputsInput {
  /** The events, in non-decreasing time; default none. */
  readonly events?: readonly UserInputEventInput[];
  /** Device state as of the end; default empty. */
  readonly snapshot?: Mapping;
  /** Facts about the inputs; default empty. */
  readonly metadata?: Mapping;
}

class UserInputsValue implements UserInputs {
  readonly events: readonly UserInputEvent[];
  readonly snapshot: Mapping;
  readonly metadata: Mapping;

  constructor(events: readonly UserInputEvent[], snapshot: Mapping, metadata: Mapping) {
    this.events = events;
    this.snapshot = snapshot;
    this.metadata = metadata;
    markMade(this, "UserInputs");
  }

  window(window: TimeWindowInput): UserInputs {
    const bounds = timeWindow(window);
    const inside = this.events.filter((event) => bounds.contains(event.timestampSeconds));
    return new UserInputsValue(Object.freeze(inside), this.snapshot, this.metadata);
  }
}

const readEvents = withDefault(
  listOf(made((value) => userInputEvent(value as UserInputEventInput))),
  Object.freeze([]),
);
const readMapping = withDefault(mapping, Object.freeze({}));

/** Makes `UserInputs`; refuses events whose time goes back. */
export function userInputs(input: UserInputsInput = {}): UserInputs {
  if (isMade(input, "UserInputs")) return input as UserInputs;
  refuseUnknownKeys(input, ["events", "snapshot", "metadata"], "UserInputs");
  const events = readEvents(input.events, "UserInputs.events");
  for (let index = 1; index < events.length; index += 1) {
    const before = events[index - 1].timestampSeconds;
    const time = events[index].timestampSeconds;
    if (time < before)
      refuse(`UserInputs.events[${index}].timestampSeconds`, `at least ${before}, as events are sorted by time`, time);
  }
  return new UserInputsValue(
    events,
    readMapping(input.snapshot, "UserInputs.snapshot"),
    readMapping(input.metadata, "UserInputs.metadata"),
  );
}
