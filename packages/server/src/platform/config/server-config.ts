import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import {
  finite,
  flag,
  listOf,
  oneOf,
  optional,
  recordFactory,
  shape,
  text,
  withDefault,
  type Reader,
} from "@dreamloop/core/internal";
import { ENCODER_NAMES, HARDWARE_PREFERENCES, type EncoderName, type HardwarePreference } from "@dreamloop/outputs";
import type { IceServerEntry } from "@dreamloop/protocol";
import { isLoopback } from "../security/access-rules.ts";
import { hostName, iceServer, origin, trustedProxy } from "./network-readers.ts";

/** How a server runs; everything has a default. */
export interface ServerConfig {
  /** Address to bind, UDP of the media included; default `127.0.0.1`, which only this machine reaches. */
  readonly host: string;
  /** Port of HTTP and WebSocket; 0 for any; default 8787. */
  readonly port: number;
  /** Who starts a session has to know it; needed on a bind beyond this machine; default none. */
  readonly token?: string;
  /** Allows a bind beyond this machine without a token; default false. */
  readonly insecure: boolean;
  /** Further names under which the server may be called; default none. */
  readonly allowedHosts: readonly string[];
  /** Further pages that may use it, as origins; default none. */
  readonly allowedOrigins: readonly string[];
  /** Proxies whose `X-Forwarded-For` says who asks: addresses, ranges, `loopback`, `linklocal`, `uniquelocal`; default none. */
  readonly trustedProxies: readonly string[];
  /** File with the TLS certificate chain (PEM); default none: plain HTTP. */
  readonly tlsCert?: string;
  /** File with its private key (PEM). */
  readonly tlsKey?: string;
  /** STUN and TURN servers for both sides; default none. */
  readonly iceServers: readonly IceServerEntry[];
  /** Secret that is shared with the TURN servers (TURN REST): clients get credentials of their own that end; default none. */
  readonly turnSecret?: string;
  /** Whether media may only travel over TURN; default false. */
  readonly relayOnly: boolean;
  /** First and last UDP port of the media; default any. */
  readonly udpPorts?: { readonly first: number; readonly last: number };
  /** Which video encoder; default `auto`. */
  readonly encoder: EncoderName;
  /** Whether the encoder may, must or must not run on special hardware; default `auto`. */
  readonly encoderHardware: HardwarePreference;
  /** Quality of JPEG pictures for clients that cannot decode video, 1 to 100; default 80. */
  readonly jpegQuality: number;
  /** Least bitrate of the video, in bits a second; default 150,000. */
  readonly minBitrateBitsPerSecond: number;
  /** Greatest bitrate of the video, in bits a second; default 8,000,000. */
  readonly maxBitrateBitsPerSecond: number;
  /** Ids of worlds to load at the start and keep; default none. */
  readonly preload: readonly string[];
  /** Sessions at a time; default 8. */
  readonly maxSessions: number;
  /** Sessions at a time of one identity, an address or the token's holder; default 8. */
  readonly maxSessionsPerIdentity: number;
  /** Viewers of one session, the player included; default 16. */
  readonly maxViewers: number;
  /** Worlds that may be loading at a time; default 1. */
  readonly maxLoads: number;
  /** Worlds that may be loaded at a time; default 3. */
  readonly maxLoadedWorlds: number;
  /** Seconds that a session waits for its player to come (back); default 20. */
  readonly graceSeconds: number;
  /** Seconds without any input or request after which a session ends; default 900. */
  readonly idleSeconds: number;
  /** Seconds that a session lasts at most; default 14,400. */
  readonly lifetimeSeconds: number;
  /** Seconds after which a world without sessions is unloaded; default 300. */
  readonly worldIdleSeconds: number;
  /** Seconds that sessions get to end when the server stops; default 5. */
  readonly drainSeconds: number;
  /** Seconds that a player's token is good for; default 3600. */
  readonly tokenSeconds: number;
  /** Whether sessions can be recorded; each then keeps a trace of its run; default true. */
  readonly recording: boolean;
  /** Seconds of one recording; default 600. */
  readonly recordingSeconds: number;
  /** Bytes of one recording's video, and of a session's trace; default 268,435,456. */
  readonly recordingBytes: number;
  /** Recordings that a session keeps; the oldest goes first; default 4. */
  readonly maxRecordings: number;
  /** Bytes of memory that each session may take for its history, so that it can go back; 0: none keeps one; default 134,217,728. */
  readonly historyBytes: number;
  /** Seconds of world time between two snapshots of a history; default 1. */
  readonly historySeconds: number;
  /** Bytes of a moment file that a session can be started from; 0: none can; default 134,217,728. */
  readonly momentBytes: number;
  /** Steps by which generation may lead presentation at most, at least 1; default 2. Fast worlds lead by less, which is fresher. */
  readonly leadSteps: number;
  /** Seconds that a connection without a request stays open; default 75, longer than proxies keep theirs. */
  readonly keepAliveSeconds: number;
  /** Seconds that a client may take to send the headers of a request; default 10. */
  readonly headersSeconds: number;
  /** Seconds that a client may take to send a whole request; default 30. */
  readonly requestSeconds: number;
  /** Pixels a second of one session: width × height × frames per second; default 62,208,000, which is 1920 × 1080 at 30. */
  readonly maxSessionPixelsPerSecond: number;
  /** Pixels a second of all sessions; default 248,832,000. */
  readonly maxPixelsPerSecond: number;
  /** HTTP requests a second from one address, in the long run; default 50. */
  readonly httpRequestsPerSecond: number;
  /** Sessions a minute that one identity may start; default 30. */
  readonly sessionStartsPerMinute: number;
  /** Bytes of a picture that is uploaded to start from; default 16,777,216. */
  readonly uploadBytes: number;
  /** Pixels of such a picture, told by its header before it is decoded; default 32,000,000. */
  readonly uploadPixels: number;
  /** Seconds that such a picture waits for its session; default 300. */
  readonly uploadSeconds: number;
  /** Bytes of all pictures that wait; default 67,108,864. */
  readonly uploadTotalBytes: number;
  /** Pictures of one identity that wait; default 4. */
  readonly maxUploadsPerIdentity: number;
  /** Pictures a minute that one identity may upload; default 30. */
  readonly uploadsPerMinute: number;
}

