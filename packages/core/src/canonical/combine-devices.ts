import { userInputs, type UserInputs } from "../inputs/user-inputs.ts";
import type { Mapping } from "../foundation/validate/reader.ts";
import { timeWindow, type TimeWindow } from "../foundation/time/time-window.ts";
import type { Conversion, DeviceConverter } from "./device-converter.ts";
import type { Actions } from "./modalities.ts";

/** From this distance from neutral on a field counts as used, and by this much it has to change to count as used again. */
export const REAL_USE_LEVEL = 0.25;

/** When a field was last really used, and how far it was on then. */
interface FieldUse {
  /** The level then. */
  readonly level: number;
  /** When, in seconds of session time. */
  readonly seconds: number;
}

/** The fields of a modality that a converter is using, by name; those at rest, or nearly, are not among them. Plain JSON. */
export type FieldUses = Readonly<Record<string, FieldUse>>;

/** What one window did to the uses of a converter. */
export interface UseWindow {
  /** What it is using at the end. */
  readonly uses: FieldUses;
  /** When each field was last really used, those included that were let go of within the window. */
  readonly usedAt: Readonly<Record<string, number>>;
}

/** Nothing is used. */
export const NOTHING_USED: FieldUses = Object.freeze({});

const NOTHING_CHANGED: UseWindow = Object.freeze({ uses: NOTHING_USED, usedAt: Object.freeze({}) });

/** What a converter is followed from. */
export interface FollowedConverter {
  /** The converter. */
  readonly converter: DeviceConverter;
  /** Its state before the window. */
  readonly state: unknown;
  /** What it was using before the window. */
  readonly uses: FieldUses;
  /** The neutral value of its modality. */
  readonly neutral: Mapping;
  /** Converts, with errors that name the converter. */
  convert(inputs: UserInputs, window: TimeWindow, state: unknown): Conversion<unknown>;
}

/**
 * Follows what a converter says event by event, so that it is the same however time is cut into windows. A field is really used when it leaves neutral
 * by `REAL_USE_LEVEL`, and again whenever it has changed by that much: a stick that rests beside its middle, or is stuck, is used once at most.
 */
export function followUses(followed: FollowedConverter, inputs: UserInputs): UseWindow {
  const { converter, neutral } = followed;
  let { state, uses } = followed;
  if (inputs.events.length === 0 && uses === NOTHING_USED) return NOTHING_CHANGED;
  const usedAt: Record<string, number> = {};
  for (const [field, { seconds }] of Object.entries(uses)) usedAt[field] = seconds;
  for (const event of inputs.events) {
    const isHeard =
      event.eventType === "focus" || converter.consumes.some(({ eventType }) => eventType === event.eventType);
    if (!isHeard) continue;
    const seconds = event.timestampSeconds;
    const window = timeWindow({ startSeconds: seconds, endSeconds: seconds + SHORT_SECONDS });
    const only = userInputs({ events: [event], snapshot: inputs.snapshot, metadata: inputs.metadata });
    const conversion = followed.convert(only, window, state);
    state = conversion.state;
    uses = usesAfter(uses, conversion.value ?? neutral, { seconds, neutral });
    for (const [field, use] of Object.entries(uses)) usedAt[field] = Math.max(usedAt[field] ?? 0, use.seconds);
  }
  return { uses, usedAt };
}

/** Length of a window around one event. */
const SHORT_SECONDS = 1e-6;

function usesAfter(
  uses: FieldUses,
  value: Mapping,
  { seconds, neutral }: { readonly seconds: number; readonly neutral: Mapping },
): FieldUses {
  let next: Record<string, FieldUse> | undefined;
  for (const field of Object.keys(neutral)) {
    const rest = levelOf(neutral[field]);
    const level = levelOf(value[field]);
    const use = uses[field];
    if (Math.abs(level - rest) < REAL_USE_LEVEL) {
      if (use === undefined) continue;
      next ??= { ...uses };
      delete next[field];
    } else if (Math.abs(level - (use?.level ?? rest)) >= REAL_USE_LEVEL) {
      next ??= { ...uses };
      next[field] = Object.freeze({ level, seconds });
    }
  }
  if (next === undefined) return uses;
  return Object.keys(next).length === 0 ? NOTHING_USED : Object.freeze(next);
}

/** What one device says of a modality. */
export interface DeviceValue {
  /** The converter. */
  readonly name: string;
  /** Its value. */
  readonly value: Mapping;
  /** When each field was last really used; absent: not followed. */
  readonly usedAt?: Readonly<Record<string, number>>;
}

/** One value, and the converters that it is of, highest priority first. */
export interface CombinedValue {
  /** The value. */
  readonly value: Mapping;
  /** Names of the converters. */
  readonly names: readonly string[];
}

/** Takes each field from the device that was last really used for it, of those that do not leave it neutral; of equals from the first. `devices` come by priority. */
export function combineFields(devices: readonly [DeviceValue, ...DeviceValue[]], neutral: Mapping): CombinedValue {
  const owners = new Map<string, DeviceValue>();
  for (const field of Object.keys(neutral)) {
    let best: DeviceValue | undefined;
    for (const device of devices) {
      if (device.value[field] === neutral[field] || device.value[field] === undefined) continue;
      if (best === undefined || at(device, field) > at(best, field)) best = device;
    }
    if (best !== undefined) owners.set(field, best);
  }
  const used = devices.filter((device) => [...owners.values()].includes(device));
  const [first = devices[0]] = used;
  // Of one device the value is taken as it is, whatever further fields it has.
  if (used.length <= 1) return { value: first.value, names: [first.name] };
  const value: Record<string, unknown> = { ...first.value };
  for (const field of Object.keys(neutral)) value[field] = owners.get(field)?.value[field] ?? neutral[field];
  return { value: Object.freeze(value), names: used.map(({ name }) => name) };
}

/** Takes what any device holds and has pressed. */
export function combineActions(devices: readonly [DeviceValue, ...DeviceValue[]]): CombinedValue {
  const acting = devices.filter(({ value }) => Array.isArray(value.held) && value.held.length > 0);
  const [first = devices[0]] = acting;
  if (acting.length <= 1) return { value: first.value, names: [first.name] };
  const held = new Set<string>();
  const pressed: Record<string, number> = {};
  for (const { value } of acting) {
    const actions = value as unknown as Actions;
    for (const action of actions.held) held.add(action);
    for (const [action, count] of Object.entries(actions.pressed)) pressed[action] = (pressed[action] ?? 0) + count;
  }
  return {
    value: Object.freeze({ ...first.value, held: Object.freeze([...held]), pressed: Object.freeze(pressed) }),
    names: acting.map(({ name }) => name),
  };
}

function at({ usedAt }: DeviceValue, field: string): number {
  return usedAt?.[field] ?? Number.NEGATIVE_INFINITY;
}

function levelOf(value: unknown): number {
  return typeof value === "number" ? value : value === true ? 1 : 0;
}
