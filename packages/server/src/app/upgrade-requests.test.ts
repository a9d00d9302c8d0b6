import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { FakeClock } from "@dreamloop/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { selfSigned } from "../test-support/self-signed.ts";
import { TestServer } from "../test-support/test-server.ts";

const folder = mkdtempSync(join(tmpdir(), "dreamloop-upgrade-"));
const { cert, key } = selfSigned();
let server: TestServer;
let secure: TestServer;

beforeAll(async () => {
  const [tlsCert, tlsKey] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  writeFileSync(tlsCert, cert);
  writeFileSync(tlsKey, key);
  server = await TestServer.start(
    { trustedProxies: ["loopback"], httpRequestsPerSecond: 1 },
    { clock: new FakeClock() },
  );
  secure = await TestServer.start({ tlsCert, tlsKey });
});

afterAll(async () => {
  await Promise.all([server.close(), secure.close()]);
  rmSync(folder, { recursive: true });
});

interface Asked {
  readonly start?: string;
  readonly headers?: string;
  readonly body?: string;
  readonly upgrade?: string;
  readonly connection?: string;
}

/** What curl asks with `--http2`, by a client of its own. */
function h2c(client: string, options: Asked = {}): string {
  const { start = "GET /api/config", headers = "", body = "", upgrade = "h2c", connection = "close, " } = options;
  const asking = `Connection: ${connection}Upgrade, HTTP2-Settings\r\nUpgrade: ${upgrade}\r\nHTTP2-Settings: AAMAAABkAAQAAP__`;
  return `${start} HTTP/1.1\r\nHost: localhost\r\n${headers}X-Forwarded-For: ${client}\r\n${asking}\r\n\r\n${body}`;
}

/** The same without a wish. */
function ordinary(client: string): string {
  return `GET /api/config HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: ${client}\r\n\r\n`;
}

/** Everything that comes until the server closes the connection, after parts that are sent one after the other. */
async function talk(socket: Socket, parts: readonly string[]): Promise<string> {
  const received: Buffer[] = [];
  const ended = new Promise<void>((resolve, reject) => {
    socket.on("data", (part: Buffer) => received.push(part));
    socket.on("end", resolve);
    socket.on("error", reject);
  });
  for (const part of parts) await new Promise((resolve) => socket.write(part, resolve));
  await ended;
  socket.destroy();
  return Buffer.concat(received).toString();
}

const plain = (...parts: readonly string[]) => talk(connect(server.server.port, "127.0.0.1"), parts);
const statuses = (answer: string) => [...answer.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status));

describe("a request that asks for another protocol", () => {
  it("is answered over HTTP/1.1 as any other, and its connection goes on", async () => {
    const answer = await plain(h2c("192.0.2.1", { connection: "" }), h2c("192.0.2.1"));
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(answer).toMatch(/\r\nx-frame-options: DENY\r\n/i);
    expect(answer).not.toMatch(/\r\nupgrade:/i);
    expect(statuses(answer)).toEqual([200, 200]);
    expect(answer.match(/"protocolVersion"/g)).toHaveLength(2);
  });

  it("is answered so over TLS", async () => {
    const socket = connectTls({ port: secure.server.port, host: "127.0.0.1", ca: cert });
    expect(await talk(socket, [h2c("192.0.2.2")])).toMatch(/^HTTP\/1\.1 200 OK[^]*"protocolVersion"/);
  });

  it("keeps its body, however that comes", async () => {
    const body = JSON.stringify({ world: "no-such-world" });
    const start = "POST /api/sessions";
    const declared = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
    const whole = await plain(h2c("192.0.2.3", { start, headers: declared, body }));
    expect(whole).toMatch(/^HTTP\/1\.1 404[^]*no world of that name/);
    const inParts = await plain(h2c("192.0.2.3", { start, headers: declared }), body.slice(0, 9), body.slice(9));
    expect(inParts).toMatch(/^HTTP\/1\.1 404[^]*no world of that name/);
    const chunked = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    const headers = "Transfer-Encoding: chunked\r\n";
    expect(await plain(h2c("192.0.2.3", { start, headers, body: chunked }))).toMatch(/no world of that name/);
  });

  it("M2, M5: is held to Host, Origin and rate", async () => {
    expect(statuses(await plain(h2c("192.0.2.4").replace("Host: localhost", "Host: evil.example")))).toEqual([421]);
    const headers = "Origin: https://evil.example\r\nContent-Length: 2\r\n";
    const foreign = h2c("192.0.2.4", { start: "POST /api/sessions", headers, body: "{}" });
    expect(statuses(await plain(foreign))).toEqual([403]);
    expect(statuses(await plain(h2c("192.0.2.4")))).toEqual([200]);
    expect(statuses(await plain(h2c("192.0.2.4")))).toEqual([200]);
    expect(statuses(await plain(h2c("192.0.2.4")))).toEqual([429]);
  });

  it("is answered in its turn when it comes before others are answered, and leaves nothing on the connection", async () => {
    const warnings: Error[] = [];
    const warn = (warning: Error): void => void warnings.push(warning);
    process.on("warning", warn);
    const many = Array.from({ length: 5 }, (_, index) => h2c(`192.0.2.${100 + index}`, { connection: "" }));
    const webSocket = h2c("192.0.2.5", { start: "GET /nothing", upgrade: "websocket" });
    const answer = await plain([ordinary("192.0.2.5"), ...many, ordinary("192.0.2.5"), webSocket].join(""));
    process.off("warning", warn);
    expect(statuses(answer)).toEqual([...Array<number>(7).fill(200), 404]);
    expect(warnings).toEqual([]);
  });

  it("that waits for its turn while the client goes does no harm", async () => {
    const socket = connect(server.server.port, "127.0.0.1");
    const gone = new Promise((resolve) => socket.once("close", resolve));
    socket.on("error", () => undefined);
    socket.write(ordinary("192.0.2.6") + h2c("192.0.2.6"), () => socket.resetAndDestroy());
    await gone;
    expect(statuses(await plain(h2c("192.0.2.6")))).toEqual([200]);
  });
});
