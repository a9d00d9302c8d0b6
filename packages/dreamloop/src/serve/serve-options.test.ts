import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { SERVER_DEFAULTS, type ServerConfig } from "@dreamloop/server/config";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SERVE_SETTINGS } from "../settings/serve-settings.ts";
import { environmentVariable } from "../settings/setting.ts";
import { addServeOptions, planServe, printablePlan } from "./serve-options.ts";

/** A value of each setting from the file, from the environment and from the options; the last column is what the option gives. */
const CASES: {
  readonly [Key in keyof ServerConfig]-?: readonly [unknown, string, readonly string[], unknown];
} = {
  host: ["127.0.0.2", "127.0.0.3", ["127.0.0.4"], "127.0.0.4"],
  port: [1, "2", ["3"], 3],
  token: ["token-of-the-file", "token-of-the-variable", ["token-of-the-option"], "token-of-the-option"],
  insecure: [false, "false", [], true],
  allowedHosts: [["a"], "b", ["c", "d"], ["c", "d"]],
  allowedOrigins: [["https://a.example"], "https://b.example", ["https://c.example"], ["https://c.example"]],
  trustedProxies: [["127.0.0.1"], "10.0.0.0/8", ["loopback", "fd00::/8"], ["loopback", "fd00::/8"]],
  tlsCert: ["a", "b", ["c"], "c"],
  tlsKey: ["a", "b", ["c"], "c"],
  iceServers: [
    [{ urls: "stun:a.example" }],
    '[{"urls":"stun:b.example"}]',
    ["stun:c.example", "turn:user:secret@d.example:1"],
    [{ urls: "stun:c.example" }, { urls: "turn:d.example:1", username: "user", credential: "secret" }],
  ],
  turnSecret: ["of-the-file", "of-the-variable", ["of-the-option"], "of-the-option"],
  relayOnly: [false, "0", [], true],
  udpPorts: [{ first: 1, last: 2 }, "3-4", ["5-6"], { first: 5, last: 6 }],
  encoder: ["auto", "webcodecs", ["ffmpeg"], "ffmpeg"],
  encoderHardware: ["auto", "software", ["hardware"], "hardware"],
  jpegQuality: [1, "2", ["3"], 3],
  minBitrateBitsPerSecond: [10_001, "10002", ["10003"], 10_003],
  maxBitrateBitsPerSecond: [1_000_001, "1000002", ["1000003"], 1_000_003],
  preload: [["a"], "b", ["c"], ["c"]],
  maxSessions: [1, "2", ["3"], 3],
  maxSessionsPerIdentity: [1, "2", ["3"], 3],
  maxViewers: [1, "2", ["3"], 3],
  maxLoads: [1, "2", ["3"], 3],
  maxLoadedWorlds: [1, "2", ["3"], 3],
  graceSeconds: [1, "2.5", ["3"], 3],
  idleSeconds: [1, "2.5", ["3"], 3],
  lifetimeSeconds: [1, "2.5", ["3"], 3],
  worldIdleSeconds: [1, "2.5", ["3"], 3],
  drainSeconds: [1, "2.5", ["3"], 3],
  tokenSeconds: [1, "2.5", ["3"], 3],
  recording: [true, "true", [], false],
  recordingSeconds: [1, "2.5", ["3"], 3],
  recordingBytes: [1, "2", ["3"], 3],
  maxRecordings: [1, "2", ["3"], 3],
  historyBytes: [1, "2", ["3"], 3],
  historySeconds: [1, "2", ["3"], 3],
  momentBytes: [1, "2", ["3"], 3],
  leadSteps: [1, "2.5", ["3"], 3],
  keepAliveSeconds: [1, "2.5", ["3"], 3],
  headersSeconds: [1, "2.5", ["3"], 3],
  requestSeconds: [11, "12.5", ["13"], 13],
  maxSessionPixelsPerSecond: [1, "2", ["3"], 3],
  maxPixelsPerSecond: [62_208_001, "62208002", ["62208003"], 62_208_003],
  httpRequestsPerSecond: [1, "2", ["3"], 3],
  sessionStartsPerMinute: [1, "2", ["3"], 3],
  uploadBytes: [1, "2", ["3"], 3],
  uploadPixels: [1, "2", ["3"], 3],
  uploadSeconds: [1, "2.5", ["3"], 3],
  uploadTotalBytes: [1, "2", ["3"], 3],
  maxUploadsPerIdentity: [1, "2", ["3"], 3],
  uploadsPerMinute: [1, "2", ["3"], 3],
};

