import { DreamloopError, ERROR_CODES, isDreamloopError } from "../foundation/dreamloop-error.ts";
import type { FrameHasher } from "../rollout/run-observer.ts";
import type { Clock } from "../foundation/time/clock.ts";
import { finite } from "../foundation/validate/reader.ts";
import { refuseUnknownKeys } from "../foundation/validate/record.ts";
import { ChunkPool } from "./chunk-pool.ts";
import type { Boundary, DriverHistory, MomentPosition } from "./driver-history.ts";
import { GenerationTable, type GenerationFacts } from "./generation-table.ts";
import { packState, unpackState, type PackedState } from "./pack-state.ts";
import { notKept } from "./planned-history.ts";
import type { LeadEntry, SessionState } from "./session-state.ts";
import { sizeOfEntry, sizeOfState } from "./size-of-entry.ts";
import { leastMissed } from "./thinning.ts";

/** Memory that a history may take unless another budget is given: 256 MiB. */
export const DEFAULT_HISTORY_BYTES = 256 * 1024 ** 2;
/** World time between two snapshots of a history unless told otherwise, in seconds. */
export const DEFAULT_HISTORY_SPACING_SECONDS = 1;
/** Share of the time that snapshots may take: where they cost more, they are taken more rarely. */
const MAX_TIME_SHARE = 0.05;
/** Share of the budget that inputs may take before the oldest moments are let go. */
const MAX_INPUT_SHARE = 0.25;

/** What a history is kept with. */
export interface HistoryOptions {
  /** Memory that it may take, in bytes; default 256 MiB. When it is used up, older snapshots are thinned out first. */
  readonly budgetBytes?: number;
  /** World time between two snapshots in seconds; default 1. A seek has to run what lies between again. */
  readonly spacingSeconds?: number;
}

/** What a history is made with. */
export interface SessionHistoryOptions extends HistoryOptions {
  /** Tells equal pieces of snapshots, which are kept once. */
  readonly hasher: FrameHasher;
  /** Measures what a snapshot costs, so that a big one is taken more rarely; absent: only the spacing counts. */
  readonly clock?: Clock;
}

/** What a history holds. */
export interface HistoryFacts {
  /** Whether moments can be gone back to; false when the world has no snapshots. */
  readonly available: boolean;
  /** Why not. */
  readonly reason?: string;
  /** Memory that it takes, in bytes. */
  readonly usedBytes: number;
  /** Memory that it may take, in bytes. */
  readonly budgetBytes: number;
  /** Snapshots that are kept. */
  readonly snapshotCount: number;
  /** Every generation of which something is kept, oldest first. */
  readonly generations: readonly GenerationFacts[];
  /** The moment where the session is. */
  readonly now: MomentPosition;
}

interface Node {
  readonly parent: number;
  readonly entry: LeadEntry | undefined;
  readonly frameCount: number;
  readonly bytes: number;
  snapshot: { readonly packed: PackedState; readonly bytes: number } | undefined;
}

/**
 * What a session needs to go back: snapshots at a spacing, thinned with age, and the inputs between them. Within its budget every moment of every
 * branch can be reached exactly, by running again what lies between the nearest snapshot and the moment.
 */
export class SessionHistory implements DriverHistory {
  readonly #options: SessionHistoryOptions;
  readonly #budgetBytes: number;
  readonly #spacingSeconds: number;
  readonly #pool = new ChunkPool();
  readonly #nodes = new Map<number, Node>();
  readonly #generations = new GenerationTable();
  #current = 0;
  #nextId = 1;
  #frameSeconds = 0;
  #framesSince = 0;
  #notBeforeSeconds = -Infinity;
  #inputBytes = 0;
  #stateBytes = 0;
  #unavailable: string | undefined;
  #closed = false;

