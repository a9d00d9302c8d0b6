import { request as httpRequest } from "node:http";
import { FakeClock } from "@dreamloop/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { TestServer } from "../test-support/test-server.ts";

const NAME = "dream.example";
let server: TestServer;

beforeAll(async () => {
  const config = {
    trustedProxies: ["loopback"],
    allowedHosts: [NAME],
    httpRequestsPerSecond: 1,
    maxSessionsPerIdentity: 1,
    uploadsPerMinute: 1,
  };
  server = await TestServer.start(config, { clock: new FakeClock() });
});

afterAll(async () => {
  await server.close();
});

interface Request {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The status of a request that the proxy passes on for a client. */
function statusFor(client: string, { path = "/api/config", method = "GET", headers = {}, body }: Request = {}) {
  const all = { "x-forwarded-for": client, ...headers };
  return new Promise<number>((resolve, reject) => {
    const { port } = server.server;
    const request = httpRequest({ host: "127.0.0.1", port, path, method, headers: all }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.on("error", reject);
    request.end(body);
  });
}

/** The status of a WebSocket that the proxy passes on. */
function socketStatusFor(client: string, path = "/nothing", headers: Readonly<Record<string, string>> = {}) {
  return new Promise<number>((resolve) => {
    const all = { "x-forwarded-for": client, ...headers };
    const socket = new WebSocket(`ws://127.0.0.1:${server.server.port}${path}`, { headers: all });
    socket.on("unexpected-response", (_, response) => resolve(response.statusCode ?? 0));
    socket.on("open", () => {
      socket.terminate();
      resolve(101);
    });
    socket.on("error", () => undefined);
  });
}

async function inTurn(count: number, ask: () => Promise<number>): Promise<readonly number[]> {
  const statuses: number[] = [];
  for (let index = 0; index < count; index += 1) statuses.push(await ask());
  return statuses;
}

describe("behind a trusted proxy", () => {
  it("M5: the rate of requests is each client's own, WebSockets included", async () => {
    expect(await inTurn(5, () => statusFor("192.0.2.1"))).toEqual([200, 200, 200, 200, 429]);
    expect(await socketStatusFor("192.0.2.1")).toBe(429);
    expect(await inTurn(2, () => socketStatusFor("192.0.2.2"))).toEqual([404, 404]);
    expect(await inTurn(3, () => statusFor("192.0.2.2"))).toEqual([200, 200, 429]);
  });

  it("M5: what clients write into the header themselves, or another address of their network, gives them no second name", async () => {
    let forged = 0;
    const ask = (): Promise<number> => statusFor(`203.0.113.${(forged += 1)}, 192.0.2.3`);
    expect(await inTurn(5, ask)).toEqual([200, 200, 200, 200, 429]);
    const asIpv6 = (): Promise<number> => statusFor(`2001:db8::${(forged += 1)}`);
    expect(await inTurn(5, asIpv6)).toEqual([200, 200, 200, 200, 429]);
  });

  it("M5: all that is no address counts as the proxy", async () => {
    const forwarded = ["1.2.3.4:5678", "[::1]:99", "unknown", "_x,".repeat(3000), "1.2.3.5:5678", "other"];
    const statuses: number[] = [];
    for (const text of forwarded) statuses.push(await statusFor(text));
    expect(statuses).toEqual([200, 200, 200, 200, 429, 429]);
  });

  it("M5: sessions and uploads are counted for each client", async () => {
    const start = { method: "POST", path: "/api/sessions", body: JSON.stringify({ world: "probe" }) };
    expect(await statusFor("192.0.2.10", start)).toBe(201);
    expect(await statusFor("192.0.2.10", start)).toBe(503);
    expect(await statusFor("192.0.2.11", start)).toBe(201);
    const upload = { method: "POST", path: "/api/uploads", body: "no picture" };
    expect(await statusFor("192.0.2.12", upload)).toBe(415);
    expect(await statusFor("192.0.2.12", upload)).toBe(429);
    expect(await statusFor("192.0.2.13", upload)).toBe(415);
  });
});

describe("behind a proxy that ends TLS", () => {
  const start = (headers: Readonly<Record<string, string>>) =>
    statusFor("192.0.2.20", {
      method: "POST",
      path: "/api/sessions",
      headers,
      body: JSON.stringify({ world: "none" }),
    });

  it("M2: the page of the allowed name may start sessions and open WebSockets, though its scheme is not the server's own", async () => {
    const headers = { host: NAME, origin: `https://${NAME}`, "x-forwarded-proto": "https" };
    // There is no such world and no such token: Host and Origin were fine.
    expect(await start(headers)).toBe(404);
    expect(await socketStatusFor("192.0.2.21", "/api/sessions/x/socket?token=x", headers)).toBe(401);
  });

  it("M2: X-Forwarded-Host makes no name and no page an allowed one", async () => {
    const forwarded = { "x-forwarded-host": NAME, "x-forwarded-proto": "https" };
    expect(await start({ ...forwarded, host: "evil.example", origin: `https://${NAME}` })).toBe(421);
    const evil = { host: NAME, origin: "https://evil.example", "x-forwarded-host": "evil.example" };
    expect(await start(evil)).toBe(403);
  });
});
