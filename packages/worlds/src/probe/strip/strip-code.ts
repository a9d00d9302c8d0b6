import { crc24, scramblingBits } from "./check-codes.ts";
import type { ProbeStripCommand, ProbeStripValues } from "./strip-values.ts";

/** Cells of the strip: 216 bits of values and 24 bits of check. */
export const STRIP_BITS = 240;
const VALUE_BITS = 216;
const CHECK_BITS = STRIP_BITS - VALUE_BITS;

/** Widths of the fields in bits, in their order; docs/probe.md lists them with their positions. */
const WIDTHS = {
  generation: 8,
  frameIndex: 24,
  stepIndex: 24,
  inputSequence: 24,
  heldBits: 16,
  pressedBits: 16,
  pressCount: 16,
  lookSumX: 24,
  lookSumY: 24,
  throttle: 6,
  brake: 6,
  steer: 6,
  promptHash: 16,
  flags: 6,
} as const;

type FieldName = keyof typeof WIDTHS;
const FIELDS = Object.entries(WIDTHS) as readonly (readonly [FieldName, number])[];

const FLAG_SEQUENCE = 1;
const FLAG_COMMAND = 2;
const FLAG_REVERSE = 4;
const FLAG_STOP = 8;
const FLAG_PROMPT = 16;

/** Steps of a pixel in which sums of mouse motion are written. */
const LOOK_STEPS = 256;
const THROTTLE_STEPS = 63;
const STEER_STEPS = 31;
/** What stands in the field of a steer of 0. */
const STEER_CENTRE = 32;

// The scrambling is a constant: it keeps cells mixed, so that codecs keep the edges and the reader finds both levels.
const SCRAMBLING = scramblingBits(STRIP_BITS);

/** `value` modulo 2^`width`, for widths up to 30; also for values beyond 32 bits and for negative ones. */
function wrap(value: number, width: number): number {
  const modulus = 1 << width;
  const rest = Math.floor(value) % modulus;
  return rest < 0 ? rest + modulus : rest;
}

function signed(value: number, width: number): number {
  const modulus = 1 << width;
  return value >= modulus / 2 ? value - modulus : value;
}

function clamp(value: number, low: number, high: number): number {
  return value < low ? low : value > high ? high : value;
}

function fieldsOf(values: ProbeStripValues): Readonly<Record<FieldName, number>> {
  const command = values.driverCommand;
  const flags =
    (values.inputSequence === undefined ? 0 : FLAG_SEQUENCE) |
    (command === undefined ? 0 : FLAG_COMMAND) |
    (command?.reverse === true ? FLAG_REVERSE : 0) |
    (command?.stop === true ? FLAG_STOP : 0) |
    (values.promptHash === undefined ? 0 : FLAG_PROMPT);
  return {
    generation: values.generation,
    frameIndex: values.frameIndex,
    stepIndex: values.stepIndex,
    inputSequence: values.inputSequence ?? 0,
    heldBits: values.heldBits,
    pressedBits: values.pressedBits,
    pressCount: values.pressCount,
    lookSumX: Math.round(values.lookSumX * LOOK_STEPS),
    lookSumY: Math.round(values.lookSumY * LOOK_STEPS),
    throttle: Math.round(clamp(command?.throttle ?? 0, 0, 1) * THROTTLE_STEPS),
    brake: Math.round(clamp(command?.brake ?? 0, 0, 1) * THROTTLE_STEPS),
    steer: STEER_CENTRE + Math.round(clamp(command?.steer ?? 0, -1, 1) * STEER_STEPS),
    promptHash: values.promptHash ?? 0,
    flags,
  };
}

/** The cells of a strip in reading order, 1 for a light cell; written into `bits` where given. */
export function encodeStrip(values: ProbeStripValues, bits: Uint8Array = new Uint8Array(STRIP_BITS)): Uint8Array {
  const fields = fieldsOf(values);
  let position = 0;
  for (const [name, width] of FIELDS) {
    const value = wrap(fields[name], width);
    for (let bit = width - 1; bit >= 0; bit -= 1) bits[position++] = (value >>> bit) & 1;
  }
  const check = crc24(bytesOf(bits));
  for (let bit = CHECK_BITS - 1; bit >= 0; bit -= 1) bits[position++] = (check >>> bit) & 1;
  for (let index = 0; index < STRIP_BITS; index += 1) bits[index] ^= SCRAMBLING[index];
  return bits;
}

/** The values of the cells of a strip, or nothing when the check does not hold. */
export function decodeStrip(cells: Uint8Array): ProbeStripValues | undefined {
  const bits = cells.map((cell, index) => cell ^ SCRAMBLING[index]);
  let position = 0;
  const take = (width: number): number => {
    let value = 0;
    for (let bit = 0; bit < width; bit += 1) value = (value << 1) | bits[position++];
    return value;
  };
  const fields = {} as Record<FieldName, number>;
  for (const [name, width] of FIELDS) fields[name] = take(width);
  if (take(CHECK_BITS) !== crc24(bytesOf(bits))) return undefined;
  const { flags } = fields;
  const command: ProbeStripCommand = {
    throttle: fields.throttle / THROTTLE_STEPS,
    brake: fields.brake / THROTTLE_STEPS,
    steer: (fields.steer - STEER_CENTRE) / STEER_STEPS,
    reverse: (flags & FLAG_REVERSE) !== 0,
    stop: (flags & FLAG_STOP) !== 0,
  };
  return {
    frameIndex: fields.frameIndex,
    stepIndex: fields.stepIndex,
    generation: fields.generation,
    heldBits: fields.heldBits,
    pressedBits: fields.pressedBits,
    pressCount: fields.pressCount,
    lookSumX: signed(fields.lookSumX, WIDTHS.lookSumX) / LOOK_STEPS,
    lookSumY: signed(fields.lookSumY, WIDTHS.lookSumY) / LOOK_STEPS,
    ...((flags & FLAG_SEQUENCE) === 0 ? {} : { inputSequence: fields.inputSequence }),
    ...((flags & FLAG_COMMAND) === 0 ? {} : { driverCommand: command }),
    ...((flags & FLAG_PROMPT) === 0 ? {} : { promptHash: fields.promptHash }),
  };
}

function bytesOf(bits: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(VALUE_BITS / 8);
  for (let index = 0; index < VALUE_BITS; index += 1) bytes[index >>> 3] |= bits[index] << (7 - (index & 7));
  return bytes;
}
