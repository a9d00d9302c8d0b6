import { SERVER_CONFIG_READERS, type ServerConfig } from "@dreamloop/server/config";
import type { SettingLayers } from "./layers.ts";
import { asFlag, asJson, asList, asNumber, asText, type Setting, type TextForm } from "./setting.ts";

/** What a flag of the server says in help: its argument, what it does, and whether it may be repeated. */
export interface ServeFlag {
  /** As people write it, with its argument: `--port <n>`. */
  readonly usage: string;
  /** One line of help. */
  readonly help: string;
  /** Whether it may be given several times. */
  readonly isList?: boolean;
}

/** Lists of flags come as they were given: what people write becomes what the server takes when it is read. */
const readIceServers: typeof SERVER_CONFIG_READERS.iceServers = (value, path) =>
  SERVER_CONFIG_READERS.iceServers(Array.isArray(value) ? value.map(asIceServer) : value, path);
const asUdpPorts: TextForm = (text) => {
  const [, first, last] = /^(\d+)-(\d+)$/.exec(text) ?? [];
  return first === undefined ? asJson(text) : { first: Number(first), last: Number(last) };
};

function asIceServer(entry: unknown): unknown {
  if (typeof entry !== "string") return entry;
  // turn:user:password@host:port is how people write it; users may have an @, passwords both that and colons.
  const [, scheme, username, credential, rest] = /^(turns?):([^:]+):(.+)@([^@]+)$/.exec(entry) ?? [];
  return scheme === undefined ? { urls: entry } : { urls: `${scheme}:${rest ?? ""}`, username, credential };
}

