import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { DreamloopError, ERROR_CODES, type Clock } from "@dreamloop/core";
import { ProcessClock } from "@dreamloop/node";
import { serverConfig, type ServerConfig, type ServerConfigInput } from "../platform/config/server-config.ts";
import { httpApp } from "./http-app.ts";
import { HTTP_LIMITS } from "./http-limits.ts";
import { playerFiles } from "./player-files.ts";
import { RequestIdentities } from "../platform/http/request-identity.ts";
import type { ServerContext } from "./server-context.ts";
import { upgradeRequests } from "../platform/http/upgrade-requests.ts";
import { MediaHost } from "../media/media-host.ts";
import { ServerMetrics } from "../platform/server-metrics.ts";
import { NoticeReporter } from "../platform/notices/notice-reporter.ts";
import type { ServerNotice } from "../platform/notices/server-notice.ts";
import { RecordingStore } from "../recordings/recording-store.ts";
import { AccessRules } from "../platform/security/access-rules.ts";
import { RateTable } from "../platform/limits/rate-table.ts";
import { TokenSigner } from "../platform/security/session-token.ts";
import { readTlsFiles } from "../platform/security/tls-files.ts";
import { SessionRegistry } from "../session/session-registry.ts";
import { UploadReceiver } from "./uploads/upload-receiver.ts";
import { loadRtc } from "../transport/webrtc/rtc-library.ts";
import { webSocketUpgrade } from "../transport/websocket/websocket-endpoint.ts";
import type { ServedWorld } from "../worlds/served-world.ts";
import { WorldPool, type WorldPoolOptions } from "../worlds/world-pool.ts";

/** What a server is started with. */
export interface DreamloopServerOptions {
  /** How it runs; see `ServerConfig`. */
  readonly config?: ServerConfigInput;
  /** The worlds that it offers. */
  readonly worlds: readonly ServedWorld[];
  /** The built player page; absent: a page that says it is not there. */
  readonly playerFolder?: string;
  /** Timers of sessions and worlds; default the clock of the process. Frames are always timed by the clock of the process. */
  readonly clock?: Clock;
  /** Ports that are tried, one after the other, when the configured one is taken; default 1. */
  readonly portTries?: number;
  /** Told what whoever runs the server should know: refused origins and failed sessions, bounded in number. What it throws is not caught. */
  readonly onNotice?: (notice: ServerNotice) => void;
  /** Loads worlds; for tests. */
  readonly loadWorld?: WorldPoolOptions["load"];
}

/** Connections that HTTP takes at a time. */
const MAX_CONNECTIONS = 1024;

/** A running server. Whoever started it closes it. */
export class DreamloopServer {
  /** How it runs, with all defaults. */
  readonly config: ServerConfig;
  readonly #context: ServerContext;
  readonly #recordings: RecordingStore | undefined;
  readonly #http: Server;
  readonly #sockets = new Set<Socket>();
  #port = 0;
  #closing: Promise<void> | undefined;

