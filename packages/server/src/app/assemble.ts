import { getRequestListener } from "@hono/node-server";
import type { Clock } from "@dreamloop/core";
import { DREAMLOOP_VERSION } from "@dreamloop/core/internal";
import { PROTOCOL_LIMITS, PROTOCOL_VERSION, TRANSPORTS, type ConfigAnswer } from "@dreamloop/protocol";
import type { MediaHost } from "../media/media-host.ts";
import type { ServerConfig } from "../platform/config/server-config.ts";
import { LastResort } from "../platform/faults/last-resort.ts";
import { RequestFront } from "../platform/http/request-front.ts";
import { RequestGate } from "../platform/http/request-gate.ts";
import { RequestIdentities } from "../platform/http/request-identity.ts";
import type { UpgradeListener } from "../platform/http/upgrade-requests.ts";
import { RateTable } from "../platform/limits/rate-table.ts";
import { NoticeReporter } from "../platform/notices/notice-reporter.ts";
import type { ServerNotice } from "../platform/notices/server-notice.ts";
import { AccessRules } from "../platform/security/access-rules.ts";
import { IceHelpers } from "../platform/security/ice-helpers.ts";
import { TokenSigner } from "../platform/security/session-token.ts";
import { addServerGauges, ServerMetrics } from "../platform/server-metrics.ts";
import { RecordingStore } from "../recordings/recording-store.ts";
import { SessionRegistry } from "../session/session-registry.ts";
import type { ServerTransport } from "../transport/outlet/server-transport.ts";
import { loadRtc } from "../transport/webrtc/rtc-library.ts";
import { RtcAnswerer } from "../transport/webrtc/rtc-answerer.ts";
import { webSocketEndpoint } from "../transport/websocket/websocket-endpoint.ts";
import { whepRoutes } from "../transport/whep/whep-routes.ts";
import type { ServedWorld } from "../worlds/served-world.ts";
import type { WorldPool } from "../worlds/world-pool.ts";
import { httpApp } from "./http-app.ts";
import { playerFiles } from "./player-files.ts";
import { serverRoutes } from "./server-routes.ts";
import { sessionRoutes } from "./session-routes.ts";
import { StartMoments } from "./start-moments.ts";
import { UploadReceiver } from "./uploads/upload-receiver.ts";
import { uploadLimits, uploadRoutes } from "./uploads/upload-routes.ts";

/** What the parts of a server are put together from. */
export interface AssembleOptions {
  /** How it runs. */
  readonly config: ServerConfig;
  /** Times sessions and limits. */
  readonly clock: Clock;
  /** The worlds that it offers. */
  readonly worlds: readonly ServedWorld[];
  /** Where they are loaded. */
  readonly pool: WorldPool;
  /** Where frames are encoded. */
  readonly media: MediaHost;
  /** Moments that are held ready, by name. */
  readonly moments: Readonly<Record<string, Uint8Array>>;
  /** The built player page; absent: a page that says it is not there. */
  readonly playerFolder: string | undefined;
  /** Further transports. */
  readonly transports: readonly ServerTransport[];
  /** Hears what whoever runs the server should know. */
  readonly onNotice: ((notice: ServerNotice) => void) | undefined;
}

/** The parts of a server behind its port. */
export interface AssembledServer {
  /** Catches what nothing else does. */
  readonly faults: LastResort;
  /** The sessions. */
  readonly registry: SessionRegistry;
  /** Takes pictures in. */
  readonly uploads: UploadReceiver;
  /** Where recordings are; absent when there are none. */
  readonly recordings: RecordingStore | undefined;
  /** Whether the WebRTC library is there. */
  readonly hasWebRtc: boolean;
  /** Takes HTTP requests. */
  readonly front: RequestFront;
  /** Takes WebSockets. */
  readonly webSocket: UpgradeListener;
}