/** How text becomes each setting of the server, and what its flag is. */
const FLAGS: { readonly [Key in keyof ServerConfig]-?: ServeFlag & { readonly form: TextForm } } = {
  host: { usage: "--host <address>", help: "address to bind; default 127.0.0.1, this machine only", form: asText },
  port: { usage: "--port <n>", help: "port; default 8787 or the next free one", form: asNumber },
  token: {
    usage: "--token <text>",
    help: "secret for starting sessions, at least 16 characters; better in DREAMLOOP_SERVE_TOKEN",
    form: asText,
  },
  insecure: { usage: "--insecure", help: "allow other machines without a token", form: asFlag },
  allowedHosts: {
    usage: "--allow-host <name>",
    help: "another name of this server; repeatable",
    isList: true,
    form: asList,
  },
  allowedOrigins: {
    usage: "--allow-origin <origin>",
    help: "another site whose pages may use this server; repeatable",
    isList: true,
    form: asList,
  },
  trustedProxies: {
    usage: "--trust-proxy <range>",
    help: "proxy whose X-Forwarded-For counts: address, range or loopback; repeatable",
    isList: true,
    form: asList,
  },
  tlsCert: { usage: "--tls-cert <file>", help: "certificate chain (PEM)", form: asText },
  tlsKey: { usage: "--tls-key <file>", help: "private key (PEM)", form: asText },
  iceServers: {
    usage: "--ice-server <url>",
    help: "stun:HOST or turn:USER:PASSWORD@HOST; repeatable",
    isList: true,
    form: asList,
  },
  turnSecret: {
    usage: "--turn-secret <text>",
    help: "secret shared with the TURN servers; better in DREAMLOOP_SERVE_TURN_SECRET",
    form: asText,
  },
  relayOnly: { usage: "--relay-only", help: "media only over TURN", form: asFlag },
  udpPorts: { usage: "--udp-ports <first-last>", help: "UDP ports of the media; default any", form: asUdpPorts },
  encoder: { usage: "--encoder <name>", help: "video encoder: auto, webcodecs or ffmpeg; default auto", form: asText },
  encoderHardware: {
    usage: "--encoder-hardware <kind>",
    help: "where it runs: auto, software or hardware; default auto",
    form: asText,
  },
  jpegQuality: { usage: "--jpeg-quality <n>", help: "quality where nothing decodes video; default 80", form: asNumber },
  minBitrateBitsPerSecond: {
    usage: "--min-bitrate <bits>",
    help: "least bits a second; default 150000",
    form: asNumber,
  },
  maxBitrateBitsPerSecond: {
    usage: "--max-bitrate <bits>",
    help: "greatest bits a second; default 8000000",
    form: asNumber,
  },
  preload: { usage: "--preload <world>", help: "load a world at the start; repeatable", isList: true, form: asList },
  maxSessions: { usage: "--max-sessions <n>", help: "sessions at a time; default 8", form: asNumber },
  maxSessionsPerIdentity: {
    usage: "--max-sessions-per-address <n>",
    help: "sessions at a time from one address; default 8",
    form: asNumber,
  },
  maxViewers: { usage: "--max-viewers <n>", help: "viewers of a session; default 16", form: asNumber },
  maxLoads: { usage: "--max-loads <n>", help: "worlds loading at a time; default 1", form: asNumber },
  maxLoadedWorlds: { usage: "--max-loaded-worlds <n>", help: "worlds loaded at a time; default 3", form: asNumber },
  graceSeconds: { usage: "--grace <s>", help: "seconds a session waits for its player; default 20", form: asNumber },
  idleSeconds: { usage: "--idle <s>", help: "seconds without input that end a session; default 900", form: asNumber },
  lifetimeSeconds: { usage: "--lifetime <s>", help: "longest session in seconds; default 14400", form: asNumber },
  worldIdleSeconds: {
    usage: "--world-idle <s>",
    help: "seconds after which an unused world is unloaded; default 300",
    form: asNumber,
  },
  drainSeconds: {
    usage: "--drain <s>",
    help: "seconds that clients get when the server stops; default 5",
    form: asNumber,
  },
  tokenSeconds: { usage: "--token-seconds <s>", help: "life of a session's token; default 3600", form: asNumber },
  recording: { usage: "--no-recording", help: "switch recordings and the traces for them off", form: asFlag },
  recordingSeconds: { usage: "--recording-seconds <s>", help: "longest recording; default 600", form: asNumber },
  recordingBytes: { usage: "--recording-bytes <n>", help: "largest recording; default 268435456", form: asNumber },
  maxRecordings: { usage: "--max-recordings <n>", help: "recordings a session keeps; default 4", form: asNumber },
  historyBytes: {
    usage: "--history-bytes <n>",
    help: "memory of each session's history, so that it can go back, 0 for none; default 128 MiB",
    form: asNumber,
  },
  historySeconds: {
    usage: "--history-seconds <s>",
    help: "world time between two snapshots of a history; default 1",
    form: asNumber,
  },
  momentBytes: {
    usage: "--moment-bytes <n>",
    help: "greatest moment file that a session starts from, 0 for none; default 128 MiB",
    form: asNumber,
  },
  leadSteps: {
    usage: "--lead-steps <n>",
    help: "steps by which generation may lead presentation; default 2",
    form: asNumber,
  },
  keepAliveSeconds: {
    usage: "--keep-alive <s>",
    help: "seconds that an idle connection stays open; default 75",
    form: asNumber,
  },
  headersSeconds: {
    usage: "--headers-seconds <s>",
    help: "seconds for the headers of a request; default 10",
    form: asNumber,
  },
  requestSeconds: { usage: "--request-seconds <s>", help: "seconds for a whole request; default 30", form: asNumber },
  maxSessionPixelsPerSecond: {
    usage: "--session-pixel-rate <n>",
    help: "pixels a second of one session; default 62208000",
    form: asNumber,
  },
  maxPixelsPerSecond: {
    usage: "--pixel-rate <n>",
    help: "pixels a second of all sessions; default 248832000",
    form: asNumber,
  },
  httpRequestsPerSecond: {
    usage: "--http-rate <n>",
    help: "requests a second from one address; default 50",
    form: asNumber,
  },
  sessionStartsPerMinute: {
    usage: "--start-rate <n>",
    help: "sessions a minute that one address may start; default 30",
    form: asNumber,
  },
  uploadBytes: { usage: "--upload-bytes <n>", help: "largest picture to start from; default 16777216", form: asNumber },
  uploadPixels: {
    usage: "--upload-pixels <n>",
    help: "most pixels of a picture to start from; default 32000000",
    form: asNumber,
  },
  uploadSeconds: {
    usage: "--upload-seconds <s>",
    help: "seconds that a picture waits for its session; default 300",
    form: asNumber,
  },
  uploadTotalBytes: {
    usage: "--upload-total-bytes <n>",
    help: "memory for all pictures that wait; default 67108864",
    form: asNumber,
  },
  maxUploadsPerIdentity: {
    usage: "--max-uploads-per-address <n>",
    help: "pictures of one address that wait; default 4",
    form: asNumber,
  },
  uploadsPerMinute: {
    usage: "--upload-rate <n>",
    help: "pictures a minute that one address may upload; default 30",
    form: asNumber,
  },
};

/** The flags of the server in the order of help. */
export const SERVE_FLAGS: readonly ServeFlag[] = Object.values(FLAGS);

/** The settings of the server: in a file `serve.host`, in the environment `DREAMLOOP_SERVE_HOST`. */
export const SERVE_SETTINGS = Object.fromEntries(
  (Object.keys(FLAGS) as (keyof ServerConfig)[]).map((key) => [
    key,
    Object.freeze({
      path: `serve.${key}`,
      flag: FLAGS[key].usage.split(" ")[0],
      read: key === "iceServers" ? readIceServers : SERVER_CONFIG_READERS[key],
      fromText: FLAGS[key].form,
    }),
  ]),
) as { readonly [Key in keyof ServerConfig]-?: Setting<ServerConfig[Key]> };

/** The server's settings that a layer gives, without defaults. */
export function serveSettings(layers: SettingLayers): Partial<ServerConfig> {
  const given = Object.entries(SERVE_SETTINGS).map(
    ([key, setting]) => [key, layers.value(setting as Setting<unknown>)] as const,
  );
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}