/** What some settings need beside themselves. */
const COMPANIONS: Partial<Record<keyof ServerConfig, Record<string, string>>> = {
  tlsCert: { DREAMLOOP_SERVE_TLS_KEY: "key" },
  tlsKey: { DREAMLOOP_SERVE_TLS_CERT: "cert" },
  relayOnly: { DREAMLOOP_SERVE_ICE_SERVERS: "turn:user:secret@turn.example" },
};

let folder: string;

beforeAll(() => (folder = mkdtempSync(join(tmpdir(), "dreamloop-serve-"))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function plan(args: readonly string[], env: Readonly<Record<string, string>> = {}, file?: unknown) {
  if (file !== undefined) writeFileSync(join(folder, "config.json"), JSON.stringify(file));
  const command = new Command("serve").exitOverride();
  addServeOptions(command);
  command.parse(file === undefined ? args : [...args, "--config", "config.json"], { from: "user" });
  return planServe({ env, cwd: folder } as Parameters<typeof planServe>[0], command.opts(), undefined);
}

describe("settings of the server", () => {
  test.each(Object.entries(CASES))(
    "L2: %s comes from file < environment < options",
    (name, [file, env, flags, last]) => {
      const key = name as keyof ServerConfig;
      const setting = SERVE_SETTINGS[key];
      const variable = environmentVariable(setting);
      const others = COMPANIONS[key] ?? {};
      const content = { serve: { [key]: file } };
      const args = flags.length === 0 ? [setting.flag] : flags.flatMap((value) => [setting.flag, value]);
      expect(plan([], others, content).config[key]).toEqual(file);
      const fromVariable = plan([], { ...others, [variable]: env }, content).config[key];
      expect(fromVariable).toEqual(plan([], { ...others, [variable]: env }).config[key]);
      if (flags.length > 0) expect(fromVariable).not.toEqual(file);
      expect(plan(args, { ...others, [variable]: env }, content).config[key]).toEqual(last);
      expect(plan(args, others).config[key]).toEqual(last);
    },
  );

  test("L2: without anything the defaults hold, and what is printed is a file that gives the same", () => {
    const { config } = plan([]);
    expect(config).toEqual(SERVER_DEFAULTS);
    const changed = plan(["--grace", "3", "--token", "a-token-with-many-letters"]);
    const printed = printablePlan(changed);
    expect(JSON.stringify(printed)).not.toContain("a-token");
    expect(plan([], {}, printed).config).toEqual({ ...changed.config, token: undefined });
  });

  test("unknown keys, variables and wrong values are refused as the caller's", () => {
    expect(() => plan([], {}, { serve: { graceSecond: 1 } })).toThrow(/graceSeconds/);
    expect(() => plan([], { DREAMLOOP_SERVE_PROT: "1" })).toThrow(/DREAMLOOP_SERVE_PORT/);
    expect(() => plan(["--port", "many"])).toThrow(/--port/);
    expect(() => plan(["--host", "0.0.0.0"])).toThrow(/^--host: .*token.* --insecure /);
    expect(() => plan(["--tls-cert", "x.pem"])).toThrow(/^--tls-cert and --tls-key: /);
    expect(() => plan(["--relay-only"])).toThrow(/^--relay-only: .*--ice-server$/);
    expect(() => plan(["--trust-proxy", "the-proxy"])).toThrow(/--trust-proxy.*10\.0\.0\.0\/8/);
  });
});