  private constructor(context: ServerContext, http: Server, recordings: RecordingStore | undefined) {
    this.config = context.config;
    this.#context = context;
    this.#http = http;
    this.#recordings = recordings;
    http.on("connection", (socket: Socket) => {
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
    const shelf = new WorldPool({
      clock,
      maxLoads: config.maxLoads,
      maxLoaded: Math.max(config.maxLoadedWorlds, config.preload.length),
      idleSeconds: config.worldIdleSeconds,
      ...(options.loadWorld === undefined ? {} : { load: options.loadWorld }),
    });
    try {
      const recordings = config.recording ? new RecordingStore() : undefined;
      const context = await makeContext({ options, config, clock, media, shelf, recordings });
      const listener = getRequestListener(httpApp(context).fetch) as RequestListener;
      const http =
        tls === undefined ? createServer(HTTP_LIMITS, listener) : createTlsServer({ ...HTTP_LIMITS, ...tls }, listener);
      http.maxConnections = MAX_CONNECTIONS;
      const server = new DreamloopServer(context, http, recordings);
      const webSocket = webSocketUpgrade(context);
      http.on("upgrade", upgradeRequests(http, { isTls: tls !== undefined, webSocket }));
      await listen(http, config, options.portTries ?? 1);
      server.#port = (http.address() as AddressInfo).port;
      for (const world of preloaded) await shelf.preload({ world });
      return server;
    } catch (error) {
      await media.close();
      await shelf.close();
      throw error;
    }
  }

  /** The port that it listens on. */
  get port(): number {
    return this.#port;
  }

  /** Where it can be reached, without a token. */
  get url(): string {
    const { host, tlsCert } = this.config;
    const name = host === "0.0.0.0" || host === "::" ? "localhost" : host.includes(":") ? `[${host}]` : host;
    return `${tlsCert === undefined ? "http" : "https"}://${name}:${this.port}/`;
  }

  /** What is known of its encoders. */
  get encoders(): { readonly name: string; readonly codecs: readonly string[]; readonly faults: readonly string[] } {
    const { encoder, codecs, faults } = this.#context.media;
    return { name: encoder, codecs, faults };
  }

  /** Whether WebRTC is there. */
  get hasWebRtc(): boolean {
    return this.#context.rtc !== undefined;
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
    const { registry, media, shelf, uploads } = this.#context;
    return {
      sessions: registry.sessions.length,
      takenSlots: registry.slots.taken,
      doubleReleases: registry.slots.doubleReleases,
      feeds: media.feedCount,
      sockets: this.#sockets.size,
      loads: shelf.loadsUnderWay,
      loadsBegun: shelf.loadCount,
      loadedWorlds: shelf.loadedCount,
      lateFrames: media.lateFrames,
      uploads: uploads.shelf.count,
      uploadsUnderWay: uploads.underWay,
    };
  }

  /** Loads a world and keeps it; throws `not_found` or what went wrong. */
  async preload(worldId: string): Promise<void> {
    await this.#context.shelf.preload({ world: worldOf(this.#context.worlds, worldId) });
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

  async #end(): Promise<void> {
    const { registry, shelf, media, uploads } = this.#context;
    uploads.close();
    const stopped = new Promise<void>((resolve) => this.#http.close(() => resolve()));
    const drain = setTimeout(
      () => this.#sockets.forEach((socket) => socket.destroy()),
      this.config.drainSeconds * 1000,
    );
    await registry.close();
    this.#http.closeIdleConnections();
    await shelf.close();
    await media.close();
    for (const socket of this.#sockets) socket.destroySoon();
    await stopped;
    clearTimeout(drain);
    await this.#recordings?.close();
  }
}

async function makeContext(parts: {
  readonly options: DreamloopServerOptions;
  readonly config: ServerConfig;
  readonly clock: Clock;
  readonly media: MediaHost;
  readonly shelf: WorldPool;
  readonly recordings: RecordingStore | undefined;
}): Promise<ServerContext> {
  const { options, config, clock, media, shelf, recordings } = parts;
  const { worlds, playerFolder } = options;
  const notices = new NoticeReporter(clock, options.onNotice);
  const registry = new SessionRegistry({
    clock,
    config,
    worlds,
    shelf,
    media,
    notices,
    ...(recordings === undefined ? {} : { recordings }),
  });
  const metrics = new ServerMetrics({
    sessions: () => registry.sessions.length,
    sessionLimit: config.maxSessions,
    viewers: () => viewersOf(registry),
    loads: () => shelf.loadsUnderWay,
    loadedWorlds: () => shelf.loadedCount,
    lateFrames: () => media.lateFrames,
    doubleReleases: () => registry.slots.doubleReleases,
  });
  registry.useMetrics(metrics);
  return {
    clock,
    config,
    worlds,
    shelf,
    media,
    registry,
    metrics,
    notices,
    access: new AccessRules(config),
    identities: new RequestIdentities(config),
    rates: new RateTable({ perSecond: config.httpRequestsPerSecond, burst: 4 * config.httpRequestsPerSecond }),
    tokens: new TokenSigner(clock),
    uploads: new UploadReceiver(clock, config),
    rtc: await loadRtc().catch(() => undefined),
    player: playerFiles(playerFolder),
  };
}

function viewersOf(registry: SessionRegistry): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const session of registry.sessions) {
    for (const { outlet, isReady } of session.connections) {
      if (isReady) counts[outlet.transport] = (counts[outlet.transport] ?? 0) + 1;
    }
  }
  return counts;
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
