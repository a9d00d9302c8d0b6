import { request as httpRequest } from "node:http";
import { WebSocket } from "ws";
import { FakeClock } from "@dreamloop/testing";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { serverConfig } from "../platform/config/server-config.ts";
import type { ServerNotice } from "../platform/notices/server-notice.ts";
import { SocketClient } from "../test-support/socket-client.ts";
import { TestServer, until } from "../test-support/test-server.ts";

const TOKEN = "a-token-of-the-tests";
const told: ServerNotice[] = [];
let server: TestServer;
let guarded: TestServer;

beforeAll(async () => {
  server = await TestServer.start(
    {
      preload: ["probe"],
      allowedOrigins: ["https://allowed.example"],
      allowedHosts: ["dream.example"],
      httpRequestsPerSecond: 10_000,
      sessionStartsPerMinute: 10_000,
    },
    { onNotice: (notice) => told.push(notice) },
  );
  guarded = await TestServer.start({ token: TOKEN, graceSeconds: 60 });
});

afterAll(async () => {
  await Promise.all([server.close(), guarded.close()]);
});

/** A request with headers that `fetch` would not send. */
function raw(
  path: string,
  options: { readonly method?: string; readonly headers?: Record<string, string>; readonly body?: string } = {},
): Promise<{ readonly status: number; readonly headers: NodeJS.Dict<string | string[]>; readonly text: string }> {
  const { method = "GET", headers = {}, body } = options;
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: "127.0.0.1", port: server.server.port, path, method, headers }, (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text: Buffer.concat(parts).toString() }),
      );
    });
    request.on("error", reject);
    request.end(body);
  });
}

describe("who is let in", () => {
  it.each([
    ["evil.example", 421],
    ["127.0.0.1.evil.example", 421],
    ["user@127.0.0.1", 421],
    ["localhost:1", 200],
    ["127.0.0.1", 200],
    ["[::1]:8787", 200],
    ["Dream.Example", 200],
  ])("M2: the Host %s gets %i", async (host, status) => {
    expect((await raw("/api/config", { headers: { host } })).status).toBe(status);
  });

  it.each([
    ["https://evil.example", 403],
    ["null", 403],
    ["https://allowed.example.evil.example", 403],
    ["https://allowed.example", 201],
    ["", 201],
  ])("M2: a POST from the page %s gets %i", async (origin, status) => {
    const headers: Record<string, string> = origin === "" ? {} : { origin };
    const answer = await raw("/api/sessions", { method: "POST", headers, body: JSON.stringify({ world: "probe" }) });
    expect(answer.status).toBe(status);
    if (status === 201) {
      const { sessionId, token } = JSON.parse(answer.text) as { sessionId: string; token: string };
      await server.send("DELETE", `/api/sessions/${sessionId}`, { token });
      await until(() => server.server.counts.sessions === 0, "the session has ended");
    }
  });

  it("M2: the server's own page may use it, and answers name the one page that may read them", async () => {
    const origin = server.url.replace(/\/$/, "");
    const own = await raw("/api/config", { headers: { origin, host: new URL(server.url).host } });
    expect(own.headers["access-control-allow-origin"]).toBe(origin);
    const listed = await raw("/api/config", { headers: { origin: "https://allowed.example" } });
    expect(listed.headers["access-control-allow-origin"]).toBe("https://allowed.example");
    expect(listed.headers["access-control-allow-credentials"]).toBeUndefined();
    const foreign = await raw("/api/config", { headers: { origin: "https://evil.example" } });
    expect(foreign.headers["access-control-allow-origin"]).toBeUndefined();
  });

  it("the operator is told of a refused page once, and of none that is let in", async () => {
    told.length = 0;
    for (const origin of ["https://foreign.example", "https://allowed.example", "https://foreign.example"]) {
      await raw("/api/config", { headers: { origin } });
    }
    await raw("/api/sessions", { method: "OPTIONS", headers: { origin: "https://other.example" } });
    expect(told).toEqual([
      { type: "origin_refused", origin: "https://foreign.example" },
      { type: "origin_refused", origin: "https://other.example" },
    ]);
  });

  it("M2: WHEP answers the preflight of listed pages, and exposes Location and Link", async () => {
    const preflight = (origin: string) =>
      raw("/whep/some-token", {
        method: "OPTIONS",
        headers: { origin, "access-control-request-method": "POST", "access-control-request-headers": "content-type" },
      });
    const listed = await preflight("https://allowed.example");
    expect(listed.status).toBe(204);
    expect(listed.headers["access-control-allow-methods"]).toContain("POST");
    expect(listed.headers["access-control-allow-headers"]).toContain("Content-Type");
    expect(listed.headers["access-control-expose-headers"]).toMatch(/Location.*Link/);
    expect((await preflight("https://evil.example")).headers["access-control-allow-origin"]).toBeUndefined();
  });

  it("M2: a WebSocket of a foreign page or for a foreign name is refused", async () => {
    const session = await server.create();
    const status = (headers: Record<string, string>, token = session.token): Promise<number> =>
      new Promise((resolve) => {
        const url = `${server.url.replace("http", "ws")}${session.websocketPath.slice(1)}?token=${token}`;
        const socket = new WebSocket(url, { headers });
        socket.on("unexpected-response", (_, response) => resolve(response.statusCode ?? 0));
        socket.on("open", () => {
          socket.terminate();
          resolve(101);
        });
        socket.on("error", () => undefined);
      });
    expect(await status({ origin: "https://evil.example" })).toBe(403);
    expect(await status({ host: "evil.example" })).toBe(421);
    expect(await status({}, "no-token")).toBe(401);
    expect(await status({ origin: "https://allowed.example" })).toBe(101);
    await server.send("DELETE", `/api/sessions/${session.sessionId}`, { token: session.token });
  });

  it("M1, M6: a server with a token starts sessions and shows metrics for it only", async () => {
    const body = { world: "probe" };
    expect((await guarded.send("POST", "/api/sessions", { body })).status).toBe(401);
    expect((await guarded.send("POST", "/api/sessions", { body, token: "not-the-token-at-all" })).status).toBe(401);
    expect((await guarded.send("POST", "/api/sessions", { body, token: TOKEN })).status).toBe(201);
    expect((await guarded.fetch("/metrics")).status).toBe(401);
    expect((await guarded.send("GET", "/metrics", { token: TOKEN })).status).toBe(200);
    expect(await (await guarded.fetch("/api/config")).json()).toMatchObject({ authentication: "token" });
  });

  it("M1: a bind beyond this machine is refused without a token unless it is said to be insecure", () => {
    expect(() => serverConfig({ host: "0.0.0.0" })).toThrow(/token/);
    expect(() => serverConfig({ host: "::" })).toThrow(/token/);
    expect(() => serverConfig({ host: "192.168.1.2" })).toThrow(/token/);
    expect(serverConfig({ host: "0.0.0.0", token: TOKEN }).host).toBe("0.0.0.0");
    expect(serverConfig({ host: "0.0.0.0", insecure: true }).insecure).toBe(true);
    expect(serverConfig({}).host).toBe("127.0.0.1");
    expect(() => serverConfig({ token: "short" })).toThrow(/16/);
    expect(() => serverConfig({ allowedOrigins: ["*"] })).toThrow(/origin/);
  });
});

