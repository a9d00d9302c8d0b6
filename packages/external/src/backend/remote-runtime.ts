import { setTimeout as delay } from "node:timers/promises";
import {
  DreamloopError,
  ERROR_CODES,
  modelInputs,
  sessionDescription,
  throwIfCancelled,
  type Json,
  type ModelInputs,
  type SessionDescription,
  type StartSessionOptions,
} from "@dreamloop/core";
import { RestartPauses, type PoolWorker } from "@dreamloop/node";
import type { DescribedVideo, DescribedWorld } from "../protocol/message-schemas.ts";
import type { ConnectedWorld } from "./connected-world.ts";
import { RemoteSession, type SessionDeadlines } from "./remote-session.ts";

/** What `RemoteRuntime` takes. */
export interface RemoteRuntimeOptions {
  /** What the world said of itself. */
  readonly described: DescribedWorld;
  /** How errors name the world. */
  readonly label: string;
  /** How long anything may take. */
  readonly deadlines: SessionDeadlines;
  /** Connects the world and loads it, also after it has died; `attempt` counts from 0. */
  readonly connect: (how: { readonly signal: AbortSignal; readonly attempt: number }) => Promise<ConnectedWorld>;
  /** Seconds to wait before each restart in a row; default those of `RestartPauses`. */
  readonly restartSeconds?: readonly number[];
  /** Told about what is odd and ends nothing. */
  readonly onWarning?: (text: string) => void;
}

/** A world at the other end of a carrier, loaded anew when it dies: the sessions that it had are lost, later ones run. */
export class RemoteRuntime implements PoolWorker {
  /** How many sessions may be open at a time. */
  readonly maxSessions: number;
  readonly #options: RemoteRuntimeOptions;
  readonly #description: SessionDescription;
  readonly #sessions = new Set<RemoteSession>();
  readonly #ending = new AbortController();
  readonly #pauses: RestartPauses;
  #world: ConnectedWorld | undefined;
  #connecting: Promise<ConnectedWorld> | undefined;
  #failure: DreamloopError | undefined;
  #facts: Readonly<Record<string, Json>> = {};
  #sessionCount = 0;
  #starting = 0;
  #closing: Promise<void> | undefined;

  private constructor(options: RemoteRuntimeOptions, world: ConnectedWorld) {
    this.#options = options;
    this.#pauses = new RestartPauses(options.restartSeconds);
    this.maxSessions = options.described.maxSessions;
    this.#description = describeRemote(options.described.id, world.loaded.video);
    this.#adopt(world);
  }

  /** Connects the world for the first time. */
  static async create(options: RemoteRuntimeOptions, signal: AbortSignal): Promise<RemoteRuntime> {
    throwIfCancelled(signal, `${options.label}: the load`);
    const world = await options.connect({ signal, attempt: 0 });
    const runtime = new RemoteRuntime(options, world);
    if (signal.aborted) await runtime.close();
    throwIfCancelled(signal, `${options.label}: the load`);
    return runtime;
  }

  /** Sessions that are open or being started. */
  get sessionCount(): number {
    return this.#sessions.size + this.#starting;
  }

  /** Whether a session can start at once; false while the world is being started again. */
  get isReady(): boolean {
    return this.#world !== undefined;
  }

  /** Why it is not started again; absent while it runs or will run again. */
  get failure(): DreamloopError | undefined {
    return this.#failure;
  }

  /** What its sessions deliver. */
  describe(): SessionDescription {
    return this.#description;
  }

  /** What the world says of itself, and how its frames travel. */
  facts(): { readonly [key: string]: Json } {
    return this.#facts;
  }

  /** Starts a rollout; throws `busy` when all places are taken, and what ended the world when it cannot be started again. */
  async startSession(inputs: ModelInputs, { seed, signal }: StartSessionOptions): Promise<RemoteSession> {
    const { label, deadlines, described } = this.#options;
    this.#requireOpen();
    if (this.#sessions.size + this.#starting >= this.maxSessions) {
      const message = `${label}: all ${this.maxSessions} sessions are open; close one, or raise max_sessions`;
      throw new DreamloopError(ERROR_CODES.busy, message, { retryable: true });
    }
    this.#starting += 1;
    try {
      const world = await this.#ready(signal);
      this.#requireOpen();
      this.#sessionCount += 1;
      const session = await RemoteSession.open(
        {
          world,
          label,
          description: this.#description,
          session: this.#sessionCount,
          deadlines,
          snapshotVersion: `${described.id}@${described.version}`,
          onClose: () => this.#sessions.delete(session),
          onHang: (what) => world.hang(`${what} did not end within ${deadlines.stepSeconds} s`),
          onStep: () => this.#pauses.succeeded(),
        },
        modelInputs(inputs),
        { seed, ...(signal === undefined ? {} : { signal }) },
      );
      if (described.capabilities.finalize) session.withFinalization();
      this.#sessions.add(session);
      return session;
    } finally {
      this.#starting -= 1;
    }
  }

