import { DreamloopError, ERROR_CODES, type Clock, type LoadProgress } from "@dreamloop/core";
import { WorldHost, type LoadWorldOptions } from "@dreamloop/node";
import type { WorldSummary } from "@dreamloop/protocol";
import { busy } from "../session/session-slots.ts";
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

interface Place {
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
  isPinned: boolean;
  isEnding: boolean;
  idle: AbortController | undefined;
}

/**
 * The worlds that are loaded: each once, whoever asks for it. Loads are bounded, can be cancelled, and count until they have ended and
 * freed their memory; worlds without sessions are unloaded after a time, or when another one needs the place.
 */
export class WorldPool {
  readonly #options: WorldPoolOptions;
  readonly #places = new Map<string, Place>();
  readonly #infos = new Map<string, WorldHost["info"]>();
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
    return [...this.#places.values()].filter((place) => place.host === undefined).length;
  }

  /** Worlds that are loaded. */
  get loadedCount(): number {
    return this.#places.size - this.loadsUnderWay;
  }

  /** What clients see of a world. */
  summary(world: ServedWorld): WorldSummary {
    const place = this.#places.get(keyOf({ world }));
    return worldSummary(world, this.#infos.get(world.id), place?.host !== undefined && !place.isEnding);
  }

  /** Throws what would hinder `acquire` from beginning: too many loads or worlds, or a load that is being cancelled. */
  check(order: WorldOrder): void {
    if (this.#closed) throw new DreamloopError(ERROR_CODES.closed, "the server is closing");
    const place = this.#placeOf(order);
    if (place !== undefined) {
      if (place.isEnding) throw busy("the world is being unloaded", 1);
      if (place.host !== undefined && place.leases + place.waiters >= place.host.info.maxSessions)
        throw busy(`the world runs in ${place.leases} sessions, which is its limit`);
      return;
    }
    if (this.loadsUnderWay >= this.#options.maxLoads) {
      const isEnding = [...this.#places.values()].some((each) => each.host === undefined && each.isEnding);
      throw isEnding ? busy("another world is being unloaded", 1) : busy("another world is being loaded");
    }
    if (this.#places.size >= this.#options.maxLoaded && this.#evictable() === undefined)
      throw busy(`${this.#places.size} worlds are loaded, which is the limit`);
  }

  /**
   * Gives a loaded world, loading it if need be. `signal` gives up waiting at once; a load that nobody waits for any more is cancelled.
   * Throws `busy`, `cancelled`, or what went wrong in the load.
   */
  async acquire(
    order: WorldOrder,
    options: { readonly signal?: AbortSignal; readonly onProgress?: (progress: LoadProgress) => void } = {},
  ): Promise<WorldLease> {
    this.check(order);
    const place = this.#placeOf(order) ?? this.#begin(order);
    const { signal, onProgress } = options;
    if (onProgress !== undefined) place.listeners.add(onProgress);
    place.waiters += 1;
    place.idle?.abort();
    try {
      await Promise.race([place.loading, rejectOnAbort(signal)]);
      if (signal?.aborted) throw cancelled(signal);
      place.leases += 1;
    } finally {
      place.waiters -= 1;
      if (onProgress !== undefined) place.listeners.delete(onProgress);
      this.#settle(place);
    }
    return this.#lease(place);
  }

  /** Loads a world and keeps it until the server closes. */
  async preload(order: WorldOrder): Promise<void> {
    const lease = await this.acquire(order);
    const place = this.#placeOf(order);
    if (place !== undefined) place.isPinned = true;
    lease.release();
  }

  /** Unloads everything; idempotent. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#places.values()].map((place) => this.#end(place)));
  }

  #placeOf(order: WorldOrder): Place | undefined {
    const place = this.#places.get(keyOf(order));
    if (place?.host?.failure === undefined) return place;
    // Its worker has died: the next one who asks loads it anew.
    this.#places.delete(place.key);
    void place.host.close();
    return undefined;
  }

  #begin(order: WorldOrder): Place {
    const evicted = this.#places.size >= this.#options.maxLoaded ? this.#evictable() : undefined;
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
      if (!cancel.signal.aborted) place.modelSeconds = await warmUp(host);
      cancel.signal.removeEventListener("abort", giveUp);
      return host;
    });
    const place: Place = {
      key: keyOf(order),
      order,
      loading,
      cancel,
      listeners,
      host: undefined,
      modelSeconds: undefined,
      waiters: 0,
      leases: 0,
      isPinned: false,
      isEnding: false,
      idle: undefined,
    };
    this.#places.set(place.key, place);
    loading.then(
      (host) => {
        place.host = host;
        this.#infos.set(order.world.id, host.info);
        if (cancel.signal.aborted) void this.#end(place);
      },
      () => this.#remove(place),
    );
    return place;
  }

  #lease(place: Place): WorldLease {
    let isHeld = true;
    return {
      host: place.host as WorldHost,
      ...(place.modelSeconds === undefined ? {} : { modelSeconds: place.modelSeconds }),
      release: () => {
        if (!isHeld) return;
        isHeld = false;
        place.leases -= 1;
        this.#settle(place);
      },
    };
  }

  /** What follows when somebody left. */
  #settle(place: Place): void {
    if (place.waiters > 0 || place.leases > 0 || place.isEnding) return;
    if (place.host === undefined) {
      place.isEnding = true;
      place.cancel.abort();
      return;
    }
    if (place.isPinned) return;
    const { clock, idleSeconds } = this.#options;
    place.idle?.abort();
    const idle = new AbortController();
    place.idle = idle;
    void clock.sleepUntil(clock.nowSeconds() + idleSeconds, idle.signal).then(() => {
      if (!idle.signal.aborted && place.leases === 0 && place.waiters === 0) void this.#end(place);
    });
  }

  #evictable(): Place | undefined {
    return [...this.#places.values()].find(
      (place) => place.host !== undefined && place.leases === 0 && place.waiters === 0 && !place.isPinned,
    );
  }

  async #end(place: Place): Promise<void> {
    place.isEnding = true;
    place.idle?.abort();
    place.cancel.abort();
    const host = await place.loading.catch(() => undefined);
    await host?.close();
    this.#remove(place);
  }

  #remove(place: Place): void {
    if (this.#places.get(place.key) === place) this.#places.delete(place.key);
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
