import { DreamloopError, ERROR_CODES, type Clock, type LoadProgress } from "@dreamloop/core";
import { WorldHost, type LoadWorldOptions, type WorldInfo } from "@dreamloop/node";
import type { WorldSummary } from "@dreamloop/protocol";
import { busy } from "../platform/limits/busy.ts";
import { warmUp } from "./warm-up.ts";
import { worldSummary, type ServedWorld } from "./served-world.ts";

/** What is asked of a world. */
export interface WorldOrder {
  /** The world. */
  readonly world: ServedWorld;
  /** A preset of its model. */
  readonly preset?: string;
  /** Size of the picture. */
  readonly size?: { readonly width: number; readonly height: number };
}

/** A loaded world, held by one session; whoever holds it gives it back. */
export interface WorldLease {
  /** The world. */
  readonly host: WorldHost;
  /** The longest step of its trial, in seconds; absent when it could not be measured. */
  readonly modelSeconds?: number;
  /** Gives it back; idempotent. */
  release(): void;
  /**
   * Gives it back as one that no longer answers: its worker is ended, whoever else holds it hears that it is lost, and the next one who asks loads the world
   * anew. Idempotent.
   */
  abandon(): void;
}

/** How a world is acquired. */
export interface AcquireOptions {
  /** Gives up waiting. */
  readonly signal?: AbortSignal;
  /** Told about the load. */
  readonly onProgress?: (progress: LoadProgress) => void;
  /** Told when the world is lost because another session of it hangs. */
  readonly onLost?: (error: DreamloopError) => void;
}

/** What a `WorldPool` is made with. */
export interface WorldPoolOptions {
  /** Measures idle times. */
  readonly clock: Clock;
  /** Loads that may be under way at a time. */
  readonly maxLoads: number;
  /** Worlds that may be loaded at a time. */
  readonly maxLoaded: number;
  /** Seconds after which a world without sessions is unloaded. */
  readonly idleSeconds: number;
  /** Loads a world; default `WorldHost.load`. */
  readonly load?: (options: LoadWorldOptions) => Promise<WorldHost>;
}

interface PoolEntry {
  readonly key: string;
  readonly order: WorldOrder;
  readonly loading: Promise<WorldHost>;
  readonly cancel: AbortController;
  readonly listeners: Set<(progress: LoadProgress) => void>;
  host: WorldHost | undefined;
  modelSeconds: number | undefined;
  /** Who waits for the load, and who holds the world. */
  waiters: number;
  leases: number;
  /** Hear when the world is lost to a session that hangs. */
  readonly holders: Set<(error: DreamloopError) => void>;
  isPinned: boolean;
  isEnding: boolean;
  idle: AbortController | undefined;
}

/**
 * The worlds that are loaded: each once, whoever asks for it. Loads are bounded, can be cancelled, and count until they have ended and
 * freed their memory; worlds without sessions are unloaded after a time, or when another world needs the room.
 */
export class WorldPool {
  readonly #options: WorldPoolOptions;
  readonly #entries = new Map<string, PoolEntry>();
  readonly #infos = new Map<string, WorldHost["info"]>();
  /** Entries that were given up and whose workers have not ended yet. */
  readonly #ending = new Set<PoolEntry>();
  #loadCount = 0;
  #closed = false;

  /** Nothing is loaded before it is asked for. */
  constructor(options: WorldPoolOptions) {
    this.#options = options;
  }

  /** Loads that were begun so far. */
  get loadCount(): number {
    return this.#loadCount;
  }

