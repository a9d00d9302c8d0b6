import { openMoment, readTrace, replayTrace } from "@dreamloop/core";
import type { HistoryFacts } from "@dreamloop/core/internal";
import { momentTools, ProcessClock, sha256FrameHasher } from "@dreamloop/node";
import { createProbeWorld } from "@dreamloop/worlds/probe";
import type { SessionAnswer } from "@dreamloop/protocol";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { keys, SocketClient } from "../test-support/socket-client.ts";
import { probe, TestServer, until } from "../test-support/test-server.ts";

let server: TestServer;
const clients: SocketClient[] = [];
beforeAll(async () => {
  const rates = { httpRequestsPerSecond: 10_000, sessionStartsPerMinute: 10_000 };
  server = await TestServer.start(
    { ...rates, maxSessions: 2, momentBytes: 200_000, historySeconds: 0.2 },
    { worlds: [probe({ width: 64, height: 48, instant: true })] },
  );
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.socket.close();
  await Promise.all(
    sessions.splice(0).map(({ sessionId, token }) => server.send("DELETE", `/api/sessions/${sessionId}`, { token })),
  );
  await until(() => server.server.counts.sessions === 0, "all sessions have ended");
});
afterAll(() => server.close());

const sessions: SessionAnswer[] = [];

/** Connects and waits for frames of a step. */
async function play(grant: SessionAnswer, stepIndex: number, generation = 0): Promise<SocketClient> {
  sessions.push(grant);
  const client = await SocketClient.open(server, grant);
  clients.push(client);
  await reached(client, stepIndex, generation);
  return client;
}

function reached(client: SocketClient, stepIndex: number, generation: number): Promise<void> {
  const isThere = (): boolean =>
    client.frames.some(({ header }) => header.generation === generation && header.stepIndex >= stepIndex);
  return until(isThere, `step ${stepIndex} of generation ${generation} is shown`);
}

async function moment(grant: SessionAnswer, body: object = {}): Promise<Uint8Array<ArrayBuffer>> {
  const response = await server.send("POST", `/api/sessions/${grant.sessionId}/moment`, { body, token: grant.token });
  if (response.status !== 200) throw new Error(`moment: ${response.status} ${await response.text()}`);
  return new Uint8Array(await response.arrayBuffer());
}

describe("time on a server", () => {
  test("O6: a player goes back; frames of the new generation follow, and the history tells the tree", async () => {
    const client = await play(await server.create({ seed: 4 }), 20);
    expect(await client.request("rewind", { generation: 0, stepIndex: 8 })).toMatchObject({
      ok: true,
      result: { generation: 1, from: { generation: 0, stepIndex: 8 } },
    });
    await reached(client, 12, 1);
    const first = client.frames.find(({ header }) => header.generation === 1);
    expect(first?.header.stepIndex).toBe(8);
    const answer = await client.request("history", {});
    const facts = (answer.ok ? answer.result : {}) as unknown as HistoryFacts;
    expect(facts.available).toBe(true);
    expect(facts.generations).toMatchObject([
      { generation: 0 },
      { generation: 1, from: { generation: 0, stepIndex: 8 } },
    ]);
    expect(await client.request("rewind", { generation: 7, stepIndex: 0 })).toMatchObject({
      ok: false,
      error: { code: "not_found" },
    });
    expect(await client.request("rewind", { secondsAgo: -1 })).toMatchObject({
      ok: false,
      error: { code: "invalid_value" },
    });
  });

  test("O6: the trace of a session that went back replays equal", async () => {
    const grant = await server.create({ seed: 6 });
    const client = await play(grant, 15);
    client.input([keys(["KeyW"], { KeyW: 1 })]);
    await reached(client, 30, 0);
    await client.request("rewind", { secondsAgo: 0.5 });
    await reached(client, 40, 1);
    await client.request("rewind", { generation: 0, stepIndex: 20 });
    await reached(client, 25, 2);
    await client.request("record_start");
    await reached(client, 35, 2);
    const stopped = await client.request("record_stop");
    const { tracePath } = (stopped.ok ? stopped.result : {}) as { readonly tracePath: string };
    const response = await server.fetch(`${tracePath}?token=${grant.token}`);
    const trace = await readTrace([new Uint8Array(await response.arrayBuffer())]);
    expect(trace.steps.filter(({ rewind }) => rewind !== undefined)).toHaveLength(2);
    const options = { trace, adapter: createProbeWorld(), frameHasher: sha256FrameHasher, clock: new ProcessClock() };
    expect(await replayTrace(options)).toMatchObject({ equal: true });
  });

  test("O8: a fork is another session from the same moment, and takes a slot like any other", async () => {
    const grant = await server.create({ seed: 4 });
    await play(grant, 12);
    const fork = (body: object, token = grant.token): Promise<Response> =>
      server.send("POST", `/api/sessions/${grant.sessionId}/fork`, { body, token });
    expect((await fork({}, grant.viewerToken)).status).toBe(401);
    expect((await fork({ at: { generation: 0, stepIndex: 999 } })).status).toBe(404);
    const forked = await fork({ at: { generation: 0, stepIndex: 5 }, seed: 9, prompt: "snow" });
    expect(forked.status).toBe(201);
    const other = (await forked.json()) as SessionAnswer;
    const client = await play(other, 8);
    expect(client.frames[0]?.header.stepIndex).toBeGreaterThanOrEqual(5);
    expect(await server.factsOf(other)).toMatchObject({ seed: 9 });
    const refused = await fork({});
    expect([refused.status, ((await refused.json()) as { error: { code: string } }).error.code]).toEqual([503, "busy"]);
  });

  test("O3, O4: a moment is saved as a file and opened again; what is damaged, too large or of another world is refused", async () => {
    const grant = await server.create({ seed: 4 });
    await play(grant, 12);
    const file = await moment(grant, { at: { generation: 0, stepIndex: 6 }, name: "six" });
    expect((await openMoment(file, momentTools)).facts).toMatchObject({
      name: "six",
      position: { stepIndex: 6, seed: 4 },
    });
    const send = (body: Uint8Array<ArrayBuffer>): Promise<Response> =>
      server.fetch("/api/sessions/moment", { method: "POST", body });
    const opened = await send(file);
    expect(opened.status).toBe(201);
    const client = await play((await opened.json()) as SessionAnswer, 9);
    expect(client.frames[0]?.header.stepIndex).toBeGreaterThanOrEqual(6);
    const codeOf = async (response: Response): Promise<readonly unknown[]> => [
      response.status,
      ((await response.json()) as { error: { code: string } }).error.code,
    ];
    expect(await codeOf(await send(file.slice(0, -5)))).toEqual([400, "snapshot_invalid"]);
    expect(await codeOf(await send(file.with(60, 1)))).toEqual([400, "snapshot_invalid"]);
    expect(await codeOf(await send(new Uint8Array(200_001)))).toEqual([413, "limit_exceeded"]);
    expect(await codeOf(await send(new TextEncoder().encode("no moment")))).toEqual([400, "snapshot_invalid"]);
    expect((await server.send("POST", "/api/sessions", { body: { world: "probe", moment: "none" } })).status).toBe(404);
  });
});
