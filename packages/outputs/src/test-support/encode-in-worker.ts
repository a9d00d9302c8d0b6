import { parentPort } from "node:worker_threads";
import { rgbToI420 } from "../color/rgb-to-i420.ts";
import { webCodecsBackend } from "../encode/webcodecs/webcodecs-backend.ts";
import { movingFrame } from "./results.ts";

/** Encodes in the thread that loads this module and reports how many frames came out. */
const backend = webCodecsBackend();
let count = 0;
const encoder = await backend.createEncoder(
  {
    codec: "h264",
    width: 64,
    height: 48,
    framesPerSecond: 30,
    bitrateBitsPerSecond: 500_000,
    keyFrameIntervalFrames: 30,
    latency: "realtime",
  },
  { onFrame: () => (count += 1) },
);
for (let frame = 0; frame < 40; frame += 1) {
  const rgb = movingFrame(64, 48, frame);
  await encoder.encode(rgbToI420({ rgb, width: 64, height: 48 }), { timestamp: frame });
}
await encoder.flush();
await backend.close();
parentPort?.postMessage(count);