  /** Loads that are under way, cancelled ones that have not ended included. */
  get loadsUnderWay(): number {
    return [...this.#entries.values()].filter((entry) => entry.host === undefined).length;
  }

  /** Worlds that are loaded. */
  get loadedCount(): number {
    return this.#entries.size - this.loadsUnderWay;
  }

  /** What clients see of a world. */
  summary(world: ServedWorld): WorldSummary {
    const entry = this.#entries.get(keyOf({ world }));
    return worldSummary(world, this.#infos.get(world.id), entry?.host !== undefined && !entry.isEnding);
  }

  /** Throws what would hinder `acquire` from beginning: too many loads or worlds, or a load that is being cancelled. */
  check(order: WorldOrder): void {
    if (this.#closed) throw new DreamloopError(ERROR_CODES.closed, "the server is closing");
    const entry = this.#entryOf(order);
    if (entry !== undefined) {
      if (entry.isEnding) throw busy("the world is being unloaded", 1);
      if (entry.host !== undefined && entry.leases + entry.waiters >= entry.host.info.maxSessions)
        throw busy(`the world runs in ${entry.leases} sessions, which is its limit`);
      return;
    }
    if (this.loadsUnderWay >= this.#options.maxLoads) {
      const isEnding = [...this.#entries.values()].some((each) => each.host === undefined && each.isEnding);
      throw isEnding ? busy("another world is being unloaded", 1) : busy("another world is being loaded");
    }
    if (this.#entries.size >= this.#options.maxLoaded && this.#evictable() === undefined)
      throw busy(`${this.#entries.size} worlds are loaded, which is the limit`);
  }

  /**
   * Gives a loaded world, loading it if need be. `signal` gives up waiting at once; a load that nobody waits for any more is cancelled.
   * Throws `busy`, `cancelled`, or what went wrong in the load.
   */
  async acquire(order: WorldOrder, options: AcquireOptions = {}): Promise<WorldLease> {
    this.check(order);
    const entry = this.#entryOf(order) ?? this.#begin(order);
    const { signal, onProgress } = options;
    if (onProgress !== undefined) entry.listeners.add(onProgress);
    entry.waiters += 1;
    entry.idle?.abort();
    try {
      await Promise.race([entry.loading, rejectOnAbort(signal)]);
      if (signal?.aborted) throw cancelled(signal);
      entry.leases += 1;
    } finally {
      entry.waiters -= 1;
      if (onProgress !== undefined) entry.listeners.delete(onProgress);
      this.#settle(entry);
    }
    return this.#lease(entry, options.onLost);
  }

  /** Loads a world and keeps it until the server closes. */
  async preload(order: WorldOrder): Promise<WorldInfo> {
    const lease = await this.acquire(order);
    const entry = this.#entryOf(order);
    if (entry !== undefined) entry.isPinned = true;
    lease.release();
    return lease.host.info;
  }

  /** Unloads everything; idempotent. */
  async close(): Promise<void> {
    this.#closed = true;
    const ending = [...this.#ending].map(({ host }) => host?.close());
    await Promise.all([...ending, ...[...this.#entries.values()].map((entry) => this.#end(entry))]);
  }

  #entryOf(order: WorldOrder): PoolEntry | undefined {
    const entry = this.#entries.get(keyOf(order));
    if (entry?.host?.failure === undefined) return entry;
    // Its worker has died: the next one who asks loads it anew.
    this.#entries.delete(entry.key);
    void entry.host.close();
    return undefined;
  }

  #begin(order: WorldOrder): PoolEntry {
    const evicted = this.#entries.size >= this.#options.maxLoaded ? this.#evictable() : undefined;
    if (evicted !== undefined) void this.#end(evicted);
    const { load = (options) => WorldHost.load(options) } = this.#options;
    const cancel = new AbortController();
    const listeners = new Set<(progress: LoadProgress) => void>();
    this.#loadCount += 1;
    const loaded = load({
      reference: order.world.reference,
      config: configOf(order),
      signal: cancel.signal,
      onProgress: (progress) => listeners.forEach((listener) => listener(progress)),
    });
    const loading = loaded.then(async (host) => {
      // A trial that nobody waits for any more ends at its next step.
      const giveUp = (): void => void host.close();
      cancel.signal.addEventListener("abort", giveUp, { once: true });
      if (!cancel.signal.aborted) entry.modelSeconds = await warmUp(host);
      cancel.signal.removeEventListener("abort", giveUp);
      return host;
    });
    const entry: PoolEntry = {
      key: keyOf(order),
      order,
      loading,
      cancel,
      listeners,
      holders: new Set(),
      host: undefined,
      modelSeconds: undefined,
      waiters: 0,
      leases: 0,
      isPinned: false,
      isEnding: false,
      idle: undefined,
    };
    this.#entries.set(entry.key, entry);
    loading.then(
      (host) => {
        entry.host = host;
        this.#infos.set(order.world.id, host.info);
        if (cancel.signal.aborted) void this.#end(entry);
      },
      () => this.#remove(entry),
    );
    return entry;
  }

  #lease(entry: PoolEntry, onLost: ((error: DreamloopError) => void) | undefined): WorldLease {
    let isHeld = true;
    const giveBack = (): boolean => {
      if (!isHeld) return false;
      isHeld = false;
      entry.leases -= 1;
      if (onLost !== undefined) entry.holders.delete(onLost);
      return true;
    };
    if (onLost !== undefined) entry.holders.add(onLost);
    return {
      host: entry.host as WorldHost,
      ...(entry.modelSeconds === undefined ? {} : { modelSeconds: entry.modelSeconds }),
      release: () => {
        if (giveBack()) this.#settle(entry);
      },
      abandon: () => {
        if (giveBack()) this.#abandon(entry);
      },
    };
  }

  /** Ends a worker that hangs; the entry is free at once. Worlds that are kept are loaded again. */
  #abandon(entry: PoolEntry): void {
    if (this.#entries.get(entry.key) !== entry || entry.isEnding) return;
    entry.isEnding = true;
    this.#remove(entry);
    const holders = [...entry.holders];
    entry.holders.clear();
    this.#ending.add(entry);
    void entry.host?.close().finally(() => this.#ending.delete(entry));
    const { id } = entry.order.world;
    for (const tell of holders) {
      tell(
        new DreamloopError(
          ERROR_CODES.workerFailed,
          `the worker of ${JSON.stringify(id)} stopped answering in another session and was ended; start again`,
          { retryable: true },
        ),
      );
    }
    if (entry.isPinned && !this.#closed) void this.preload(entry.order).catch(() => undefined);
  }

  /** What follows when somebody left. */
  #settle(entry: PoolEntry): void {
    if (entry.waiters > 0 || entry.leases > 0 || entry.isEnding) return;
    if (entry.host === undefined) {
      entry.isEnding = true;
      entry.cancel.abort();
      return;
    }
    if (entry.isPinned) return;
    const { clock, idleSeconds } = this.#options;
    entry.idle?.abort();
    const idle = new AbortController();
    entry.idle = idle;
    void clock.sleepUntil(clock.nowSeconds() + idleSeconds, idle.signal).then(() => {
      if (!idle.signal.aborted && entry.leases === 0 && entry.waiters === 0) void this.#end(entry);
    });
  }

  #evictable(): PoolEntry | undefined {
    return [...this.#entries.values()].find(
      (entry) => entry.host !== undefined && entry.leases === 0 && entry.waiters === 0 && !entry.isPinned,
    );
  }

  async #end(entry: PoolEntry): Promise<void> {
    entry.isEnding = true;
    entry.idle?.abort();
    entry.cancel.abort();
    const host = await entry.loading.catch(() => undefined);
    await host?.close();
    this.#remove(entry);
  }

  #remove(entry: PoolEntry): void {
    if (this.#entries.get(entry.key) === entry) this.#entries.delete(entry.key);
  }
}

function keyOf({ world, preset, size }: WorldOrder): string {
  return JSON.stringify([world.id, preset ?? null, size === undefined ? null : [size.width, size.height]]);
}

function configOf({ world, preset, size }: WorldOrder): NonNullable<LoadWorldOptions["config"]> {
  const { config = {} } = world;
  return {
    ...config,
    ...(preset === undefined ? {} : { presetId: preset }),
    ...(size === undefined ? {} : { runtimeOptions: { ...config.runtimeOptions, ...size } }),
  };
}

function cancelled(signal: AbortSignal): DreamloopError {
  return new DreamloopError(ERROR_CODES.cancelled, "the load was cancelled", { cause: signal.reason });
}

function rejectOnAbort(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    if (signal?.aborted) reject(cancelled(signal));
    signal?.addEventListener("abort", () => reject(cancelled(signal)), { once: true });
  });
}
