import { connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { SocketClient } from "../test-support/socket-client.ts";
import { startedServers } from "../test-support/started-servers.ts";
import { until, type TestServer } from "../test-support/test-server.ts";

const { start, close } = startedServers();
afterEach(close);

/** What a server answers to bytes on a connection, until it ends that. */
function exchange(server: TestServer, bytes: string | Buffer): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(server.server.port, "127.0.0.1");
    const parts: Buffer[] = [];
    socket.on("data", (part) => parts.push(part));
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(Buffer.concat(parts).toString("latin1")));
    socket.write(bytes);
  });
}

/** A whole request for a path. */
function get(server: TestServer, path: string, headers: readonly string[] = []): string {
  return [`GET ${path} HTTP/1.1`, `Host: 127.0.0.1:${server.server.port}`, ...headers, "", ""].join("\r\n");
}

const UPGRADE = [
  "Connection: Upgrade",
  "Upgrade: websocket",
  "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
];

const REFUSED: readonly (readonly [string, number, (server: TestServer) => string])[] = [
  ["what is no HTTP", 400, () => "HELLO\r\n\r\n"],
  ["a Host that cannot be read", 421, () => "GET / HTTP/1.1\r\nHost: a b\r\n\r\n"],
  ["headers that are too large", 431, (server) => get(server, "/", [`X: ${"x".repeat(70_000)}`])],
  ["a WebSocket without a token", 401, (server) => get(server, "/api/sessions/none/socket", UPGRADE)],
  ["a WebSocket at no path", 404, (server) => get(server, "/nowhere", UPGRADE)],
];

describe("a request that is refused before the routes see it", () => {
  it.each(REFUSED)(
    "M2: %s gets %i with the headers and the JSON of every other answer",
    async (_what, status, bytes) => {
      const server = await start();
      const answer = await exchange(server, bytes(server));
      const [head = "", body = ""] = answer.split("\r\n\r\n");
      expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      expect(head).toContain("X-Content-Type-Options: nosniff");
      expect(head).toContain("Content-Security-Policy: ");
      expect(head).toContain("Content-Type: application/json");
      expect(JSON.parse(body)).toMatchObject({ error: { message: expect.any(String) as string } });
    },
  );

  it("M5: many requests at once on one connection are answered in part, and the connection is cut", async () => {
    const server = await start();
    const statuses = async (count: number): Promise<readonly (string | undefined)[]> => {
      const answer = await exchange(server, get(server, "/api/worlds").repeat(count));
      return [...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
    };
    expect(await statuses(12)).toEqual([...Array<string>(8).fill("200"), "429"]);
    // A flood is not even parsed.
    expect(await statuses(4000)).toEqual(["429"]);
  });

  it("M5: malformed hosts are charged like any request", async () => {
    const server = await start({ httpRequestsPerSecond: 1 });
    const statuses: string[] = [];
    for (let time = 0; time < 6; time += 1) {
      const answer = await exchange(server, "GET / HTTP/1.1\r\nHost: a b\r\n\r\n");
      statuses.push(/HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? "none");
    }
    expect(statuses.slice(0, 4)).toEqual(["421", "421", "421", "421"]);
    expect(statuses.at(-1)).toBe("429");
  });

  it("C4: clients who ask too often do not take the answers of health checks", async () => {
    const server = await start({ httpRequestsPerSecond: 1 });
    const status = async (path: string): Promise<number> => (await server.fetch(path)).status;
    for (let time = 0; time < 6; time += 1) await status("/api/worlds");
    expect(await status("/api/worlds")).toBe(429);
    expect(await status("/healthz")).toBe(200);
    expect(await status("/readyz")).toBe(200);
  });
});

/** WebSocket frames that break the protocol. */
const BROKEN: Readonly<Record<string, Buffer>> = {
  "reserved bits": Buffer.from([0xff, 0x00]),
  "a text that is too large": Buffer.concat([
    Buffer.from([0x81, 0xff, 0, 0, 0, 0, 0, 1, 0x11, 0x70, 0, 0, 0, 0]),
    Buffer.alloc(70_000, 0x20),
  ]),
  "invalid UTF-8": Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0xff, 0xfe]),
  "an unknown kind of frame": Buffer.from([0x83, 0x80, 0, 0, 0, 0]),
  "a frame without a mask": Buffer.from([0x81, 0x01, 0x41]),
  "a continuation of nothing": Buffer.from([0x80, 0x80, 0, 0, 0, 0]),
  "a control frame that is too long": Buffer.from([0x89, 0xfe, 0x01, 0x00, 0, 0, 0, 0]),
  "a close code that does not exist": Buffer.from([0x88, 0x82, 0, 0, 0, 0, 0x00, 0x01]),
  "a piece of a close": Buffer.from([0x88, 0x81, 0, 0, 0, 0, 0x03]),
  "very many empty pieces": Buffer.concat([
    Buffer.from([0x01, 0x80, 0, 0, 0, 0]),
    ...Array.from({ length: 2000 }, () => Buffer.from([0x00, 0x80, 0, 0, 0, 0])),
  ]),
};

/** States of a session in which a socket may send them. */
const STATES = ["before hello", "after hello", "ended"] as const;

describe("frames that break the protocol of WebSockets", () => {
  it("R20: end their own connection in every state of a session and for every role, and nothing else", async () => {
    const server = await start({
      maxSessionsPerIdentity: 8,
      httpRequestsPerSecond: 1000,
      sessionStartsPerMinute: 1000,
    });
    const bystander = await SocketClient.open(server, await server.create());
    const ended = await server.create();
    await server.send("DELETE", `/api/sessions/${ended.sessionId}`, ended);
    const open = await server.create();
    for (const state of STATES) {
      const session = state === "ended" ? ended : open;
      for (const token of [session.token, session.viewerToken]) {
        for (const frames of Object.values(BROKEN)) {
          const path = `${session.websocketPath}?token=${token}`;
          const hello = Buffer.from(JSON.stringify({ type: "hello", version: 1, decoders: ["jpeg"] }));
          const greeting = Buffer.concat([Buffer.from([0x81, 0x80 | hello.byteLength, 0, 0, 0, 0]), hello]);
          const sent = state === "after hello" ? [greeting, frames] : [frames];
          const answer = await exchange(server, Buffer.concat([Buffer.from(get(server, path, UPGRADE)), ...sent]));
          expect(answer).toMatch(/^HTTP\/1\.1 101 /);
        }
      }
    }
    const { length } = bystander.frames;
    await until(() => bystander.frames.length > length + 3, "frames go on for others");
    expect(bystander.closeCode).toBeUndefined();
  });
});
