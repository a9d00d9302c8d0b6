import { SESSION_STATES, type SessionAnswer } from "@dreamloop/protocol";
import { readProbeStrip } from "@dreamloop/worlds/probe";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { decodePictures } from "../../test-support/decode-pictures.ts";
import { RtcClient } from "../../test-support/rtc-client.ts";
import { keys, SocketClient } from "../../test-support/socket-client.ts";
import { TestServer, until } from "../../test-support/test-server.ts";
import { UdpRelay } from "../../test-support/udp-relay.ts";

/** Frames of more than twice the time after which held input is released. */
const SILENT_FRAMES = 75;

let server: TestServer;
const endings: (() => void)[] = [];

beforeAll(async () => {
  server = await TestServer.start({ preload: ["probe"], graceSeconds: 60 });
});

afterEach(() => endings.splice(0).forEach((end) => end()));

afterAll(async () => {
  await server.close();
});

/** A player by WebRTC whose network can fall silent, and somebody who watches by other means. */
async function playing() {
  const session = await server.create({ seed: 3 });
  const relay = await UdpRelay.open();
  endings.push(() => relay.close());
  const client = await RtcClient.play(server, session, { codecs: ["h264"], lead: (answer) => relay.lead(answer) });
  endings.push(() => client.close());
  await client.frameCount(3);
  expect(relay.forwarded).toBeGreaterThan(0);
  const viewer = await SocketClient.open(server, { ...session, token: session.viewerToken });
  await until(() => viewer.frames.length > 0 && client.epoch > 0, "everybody is there");
  return { session, relay, client, viewer };
}

describe("a player whose network falls silent", () => {
  it("A2, C7: what it held is released, its session waits, it goes on by a new connection, and others notice nothing", async () => {
    const bystander = await SocketClient.open(server, await server.create());
    const { session, relay, client, viewer } = await playing();
    const held = keys(["KeyW"], { KeyW: 1 });
    await until(() => {
      // Held keys are told again and again; any of these messages may be the one that is seen.
      client.input([held]);
      return client.metadata.some(({ inputSequence = 0 }) => inputSequence > 0);
    }, "the input is seen");
    relay.silence();
    const before = { frames: client.frames.length, viewed: viewer.frames.length, others: bystander.frames.length };
    await until(() => viewer.frames.length > before.viewed + SILENT_FRAMES, "the world goes on");

    // Nothing more came to the player, and nobody has told the server that it is gone.
    const late = client.frames.length;
    expect(late - before.frames).toBeLessThan(SILENT_FRAMES / 2);
    expect(await server.factsOf(session)).toMatchObject({ state: SESSION_STATES.running, generation: 0 });
    const viewed = viewer.frames.map(({ header, payload }) => ({ data: payload, keyFrame: header.keyFrame }));
    const pictures = (await decodePictures("h264", viewed)).map((picture) => readProbeStrip(picture));
    expect(pictures.some((picture) => (picture?.driverCommand?.throttle ?? 0) > 0)).toBe(true);
    expect(pictures.at(-1)?.driverCommand?.throttle).toBe(0);

    const path = `/api/sessions/${session.sessionId}/resume`;
    const answered = await server.send("POST", path, { body: { resumeSecret: session.resumeSecret } });
    const resumed = (await answered.json()) as SessionAnswer;
    const again = await RtcClient.play(server, resumed, { codecs: ["h264"] });
    endings.push(() => again.close());
    await again.frameCount(5);
    expect(again.frames[0]?.keyFrame).toBe(true);
    await until(() => again.epoch > client.epoch, "the new connection has an epoch of its own");
    const steered = again.input([keys(["KeyA"], { KeyA: 1 })]);
    const isSeen = () =>
      again.metadata.find(({ inputEpoch, inputSequence }) => inputEpoch === again.epoch && inputSequence === steered);
    await until(() => isSeen() !== undefined, "the new connection steers");
    expect(isSeen()?.generation).toBe(0);
    expect(isSeen()?.frameIndex).toBeGreaterThan(viewer.frames[before.viewed - 1]?.header.frameIndex ?? 0);

    // The old connection was given up for the new one; whoever watched went on, and so did the other session.
    await until(async () => (await server.factsOf(session)).viewerCount === 2, "the old connection is gone");
    const now = { viewed: viewer.frames.length, others: bystander.frames.length };
    await until(() => viewer.frames.length > now.viewed && bystander.frames.length > now.others, "both go on");
    expect(bystander.frames.length - before.others).toBeGreaterThan(SILENT_FRAMES / 2);
    expect([viewer.closeCode, bystander.closeCode]).toEqual([undefined, undefined]);
    expect(server.server.counts).toMatchObject({ sessions: 2, takenSlots: 2, doubleReleases: 0 });
  });

  it("C1, C2: one that does not come back is noticed by its silence and loses its session after the grace time", async () => {
    const short = await TestServer.start({ preload: ["probe"], graceSeconds: 0.5 });
    try {
      const session = await short.create();
      const relay = await UdpRelay.open();
      endings.push(() => relay.close());
      const client = await RtcClient.play(short, session, { lead: (answer) => relay.lead(answer) });
      endings.push(() => client.close());
      await client.frameCount(3);
      relay.silence();
      // The library asks for signs of life (RFC 7675) and gives up after some of them are missing, about 14 s.
      await until(() => short.server.counts.sessions === 0, "the session has ended", 50);
      await until(() => short.server.counts.feeds === 0, "its media are closed");
      expect(short.server.counts).toMatchObject({ takenSlots: 0, doubleReleases: 0 });
    } finally {
      await short.close();
    }
  });
});