/** Makes the parts of a server and puts them together; nothing of it runs before the first request. */
export async function assemble(options: AssembleOptions): Promise<AssembledServer> {
  const { config, clock, worlds, pool, media, playerFolder, onNotice, transports } = options;
  const { codecs } = media;
  const isTls = config.tlsCert !== undefined;
  const metrics = new ServerMetrics();
  const notices = new NoticeReporter(clock, onNotice);
  const faults = new LastResort((error) => notices.note({ type: "server_fault", error }));
  const access = new AccessRules(config);
  const identities = new RequestIdentities(config);
  const tokens = new TokenSigner(clock);
  const helpers = new IceHelpers(config);
  const rates = new RateTable({ perSecond: config.httpRequestsPerSecond, burst: 4 * config.httpRequestsPerSecond });
  const healthRates = new RateTable({
    perSecond: config.httpRequestsPerSecond,
    burst: 4 * config.httpRequestsPerSecond,
  });
  const gate = new RequestGate({ clock, access, identities, rates, healthRates, tokens });
  const uploads = new UploadReceiver(clock, config);
  const recordings = config.recording ? new RecordingStore() : undefined;
  const registry = new SessionRegistry({
    clock,
    config,
    worlds,
    pool,
    media,
    metrics,
    notices,
    tokens,
    faults,
    ...(recordings === undefined ? {} : { recordings }),
  });
  addServerGauges(metrics.registry, {
    sessions: () => registry.sessions.length,
    sessionLimit: config.maxSessions,
    viewers: () => registry.viewersByTransport,
    loads: () => pool.loadsUnderWay,
    loadedWorlds: () => pool.loadedCount,
    lateFrames: () => media.lateFrames,
    doubleReleases: () => registry.slots.doubleReleases,
  });
  const rtc = new RtcAnswerer({
    rtc: await loadRtc().catch(() => undefined),
    settings: {
      host: config.host,
      iceServers: () => helpers.forAdmitted("server"),
      iceTransportPolicy: config.relayOnly ? "relay" : "all",
      ...(config.udpPorts === undefined ? {} : { udpPorts: config.udpPorts }),
    },
    clock,
    codecs,
  });
  const answers = { tokens, config, helpers, pool };
  const app = httpApp({
    gate,
    metrics,
    notices,
    isTls,
    player: playerFiles(playerFolder),
    routes: {
      "/": serverRoutes({
        registry,
        access,
        counters: metrics.registry,
        worlds,
        pool,
        config: configAnswer(config, helpers, rtc.canSendVideo),
      }),
      "/api/sessions": sessionRoutes({
        registry,
        tokens,
        access,
        identities,
        metrics,
        pictures: uploads.pending,
        moments: new StartMoments({ config, worlds, ready: options.moments }),
        rtc,
        transports,
        codecs,
        answers,
      }),
      "/api/uploads": uploadRoutes({ uploads, access, metrics, identities }),
      "/whep": whepRoutes({ tokens, sessions: registry, rtc, helpers }),
    },
  });
  const listener = getRequestListener(app.fetch);
  return {
    faults,
    registry,
    uploads,
    recordings,
    hasWebRtc: rtc.isLoaded,
    front: new RequestFront({
      gate,
      metrics,
      isTls,
      faults,
      listener: (request, response) => void listener(request, response),
    }),
    webSocket: webSocketEndpoint({ gate, tokens, sessions: registry, codecs, metrics, isTls, faults }),
  };
}

function configAnswer(config: ServerConfig, helpers: IceHelpers, hasRtc: boolean): ConfigAnswer {
  return {
    version: DREAMLOOP_VERSION,
    protocolVersion: PROTOCOL_VERSION,
    iceServers: helpers.forEveryone,
    iceTransportPolicy: config.relayOnly ? "relay" : "all",
    transports: hasRtc ? [TRANSPORTS.webrtc, TRANSPORTS.websocket] : [TRANSPORTS.websocket],
    limits: PROTOCOL_LIMITS,
    authentication: config.token === undefined ? "none" : "token",
    recording: config.recording,
    uploads: uploadLimits(config),
    momentBytes: config.momentBytes,
    history: config.historyBytes > 0,
  };
}