/** What the factory of `ServerConfig` takes. */
export type ServerConfigInput = Partial<ServerConfig>;

/** The defaults. */
export const SERVER_DEFAULTS: ServerConfig = Object.freeze({
  host: "127.0.0.1",
  port: 8787,
  insecure: false,
  allowedHosts: [],
  allowedOrigins: [],
  trustedProxies: [],
  iceServers: [],
  relayOnly: false,
  encoder: ENCODER_NAMES.auto,
  encoderHardware: HARDWARE_PREFERENCES.auto,
  jpegQuality: 80,
  minBitrateBitsPerSecond: 150_000,
  maxBitrateBitsPerSecond: 8_000_000,
  preload: [],
  maxSessions: 8,
  maxSessionsPerIdentity: 8,
  maxViewers: 16,
  maxLoads: 1,
  maxLoadedWorlds: 3,
  graceSeconds: 20,
  idleSeconds: 900,
  lifetimeSeconds: 14_400,
  worldIdleSeconds: 300,
  drainSeconds: 5,
  tokenSeconds: 3600,
  recording: true,
  recordingSeconds: 600,
  recordingBytes: 268_435_456,
  maxRecordings: 4,
  historyBytes: 134_217_728,
  historySeconds: 1,
  momentBytes: 134_217_728,
  leadSteps: 2,
  keepAliveSeconds: 75,
  headersSeconds: 10,
  requestSeconds: 30,
  maxSessionPixelsPerSecond: 62_208_000,
  maxPixelsPerSecond: 248_832_000,
  httpRequestsPerSecond: 50,
  sessionStartsPerMinute: 30,
  uploadBytes: 16_777_216,
  uploadPixels: 32_000_000,
  uploadSeconds: 300,
  uploadTotalBytes: 67_108_864,
  maxUploadsPerIdentity: 4,
  uploadsPerMinute: 30,
});

const name = text({ maxLength: 300 });
const path = text({ maxLength: 4096 });
const seconds = finite({ min: 0, aboveMin: true, max: 10_000_000 });
const count = finite({ integer: true, min: 1, max: 100_000 });
const bitrate = finite({ integer: true, min: 10_000, max: 1_000_000_000 });
const port = finite({ integer: true, min: 0, max: 65_535 });
const D = SERVER_DEFAULTS;
/** Beyond this neither bytes nor pixels of one picture are taken into memory, whatever is configured. */
const MAX_UPLOAD = 268_435_456;
/** Beyond this no moment file is taken into memory, whatever is configured. */
const MAX_MOMENT = 1_073_741_824;

