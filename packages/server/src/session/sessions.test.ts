import { FakeClock } from "@dreamloop/testing";
import type { RecordingFacts } from "@dreamloop/protocol";
import { readTrace, type Trace } from "@dreamloop/core";
import { afterEach, describe, expect, it } from "vitest";
import { heldLoads } from "../test-support/held-loads.ts";
import { keys, SocketClient } from "../test-support/socket-client.ts";
import { startedServers } from "../test-support/started-servers.ts";
import { type TestServer, until } from "../test-support/test-server.ts";

const { start, close } = startedServers();
afterEach(close);

/** Milliseconds without a frame, thirty frame times, after which a world counts as standing still. */
const STILL_MILLISECONDS = 1000;

/** Waits until no frame comes any more; gives how many have come. */
async function stillCount(client: SocketClient): Promise<number> {
  let count = client.frames.length;
  let since = performance.now();
  await until(() => {
    if (client.frames.length !== count) since = performance.now();
    count = client.frames.length;
    return performance.now() - since >= STILL_MILLISECONDS;
  }, "the picture stands still");
  return count;
}

describe("a session", () => {
  it("answers every kind of request, and shows resets, pauses and single steps in its frames", async () => {
    const server = await start({ preload: ["probe"] });
    const session = await server.create({ seed: 5, prompt: "first" });
    const client = await SocketClient.open(server, session);
    await until(() => client.frames.length > 2, "frames come");
    expect(client.frames[0]?.header).toMatchObject({ keyFrame: true, codec: "h264", width: 320, height: 180 });
    expect(await client.request("prompt", { prompt: "rain" })).toMatchObject({ ok: true });
    expect(await client.request("reset", { seed: 9 })).toMatchObject({ ok: true, result: { generation: 1 } });
    await until(() => client.frames.some(({ header }) => header.generation === 1), "frames of the new rollout come");
    const order = client.frames.map(({ header }) => header.generation);
    expect(order).toEqual([...order].sort((a, b) => a - b));
    expect(await client.request("pause")).toMatchObject({ ok: true });
    await until(async () => (await server.factsOf(session)).state === "paused", "the session is paused");
    // What is on its way at the pause is one chunk at most; then the picture stands still.
    const standing = await stillCount(client);
    expect(await client.request("step")).toMatchObject({ ok: true });
    await until(() => client.frames.length > standing, "a step gives a frame");
    expect(await stillCount(client)).toBe(standing + 1);
    expect(await client.request("resume")).toMatchObject({ ok: true });
    await until(() => client.frames.length > standing + 3, "frames come again");
    expect(await client.request("nonsense")).toMatchObject({ ok: false, error: { code: "invalid_value" } });
    expect(await client.request("close")).toMatchObject({ ok: true });
    await until(() => server.server.counts.takenSlots === 0, "the place is free");
  });

  it("D3: a viewer who comes while the world is paused sees its picture", async () => {
    const server = await start({ preload: ["probe"] });
    const session = await server.create();
    const client = await SocketClient.open(server, session);
    await until(() => client.frames.length > 1, "frames come");
    await client.request("pause");
    await stillCount(client);
    const viewer = await SocketClient.open(server, { ...session, token: session.viewerToken });
    await until(() => viewer.frames.length > 0, "the viewer gets a frame");
    expect(viewer.frames[0]?.header.keyFrame).toBe(true);
  });

  it("JPEG is there for clients that decode no video", async () => {
    const server = await start({ preload: ["probe"] });
    const client = await SocketClient.open(server, await server.create(), { decoders: ["jpeg"] });
    await until(() => client.frames.length > 2, "frames come");
    const [frame] = client.frames;
    expect(frame?.header).toMatchObject({ codec: "jpeg", codecString: "image/jpeg" });
    expect([...(frame?.payload.subarray(0, 3) ?? [])]).toEqual([0xff, 0xd8, 0xff]);
  });

  it("D4: the encoder's settings as its stream shows them stand in the log and in the counters, with what was asked for", async () => {
    const server = await start({ preload: ["probe"] });
    const session = await server.create();
    const client = await SocketClient.open(server, session);
    const told = () => client.messages.find((message) => message.type === "stats" && message.encoderSettings);
    await until(() => told() !== undefined, "the settings are told");
    const inForce = { isHardware: false, hardwareAsked: "auto", speed: "realtime", lookAheadFrames: 0, bFrames: 0 };
    const codecString = expect.stringMatching(/^avc1\.42[0-9a-f]{4}$/) as string;
    expect(told()).toMatchObject({ encoderSettings: { ...inForce, codecString } });
    const response = await server.send("GET", `/api/sessions/${session.sessionId}/log`, session);
    const { entries } = (await response.json()) as { entries: { event: string; facts: { codecString?: string } }[] };
    const logged = entries.filter(({ event }) => event === "encoder").at(-1)?.facts;
    expect(logged).toMatchObject({ ...inForce, codec: "h264", latency: "realtime" });
    // The same as in the parameter set that went out.
    expect(client.frames[0]?.header.codecString).toBe(logged?.codecString);
    const bitrate = (await server.factsOf(session)).stats?.encoderSettings?.bitrateBitsPerSecond;
    expect(bitrate).toBeGreaterThan(100_000);
  });

  it("D4: a server that was asked for an encoder in hardware does not start without one, and says what it found", async () => {
    await expect(start({ encoderHardware: "hardware" })).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringMatching(/^encoderHardware: .*hardware.*webcodecs encoder: .* in software/) as string,
    });
    const server = await start({ encoderHardware: "software" });
    expect(server.server.encoders.codecs).toContain("h264");
  });

  it("A2: what was held is released when the connection is lost, and counts go on when the player is back", async () => {
    const server = await start({ preload: ["probe"] });
    const session = await server.create();
    const first = await SocketClient.open(server, session);
    await until(() => first.frames.length > 0, "frames come");
    const sent = first.input([keys(["KeyW"], { KeyW: 1 })]);
    await until(() => first.frames.some(({ header }) => header.inputSequence === sent), "the input is seen");
    await first.close();
    const resumed = await server.send("POST", `/api/sessions/${session.sessionId}/resume`, {
      body: { resumeSecret: session.resumeSecret },
    });
    expect(resumed.status).toBe(200);
    const answer = (await resumed.json()) as typeof session;
    expect(answer.sessionId).toBe(session.sessionId);
    const second = await SocketClient.open(server, answer);
    expect(second.welcome?.epoch).toBe((first.welcome?.epoch ?? 0) + 1);
    const again = second.input([keys(["KeyA"], { KeyA: 1 })]);
    await until(
      () =>
        second.frames.some(
          ({ header }) => header.inputSequence === again && header.inputEpoch === second.welcome?.epoch,
        ),
      "input of the new epoch is seen",
    );
    await second.request("record_start");
    await until(() => second.frames.length > 12, "frames are recorded");
    const stopped = await second.request("record_stop");
    const events = (await traceOf(server, answer, stopped)).steps.flatMap((step) => step.events);
    const released = events.filter(({ source, eventType }) => source === "timeout" && eventType === "key_up");
    expect(JSON.stringify(released)).toContain("KeyW");
  });

  it("M5: a recording that reaches its limit is completed, and its player is told where it is", async () => {
    const server = await start({ preload: ["probe"], recordingSeconds: 1 });
    const session = await server.create();
    const client = await SocketClient.open(server, session);
    await until(() => client.frames.length > 0, "the world runs");
    expect(await client.request("record_start")).toMatchObject({ ok: true });
    const notice = () => client.messages.find((message) => message.type === "notice");
    await until(() => notice() !== undefined, "the player is told");
    const [recording] = (await server.factsOf(session)).recordings;
    expect(notice()).toMatchObject({ kind: "recording_limit", details: { ...recording } });
    expect(recording?.frameCount).toBeGreaterThan(0);
    expect((await server.fetch(`${recording?.videoPath}?token=${session.token}`)).status).toBe(200);
  });

  it("B5: a recording gives a video and the exact trace of its run, behind the token, under names of the server", async () => {
    const server = await start({ preload: ["probe"], maxRecordings: 1 });
    const session = await server.create();
    const client = await SocketClient.open(server, session);
    await until(() => client.frames.length > 0, "the world runs");
    expect(await client.request("record_stop")).toMatchObject({ ok: false, error: { code: "invalid_state" } });
    const facts: RecordingFacts[] = [];
    for (let run = 0; run < 2; run += 1) {
      const count = client.frames.length;
      expect(await client.request("record_start")).toMatchObject({ ok: true });
      await until(() => client.frames.length > count + 10, "frames come");
      const stopped = await client.request("record_stop");
      expect(stopped).toMatchObject({ ok: true });
      if (stopped.ok) facts.push(stopped.result as unknown as RecordingFacts);
    }
    const [older, newer] = facts;
    // What a slow encoder could not take is counted, not lost.
    expect((newer?.frameCount ?? 0) + (newer?.droppedFrames ?? 0)).toBeGreaterThan(5);
    expect(newer?.frameCount).toBeGreaterThan(0);
    const video = await server.fetch(`${newer?.videoPath}?token=${session.token}`);
    expect(video.status).toBe(200);
    expect(
      Buffer.from(await video.arrayBuffer())
        .subarray(4, 8)
        .toString(),
    ).toBe("ftyp");
    expect((await server.fetch(`${newer?.videoPath}`)).status).toBe(401);
    expect((await server.fetch(`${newer?.videoPath}?token=${session.viewerToken}`)).status).toBe(401);
    expect((await server.fetch(`${older?.videoPath}?token=${session.token}`)).status).toBe(404);
    for (const path of ["..%2f..%2fsession.trace", "session.trace", "C:%5Cvideo.mp4"]) {
      const found = await server.fetch(
        `/api/sessions/${session.sessionId}/recordings/${path}/${path}?token=${session.token}`,
      );
      expect(found.status).toBe(404);
    }
  });

  it("C7, J3: ids and secrets are long and the server's own, and a resume needs the secret", async () => {
    const server = await start({ preload: ["probe"] });
    const first = await server.create({ sessionId: "mine" });
    const second = await server.create();
    expect(first.sessionId).not.toBe("mine");
    expect(new Set([first.sessionId, second.sessionId, first.resumeSecret, second.resumeSecret]).size).toBe(4);
    expect(Buffer.from(first.sessionId, "base64url").byteLength).toBe(24);
    for (const resumeSecret of [second.resumeSecret, "x", first.sessionId]) {
      const path = `/api/sessions/${first.sessionId}/resume`;
      expect((await server.send("POST", path, { body: { resumeSecret } })).status).toBe(404);
    }
    const crossed = await server.send("GET", `/api/sessions/${first.sessionId}`, { token: second.token });
    expect(crossed.status).toBe(401);
  });
});