  /** Nothing is kept before `begin`. */
  constructor(options: SessionHistoryOptions) {
    this.#options = options;
    this.#budgetBytes = budget(options.budgetBytes ?? DEFAULT_HISTORY_BYTES, "HistoryOptions.budgetBytes");
    this.#spacingSeconds = spacing(
      options.spacingSeconds ?? DEFAULT_HISTORY_SPACING_SECONDS,
      "HistoryOptions.spacingSeconds",
    );
  }

  /** What is held now. */
  get facts(): HistoryFacts {
    const snapshots = [...this.#nodes.values()].filter(({ snapshot }) => snapshot !== undefined);
    return {
      available: this.#unavailable === undefined && !this.#closed,
      ...(this.#unavailable === undefined ? {} : { reason: this.#unavailable }),
      usedBytes: this.#usedBytes,
      budgetBytes: this.#budgetBytes,
      snapshotCount: snapshots.length,
      generations: this.#generations.facts((id) => this.#nodes.has(id), this.#frameSeconds),
      now: this.#generations.now,
    };
  }

  /** Keeps the start. */
  async begin(start: Boundary & { readonly frameSeconds: number }): Promise<void> {
    this.#frameSeconds = start.frameSeconds;
    this.#generations.begin(start.position, { node: 0, seed: start.seed });
    this.#nodes.set(0, { parent: -1, entry: undefined, frameCount: 0, bytes: 0, snapshot: undefined });
    await this.#snapshot(start);
  }

  /** Keeps what was done, and a snapshot when it is time for one. */
  async add(entry: LeadEntry, boundary: Boundary, frameCount: number): Promise<void> {
    if (this.#unavailable !== undefined || this.#closed) return;
    const id = this.#nextId;
    this.#nextId += 1;
    const bytes = sizeOfEntry(entry);
    this.#nodes.set(id, { parent: this.#current, entry, frameCount, bytes, snapshot: undefined });
    this.#inputBytes += bytes;
    this.#current = id;
    if (entry.type === "reset") this.#generations.reset(boundary.position, { node: id, seed: boundary.seed });
    else this.#generations.step(id, frameCount);
    this.#framesSince += frameCount;
    if (this.#isDue(entry)) await this.#snapshot(boundary);
    this.#keepWithin();
  }

  /** Notes that the session went back; what was after `target` is kept as a branch of its own. */
  async rewound(target: MomentPosition, boundary: Boundary): Promise<void> {
    const node = this.#nodeAt(target);
    this.#current = node;
    this.#generations.rewound(target, boundary.position, { node, seed: boundary.seed });
    // The state is at hand now; who goes back to a moment once is likely to do so again.
    if (this.#nodes.get(node)?.snapshot === undefined) await this.#snapshot(boundary);
    this.#framesSince = 0;
    this.#keepWithin();
  }

  /** Whether the moment is kept. */
  has(target: MomentPosition): boolean {
    const node = this.#generations.nodeAt(target);
    return node !== undefined && this.#pathTo(node) !== undefined && this.#unavailable === undefined;
  }

  /** The moment so many seconds of world time before now, on the branch of now; the oldest that is kept when it does not reach back so far. */
  positionAgo(seconds: number): MomentPosition {
    let left = Math.round(seconds / Math.max(this.#frameSeconds, 1e-9));
    let id = this.#current;
    for (let node = this.#nodes.get(id); node !== undefined && left > 0; node = this.#nodes.get(id)) {
      if (node.entry?.type === "reset" || !this.#nodes.has(node.parent) || !this.#canReach(node.parent)) break;
      left -= node.frameCount;
      id = node.parent;
    }
    return this.#generations.positionOf(id) ?? this.#generations.now;
  }

  /** The state of a moment: the nearest snapshot before it, and what leads from there. Throws `not_found`, or `unavailable` where the world has no snapshots. */
  async stateAt(target: MomentPosition): Promise<SessionState> {
    if (this.#unavailable !== undefined) throw new DreamloopError(ERROR_CODES.unavailable, this.#unavailable);
    const path = this.#pathTo(this.#nodeAt(target));
    if (path === undefined) throw notKept(target);
    const { packed, lead } = path;
    const state = await unpackState(packed, { store: this.#pool, hasher: this.#options.hasher });
    const resetCount = lead.filter(({ type }) => type === "reset").length;
    // A snapshot may have been taken in a later generation that began at the same moment.
    const generation = Math.max(0, target.generation - resetCount);
    return { ...state, rollout: { ...state.rollout, generation }, lead };
  }

  /** Frees everything. */
  close(): void {
    this.#closed = true;
    this.#clear();
  }

  #clear(): void {
    this.#nodes.clear();
    this.#pool.clear();
    this.#stateBytes = 0;
    this.#inputBytes = 0;
  }

  get #usedBytes(): number {
    return this.#pool.bytes + this.#stateBytes + this.#inputBytes;
  }

  #nodeAt(target: MomentPosition): number {
    const node = this.#generations.nodeAt(target);
    if (node === undefined || !this.#nodes.has(node)) throw notKept(target);
    return node;
  }

  #canReach(id: number): boolean {
    for (let node = this.#nodes.get(id); node !== undefined; node = this.#nodes.get(node.parent)) {
      if (node.snapshot !== undefined) return true;
    }
    return false;
  }

  /** The nearest snapshot on the way to a node and what leads from it; `undefined` when there is none. */
  #pathTo(id: number): { readonly packed: PackedState; readonly lead: readonly LeadEntry[] } | undefined {
    const lead: LeadEntry[] = [];
    for (let node = this.#nodes.get(id); node !== undefined; node = this.#nodes.get(node.parent)) {
      if (node.snapshot !== undefined) return { packed: node.snapshot.packed, lead: lead.reverse() };
      if (node.entry !== undefined) lead.push(node.entry);
    }
    return undefined;
  }

  #isDue(entry: LeadEntry): boolean {
    const isSpaced = entry.type === "reset" || this.#framesSince * this.#frameSeconds >= this.#spacingSeconds - 1e-9;
    return isSpaced && (this.#options.clock?.nowSeconds() ?? 0) >= this.#notBeforeSeconds;
  }

  async #snapshot(boundary: Boundary): Promise<void> {
    const { clock, hasher } = this.#options;
    const startSeconds = clock?.nowSeconds() ?? 0;
    const node = this.#nodes.get(this.#current);
    if (node === undefined || this.#unavailable !== undefined) return;
    try {
      const packed = await packState(await boundary.takeState(), { store: this.#pool, hasher });
      this.#pool.retain(packed);
      const bytes = sizeOfState(packed);
      this.#stateBytes += bytes;
      node.snapshot = { packed, bytes };
    } catch (error) {
      if (!isDreamloopError(error)) throw error;
      // A world without snapshots, or with a state that none can hold, runs on without a history.
      this.#unavailable = error.message;
      this.#clear();
      return;
    }
    this.#framesSince = 0;
    const endSeconds = clock?.nowSeconds() ?? 0;
    this.#notBeforeSeconds = endSeconds + (endSeconds - startSeconds) / MAX_TIME_SHARE;
  }

  /** Lets go of what matters least until the budget is kept. */
  #keepWithin(): void {
    const hasRoom = (): boolean =>
      this.#usedBytes <= this.#budgetBytes && this.#inputBytes <= this.#budgetBytes * MAX_INPUT_SHARE;
    while (!hasRoom()) {
      const kept = [...this.#nodes].filter(([, { snapshot }]) => snapshot !== undefined).map(([id]) => id);
      const isForInputs = this.#inputBytes > this.#budgetBytes * MAX_INPUT_SHARE;
      const missed = isForInputs || kept.length < 3 ? kept[0] : leastMissed(kept, this.#current);
      // One snapshot is always kept, however big it is.
      if (missed === undefined || kept.length <= 1) return;
      this.#drop(missed);
    }
  }

  #drop(id: number): void {
    const node = this.#nodes.get(id);
    if (node?.snapshot === undefined) return;
    this.#pool.release(node.snapshot.packed);
    this.#stateBytes -= node.snapshot.bytes;
    node.snapshot = undefined;
    if (this.#pathTo(id) !== undefined) return;
    // Ids rise with time and parents are older, so that one pass finds all that nothing leads to any more.
    const reached = new Set<number>();
    for (const [each, { parent, snapshot, bytes }] of this.#nodes) {
      if (snapshot !== undefined || reached.has(parent)) reached.add(each);
      else if (each !== this.#current) {
        this.#nodes.delete(each);
        this.#inputBytes -= bytes;
      }
    }
    this.#generations.forget((each) => this.#nodes.has(each));
  }
}

const budget = finite({ integer: true, min: 1024 });
const spacing = finite({ min: 0 });

const HISTORY_OPTIONS = ["budgetBytes", "spacingSeconds"] as const satisfies readonly (keyof HistoryOptions)[];

/** Reads how a history is kept; refuses unknown keys and wrong values. */
export function readHistoryOptions(value: unknown, path: string): HistoryOptions {
  refuseUnknownKeys(value, HISTORY_OPTIONS, path);
  const { budgetBytes, spacingSeconds } = value as Readonly<Record<string, unknown>>;
  return {
    ...(budgetBytes === undefined ? {} : { budgetBytes: budget(budgetBytes, `${path}.budgetBytes`) }),
    ...(spacingSeconds === undefined ? {} : { spacingSeconds: spacing(spacingSeconds, `${path}.spacingSeconds`) }),
  };
}