describe("answers", () => {
  it("carry the headers that keep browsers from misusing them, errors too", async () => {
    for (const path of ["/", "/api/worlds", "/nothing"]) {
      const { headers } = await server.fetch(path);
      expect(headers.get("content-security-policy")).toMatch(/default-src 'self'.*frame-ancestors 'none'/);
      expect(headers.get("cross-origin-opener-policy")).toBe("same-origin");
      expect(headers.get("cross-origin-embedder-policy")).toBe("require-corp");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("x-frame-options")).toBe("DENY");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
    }
  });

  it("metrics have names with units and counts of what happened", async () => {
    const text = await (await server.fetch("/metrics")).text();
    for (const name of [
      "sessions_open",
      "frame_latency_seconds_bucket",
      "sent_bytes_total",
      "sessions_started_total",
    ]) {
      expect(text).toContain(`dreamloop_${name}`);
    }
  });

  it("M4, M6: no path of a client reaches a file", async () => {
    for (const path of [
      "/../package.json",
      "/%2e%2e/%2e%2e/etc/passwd",
      "/..%5c..%5cwindows",
      "/assets/../../x",
      "//etc/passwd",
    ]) {
      expect((await raw(path)).status).toBe(404);
    }
  });

  it("M5: bodies are bounded while they arrive, declared or not", async () => {
    const large = "x".repeat(200_000);
    const declared = await raw("/api/sessions", { method: "POST", body: large });
    expect(declared.status).toBe(413);
    const chunked = await raw("/api/sessions", {
      method: "POST",
      headers: { "transfer-encoding": "chunked" },
      body: large,
    }).catch(() => ({ status: 413 }));
    expect(chunked.status).toBe(413);
    const session = await server.create();
    const prompt = await server.send("POST", "/api/sessions", { body: { world: "probe", prompt: "y".repeat(2001) } });
    expect(prompt.status).toBe(400);
    await server.send("DELETE", `/api/sessions/${session.sessionId}`, { token: session.token });
  });

  it("M5: an address that asks too often is told when to come back", async () => {
    const slow = await TestServer.start({ httpRequestsPerSecond: 1 }, { clock: new FakeClock() });
    try {
      const statuses: number[] = [];
      for (let request = 0; request < 6; request += 1) statuses.push((await slow.fetch("/healthz")).status);
      expect(statuses).toEqual([200, 200, 200, 200, 429, 429]);
    } finally {
      await slow.close();
    }
  });
});

