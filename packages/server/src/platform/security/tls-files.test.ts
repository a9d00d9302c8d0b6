import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { selfSigned } from "../../test-support/self-signed.ts";
import { startedServers } from "../../test-support/started-servers.ts";
import { readTlsFiles } from "./tls-files.ts";

const folder = mkdtempSync(join(tmpdir(), "dreamloop-tls-"));
afterAll(() => rmSync(folder, { recursive: true }));
const { start, close } = startedServers();
afterEach(close);

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const { cert, key } = selfSigned();
const tlsCert = file("cert.pem", cert);
const tlsKey = file("key.pem", key);

/** A request that trusts the certificate of this file alone. */
function ask(url: string, options: { readonly method?: string; readonly body?: string } = {}) {
  const { method = "GET", body } = options;
  const headers = body === undefined ? {} : { "content-type": "application/json" };
  return new Promise<{ status: number | undefined; hsts: string | undefined; body: string }>((resolve, reject) => {
    const asked = request(url, { ca: cert, method, headers }, (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("end", () => {
        const { "strict-transport-security": hsts } = response.headers;
        resolve({ status: response.statusCode, hsts, body: Buffer.concat(parts).toString() });
      });
    });
    asked.on("error", reject);
    asked.end(body);
  });
}

describe("TLS", () => {
  it("serves page, sessions and WebSockets to whoever trusts the certificate", async () => {
    const { url } = await start({ tlsCert, tlsKey });
    expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+\/$/);
    const health = await ask(`${url}healthz`);
    expect(health.status).toBe(200);
    expect(health.hsts).toContain("max-age");
    const made = await ask(`${url}api/sessions`, { method: "POST", body: JSON.stringify({ world: "probe" }) });
    expect(made.status).toBe(201);
    const { sessionId, token } = JSON.parse(made.body) as { sessionId: string; token: string };
    const address = `${url.replace("https", "wss")}api/sessions/${sessionId}/socket?token=${token}`;
    const socket = new WebSocket(address, { ca: cert, origin: url.slice(0, -1) });
    await new Promise((resolve, reject) => {
      socket.once("open", resolve);
      socket.once("error", reject);
    });
    socket.terminate();
  });

  it("answers nobody in plain HTTP on that port", async () => {
    const { url } = await start({ tlsCert, tlsKey });
    await expect(fetch(`${url.replace("https", "http")}healthz`)).rejects.toThrow();
  });

  it.each([
    ["a file that is not there", { tlsCert: "/none.pem", tlsKey }, "cannot be read"],
    ["a folder as the key", { tlsCert, tlsKey: folder }, "tlsKey:"],
    ["a certificate that is none", { tlsCert: file("junk.pem", "hello"), tlsKey }, "holds no certificate in PEM form"],
    ["a certificate in place of the key", { tlsCert, tlsKey: tlsCert }, "holds no private key in PEM form"],
    ["the key of another one", { tlsCert, tlsKey: file("other.pem", selfSigned().key) }, "is not the key of"],
  ])("refuses %s by name", async (_, config, words) => {
    await expect(readTlsFiles(config)).rejects.toMatchObject({
      code: "invalid_value",
      message: expect.stringContaining(words) as unknown,
    });
  });
});
