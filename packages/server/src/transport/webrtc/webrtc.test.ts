import { readProbeStrip } from "@dreamloop/worlds/probe";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { keys, SocketClient } from "../../test-support/socket-client.ts";
import { decodePictures } from "../../test-support/decode-pictures.ts";
import { pli, RtcClient, withoutCandidates } from "../../test-support/rtc-client.ts";
import { TestServer, until } from "../../test-support/test-server.ts";

let server: TestServer;
const clients: RtcClient[] = [];

beforeAll(async () => {
  server = await TestServer.start({ preload: ["probe"], maxSessions: 50, maxSessionsPerIdentity: 50, graceSeconds: 8 });
});

afterEach(() => clients.splice(0).forEach((client) => client.close()));

afterAll(async () => {
  await server.close();
});

async function play(codecs: readonly ("h264" | "vp8")[] = ["h264", "vp8"]) {
  const session = await server.create({ seed: 1 });
  const client = await RtcClient.play(server, session, { codecs });
  clients.push(client);
  await client.frameCount(3);
  return { session, client };
}

describe("a WebRTC connection", () => {
  it.each([
    { offered: ["h264", "vp8"], sent: "h264" },
    { offered: ["vp8"], sent: "vp8" },
  ] as const)(
    "D1: sends $sent to a peer that offers $offered, beginning with a key frame",
    async ({ offered, sent }) => {
      const { session, client } = await play(offered);
      expect(client.frames[0]).toMatchObject({ codec: sent, keyFrame: true });
      const pictures = (await decodePictures(sent, client.frames.slice(0, 3))).map((picture) =>
        readProbeStrip(picture),
      );
      expect(pictures.every((picture) => picture !== undefined)).toBe(true);
      await until(() => client.metadata.length > 0, "frame metadata comes");
      expect(client.messages).toContainEqual(expect.objectContaining({ type: "connected", codec: sent }));
      await server.send("DELETE", `/api/sessions/${session.sessionId}`, { token: session.token });
    },
  );

  it("A1: steers by the input channel, and the picture shows the message that its step saw", async () => {
    const { client } = await play();
    await until(() => client.epoch > 0, "the control channel is open");
    const sequence = client.input([keys(["KeyW"], { KeyW: 1 })]);
    // Metadata and frames travel apart, and either may be lost: the first that came both ways counts.
    const shownOf = () =>
      client.metadata.find(
        (told) =>
          told.inputSequence === sequence &&
          client.frames.some(({ rtpTimestamp }) => rtpTimestamp === told.rtpTimestamp),
      );
    await until(() => shownOf() !== undefined, "a frame has seen the input");
    const shown = shownOf();
    const index = client.frames.findIndex(({ rtpTimestamp }) => rtpTimestamp === shown?.rtpTimestamp);
    const pictures = (await decodePictures("h264", client.frames.slice(0, index + 1))).map((picture) =>
      readProbeStrip(picture),
    );
    expect(pictures.at(-1)?.inputSequence).toBe(sequence);
    expect(pictures.at(-1)?.driverCommand?.throttle).toBeGreaterThan(0);
    expect(shown?.inputEpoch).toBe(client.epoch);
  });

  it("D3: a key frame follows a request for one within a frame, and more requests are coalesced", async () => {
    const { client } = await play();
    const ssrc = client.frames[0]?.ssrc ?? 0;
    // The key frame of the connection itself must be older than the time in which requests are joined.
    await client.frameCount(20);
    const keyFrames = (from: number) => client.frames.slice(from).filter(({ keyFrame }) => keyFrame).length;
    const before = client.frames.length;
    client.sendRtcp(pli(ssrc));
    await until(() => keyFrames(before) > 0, "a key frame comes");
    await client.frameCount(client.frames.length + 5);
    expect(keyFrames(before)).toBe(1);
    const second = client.frames.length;
    for (let request = 0; request < 4; request += 1) client.sendRtcp(pli(ssrc));
    await until(() => keyFrames(second) > 0, "a key frame comes");
    await client.frameCount(client.frames.length + 20);
    // One answers those within 500 ms of the last; where they fall apart by then, one more answers the rest.
    expect(keyFrames(second)).toBeLessThanOrEqual(2);
  });

  it("D5: candidates that come before the offer wait for it", async () => {
    // The library of the client may give a connection up that comes about this fast; see `withoutCandidates`.
    for (let attempt = 0; ; attempt += 1) {
      const session = await server.create();
      const { client, sdp } = await RtcClient.offer();
      clients.push(client);
      const candidates = sdp.split("\r\n").filter((line) => line.startsWith("a=candidate:"));
      const path = `/api/sessions/${session.sessionId}`;
      const early = await server.send("POST", `${path}/candidates`, {
        token: session.token,
        body: { candidates: candidates.map((line) => ({ candidate: line.slice(2), sdpMid: "video" })) },
      });
      expect(early.status).toBe(204);
      const response = await server.send("POST", `${path}/offer`, {
        token: session.token,
        body: { type: "offer", sdp: withoutCandidates(sdp) },
      });
      const answer = ((await response.json()) as { sdp: string }).sdp;
      // Without candidates in the answer the client knows no address: only the server can begin, with those that waited.
      try {
        client.connection.setRemoteDescription(withoutCandidates(answer), "answer");
        await client.frameCount(1);
        return;
      } catch (error) {
        if (attempt === 3) throw error;
      }
    }
  });

  it("M1: binds UDP where HTTP is bound, and offers no other address", async () => {
    const session = await server.create();
    const { client, sdp } = await RtcClient.offer();
    clients.push(client);
    const response = await server.send("POST", `/api/sessions/${session.sessionId}/offer`, {
      token: session.token,
      body: { type: "offer", sdp },
    });
    const answer = ((await response.json()) as { sdp: string }).sdp;
    const addresses = answer.split("\r\n").filter((line) => line.startsWith("a=candidate:"));
    expect(addresses.length).toBeGreaterThan(0);
    expect(addresses.map((line) => line.split(" ")[4])).toEqual(addresses.map(() => "127.0.0.1"));
  });

  it("encodes once for a WebRTC player, a WHEP viewer and a WebSocket viewer", async () => {
    const { session, client } = await play();
    const { client: viewer, sdp } = await RtcClient.offer({ channels: false });
    clients.push(viewer);
    const response = await server.fetch(`/whep/${session.viewerToken}`, {
      method: "POST",
      headers: { "content-type": "application/sdp" },
      body: withoutCandidates(sdp),
    });
    expect(response.status).toBe(201);
    const location = response.headers.get("location") ?? "";
    expect(location).toMatch(/^[^/].*\/[\w-]{32}$/);
    const address = new URL(location, new URL(`/whep/${session.viewerToken}`, server.url)).pathname;
    expect(address).toMatch(/^\/whep\/.+\/[\w-]{32}$/);
    viewer.connection.setRemoteDescription(await response.text(), "answer");
    await viewer.frameCount(2);
    expect(viewer.frames[0]?.keyFrame).toBe(true);
    const socket = await SocketClient.open(server, { ...session, token: session.viewerToken });
    await until(() => socket.frames.length > 2, "frames come");
    const log = await server.send("GET", `/api/sessions/${session.sessionId}/log`, { token: session.token });
    const { entries } = (await log.json()) as { entries: { event: string; facts: { codec?: string } }[] };
    const codecs = entries.filter(({ event }) => event === "encoder").map(({ facts }) => facts.codec);
    expect(new Set(codecs)).toEqual(new Set(["h264"]));
    await until(
      () => viewer.frames.some((frame) => client.frames.some((own) => Buffer.from(own.data).equals(frame.data))),
      "both get the same bytes",
    );
    expect((await server.fetch(address, { method: "DELETE" })).status).toBe(200);
    expect((await server.fetch(address, { method: "DELETE" })).status).toBe(404);
    await socket.close();
  });

  it("M5: a flood of requests ends the connection, one of input is left unread, and the session goes on", async () => {
    const { session, client } = await play();
    await client.frameCount(1);
    for (let index = 0; index < 4000; index += 1) client.input([keys(["KeyW"], { KeyW: 1 })]);
    const before = client.frames.length;
    await client.frameCount(before + 3);
    expect(client.state).toBe("connected");
    const sendRequests = (): void => {
      for (let index = 0; index < 4000 && client.channels.control?.isOpen() === true; index += 1) {
        client.channels.control.sendMessage("no request");
      }
    };
    sendRequests();
    await until(() => client.channels.control?.isOpen() !== true || client.state !== "connected", "it is cut off");
    const socket = await SocketClient.open(server, session);
    await until(() => socket.frames.length > 2, "the session goes on");
    const log = await server.send("GET", `/api/sessions/${session.sessionId}/log`, { token: session.token });
    expect(await log.text()).toContain("too many requests");
    await socket.close();
  });

  it("refuses a viewer's input and requests, and lets the player go on", async () => {
    const { session, client } = await play();
    const socket = await SocketClient.open(server, { ...session, token: session.viewerToken });
    socket.input([keys(["KeyS"], { KeyS: 1 })]);
    expect(await socket.request("reset")).toMatchObject({ ok: false, error: { code: "unauthorized" } });
    expect(await socket.request("pause")).toMatchObject({ ok: false, error: { code: "unauthorized" } });
    const before = client.frames.length;
    await client.frameCount(before + 3);
    expect(client.metadata.every(({ inputSequence }) => inputSequence === undefined)).toBe(true);
  });
});

