// The part of the benchmark of many sessions that runs in the page: one session that is played and decoded.
import { connect } from "@dreamloop/client";

/** @typedef {import("@dreamloop/client").PlaySession} PlaySession */

/** @type {PlaySession | undefined} */
let session;
/** @type {{ index: number, serverMilliseconds: number }[]} */
let told = [];
let decodedFrames = 0;

/** Connects and plays; resolves when a frame is seen. */
async function startPlaying() {
  const playing = await connect({ world: "probe", transport: "webrtc" });
  session = playing;
  const seen = new Promise((resolve) => {
    playing.on("frame", ({ metadata }) => {
      decodedFrames += 1;
      if (metadata !== undefined)
        told.push({ index: metadata.frameIndex, serverMilliseconds: metadata.serverMilliseconds });
      resolve(undefined);
    });
  });
  playing.attach(/** @type {HTMLElement} */ (document.getElementById("stage")));
  await seen;
}

/** Counts from now on. */
function beginCounting() {
  told = [];
  decodedFrames = 0;
}

/** What was seen since; ends nothing. */
function endCounting() {
  const indexes = told.map(({ index }) => index);
  return {
    frames: decodedFrames,
    firstFrame: Math.min(...indexes),
    lastFrame: Math.max(...indexes),
    serverMilliseconds: told.map((each) => each.serverMilliseconds),
    codec: session?.stats?.codec,
  };
}

/** Who plays; the token is good for looking only. */
const ownSession = () => ({ sessionId: session?.sessionId, token: session?.viewerToken });

Object.assign(window, { startPlaying, beginCounting, endCounting, ownSession });
