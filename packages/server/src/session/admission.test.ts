import { FakeClock } from "@dreamloop/testing";
import { afterEach, describe, expect, it } from "vitest";
import { heldLoads } from "../test-support/held-loads.ts";
import { SocketClient } from "../test-support/socket-client.ts";
import { startedServers } from "../test-support/started-servers.ts";
import { probe, type TestServer, until } from "../test-support/test-server.ts";

const { start, close } = startedServers();
afterEach(close);

describe("admission", () => {
  it("C4: readiness fails while no session can be admitted, liveness does not, and it recovers", async () => {
    const server = await start({ preload: ["probe"], maxSessions: 1 });
    expect((await server.fetch("/readyz")).status).toBe(200);
    const session = await server.create();
    expect((await server.fetch("/readyz")).status).toBe(503);
    expect((await server.fetch("/healthz")).status).toBe(200);
    const refused = await server.send("POST", "/api/sessions", { body: { world: "probe" } });
    expect(refused.status).toBe(503);
    expect(refused.headers.get("retry-after")).toBe("5");
    expect(await refused.json()).toMatchObject({ error: { code: "busy", retryable: true }, retryAfterSeconds: 5 });
    await server.send("DELETE", `/api/sessions/${session.sessionId}`, { token: session.token });
    await until(async () => (await server.fetch("/readyz")).status === 200, "the server is ready again");
    expect(server.server.counts.doubleReleases).toBe(0);
  });

  it("M5: limits the sessions of one identity and how often it may start one", async () => {
    const config = { preload: ["probe"], maxSessionsPerIdentity: 2, sessionStartsPerMinute: 4 };
    const server = await start(config, { clock: new FakeClock() });
    await server.create();
    await server.create();
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 4; attempt += 1) {
      statuses.push((await server.send("POST", "/api/sessions", { body: { world: "probe" } })).status);
    }
    expect(statuses).toEqual([503, 503, 429, 429]);
  });

  it("C3, J4: a second request joins a load, and a load that nobody waits for is cancelled and frees the place at once", async () => {
    const held = heldLoads();
    const server = await start({ maxSessions: 4 }, { loadWorld: held.load, worlds: [probe(), probe({}, "other")] });
    const first = await server.create();
    const second = await server.create();
    expect(first.state).toBe("loading");
    expect(server.server.counts.loadsBegun).toBe(1);
    const other = await server.send("POST", "/api/sessions", { body: { world: "other" } });
    expect(other.status).toBe(503);
    for (const { sessionId, token } of [first, second])
      await server.send("DELETE", `/api/sessions/${sessionId}`, { token });
    await until(() => server.server.counts.takenSlots === 0, "the places are free");
    expect(held.cancelledCount()).toBe(1);
    // The cancelled load still counts until it has ended.
    expect((await server.send("POST", "/api/sessions", { body: { world: "other" } })).status).toBe(503);
    held.freeCancelled();
    await until(() => server.server.counts.loads === 0, "the load has ended");
    const third = await server.create({ world: "other" });
    held.gates.at(-1)?.();
    const client = await SocketClient.open(server, third);
    await until(() => client.frames.length > 0, "the world runs");
  });

  it("C3: a load that holds its thread is ended at once when nobody waits for it, and another world can be loaded", async () => {
    const holding = probe({ loadTimeSeconds: 600, blocking: true }, "holding");
    const server = await start({ maxSessions: 1 }, { worlds: [probe(), holding] });
    const session = await server.create({ world: "holding" });
    await server.send("DELETE", `/api/sessions/${session.sessionId}`, session);
    await until(() => server.server.counts.takenSlots === 0, "the place is free");
    await until(() => server.server.counts.loads === 0, "the load has ended");
    const client = await SocketClient.open(server, await server.create());
    await until(() => client.frames.length > 0, "another world runs");
    expect(server.server.counts).toMatchObject({ doubleReleases: 0, sessions: 1 });
  });

  it("C3: a player whose connection is lost during the load frees the place within 1 s, and one who is back by then keeps it", async () => {
    const held = heldLoads();
    const clock = new FakeClock({ startSeconds: 1000 });
    const server = await start({ graceSeconds: 20, maxSessions: 1 }, { loadWorld: held.load, clock });
    const lose = async (session: Awaited<ReturnType<TestServer["create"]>>): Promise<void> => {
      const client = await SocketClient.open(server, session);
      await client.close();
      await until(async () => (await server.factsOf(session)).viewerCount === 0, "the server has noticed");
    };
    const kept = await server.create();
    await lose(kept);
    const path = `/api/sessions/${kept.sessionId}`;
    const resumed = await server.send("POST", `${path}/resume`, { body: { resumeSecret: kept.resumeSecret } });
    expect(resumed.status).toBe(200);
    await clock.advance(2);
    expect(server.server.counts.takenSlots).toBe(1);
    await lose(kept);
    await clock.advance(1);
    await until(() => server.server.counts.takenSlots === 0, "the place is free");
    expect(held.cancelledCount()).toBe(1);
    held.freeCancelled();
    await until(() => server.server.counts.loads === 0, "the load has ended");
    // A world that is ready before the player is missed keeps the session for the usual time.
    const early = await server.create();
    await lose(early);
    held.gates.at(-1)?.();
    await until(async () => (await server.factsOf(early)).state === "running", "the world runs");
    await clock.advance(15);
    expect(server.server.counts.takenSlots).toBe(1);
    await clock.advance(6);
    await until(() => server.server.counts.takenSlots === 0, "the place is free");
  });

  it("F4: who has a session's token sees in its facts and its log what the loaded runtime says of itself", async () => {
    const held = heldLoads();
    const server = await start({}, { loadWorld: held.load });
    const session = await server.create();
    expect((await server.factsOf(session)).runtimeFacts).toBeUndefined();
    const client = await SocketClient.open(server, session);
    held.gates.at(-1)?.();
    await until(() => client.frames.length > 0, "the world runs");
    const told = { engine: "probe", version: expect.any(String) as string };
    expect((await server.factsOf(session)).runtimeFacts).toEqual(told);
    const log = (await (await server.send("GET", `/api/sessions/${session.sessionId}/log`, session)).json()) as {
      readonly entries: readonly object[];
    };
    const facts = expect.objectContaining({ runtime: told }) as object;
    expect(log.entries).toContainEqual(expect.objectContaining({ event: "running", facts }));
  });

  it("tells who asks for an unknown world which ones there are, and closes a session whose world cannot load", async () => {
    const broken = { ...probe({}, "broken"), reference: { module: "@dreamloop/absent" } };
    const held = heldLoads();
    const server = await start({}, { worlds: [probe(), broken], loadWorld: held.load });
    const unknown = await server.send("POST", "/api/sessions", { body: { world: "prob" } });
    expect(unknown.status).toBe(404);
    expect(((await unknown.json()) as { error: { message: string } }).error.message).toContain("probe, broken");
    const session = await server.create({ world: "broken" });
    // The load begins once the client is there to hear how it ends.
    const client = await SocketClient.open(server, session);
    held.gates.at(-1)?.();
    await until(() => client.closeCode !== undefined, "its socket is closed");
    const last = client.messages.filter((message) => message.type === "state").at(-1);
    expect(last).toMatchObject({ state: "closed", reason: { code: "load_failed" } });
    await until(() => server.server.counts.sessions === 0, "the session has ended");
    await until(() => server.server.counts.loads === 0, "the load has ended");
    expect(server.server.counts).toMatchObject({ takenSlots: 0, feeds: 0 });
  });
});
