import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { HANGS, hungWorld } from "../test-support/hung-worlds.ts";
import { SocketClient } from "../test-support/socket-client.ts";
import { startedServers } from "../test-support/started-servers.ts";
import { probe, until } from "../test-support/test-server.ts";

const folder = mkdtempSync(join(tmpdir(), "hung-"));
const { start, close } = startedServers();
afterEach(close);
afterAll(() => rmSync(folder, { recursive: true }));

describe.each(Object.keys(HANGS) as (keyof typeof HANGS)[])("a world whose step %s", (how) => {
  it("R21: gives its slot back within the grace time, tells others of its worker, and can be started again", async () => {
    const server = await start(
      { maxSessions: 2, graceSeconds: 4, drainSeconds: 4 },
      { worlds: [probe(), hungWorld(folder, how)] },
    );
    const beside = await SocketClient.open(server, await server.create({ world: "hung", seed: 1 }));
    await until(() => beside.frames.length > 0, "the world runs");
    const hung = await server.create({ world: "hung", seed: 13 });
    const client = await SocketClient.open(server, hung);
    await until(() => client.frames.length > 0, "the first step comes");
    expect((await server.fetch("/readyz")).status).toBe(503);
    expect((await server.send("DELETE", `/api/sessions/${hung.sessionId}`, hung)).status).toBe(204);
    await until(async () => (await server.fetch("/readyz")).status === 200, "the slot is free", 30);
    const { length } = beside.frames;
    const isTold = (): boolean => beside.closeCode !== undefined || beside.frames.length > length + 10;
    await until(isTold, "the other session of the worker goes on, or hears that it cannot", 30);
    await until(
      async () => {
        const response = await server.send("POST", "/api/sessions", { body: { world: "hung", seed: 1 } });
        return response.status === 201;
      },
      "the world can be started again",
      30,
    );
  });

  it("R21: does not keep a server from ending within its drain time", async () => {
    const server = await start({ drainSeconds: 2 }, { worlds: [hungWorld(folder, how)] });
    const session = await server.create({ world: "hung", seed: 13 });
    const client = await SocketClient.open(server, session);
    await until(() => client.frames.length > 0, "the first step comes");
    await server.close();
    expect(client.closeCode).toBeDefined();
  });
});