describe("an offer that cannot be answered", () => {
  const cases: readonly (readonly [string, (sdp: string) => string])[] = [
    ["text that is no description", () => "hello"],
    ["no video", (sdp) => sdp.replace(/m=video[\s\S]*?(?=m=)/, "")],
    ["no codec that is known", (sdp) => sdp.replace(/H264\/90000/g, "AV1/90000").replace(/VP8\/90000/g, "VP9/90000")],
    ["a video section that only sends", (sdp) => sdp.replace("a=recvonly", "a=sendonly")],
    ["no fingerprint", (sdp) => sdp.replace(/a=fingerprint:.*\r\n/g, "")],
    ["no ICE credentials", (sdp) => sdp.replace(/a=ice-(ufrag|pwd):.*\r\n/g, "")],
    ["a fingerprint that is none", (sdp) => sdp.replace(/a=fingerprint:.*\r\n/g, "a=fingerprint:sha-256 zz\r\n")],
  ];

  it.each(cases)("D2: %s gets 4xx with a reason and leaves the session as it was", async (_, spoil) => {
    const session = await server.create();
    const { client, sdp } = await RtcClient.offer();
    clients.push(client);
    const path = `/api/sessions/${session.sessionId}`;
    const response = await server.send("POST", `${path}/offer`, {
      token: session.token,
      body: { type: "offer", sdp: spoil(sdp) },
    });
    expect(response.status).toBe(400);
    const { error } = (await response.json()) as { error: { code: string; message: string } };
    expect(error.code).toBe("invalid_value");
    expect(error.message).toMatch(/offer/i);
    const facts = (await (await server.send("GET", path, { token: session.token })).json()) as { viewerCount: number };
    expect(facts.viewerCount).toBe(0);
    const good = await RtcClient.play(server, session);
    clients.push(good);
    await good.frameCount(1);
    await server.send("DELETE", path, { token: session.token });
  });
});
