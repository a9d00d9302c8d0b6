import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { baseline, ENDING_WORLDS, ENDINGS } from "../test-support/endings.ts";
import { SocketClient } from "../test-support/socket-client.ts";
import { probe, TestServer, until } from "../test-support/test-server.ts";
import fc from "fast-check";

/** Rounds of every ending; `endings.soak.ts` has the full number. */
const ROUNDS = 2;

let server: TestServer;

beforeAll(async () => {
  const absent = { ...probe({}, ENDING_WORLDS.absent), reference: { module: "@dreamloop/absent" } };
  server = await TestServer.start(
    {
      preload: ["probe", ENDING_WORLDS.fails],
      graceSeconds: 1.5,
      sessionStartsPerMinute: 10_000,
      httpRequestsPerSecond: 10_000,
    },
    { worlds: [probe(), probe({ failAtStep: 3 }, ENDING_WORLDS.fails), absent] },
  );
});

afterAll(async () => {
  await server.close();
});

describe("after every kind of ending", () => {
  it.each(Object.entries(ENDINGS))("C1: sessions, places and media are back to baseline: %s", async (_, end) => {
    for (let round = 0; round < ROUNDS; round += 1) {
      await end(server);
      await baseline(server);
    }
    expect(server.server.counts).toMatchObject({ doubleReleases: 0, lateFrames: 0 });
    expect((await server.fetch("/readyz")).status).toBe(200);
  });

  it("C2: whatever happens at once, in whatever order, a session ends once", async () => {
    const ways: readonly ((client: SocketClient, session: { sessionId: string; token: string }) => unknown)[] = [
      (client) => client.socket.close(),
      (client) => client.socket.terminate(),
      (client) => client.sendText({ type: "request", id: 99, method: "close" }),
      (_, session) => server.send("DELETE", `/api/sessions/${session.sessionId}`, { token: session.token }),
      (_, session) => server.send("DELETE", `/api/sessions/${session.sessionId}`, { token: session.token }),
    ];
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray([...ways], { minLength: ways.length }), async (order) => {
        const before = await endedCount();
        const session = await server.create();
        const client = await SocketClient.open(server, session);
        await until(() => client.frames.length > 0, "frames come");
        await Promise.all(order.map((way) => Promise.resolve(way(client, session)).catch(() => undefined)));
        await baseline(server);
        expect(await endedCount()).toBe(before + 1);
        expect(server.server.counts.doubleReleases).toBe(0);
      }),
      { numRuns: 5 },
    );
  });

  it("J2: a place that is given back twice is refused and counted", async () => {
    const { SessionSlots } = await import("./session-slots.ts");
    const slots = new SessionSlots({ sessions: 1, perIdentity: 1 });
    const slot = slots.acquire("a");
    expect(slot.release()).toBe(true);
    const other = slots.acquire("b");
    expect(slot.release()).toBe(false);
    expect(slots.taken).toBe(1);
    expect(slots.doubleReleases).toBe(1);
    expect(other.release()).toBe(true);
  });
});

async function endedCount(): Promise<number> {
  const text = await (await server.fetch("/metrics")).text();
  return [...text.matchAll(/^dreamloop_sessions_ended_total\{.*\} (\d+)$/gm)].reduce(
    (sum, [, n]) => sum + Number(n),
    0,
  );
}