async function traceOf(
  server: TestServer,
  session: { readonly token: string },
  stopped: { readonly ok: boolean; readonly result?: unknown },
): Promise<Trace> {
  const facts = stopped.result as RecordingFacts;
  const response = await server.fetch(`${facts.tracePath}?token=${session.token}`);
  return readTrace([new Uint8Array(await response.arrayBuffer())]);
}

describe("time limits", () => {
  const config = { preload: ["probe"], graceSeconds: 20, idleSeconds: 100, lifetimeSeconds: 300 };

  it("a session ends when its player does not come within the grace time, or does not come back", async () => {
    const clock = new FakeClock({ startSeconds: 1000 });
    const server = await start(config, { clock });
    await server.create();
    await clock.advance(19);
    expect(server.server.counts.sessions).toBe(1);
    await clock.advance(2);
    await until(() => server.server.counts.sessions === 0, "the session has ended");
    const session = await server.create();
    const client = await SocketClient.open(server, session);
    await clock.advance(60);
    expect(server.server.counts.sessions).toBe(1);
    await client.close();
    await until(async () => (await server.factsOf(session)).viewerCount === 0, "the server has noticed");
    await clock.advance(21);
    await until(() => server.server.counts.sessions === 0, "the session has ended");
  });

  it("M5: a session ends without activity, and at its longest time with it", async () => {
    const clock = new FakeClock({ startSeconds: 1000 });
    const server = await start(config, { clock });
    const idle = await SocketClient.open(server, await server.create());
    await until(() => idle.frames.length > 0, "frames come");
    await clock.advance(101);
    await until(() => server.server.counts.sessions === 0, "the idle session has ended");
    const busy = await SocketClient.open(server, await server.create());
    for (let minute = 0; minute < 4; minute += 1) {
      await clock.advance(60);
      expect((await busy.request("pause")).ok).toBe(true);
    }
    await clock.advance(61);
    await until(() => server.server.counts.sessions === 0, "the session reached its longest time");
    await until(() => busy.closeCode !== undefined, "its socket is closed");
  });

  it("a token ends, and a resume gives a new one", async () => {
    const clock = new FakeClock({ startSeconds: 1000 });
    const server = await start({ ...config, graceSeconds: 200, idleSeconds: 250, tokenSeconds: 60 }, { clock });
    const session = await server.create();
    await clock.advance(61);
    const path = `/api/sessions/${session.sessionId}`;
    expect((await server.send("GET", path, { token: session.token })).status).toBe(401);
    const { resumeSecret } = session;
    const resumed = (await (
      await server.send("POST", `${path}/resume`, { body: { resumeSecret } })
    ).json()) as typeof session;
    expect((await server.send("GET", path, { token: resumed.token })).status).toBe(200);
  });
});

describe("closing the server", () => {
  it("tells everybody, ends all sessions and frees everything, whatever they were doing", async () => {
    const held = heldLoads();
    const server = await start({}, { loadWorld: held.load });
    const session = await server.create();
    const client = await SocketClient.open(server, session);
    held.freeCancelled();
    await server.close();
    await until(() => client.closeCode !== undefined, "the socket is closed");
    expect(client.messages.at(-1)).toMatchObject({ type: "state", state: "closed" });
    expect(server.server.counts).toMatchObject({
      sessions: 0,
      takenSlots: 0,
      feeds: 0,
      sockets: 0,
      loads: 0,
      loadedWorlds: 0,
    });
    await expect(server.fetch("/healthz")).rejects.toThrow();
  });
});
