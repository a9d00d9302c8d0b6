import { finite, listOf, optional, refuse, text, type Reader } from "../../foundation/validate/reader.ts";
import { isPlainObject } from "../../foundation/validate/reader.ts";
import { eventDefinition } from "./event-definition.ts";

/** Greatest length of a key's code or name in UTF-16 units. */
export const MAX_CODE_LENGTH = 32;
/** Greatest number of codes in one `keys_state`, held ones and counted ones each. */
export const MAX_STATE_CODES = 256;

/** A key went down. */
export interface KeyDownPayload {
  /** Physical code as in `KeyboardEvent.code`, such as `KeyW`. */
  readonly code: string;
  /** What the key types, such as `w`; only for display. */
  readonly key?: string;
  /**
   * How often it was pressed, absent: once. 0: it was already held before and is held again, which counts no press. Given for
   * a code that is held: it was released and pressed that many times in between.
   */
  readonly presses?: number;
}

/** A key went up. */
export interface KeyUpPayload {
  /** Physical code as in `KeyboardEvent.code`. */
  readonly code: string;
  /** What the key types; only for display. */
  readonly key?: string;
}

/** Everything that is held on a keyboard, with counts that survive lost messages. */
export interface KeysStatePayload {
  /** Codes that are held now, in the order in which they were pressed. */
  readonly codes: readonly string[];
  /** How often each code was pressed since the epoch began; a code that is not listed has not changed. */
  readonly pressCounts: Readonly<Record<string, number>>;
  /** Number of the stretch over which the counts run, rising; a new one starts all counts at 0. */
  readonly epoch: number;
  /** Number of the message within the epoch, rising; older and repeated ones are ignored. */
  readonly sequence?: number;
}

/** Reads an integer of at least 0. */
export const count = finite({ integer: true, min: 0 });

const code = text({ maxLength: MAX_CODE_LENGTH });
const key = optional(text({ maxLength: MAX_CODE_LENGTH, allowBlank: true }));

/** Reads cumulative press counts by code; at most `MAX_STATE_CODES` entries. */
export const pressCountsByCode: Reader<Readonly<Record<string, number>>> = (value, path) => {
  if (!isPlainObject(value)) refuse(path, "a mapping from codes to counts", value);
  const entries = Object.entries(value);
  if (entries.length > MAX_STATE_CODES) {
    refuse(path, `at most ${MAX_STATE_CODES} codes (a new epoch starts the counts afresh)`, entries.length);
  }
  const counts = entries.map(([name, entry]) => [code(name, `${path} (a code)`), count(entry, `${path}.${name}`)]);
  return Object.freeze(Object.fromEntries(counts) as Record<string, number>);
};

/** The events of keyboards. */
export const keyboardEvents = [
  eventDefinition<KeyDownPayload>({
    eventType: "key_down",
    modality: "keyboard",
    description: "A key went down. Repetitions of a held key are ignored.",
    fields: { code, key, presses: optional(count) },
  }),
  eventDefinition<KeyUpPayload>({
    eventType: "key_up",
    modality: "keyboard",
    description: "A key went up. Of a key that is not held it is ignored.",
    fields: { code, key },
  }),
  eventDefinition<KeysStatePayload>({
    eventType: "keys_state",
    modality: "keyboard",
    description: "All held keys with cumulative press counts, so that a lost message loses no press and no release.",
    fields: {
      codes: listOf(code, { max: MAX_STATE_CODES }),
      pressCounts: pressCountsByCode,
      epoch: count,
      sequence: optional(count),
    },
    resolvesInto: ["key_down", "key_up"],
  }),
] as const;
