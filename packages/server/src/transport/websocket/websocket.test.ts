import { request as httpRequest } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { SocketClient } from "../../test-support/socket-client.ts";
import { startedServers } from "../../test-support/started-servers.ts";
import { type TestServer, until } from "../../test-support/test-server.ts";

const { start, close } = startedServers();
afterEach(close);

/** Asks for an upgrade at any path; resolves with the status and the code of the error. */
function upgrade(server: TestServer, path: string): Promise<{ readonly status: number; readonly code: string }> {
  const headers = {
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": Buffer.alloc(16).toString("base64"),
  };
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: "127.0.0.1", port: server.server.port, path, headers }, (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("end", () => {
        const { error } = JSON.parse(Buffer.concat(parts).toString()) as { readonly error: { readonly code: string } };
        resolve({ status: response.statusCode ?? 0, code: error.code });
      });
    });
    request.on("error", reject);
    request.end();
  });
}

describe("a WebSocket", () => {
  it("that is asked for at an address that is none gets a 4xx with a reason, as any other fault of a client", async () => {
    const server = await start();
    for (const path of ["//", "///x", "//[", "http://[", "/%", "*"]) {
      expect((await upgrade(server, path)).status, path).toBeOneOf([400, 404]);
    }
  });

  it("M5: counts as a request of its address, so that no more are opened than others are answered", async () => {
    const server = await start({ httpRequestsPerSecond: 1 });
    const statuses = await Promise.all(Array.from({ length: 12 }, () => upgrade(server, "/nothing")));
    const refused = statuses.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.every(({ code }) => code === "limit_exceeded")).toBe(true);
  });

  it("M5: a flood is read no faster than its budget, is answered all the same, and other sessions go on", async () => {
    const server = await start({ preload: ["probe"] });
    const other = await SocketClient.open(server, await server.create());
    const flooding = await SocketClient.open(server, await server.create());
    const count = 3000;
    const begun = performance.now();
    for (let index = 0; index < count; index += 1) flooding.sendText(`no request ${"x".repeat(100)}`);
    const frames = other.frames.length;
    const answers = (): number => flooding.messages.filter(({ type }) => type === "response").length;
    await until(() => answers() >= count, "every message is answered", 60);
    // 3000 messages cost 3300 units, of which 500 are free and 1000 come each second.
    expect(performance.now() - begun).toBeGreaterThan(2000);
    await until(() => other.frames.length > frames, "frames come to the other session");
    expect(flooding.closeCode).toBeUndefined();
    expect(await flooding.request("pause")).toMatchObject({ ok: true });
  });

  it("says why the session has ended when it comes after the end, as every other request does", async () => {
    const server = await start({ preload: ["probe"] });
    const session = await server.create({ preset: "no-such-preset" });
    const path = `/api/sessions/${session.sessionId}`;
    await until(() => server.server.counts.sessions === 0, "the session has ended");
    const answer = await server.send("GET", path, session);
    expect(answer.status).toBe(410);
    const { error } = (await answer.json()) as { readonly error: { readonly code: string; readonly message: string } };
    expect(error).toMatchObject({ code: "closed", message: expect.stringMatching(/has ended: .*preset/) as string });
    const client = await SocketClient.open(server, session, { hello: false });
    await until(() => client.closeCode !== undefined, "the socket is closed");
    expect(client.closeCode).toBe(4410);
    // The reason of a close has room for 123 bytes; the message before it says all.
    expect(client.messages).toMatchObject([{ type: "response", ok: false, error }]);
    expect((await server.send("GET", `${path}x`, session)).status).toBe(401);
    expect((await server.send("POST", `${path}/resume`, { body: { resumeSecret: "x" } })).status).toBe(404);
  });
});
