// The part of the live benchmark that runs in the page.
import { connect } from "@dreamloop/client";
import { probeLayout, readProbeStrip } from "@dreamloop/worlds/probe";

const canvas = document.createElement("canvas");
const context = canvas.getContext("2d", { willReadFrequently: true });

/**
 * Reads the strip of what is shown; only its part of the picture is copied, since copying costs time that others need.
 *
 * @param {HTMLVideoElement | HTMLCanvasElement} element
 */
function readStrip(element) {
  const width = "videoWidth" in element ? element.videoWidth : element.width;
  const height = "videoHeight" in element ? element.videoHeight : element.height;
  const strip = probeLayout(width, height).strip;
  if (strip === undefined || context === null) return undefined;
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  context.drawImage(element, strip.x, strip.y, strip.width, strip.height, strip.x, strip.y, strip.width, strip.height);
  return readProbeStrip({ data: context.getImageData(0, 0, width, height).data, width, height, channels: 4 });
}

const pause = (/** @type {number} */ milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/**
 * Plays the probe world and presses a key again and again.
 *
 * @param {"webrtc" | "websocket"} transport
 * @param {number} inputs
 */
async function measureLive(transport, inputs) {
  const stage = /** @type {HTMLElement} */ (document.getElementById("stage"));
  const start = performance.now();
  const session = await connect({ world: "probe", transport });
  /** @type {number | undefined} */
  let firstFrame;
  let encodeMilliseconds = 0;
  /** @type {{ at: number, isDown: boolean } | undefined} */
  let waiting;
  /** @type {number[]} */
  const inputToPhoton = [];
  /** @type {number[]} */
  const outputToDecoded = [];
  session.on("frame", ({ metadata, receivedAtMilliseconds }) => {
    const now = performance.now();
    firstFrame ??= now - start;
    if (metadata !== undefined) {
      encodeMilliseconds += metadata.encodeMilliseconds;
      if (receivedAtMilliseconds !== undefined && waiting === undefined) {
        // The clocks of both sides are not compared: the way here is taken as half the way there and back.
        const way = (session.stats?.roundTripMilliseconds ?? 0) / 2;
        outputToDecoded.push(metadata.encodeMilliseconds + way + Math.max(0, now - receivedAtMilliseconds));
      }
    }
    if (waiting === undefined || session.pictureElement === undefined) return;
    const seen = readStrip(session.pictureElement);
    if (seen === undefined || (seen.driverCommand?.throttle === 1) !== waiting.isDown) return;
    inputToPhoton.push(now - waiting.at);
    waiting = undefined;
  });
  session.attach(stage);
  while (firstFrame === undefined) await pause(5);
  await pause(2000);
  for (let input = 0; input < inputs; input += 1) {
    const isDown = input % 2 === 0;
    if (isDown) session.input.keyDown("KeyW");
    else session.input.keyUp("KeyW");
    waiting = { at: performance.now(), isDown };
    session.inputChanged();
    const end = performance.now() + 5000;
    while (waiting !== undefined && performance.now() < end) await pause(5);
    if (waiting !== undefined) throw new Error(`input ${input} was not seen within 5 s`);
    // Spread over the step, so that no phase of the world's clock is preferred.
    await pause(120 + ((input * 37) % 101));
  }
  const { stats } = session;
  const seconds = (performance.now() - start) / 1000;
  await session.close();
  return {
    firstFrame,
    inputToPhoton,
    outputToDecoded,
    presentedFramesPerSecond: stats?.presentedFramesPerSecond ?? 0,
    encoderShare: encodeMilliseconds / 1000 / seconds,
    codec: stats?.codec ?? "",
  };
}

Object.assign(window, { measureLive });
