import {
  userInputs,
  userInputSchema,
  type TimeWindow,
  type UserInputEventInput,
  type UserInputs,
  type UserInputSchema,
  type UserInputSchemaInput,
  type UserInputSource,
} from "@dreamloop/core";

/** What a fake source sends. */
export interface FakeInputSourceOptions {
  /** Events in non-decreasing time; default none. */
  readonly events?: readonly UserInputEventInput[];
  /** What the source declares; default the types of its events without payload promise. */
  readonly schema?: UserInputSchemaInput;
  /** When the source ends, in seconds; default never. */
  readonly endSeconds?: number;
}

/** A source that plays a list of events; `inputSequence` is the number of events sent so far. */
export class FakeInputSource implements UserInputSource {
  readonly schema: UserInputSchema;
  readonly endSeconds?: number;
  readonly #windows: TimeWindow[] = [];
  readonly #inputs: UserInputs;

  /** Makes a source; refuses events whose time goes back. */
  constructor(options: FakeInputSourceOptions = {}) {
    this.#inputs = userInputs({ events: options.events ?? [] });
    this.schema = userInputSchema(
      options.schema ?? { eventTypes: [...new Set(this.#inputs.events.map((event) => event.eventType))] },
    );
    if (options.endSeconds !== undefined) this.endSeconds = options.endSeconds;
  }

  /** The windows that were asked for, in order. */
  get windows(): readonly TimeWindow[] {
    return [...this.#windows];
  }

  /** The events of `window`. */
  read(window: TimeWindow): UserInputs {
    this.#windows.push(window);
    const { events } = this.#inputs.window(window);
    const inputSequence = this.#inputs.events.filter((event) => event.timestampSeconds < window.endSeconds).length;
    return userInputs({ events, metadata: { inputSequence } });
  }
}
