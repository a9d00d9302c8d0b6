import { FAULT_CODES, MANIFEST_FILE, type Fault } from "../faults/fault.ts";
import { bytesPerElement, elementCount } from "../manifest/tensor.ts";
import type { StateDeclaration, WorldManifest } from "../manifest/world-manifest.ts";

/**
 * Copies of its states that a session may hold at a time: what was before a step, what the step computes on and writes, and a snapshot.
 */
export const STATE_COPIES = 3;

/** States that a message names before it only counts the rest. */
const NAMED_STATES = 3;

/** What a world takes of memory, as far as its manifest tells. */
export interface MemoryNeed {
  /** Weights and constants, which all sessions share. */
  readonly sharedBytes: number;
  /** One session: all its states, `STATE_COPIES` times. */
  readonly sessionBytes: number;
  /** The states by size, largest first. */
  readonly states: readonly { readonly name: string; readonly bytes: number }[];
}

/** The part of a manifest that takes memory. */
export type MemoryNaming = Pick<WorldManifest, "files" | "constants" | "state" | "inputs"> &
  Partial<Pick<WorldManifest, "poster" | "referenceFrames" | "weights">>;

/** Places along the axis of a cache where they are not those of the manifest. */
export type CachePlaces = ReadonlyMap<string, { readonly window: number; readonly sink: number }>;

/** Adds up weights, constants and states; nothing is allocated or read. */
export function memoryNeed(manifest: MemoryNaming, places: CachePlaces = new Map()): MemoryNeed {
  const states = Object.entries(manifest.state)
    .map(([name, state]) => ({ name, bytes: stateBytes(state, places.get(name)) }))
    .sort((one, two) => two.bytes - one.bytes);
  const inline = Object.values(manifest.constants).reduce(
    (sum, { data, dtype, shape }) => sum + (data === undefined ? 0 : elementCount(shape) * bytesPerElement(dtype)),
    0,
  );
  const notLoaded = new Set([manifest.poster, manifest.referenceFrames?.file, ...vocabularyFiles(manifest)]);
  const files = Object.entries(manifest.files).filter(([path]) => !notLoaded.has(path));
  return {
    // Weights that are stored in 16 bits are in memory in 32.
    sharedBytes: inline + (manifest.weights === "fp16" ? 2 : 1) * files.reduce((sum, [, { bytes }]) => sum + bytes, 0),
    sessionBytes: STATE_COPIES * states.reduce((sum, { bytes }) => sum + bytes, 0),
    states,
  };
}

/** A fault when a world with one session does not fit into `budgetBytes`. */
export function memoryFaults(need: MemoryNeed, budgetBytes: number): readonly Fault[] {
  const { sharedBytes, sessionBytes, states } = need;
  if (sharedBytes + sessionBytes <= budgetBytes) return [];
  const biggest = states.slice(0, NAMED_STATES).map(({ name, bytes }) => `${JSON.stringify(name)} ${sizeText(bytes)}`);
  const rest = states.length > NAMED_STATES ? ` and ${states.length - NAMED_STATES} smaller ones` : "";
  const parts = [
    `weights and constants ${sizeText(sharedBytes)}`,
    ...(states.length === 0 ? [] : [`${STATE_COPIES} copies of the states ${biggest.join(", ")}${rest}`]),
  ];
  return [
    {
      code: FAULT_CODES.memory,
      file: MANIFEST_FILE,
      path: sessionBytes > sharedBytes ? `state.${states[0]?.name ?? ""}` : "files",
      expected: `at most ${sizeText(budgetBytes)} of memory`,
      found: `${sizeText(sharedBytes + sessionBytes)}: ${parts.join(", ")}`,
      mend: "Make the window smaller or the weights fewer, or allow more with --memory SIZE (memoryBytes).",
    },
  ];
}

/** Sessions that fit into `budgetBytes` beside the weights; at least 1. */
export function sessionsThatFit({ sharedBytes, sessionBytes }: MemoryNeed, budgetBytes: number): number {
  return sessionBytes === 0 ? Infinity : Math.max(1, Math.floor((budgetBytes - sharedBytes) / sessionBytes));
}

function stateBytes(state: StateDeclaration, places?: { readonly window: number; readonly sink: number }): number {
  if (state.update === "replace") return elementCount(state.shape) * bytesPerElement(state.dtype);
  const kept = places ?? state;
  const length = state.padding === "none" ? kept.window + kept.sink : state.window + state.sink;
  const shape = state.shape.map((each, axis) => (axis === state.axis || each === "any" ? length : each));
  return elementCount(shape) * bytesPerElement(state.dtype);
}

function vocabularyFiles({ inputs }: MemoryNaming): readonly string[] {
  return Object.values(inputs.initial).flatMap((input) =>
    input.type === "prompt" && input.vocabulary.file !== undefined ? [input.vocabulary.file] : [],
  );
}

function sizeText(bytes: number): string {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB"];
  let size = bytes;
  let unit = 0;
  while (size >= 1024 && unit < units.length - 1) {
    size /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? size : size.toFixed(1)} ${units[unit]}`;
}