describe("whatever is sent", () => {
  const json = fc.jsonValue({ maxDepth: 3 });

  it("HTTP bodies of any kind get an answer below 500 and start nothing", async () => {
    const session = await server.create();
    const paths = [
      "/api/sessions",
      `/api/sessions/${session.sessionId}/offer`,
      `/api/sessions/${session.sessionId}/candidates`,
      `/api/sessions/${session.sessionId}/resume`,
      "/api/sessions/x/offer",
    ];
    const body = fc.oneof(
      json.map((value) => JSON.stringify(value)),
      fc.string({ maxLength: 200 }),
      fc
        .record({ type: fc.constant("offer"), sdp: fc.string({ maxLength: 500 }) })
        .map((value) => JSON.stringify(value)),
      fc.record({ world: fc.string(), seed: json, size: json, prompt: json }).map((value) => JSON.stringify(value)),
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...paths), body, async (path, text) => {
        const response = await server.send("POST", path, { body: text, token: session.token });
        const answer = await response.text();
        expect(response.status).toBeLessThan(500);
        expect(answer).not.toMatch(/\n\s+at /);
        if (response.status === 201) throw new Error(`a session was started by ${text}`);
      }),
      { numRuns: 150 },
    );
    await until(() => server.server.counts.sessions === 1, "there is the one session only");
    await server.send("DELETE", `/api/sessions/${session.sessionId}`, { token: session.token });
  });

  it("messages of any kind on the socket leave it and other sessions running", async () => {
    const [session, other] = [await server.create(), await server.create()];
    const client = await SocketClient.open(server, session);
    const bystander = await SocketClient.open(server, other);
    await until(() => client.frames.length > 0 && bystander.frames.length > 0, "both run");
    const message = fc.oneof(
      json.map((value) => JSON.stringify(value)),
      fc.string({ maxLength: 300 }),
      fc
        .record({
          type: fc.constant("request"),
          id: json,
          method: fc.oneof(
            fc.string(),
            fc.constantFrom("prompt", "text_event", "candidates", "key_frame", "__proto__"),
          ),
          params: json,
        })
        .map((value) => JSON.stringify(value)),
      fc
        .record({
          type: fc.constant("input"),
          version: fc.constantFrom(1, 2),
          sequence: fc.integer(),
          epoch: fc.nat(3),
          states: fc.array(
            fc.record({
              eventType: fc.constantFrom("keys_state", "mouse_state", "gamepad_state", "reset", "close", "x"),
              payload: json,
            }),
            { maxLength: 20 },
          ),
        })
        .map((value) => JSON.stringify(value)),
    );
    fc.assert(
      fc.property(message, (text) => {
        client.sendText(text);
      }),
      { numRuns: 400 },
    );
    const frames = bystander.frames.length;
    expect((await client.request("pause")).ok || client.closeCode === undefined).toBe(true);
    await until(() => bystander.frames.length > frames + 5, "the other session goes on");
    expect(bystander.closeCode).toBeUndefined();
    expect(client.closeCode).toBeUndefined();
    for (const { sessionId, token } of [session, other])
      await server.send("DELETE", `/api/sessions/${sessionId}`, { token });
  });

  it("M5: a message beyond the limit, a binary one and a missing hello end the socket, not the session", async () => {
    const session = await server.create();
    const large = await SocketClient.open(server, session);
    large.sendText("x".repeat(70_000));
    await until(() => large.closeCode !== undefined, "the socket is closed");
    expect(large.closeCode).toBe(1009);
    const binary = await SocketClient.open(server, session);
    binary.socket.send(Buffer.from([1, 2, 3]));
    await until(() => binary.closeCode !== undefined, "the socket is closed");
    const wrong = await SocketClient.open(server, session, { hello: false });
    wrong.sendText({ type: "hello", version: 99, decoders: ["h264"] });
    await until(() => wrong.closeCode !== undefined, "the socket is closed");
    expect(JSON.stringify(wrong.messages)).toMatch(/version 1 .*version 99/);
    expect((await server.send("GET", `/api/sessions/${session.sessionId}`, session)).status).toBe(200);
    await server.send("DELETE", `/api/sessions/${session.sessionId}`, { token: session.token });
  });
});