/** Readers of the settings of a server, for the layers of a command line. */
export const SERVER_CONFIG_READERS: { readonly [Key in keyof ServerConfig]-?: Reader<ServerConfig[Key]> } = {
  host: name,
  port,
  token: text({ maxLength: 512 }),
  insecure: flag,
  allowedHosts: listOf(hostName, { max: 64 }),
  allowedOrigins: listOf(origin, { max: 64 }),
  trustedProxies: listOf(trustedProxy, { max: 64 }),
  tlsCert: path,
  tlsKey: path,
  iceServers: listOf(iceServer, { max: 16 }),
  turnSecret: text({ maxLength: 512 }),
  relayOnly: flag,
  udpPorts: shape<{ first: number; last: number }>({ first: port, last: port }),
  encoder: oneOf(ENCODER_NAMES),
  encoderHardware: oneOf(HARDWARE_PREFERENCES),
  jpegQuality: finite({ integer: true, min: 1, max: 100 }),
  minBitrateBitsPerSecond: bitrate,
  maxBitrateBitsPerSecond: bitrate,
  preload: listOf(name, { max: 64 }),
  maxSessions: count,
  maxSessionsPerIdentity: count,
  maxViewers: count,
  maxLoads: count,
  maxLoadedWorlds: count,
  graceSeconds: seconds,
  idleSeconds: seconds,
  lifetimeSeconds: seconds,
  worldIdleSeconds: seconds,
  drainSeconds: seconds,
  tokenSeconds: seconds,
  recording: flag,
  recordingSeconds: seconds,
  recordingBytes: finite({ integer: true, min: 1 }),
  maxRecordings: count,
  historyBytes: finite({ integer: true, min: 0 }),
  historySeconds: seconds,
  momentBytes: finite({ integer: true, min: 0, max: MAX_MOMENT }),
  leadSteps: finite({ min: 1, max: 64 }),
  keepAliveSeconds: seconds,
  headersSeconds: seconds,
  requestSeconds: seconds,
  maxSessionPixelsPerSecond: finite({ integer: true, min: 1 }),
  maxPixelsPerSecond: finite({ integer: true, min: 1 }),
  httpRequestsPerSecond: count,
  sessionStartsPerMinute: count,
  uploadBytes: finite({ integer: true, min: 1, max: MAX_UPLOAD }),
  uploadPixels: finite({ integer: true, min: 1, max: MAX_UPLOAD }),
  uploadSeconds: seconds,
  uploadTotalBytes: finite({ integer: true, min: 1 }),
  maxUploadsPerIdentity: count,
  uploadsPerMinute: count,
};

const R = SERVER_CONFIG_READERS;

