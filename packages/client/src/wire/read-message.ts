import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import type { ServerMessage } from "@dreamloop/protocol";

const NUMBERS: Readonly<Record<string, readonly string[]>> = {
  frame: ["rtpTimestamp", "frameIndex", "generation", "stepIndex", "frameInStep", "serverMilliseconds"],
  state: ["generation", "seed"],
  stats: ["generatedFramesPerSecond", "encodedFramesPerSecond", "modelMilliseconds", "encodeMilliseconds"],
  input_echo: ["sequence", "sentAtMilliseconds"],
  response: ["id"],
  notice: [],
  welcome: ["epoch"],
  connected: ["epoch"],
  token: ["tokenSeconds"],
};

const STRINGS: Readonly<Record<string, readonly string[]>> = {
  state: ["state"],
  stats: ["codec", "transport"],
  notice: ["kind", "message"],
  welcome: ["codec"],
  token: ["token"],
};

/**
 * Reads a text message of the server: the fields that the client relies on are checked, others pass. A type that this client does not know, of a
 * newer server, gives `undefined`. Throws `invalid_value` for what is no message.
 */
export function readServerMessage(text: string): ServerMessage | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new DreamloopError(ERROR_CODES.invalidValue, "ServerMessage: expected JSON, found other text", { cause });
  }
  return readMessageValue(value);
}

/** As `readServerMessage`, for a value that has been parsed. */
export function readMessageValue(value: unknown): ServerMessage | undefined {
  const message = readRecord(value, "ServerMessage");
  const { type } = message;
  if (typeof type !== "string") throw wrong("ServerMessage.type", "a string", type);
  const numbers = Object.hasOwn(NUMBERS, type) ? NUMBERS[type] : undefined;
  if (numbers === undefined) return undefined;
  for (const field of numbers) checkNumber(message, field, `ServerMessage(${type})`);
  for (const field of STRINGS[type] ?? []) {
    if (typeof message[field] !== "string") throw wrong(`ServerMessage(${type}).${field}`, "a string", message[field]);
  }
  if (message.inputSequence !== undefined) checkNumber(message, "inputSequence", `ServerMessage(${type})`);
  return message as unknown as ServerMessage;
}

/** A plain object, or `invalid_value`. */
export function readRecord(value: unknown, path: string): Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw wrong(path, "an object", value);
  return value as Readonly<Record<string, unknown>>;
}

/** The error for a value of the server that is not what the protocol says. */
export function wrong(path: string, expected: string, found: unknown): DreamloopError {
  const shown = typeof found === "object" ? (found === null ? "null" : "an object") : JSON.stringify(found);
  return new DreamloopError(ERROR_CODES.invalidValue, `${path}: expected ${expected}, found ${shown ?? "nothing"}`);
}

function checkNumber(message: Readonly<Record<string, unknown>>, field: string, path: string): void {
  const value = message[field];
  if (typeof value !== "number" || !Number.isFinite(value)) throw wrong(`${path}.${field}`, "a number", value);
}
