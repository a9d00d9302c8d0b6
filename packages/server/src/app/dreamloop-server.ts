import { createServer, type Server } from "node:http";
import { createServer as createTlsServer, type Server as TlsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { DreamloopError, ERROR_CODES, type Clock } from "@dreamloop/core";
import { ProcessClock, type WorldInfo } from "@dreamloop/node";
import { MediaHost } from "../media/media-host.ts";
import { serverConfig, type ServerConfig, type ServerConfigInput } from "../platform/config/server-config.ts";
import { upgradeRequests } from "../platform/http/upgrade-requests.ts";
import type { ServerNotice } from "../platform/notices/server-notice.ts";
import { within } from "../platform/limits/within.ts";
import { readTlsFiles, watchTlsFiles } from "../platform/security/tls-files.ts";
import type { ServerTransport } from "../transport/outlet/server-transport.ts";
import type { ServedWorld } from "../worlds/served-world.ts";
import { WorldPool, type WorldPoolOptions } from "../worlds/world-pool.ts";
import { assemble, type AssembledServer } from "./assemble.ts";

/** What a server is started with. */
export interface DreamloopServerOptions {
  /** How it runs; see `ServerConfig`. */
  readonly config?: ServerConfigInput;
  /** The worlds that it offers. */
  readonly worlds: readonly ServedWorld[];
  /** Moment files that are held ready by name, for sessions that are asked to start from one; default none. */
  readonly moments?: Readonly<Record<string, Uint8Array>>;
  /** The built player page; absent: a page that says it is not there. */
  readonly playerFolder?: string;
  /** Further ways for frames to reach viewers, each at `/api/sessions/ID/transports/NAME`; default none. */
  readonly transports?: readonly ServerTransport[];
  /** Timers of sessions and worlds; default the clock of the process. Frames are always timed by the clock of the process. */
  readonly clock?: Clock;
  /** Ports that are tried, one after the other, when the configured one is taken; default 1. */
  readonly portTries?: number;
  /** Told what whoever runs the server should know: refused origins and failed sessions, bounded in number. What it throws is not caught. */
  readonly onNotice?: (notice: ServerNotice) => void;
  /**
   * Whether faults that nothing else in the process catches end the session or connection that they belong to, and never the process; default false, since
   * that concerns the whole process. `dreamloop serve` sets it.
   */
  readonly catchesFaults?: boolean;
  /** Loads worlds; for tests. */
  readonly loadWorld?: WorldPoolOptions["load"];
}

/** How often slow clients are looked for, in milliseconds; Node's own 30 s would let them stay twice as long. */
const CHECK_MILLISECONDS = 2000;

/** How long a client may take, for the server of Node. */
function httpLimits({ keepAliveSeconds, headersSeconds, requestSeconds }: ServerConfig) {
  return {
    keepAliveTimeout: keepAliveSeconds * 1000,
    headersTimeout: headersSeconds * 1000,
    requestTimeout: requestSeconds * 1000,
    connectionsCheckingInterval: CHECK_MILLISECONDS,
  };
}

/** Connections that HTTP takes at a time. */
const MAX_CONNECTIONS = 1024;

/** What a server holds and closes. */
interface ServerParts extends Pick<AssembledServer, "registry" | "uploads" | "recordings" | "hasWebRtc" | "faults"> {
  readonly config: ServerConfig;
  readonly http: Server;
  readonly pool: WorldPool;
  readonly media: MediaHost;
  readonly worlds: readonly ServedWorld[];
}

/** A running server. Whoever started it closes it. */
export class DreamloopServer {
  /** How it runs, with all defaults. */
  readonly config: ServerConfig;
  /** Whether WebRTC is there. */
  readonly hasWebRtc: boolean;
  readonly #parts: ServerParts;
  readonly #sockets = new Set<Socket>();
  #stopCatching: () => void = () => undefined;
  #stopWatching: () => void = () => undefined;
  #closing: Promise<void> | undefined;

  private constructor(parts: ServerParts) {
    this.config = parts.config;
    this.hasWebRtc = parts.hasWebRtc;
    this.#parts = parts;
    parts.http.on("connection", (socket: Socket) => {
      // One comes again with a request whose wish for another protocol is passed over.
      if (this.#sockets.has(socket)) return;
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
    });
  }

  /** Starts a server. Throws `invalid_value` for a configuration that is refused, and Node's error when the port is taken. */
  static async start(options: DreamloopServerOptions): Promise<DreamloopServer> {
    const config = serverConfig(options.config ?? {});
    const { worlds, clock = new ProcessClock() } = options;
    const preloaded = config.preload.map((id) => worldOf(worlds, id));
    const tls = await readTlsFiles(config);
    const { encoder, encoderHardware: hardware, jpegQuality } = config;
    const media = await MediaHost.start({ encoder, hardware, jpegQuality });
    const pool = new WorldPool({
      clock,
      maxLoads: config.maxLoads,
      maxLoaded: Math.max(config.maxLoadedWorlds, config.preload.length),
      idleSeconds: config.worldIdleSeconds,
      ...(options.loadWorld === undefined ? {} : { load: options.loadWorld }),
    });
    try {
      const { front, webSocket, ...parts } = await assemble({
        config,
        clock,
        worlds,
        pool,
        media,
        moments: options.moments ?? {},
        transports: options.transports ?? [],
        playerFolder: options.playerFolder,
        onNotice: options.onNotice,
      });
      const http =
        tls === undefined ? createServer(httpLimits(config)) : createTlsServer({ ...httpLimits(config), ...tls });
      front.attach(http);
      http.maxConnections = MAX_CONNECTIONS;
      const server = new DreamloopServer({ config, http, media, pool, worlds, ...parts });
      http.on("upgrade", upgradeRequests(http, { isTls: tls !== undefined, webSocket }));
      await listen(http, config, options.portTries ?? 1);
      for (const world of preloaded) await pool.preload({ world });
      if (tls !== undefined) server.#stopWatching = watchTlsFiles(config, http as TlsServer);
      if (options.catchesFaults === true) server.#stopCatching = parts.faults.install();
      return server;
    } catch (error) {
      await media.close();
      await pool.close();
      throw error;
    }
  }

  /** The port that it listens on. */
  get port(): number {
    return (this.#parts.http.address() as AddressInfo | null)?.port ?? 0;
  }

  /** Where it can be reached, without a token. */
  get url(): string {
    const { host, tlsCert } = this.config;
    const name = host === "0.0.0.0" || host === "::" ? "localhost" : host.includes(":") ? `[${host}]` : host;
    return `${tlsCert === undefined ? "http" : "https"}://${name}:${this.port}/`;
  }

  /** What is known of its encoders. */
  get encoders(): { readonly name: string; readonly codecs: readonly string[]; readonly faults: readonly string[] } {
    const { encoder, codecs, faults } = this.#parts.media;
    return { name: encoder, codecs, faults };
  }

  /** Counts of what is open, for tests and for whoever watches over the process. */
  get counts(): {
    readonly sessions: number;
    readonly takenSlots: number;
    readonly doubleReleases: number;
    readonly feeds: number;
    readonly sockets: number;
    readonly loads: number;
    readonly loadsBegun: number;
    readonly loadedWorlds: number;
    readonly lateFrames: number;
    readonly uploads: number;
    readonly uploadsUnderWay: number;
  } {
    const { registry, media, pool, uploads } = this.#parts;
    return {
      sessions: registry.sessions.length,
      takenSlots: registry.slots.taken,
      doubleReleases: registry.slots.doubleReleases,
      feeds: media.feedCount,
      sockets: this.#sockets.size,
      loads: pool.loadsUnderWay,
      loadsBegun: pool.loadCount,
      loadedWorlds: pool.loadedCount,
      lateFrames: media.lateFrames,
      uploads: uploads.pending.count,
      uploadsUnderWay: uploads.underWay,
    };
  }

  /** Loads a world and keeps it; gives what is known of it then. Throws `not_found` or what went wrong. */
  async preload(worldId: string): Promise<WorldInfo> {
    const { pool, worlds } = this.#parts;
    return pool.preload({ world: worldOf(worlds, worldId) });
  }

  /** Ends it: nobody is admitted any more, sessions are told and ended, everything is freed. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  /** The same as `close`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Whatever hangs, it is over when the drain time is: what has not ended by then is left to the end of the process. */
  async #end(): Promise<void> {
    const { http, registry, pool, media, uploads, recordings } = this.#parts;
    const { drainSeconds } = this.config;
    const start = performance.now();
    const rest = (): number => Math.max(0, drainSeconds - (performance.now() - start) / 1000);
    this.#stopWatching();
    uploads.close();
    const stopped = new Promise<void>((resolve) => http.close(() => resolve()));
    await within(registry.close(), rest());
    http.closeIdleConnections();
    await within(Promise.all([pool.close(), media.close()]), rest());
    for (const socket of this.#sockets) socket.destroySoon();
    await within(stopped, rest());
    for (const socket of this.#sockets) socket.destroy();
    await recordings?.close();
    this.#stopCatching();
  }
}

function worldOf(worlds: readonly ServedWorld[], id: string): ServedWorld {
  const world = worlds.find((each) => each.id === id);
  if (world !== undefined) return world;
  throw new DreamloopError(
    ERROR_CODES.notFound,
    `preload: there is no world ${JSON.stringify(id)}; there are: ${worlds.map((each) => each.id).join(", ")}`,
  );
}

async function listen(http: Server, { host, port }: ServerConfig, tries: number): Promise<void> {
  for (let number = port; ; number += 1) {
    try {
      await listenOnce(http, host, number);
      return;
    } catch (error) {
      const isTaken = (error as NodeJS.ErrnoException).code === "EADDRINUSE";
      if (isTaken && number - port + 1 < tries && number < 65_535) continue;
      const reason = error instanceof Error ? error.message : String(error);
      throw new DreamloopError(
        isTaken ? ERROR_CODES.unavailable : ERROR_CODES.invalidValue,
        isTaken
          ? `port ${number} of ${host} is taken; choose another one with port, or 0 for any`
          : `${host}:${number} cannot be bound: ${reason}`,
        { cause: error },
      );
    }
  }
}

function listenOnce(http: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    http.once("error", reject);
    http.listen({ host, port }, () => {
      http.off("error", reject);
      resolve();
    });
  });
}
