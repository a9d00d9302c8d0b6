// How fresh live play is, in a real Chromium against a real server, with the probe world at 640×360 and 30 frames/s: from sending an input to the
// decoded picture that knows it, read from the strip in the pixels; from the model's output to the decoded frame; from the call of `connect` to the
// first frame; and the processor time of the server per session beside the encoder's own. `--transport webrtc|websocket` (repeatable, default
// both), `--inputs N` (default 60), `--json FILE`, which keeps the raw figures.
import { writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { chromium } from "playwright-core";
import { pageBundle, processTree, startServer, sumOfProcessorSeconds } from "./served.mjs";

const { values } = parseArgs({
  options: {
    transport: { type: "string", multiple: true, default: ["webrtc", "websocket"] },
    inputs: { type: "string", default: "60" },
    json: { type: "string" },
  },
});
const FRAMES_PER_SECOND = 30;
const root = (/** @type {string} */ path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** @param {readonly number[]} samples */
function percentiles(samples) {
  const sorted = samples.toSorted((left, right) => left - right);
  const rank = (/** @type {number} */ share) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
  return { p50: rank(0.5), p95: rank(0.95), p99: rank(0.99), count: sorted.length };
}

const page = await pageBundle(root("bench/live-page.mjs"));
const server = await startServer(["probe", "--preload", "probe"]);
/** Processor seconds of the server and its encoder's process. */
const processorSeconds = () => sumOfProcessorSeconds(processTree(server.pid));
const browser = await chromium.launch({
  executablePath: process.env["DREAMLOOP_CHROMIUM"] ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--autoplay-policy=no-user-gesture-required"],
});
const results = [];
try {
  for (const transport of values.transport) {
    const tab = await browser.newPage({ viewport: { width: 960, height: 540 } });
    // A page of the server's own origin that starts nothing by itself: a viewer's link to nowhere, emptied.
    await tab.goto(`${server.url}/#/view/nothing`);
    await tab.evaluate(
      "document.body.innerHTML = '<div id=stage></div>'; document.getElementById('stage').style.width = '640px'",
    );
    await tab.evaluate(page.outputFiles[0]?.text ?? "");
    const before = { processor: processorSeconds(), time: performance.now() };
    const measured = await tab.evaluate(`measureLive(${JSON.stringify(transport)}, ${Number(values.inputs)})`);
    const seconds = (performance.now() - before.time) / 1000;
    const processor = processorSeconds();
    await tab.close();
    const share =
      processor === undefined || before.processor === undefined ? undefined : (processor - before.processor) / seconds;
    results.push({ ...measured, transport, seconds, serverProcessorShare: share });
  }
} finally {
  await browser.close();
  server.stop();
}

const step = 1000 / FRAMES_PER_SECOND;
for (const result of results) {
  const photon = percentiles(result.inputToPhoton);
  const output = percentiles(result.outputToDecoded);
  const aim = step + (result.transport === "webrtc" ? 60 : 40);
  const ms = (/** @type {number} */ value) => `${value.toFixed(1)} ms`;
  console.log(`${result.transport} (${result.codec}, probe 640×360 at ${FRAMES_PER_SECOND} frames/s)`);
  console.log(
    `  input to photon           p50 ${ms(photon.p50)}  p95 ${ms(photon.p95)}  p99 ${ms(photon.p99)}  n ${photon.count}  (aim p95 ≤ ${ms(aim)})`,
  );
  console.log(
    `  model output to decoded   p50 ${ms(output.p50)}  p95 ${ms(output.p95)}  n ${output.count}  (aim p95 ≤ 40 ms)`,
  );
  console.log(`  first frame               ${ms(result.firstFrame)} after the call of connect  (aim ≤ 1000 ms)`);
  console.log(`  presented                 ${result.presentedFramesPerSecond.toFixed(1)} frames/s`);
  if (result.serverProcessorShare !== undefined) {
    console.log(
      `  server processor time     ${(100 * result.serverProcessorShare).toFixed(1)} % of one core, of it about ` +
        `${(100 * result.encoderShare).toFixed(1)} % in the encoder`,
    );
  }
}
if (values.json !== undefined) {
  const machine = { node: process.version, cpu: cpus()[0]?.model, cores: cpus().length, loadAverage: loadavg() };
  writeFileSync(
    values.json,
    `${JSON.stringify({ format: "dreamloop-bench-live", version: 1, machine, results }, undefined, 2)}\n`,
  );
}