const make = recordFactory<ServerConfig>(
  "ServerConfig",
  {
    host: withDefault(R.host, D.host),
    port: withDefault(R.port, D.port),
    token: optional(R.token as Reader<string>),
    insecure: withDefault(R.insecure, D.insecure),
    allowedHosts: withDefault(R.allowedHosts, D.allowedHosts),
    allowedOrigins: withDefault(R.allowedOrigins, D.allowedOrigins),
    trustedProxies: withDefault(R.trustedProxies, D.trustedProxies),
    tlsCert: optional(R.tlsCert as Reader<string>),
    tlsKey: optional(R.tlsKey as Reader<string>),
    iceServers: withDefault(R.iceServers, D.iceServers),
    turnSecret: optional(R.turnSecret as Reader<string>),
    relayOnly: withDefault(R.relayOnly, D.relayOnly),
    udpPorts: optional(R.udpPorts as Reader<NonNullable<ServerConfig["udpPorts"]>>),
    encoder: withDefault(R.encoder, D.encoder),
    encoderHardware: withDefault(R.encoderHardware, D.encoderHardware),
    jpegQuality: withDefault(R.jpegQuality, D.jpegQuality),
    minBitrateBitsPerSecond: withDefault(R.minBitrateBitsPerSecond, D.minBitrateBitsPerSecond),
    maxBitrateBitsPerSecond: withDefault(R.maxBitrateBitsPerSecond, D.maxBitrateBitsPerSecond),
    preload: withDefault(R.preload, D.preload),
    maxSessions: withDefault(R.maxSessions, D.maxSessions),
    maxSessionsPerIdentity: withDefault(R.maxSessionsPerIdentity, D.maxSessionsPerIdentity),
    maxViewers: withDefault(R.maxViewers, D.maxViewers),
    maxLoads: withDefault(R.maxLoads, D.maxLoads),
    maxLoadedWorlds: withDefault(R.maxLoadedWorlds, D.maxLoadedWorlds),
    graceSeconds: withDefault(R.graceSeconds, D.graceSeconds),
    idleSeconds: withDefault(R.idleSeconds, D.idleSeconds),
    lifetimeSeconds: withDefault(R.lifetimeSeconds, D.lifetimeSeconds),
    worldIdleSeconds: withDefault(R.worldIdleSeconds, D.worldIdleSeconds),
    drainSeconds: withDefault(R.drainSeconds, D.drainSeconds),
    tokenSeconds: withDefault(R.tokenSeconds, D.tokenSeconds),
    recording: withDefault(R.recording, D.recording),
    recordingSeconds: withDefault(R.recordingSeconds, D.recordingSeconds),
    recordingBytes: withDefault(R.recordingBytes, D.recordingBytes),
    maxRecordings: withDefault(R.maxRecordings, D.maxRecordings),
    historyBytes: withDefault(R.historyBytes, D.historyBytes),
    historySeconds: withDefault(R.historySeconds, D.historySeconds),
    momentBytes: withDefault(R.momentBytes, D.momentBytes),
    leadSteps: withDefault(R.leadSteps, D.leadSteps),
    keepAliveSeconds: withDefault(R.keepAliveSeconds, D.keepAliveSeconds),
    headersSeconds: withDefault(R.headersSeconds, D.headersSeconds),
    requestSeconds: withDefault(R.requestSeconds, D.requestSeconds),
    maxSessionPixelsPerSecond: withDefault(R.maxSessionPixelsPerSecond, D.maxSessionPixelsPerSecond),
    maxPixelsPerSecond: withDefault(R.maxPixelsPerSecond, D.maxPixelsPerSecond),
    httpRequestsPerSecond: withDefault(R.httpRequestsPerSecond, D.httpRequestsPerSecond),
    sessionStartsPerMinute: withDefault(R.sessionStartsPerMinute, D.sessionStartsPerMinute),
    uploadBytes: withDefault(R.uploadBytes, D.uploadBytes),
    uploadPixels: withDefault(R.uploadPixels, D.uploadPixels),
    uploadSeconds: withDefault(R.uploadSeconds, D.uploadSeconds),
    uploadTotalBytes: withDefault(R.uploadTotalBytes, D.uploadTotalBytes),
    maxUploadsPerIdentity: withDefault(R.maxUploadsPerIdentity, D.maxUploadsPerIdentity),
    uploadsPerMinute: withDefault(R.uploadsPerMinute, D.uploadsPerMinute),
  },
  (config) => {
    if (!isLoopback(config.host) && config.token === undefined && !config.insecure) {
      refuseConfig(
        `ServerConfig.host: ${config.host} can be reached from other machines, and there is no token; set a token, or say insecure if everyone may use it`,
      );
    }
    if (config.token !== undefined && config.token.length < MIN_TOKEN_LENGTH) {
      refuseConfig(
        `ServerConfig.token: expected at least ${MIN_TOKEN_LENGTH} characters, found ${config.token.length}`,
      );
    }
    if ((config.tlsCert === undefined) !== (config.tlsKey === undefined)) {
      refuseConfig("ServerConfig.tlsCert and tlsKey: one is of no use without the other; give both or none");
    }
    if (config.minBitrateBitsPerSecond > config.maxBitrateBitsPerSecond) {
      refuseConfig("ServerConfig.minBitrateBitsPerSecond: is above maxBitrateBitsPerSecond");
    }
    if (config.udpPorts !== undefined && config.udpPorts.first > config.udpPorts.last) {
      refuseConfig("ServerConfig.udpPorts: the first port is above the last");
    }
    if (config.maxSessionPixelsPerSecond > config.maxPixelsPerSecond) {
      refuseConfig("ServerConfig.maxSessionPixelsPerSecond: is above maxPixelsPerSecond, so no session could use it");
    }
    if (config.headersSeconds > config.requestSeconds) {
      refuseConfig("ServerConfig.headersSeconds: is above requestSeconds; headers are a part of the request");
    }
    if (config.relayOnly && config.iceServers.length === 0) {
      refuseConfig("ServerConfig.relayOnly: there is no TURN server to relay; add one to iceServers");
    }
  },
);

/** Shortest token of a server, in characters. */
export const MIN_TOKEN_LENGTH = 16;

/** Makes a `ServerConfig` with its defaults; refuses unknown keys, and a bind beyond this machine without a token. */
export function serverConfig(input: ServerConfigInput): ServerConfig {
  return make(input);
}

function refuseConfig(message: string): never {
  throw new DreamloopError(ERROR_CODES.invalidValue, message);
}
