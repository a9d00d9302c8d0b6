import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import type { ServerConfig } from "../platform/config/server-config.ts";
import { startMoment, worldOfMoment, type StartMoment } from "../session/start-moment.ts";
import type { ServedWorld } from "../worlds/served-world.ts";

/** Opens the moments that sessions are started from: files that clients send, and those that the server holds ready by name. */
export class StartMoments {
  readonly #config: Pick<ServerConfig, "momentBytes">;
  readonly #worlds: readonly ServedWorld[];
  readonly #ready: Readonly<Record<string, Uint8Array>>;

  /** `ready` are the files by their names. */
  constructor(options: {
    readonly config: Pick<ServerConfig, "momentBytes">;
    readonly worlds: readonly ServedWorld[];
    readonly ready: Readonly<Record<string, Uint8Array>>;
  }) {
    this.#config = options.config;
    this.#worlds = options.worlds;
    this.#ready = options.ready;
  }

  /** Bytes of a file that a client sends, at most. */
  get maxBytes(): number {
    return this.#config.momentBytes;
  }

  /** Opens a file. Throws `snapshot_invalid`, `limit_exceeded`, or `unavailable` where none is taken. */
  open(file: Uint8Array): Promise<StartMoment> {
    return startMoment(file, this.#config);
  }

  /** A moment that is held ready. Throws `not_found`. */
  async ready(name: string): Promise<StartMoment> {
    const file = Object.hasOwn(this.#ready, name) ? this.#ready[name] : undefined;
    if (file === undefined)
      throw new DreamloopError(ERROR_CODES.notFound, "the server holds no moment of that name ready");
    return this.open(file);
  }

  /** The id of a moment's world. Throws `not_found` when it is not offered. */
  worldOf(moment: StartMoment): string {
    return worldOfMoment(moment, this.#worlds);
  }
}
