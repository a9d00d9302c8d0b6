import { DreamloopError, ERROR_CODES, throwIfCancelled, type LoadProgress } from "@dreamloop/core";

/** Something that was loaded and has to be closed. */
export interface Closable {
  /** Frees it. */
  close(): Promise<void>;
}

/** A share in something that was loaded. */
export interface Lease<T> {
  /** What was loaded. */
  readonly value: T;
  /** Gives the share back; the last one frees what was loaded. Idempotent. */
  release(): Promise<void>;
}

/** What `SharedLoads.acquire` takes. */
export interface AcquireOptions<T> {
  /** Two loads of the same key are one. */
  readonly key: string;
  /** Loads it; has to stop and free everything soon after the signal fires. */
  readonly load: (signal: AbortSignal, onProgress: (progress: LoadProgress) => void) => Promise<T>;
  /** Ends the wait; the load itself is cancelled when nobody waits for it any longer. */
  readonly signal?: AbortSignal | undefined;
  /** Told about progress, also when the load was begun for somebody else. */
  readonly onProgress?: ((progress: LoadProgress) => void) | undefined;
}

interface Entry<T> {
  readonly controller: AbortController;
  readonly loading: Promise<T>;
  readonly listeners: Set<(progress: LoadProgress) => void>;
  holders: number;
  /** Set once nobody wants it any longer: resolves when everything is freed. */
  ending: Promise<void> | undefined;
}

/** Loads each thing once, however many ask for it, and frees it when the last one has given it back. */
export class SharedLoads<T extends Closable> {
  readonly #entries = new Map<string, Entry<T>>();

  /** Things that are loaded or being loaded. */
  get size(): number {
    return this.#entries.size;
  }

  /** A share in what `key` names, loaded now if it is not yet. Throws what the load threw, or `cancelled`. */
  async acquire(options: AcquireOptions<T>): Promise<Lease<T>> {
    const { key, signal, onProgress } = options;
    throwIfCancelled(signal, "the load");
    let entry = this.#entries.get(key);
    // A load that was given up still holds memory; two at a time would need twice as much.
    while (entry?.ending !== undefined) {
      await entry.ending;
      throwIfCancelled(signal, "the load");
      entry = this.#entries.get(key);
    }
    entry ??= this.#begin(options);
    entry.holders += 1;
    if (onProgress !== undefined) entry.listeners.add(onProgress);
    try {
      const value = await untilCancelled(entry.loading, signal);
      return this.#lease(key, entry, value);
    } catch (error) {
      const ending = this.#letGo(key, entry);
      if (signal?.aborted !== true) await ending;
      throw error;
    } finally {
      if (onProgress !== undefined) entry.listeners.delete(onProgress);
    }
  }

  #begin({ key, load }: AcquireOptions<T>): Entry<T> {
    const controller = new AbortController();
    const listeners = new Set<(progress: LoadProgress) => void>();
    const tell = (progress: LoadProgress): void => listeners.forEach((listener) => listener(progress));
    // Begun a turn later, so that whoever asks for it is listening by then.
    const loading = Promise.resolve().then(() => load(controller.signal, tell));
    const entry: Entry<T> = { controller, loading, listeners, holders: 0, ending: undefined };
    this.#entries.set(key, entry);
    return entry;
  }

  #lease(key: string, entry: Entry<T>, value: T): Lease<T> {
    let released: Promise<void> | undefined;
    return {
      value,
      release: () => {
        released ??= this.#letGo(key, entry);
        return released;
      },
    };
  }

  #letGo(key: string, entry: Entry<T>): Promise<void> {
    entry.holders -= 1;
    if (entry.holders > 0) return Promise.resolve();
    entry.controller.abort(new DreamloopError(ERROR_CODES.cancelled, "the load was cancelled: nobody waits for it"));
    entry.ending ??= this.#end(key, entry);
    return entry.ending;
  }

  async #end(key: string, entry: Entry<T>): Promise<void> {
    const outcome = await entry.loading.then(
      (value) => ({ value }),
      () => undefined,
    );
    try {
      await outcome?.value.close();
    } finally {
      if (this.#entries.get(key) === entry) this.#entries.delete(key);
    }
  }
}

function untilCancelled<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise<T>((resolve, reject) => {
    const onAbort = (): void => {
      reject(new DreamloopError(ERROR_CODES.cancelled, "the load was cancelled", { cause: signal.reason }));
    };
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