  /** Ends the world; idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** The same as `close`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(): Promise<void> {
    this.#ending.abort();
    await Promise.allSettled([...this.#sessions].map((session) => session.close()));
    await Promise.allSettled([this.#connecting]);
    await this.#world?.close();
  }

  #adopt(world: ConnectedWorld): void {
    this.#world = world;
    this.#facts = { ...(world.loaded.facts as Readonly<Record<string, Json>>), ...world.facts };
    void world.failed.then((error) => this.#lost(world, error));
  }

  /** The connected world; waits for one that is being started again, and starts one anew that has changed. */
  async #ready(signal: AbortSignal | undefined): Promise<ConnectedWorld> {
    if (this.#failure !== undefined) throw this.#failure;
    const stale = this.#sessions.size === 0 ? this.#world?.staleness?.() : undefined;
    if (stale !== undefined && this.#connecting === undefined) {
      this.#options.onWarning?.(`${this.#options.label}: ${stale}; it is loaded anew`);
      const before = this.#world;
      this.#world = undefined;
      this.#connecting = this.#replace(before, 0);
    }
    if (this.#connecting === undefined && this.#world !== undefined) return this.#world;
    const connecting = this.#connecting ?? this.#replace(undefined, 0);
    return unlessAborted(connecting, signal, `${this.#options.label}: the start of a session`);
  }

  #lost(world: ConnectedWorld, error: DreamloopError): void {
    if (this.#world !== world || this.#closing !== undefined) return;
    this.#world = undefined;
    const { restarts } = this.#pauses;
    const waitSeconds = this.#pauses.next();
    if (waitSeconds === undefined) {
      this.#failure = new DreamloopError(
        ERROR_CODES.workerFailed,
        `${this.#options.label}: it ended ${restarts + 1} times in a row and is not started again; the last time: ${error.message}`,
        { cause: error },
      );
      return;
    }
    this.#options.onWarning?.(`${error.message}; it is started again${waitSeconds > 0 ? ` in ${waitSeconds} s` : ""}`);
    this.#connecting = this.#replace(world, waitSeconds);
    this.#connecting.catch(() => undefined);
  }

  async #replace(before: ConnectedWorld | undefined, waitSeconds: number): Promise<ConnectedWorld> {
    const { signal } = this.#ending;
    try {
      await before?.close();
      // Cut short by the end of the runtime, which the next line is about.
      await delay(waitSeconds * 1000, undefined, { signal }).catch(() => undefined);
      throwIfCancelled(signal, `${this.#options.label}: the restart`);
      const world = await this.#options.connect({ signal, attempt: this.#pauses.restarts });
      try {
        throwIfCancelled(signal, `${this.#options.label}: the restart`);
        this.#requireSame(world);
      } catch (error) {
        await world.close();
        throw error;
      }
      this.#adopt(world);
      return world;
    } finally {
      // When it failed, the next session tries again and hears what is wrong then.
      this.#connecting = undefined;
    }
  }

  /** Targets were opened with the description, so that it cannot change under them. */
  #requireSame(world: ConnectedWorld): void {
    const now = describeRemote(this.#options.described.id, world.loaded.video);
    const before = this.#description;
    const changed = (Object.keys(before) as (keyof SessionDescription)[]).find((field) => before[field] !== now[field]);
    if (changed === undefined) return;
    throw new DreamloopError(
      ERROR_CODES.unsupportedConfig,
      `${this.#options.label}: its ${changed} was ${String(before[changed])} and is ${String(now[changed])} now; start Dreamloop again`,
    );
  }

  #requireOpen(): void {
    if (this.#closing === undefined) return;
    throw new DreamloopError(ERROR_CODES.closed, `${this.#options.label}: the runtime is closed; create another`);
  }
}

/** What sessions of a described world deliver. */
export function describeRemote(worldId: string, video: DescribedVideo): SessionDescription {
  return sessionDescription({ ...video, worldId, format: "rgb8", layout: "thwc", colorSpace: "srgb", range: "full" });
}

async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined, what: string): Promise<T> {
  if (signal === undefined) return work;
  throwIfCancelled(signal, what);
  let stop = (): void => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    const abort = (): void =>
      reject(new DreamloopError(ERROR_CODES.cancelled, `${what} was cancelled`, { cause: signal.reason }));
    signal.addEventListener("abort", abort, { once: true });
    stop = () => signal.removeEventListener("abort", abort);
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    stop();
  }
}
