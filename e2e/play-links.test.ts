import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromiumMissing, launchChromium } from "./chromium.ts";
import { startPlayServer, type PlayServer } from "./play/play-server.ts";
import { Player } from "./play/player.ts";
import { openTcpGate } from "./play/tcp-gate.ts";
import { UdpRelay } from "../packages/server/src/test-support/udp-relay.ts";

const NO_WEBRTC = "delete window.RTCPeerConnection;";
const NO_WEBCODECS = "delete window.VideoDecoder;";
/** As behind a firewall: everything is there, and nothing ever connects. */
const BLOCKED_WEBRTC = "RTCPeerConnection.prototype.setRemoteDescription = () => new Promise(() => undefined);";
/** WebRTC through a relay of the test's, to which the server's candidates are made to lead. */
const LED_WEBRTC = `
  const setRemoteDescription = RTCPeerConnection.prototype.setRemoteDescription;
  RTCPeerConnection.prototype.setRemoteDescription = async function ({ type, sdp }) {
    return setRemoteDescription.call(this, { type, sdp: await window.leadAnswer(sdp) });
  };`;

describe.skipIf(chromiumMissing() !== undefined)("links, in a browser without any flags for WebRTC", () => {
  let server: PlayServer;
  let browser: Browser;

  beforeAll(async () => {
    [server, browser] = await Promise.all([startPlayServer({ worlds: ["probe"] }), launchChromium()]);
  });
  afterAll(async () => {
    await Promise.all([browser?.close(), server?.stop()]);
  });

  async function steers(player: Player): Promise<void> {
    await player.see();
    await player.page.keyboard.down("KeyA");
    await player.waitFor("seen.driverCommand?.steer === 1");
    await player.page.keyboard.up("KeyA");
    await player.waitFor("seen.driverCommand?.steer === 0");
  }

  test("what the page picks by itself shows frames, and it steers", async () => {
    const player = await Player.open(browser, server.url);
    await steers(player);
    expect(player.faults).toEqual([]);
    await player.close();
  });

  test.each([
    ["no WebRTC: H.264 over the WebSocket", NO_WEBRTC, "h264"],
    ["WebRTC that never connects: the WebSocket", BLOCKED_WEBRTC, "h264"],
    ["neither WebRTC nor WebCodecs: JPEG", NO_WEBRTC + NO_WEBCODECS, "jpeg"],
  ])("%s, and it steers", async (_, before, codec) => {
    const player = await Player.open(browser, server.url, { before });
    await steers(player);
    expect(await player.transport()).toBe("WebSocket");
    await player.page.locator(".numbers", { hasText: codec }).waitFor();
    expect(player.faults).toEqual([]);
    await player.close();
  });

  test("VP8 over the WebSocket where H.264 cannot be decoded", async () => {
    const before = `${NO_WEBRTC}
      const supported = VideoDecoder.isConfigSupported.bind(VideoDecoder);
      VideoDecoder.isConfigSupported = async (config) =>
        config.codec.startsWith("avc") ? { supported: false, config } : supported(config);`;
    const player = await Player.open(browser, server.url, { before });
    await steers(player);
    await (await player.details()).getByText("vp8").waitFor();
    await player.close();
  });

  test("A2, C2: a pulled plug releases everything, and the same session goes on when it is back", async () => {
    const gate = await openTcpGate(server.port);
    const player = await Player.open(browser, gate.url, { transport: "websocket" });
    const before = await player.see();
    await player.page.keyboard.down("KeyW");
    await player.waitFor("seen.driverCommand?.throttle === 1");
    gate.shut();
    await player.page.locator(".stage[data-state=reconnecting]").waitFor();
    await player.page.getByText("Reconnecting").first().waitFor();
    gate.open();
    const after = await player.waitFor(
      `seen.frameIndex > ${before.frameIndex + 10} && seen.driverCommand?.throttle === 0`,
    );
    expect(after.generation).toBe(before.generation);
    await player.page.keyboard.up("KeyW");
    await player.page.keyboard.down("KeyD");
    await player.waitFor("seen.driverCommand?.steer === -1");
    expect(player.faults).toEqual([]);
    await player.close();
    await gate.close();
  });

  test("A2, C2: WebRTC whose network falls silent is given up, and the same session goes on over a new connection", async () => {
    const relays: UdpRelay[] = [];
    const player = await Player.open(browser, server.url, {
      transport: "webrtc",
      before: LED_WEBRTC,
      prepare: (page) =>
        page.exposeFunction("leadAnswer", async (answer: string) => {
          const relay = await UdpRelay.open();
          relays.push(relay);
          return relay.lead(answer);
        }),
    });
    const before = await player.see();
    expect(relays).toHaveLength(1);
    await player.page.keyboard.down("KeyW");
    await player.waitFor("seen.driverCommand?.throttle === 1");
    // On one machine the new connection stands within a moment, in which nobody may be looking.
    const interrupted = player.page.evaluate(
      () =>
        new Promise<void>((resolve) =>
          new MutationObserver(() => {
            if (document.querySelector(".stage[data-state=reconnecting]") !== null) resolve();
          }).observe(document.body, { subtree: true, attributes: true, attributeFilter: ["data-state"] }),
        ),
    );
    relays[0]?.silence();
    await interrupted;
    const after = await player.waitFor(
      `seen.frameIndex > ${before.frameIndex + 10} && seen.driverCommand?.throttle === 0`,
    );
    expect(after.generation).toBe(before.generation);
    expect(relays.length).toBeGreaterThan(1);
    expect(await player.transport()).toBe("WebRTC");
    await player.page.keyboard.up("KeyW");
    await player.page.keyboard.down("KeyD");
    await player.waitFor("seen.driverCommand?.steer === -1");
    expect(player.faults).toEqual([]);
    await player.close();
    for (const relay of relays) relay.close();
  });

  test("a server that is killed and started again gets a new session with the same prompt, and the page says so", async () => {
    const first = await startPlayServer({ worlds: ["probe"] });
    const player = await Player.open(browser, first.url, { transport: "websocket" });
    await player.see();
    await player.page.getByRole("textbox", { name: "Prompt" }).fill("fog");
    await player.page.keyboard.press("Enter");
    const { promptHash } = await player.waitFor("seen.promptHash !== undefined");
    await first.kill();
    await player.page.locator(".stage[data-state=reconnecting]").waitFor();
    const second = await startPlayServer({ worlds: ["probe"], port: first.port });
    await player.page.getByText("A new one has started").first().waitFor();
    const seen = await player.waitFor(`seen.promptHash === ${promptHash} && seen.frameIndex > 5`);
    expect(seen.generation).toBe(0);
    expect(player.faults).toEqual([]);
    await player.close();
    await second.stop();
  });
});
