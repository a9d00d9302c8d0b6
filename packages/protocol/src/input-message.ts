import { eventCatalogue, type EventPayloads } from "@dreamloop/core";
import { finite, listOf, oneOf, shape, type Reader, within } from "@dreamloop/core/internal";
import { PROTOCOL_LIMITS, PROTOCOL_VERSION } from "./limits.ts";
import { STATE_EVENTS, type StateEventType } from "./state-events.ts";

/** The state of one device. */
export type DeviceState = {
  readonly [Type in StateEventType]: { readonly eventType: Type; readonly payload: EventPayloads[Type] };
}[StateEventType];

/** What a client sends over the unordered, unreliable input channel. */
export interface InputMessage {
  /** What this message is. */
  readonly type: "input";
  /** Version of the protocol. */
  readonly version: typeof PROTOCOL_VERSION;
  /** Number of the message, rising by at least 1, below 2³¹; older and repeated ones are ignored. */
  readonly sequence: number;
  /** Number of the stretch over which counts and sums run, handed out by the server with each connection. */
  readonly epoch: number;
  /** When it was sent, in milliseconds of the client's clock; only sent back for round trips. */
  readonly sentAtMilliseconds?: number;
  /** The whole state of every device that is in use. */
  readonly states: readonly DeviceState[];
}

const catalogue = eventCatalogue();
const count = finite({ integer: true, min: 0, max: 2 ** 31 - 1 });

const deviceState: Reader<DeviceState> = (value, path) => {
  const raw = shape<{ eventType: StateEventType; payload: unknown }>(
    { eventType: oneOf(STATE_EVENTS), payload: (payload) => payload },
    { allowUnknown: true },
  )(value, path);
  // A newer client may send fields that this server does not know.
  const { payload } = within(path, () =>
    catalogue.read(
      { timestampSeconds: 0, eventType: raw.eventType, payload: raw.payload as Record<string, unknown> },
      { unknownFields: "drop" },
    ),
  );
  return { eventType: raw.eventType, payload } as unknown as DeviceState;
};

const read = shape<InputMessage>(
  {
    type: (value, path) => oneOf({ input: "input" } as const)(value, path),
    version: (value, path) =>
      finite({ min: PROTOCOL_VERSION, max: PROTOCOL_VERSION })(value, path) as typeof PROTOCOL_VERSION,
    sequence: count,
    epoch: count,
    sentAtMilliseconds: (value, path) => (value === undefined ? undefined : finite({ min: 0 })(value, path)),
    states: listOf(deviceState, { max: PROTOCOL_LIMITS.statesPerMessage }),
  },
  { allowUnknown: true },
);

/** Reads a message of the input channel; throws `invalid_value` naming the field. Unknown fields of a newer client are let pass. */
export function readInputMessage(value: unknown): InputMessage {
  return read(value, "InputMessage");
}
