// Many people at once: N sessions of the probe world at 320×180 and 30 frames/s on one server. One is played and decoded by a Chromium, the others
// by receivers in a process of their own, which count packets and take only the first frame apart. It tells how many deadlines the server missed,
// and the processor time of server, encoder, receivers and browser apart. `--sessions N` (default 8), `--seconds N` (default 30), `--json FILE`.
import { fork, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { summarize } from "@dreamloop/core/internal";
import { chromium } from "playwright-core";
import { pageBundle, processTree, processorSeconds, startServer, sumOfProcessorSeconds } from "./served.mjs";

const { values } = parseArgs({
  options: {
    sessions: { type: "string", default: "8" },
    seconds: { type: "string", default: "30" },
    json: { type: "string" },
  },
});
const sessionCount = Number(values.sessions);
const seconds = Number(values.seconds);
const SIZE = { width: 320, height: 180 };
const FRAMES_PER_SECOND = 30;
/** The share of missed deadlines that is aimed at. */
const MAX_MISSED_SHARE = 0.01;
/** Cores that the figure is for. */
const CORES = 2;
/** What happens before: encoders find their rates, code gets warm. */
const WARM_UP_MILLISECONDS = 3000;

const root = (/** @type {string} */ path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const pause = (/** @type {number} */ milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** The command that binds another to the first cores, where there are more and there is such a command. */
const prefix =
  cpus().length > CORES && spawnSync("taskset", ["--version"]).status === 0 ? ["taskset", "-c", `0-${CORES - 1}`] : [];

/**
 * An answer of the receivers' process.
 *
 * @param {import("node:child_process").ChildProcess} child
 * @param {string} type
 * @returns {Promise<any>}
 */
function answerOf(child, type) {
  return new Promise((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`the receivers ended with code ${code}`)));
    child.on("message", (/** @type {any} */ message) => {
      if (message.type === "failed") reject(new Error(`the receivers: ${message.message}`));
      if (message.type === type) resolve(message);
    });
  });
}

/**
 * Steps that came late and frames that were dropped, so far.
 *
 * @param {string} url
 * @param {{ sessionId: string, token: string }} session
 */
async function missesOf(url, { sessionId, token }) {
  const response = await fetch(`${url}/api/sessions/${sessionId}`, { headers: { authorization: `Bearer ${token}` } });
  if (!response.ok) throw new Error(`facts of a session: ${response.status}`);
  const { stats } = await response.json();
  const { replaced = 0, overdue = 0, receiverSlow = 0 } = stats?.drops ?? {};
  return { lateSteps: stats?.underrunCount ?? 0, droppedFrames: replaced + overdue + receiverSlow };
}

/** @param {readonly any[]} rows @param {any} result */
function tell(rows, { processorShares, settings }) {
  const percent = (/** @type {number | undefined} */ share) =>
    share === undefined ? "unknown" : `${(100 * share).toFixed(1)} %`;
  console.log(
    `${settings.sessions} sessions of the probe world, ${settings.width}×${settings.height} at ${settings.framesPerSecond} frames/s, ${settings.seconds.toFixed(0)} s`,
  );
  for (const row of rows) {
    const latency = summarize(row.serverMilliseconds);
    const packets = row.packets === undefined ? "" : `, ${row.packets} packets`;
    console.log(
      `  ${row.receiver.padEnd(20)} ${row.stepsPerSecond.toFixed(1)} steps/s, ${row.frames} of ${row.steps} frames${packets}, ` +
        `missed ${percent(row.missedShare)}, input read to sent p50 ${latency.p50.toFixed(1)} p95 ${latency.p95.toFixed(1)} ms`,
    );
  }
  const worst = Math.max(...rows.map(({ missedShare }) => missedShare));
  console.log(`  deadlines missed     at most ${percent(worst)} in any session  (aim ≤ ${percent(MAX_MISSED_SHARE)})`);
  console.log(
    `  processor time       server ${percent(processorShares.server)}, its encoder ${percent(processorShares.encoder)}, ` +
      `receivers ${percent(processorShares.receivers)}, browser ${percent(processorShares.browser)} of one core`,
  );
}

const page = await pageBundle(root("bench/many-page.mjs"));
const size = ["--set", `runtimeOptions.width=${SIZE.width}`, "--set", `runtimeOptions.height=${SIZE.height}`];
const rate = ["--set", `runtimeOptions.framesPerSecond=${FRAMES_PER_SECOND}`];
const limits = ["--max-sessions", String(sessionCount), "--max-sessions-per-address", String(sessionCount)];
const server = await startServer(["probe", "--preload", "probe", ...size, ...rate, ...limits], { prefix });
const receivers = fork(root("bench/many-receivers.mjs"));
const browser = await chromium.launchServer({
  executablePath: process.env["DREAMLOOP_CHROMIUM"] ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--autoplay-policy=no-user-gesture-required"],
});
/** @type {Record<string, unknown> | undefined} */
let result;
try {
  const tab = await (await chromium.connect(browser.wsEndpoint())).newPage({ viewport: { width: 640, height: 360 } });
  // A page of the server's own origin that starts nothing by itself: a viewer's link to nowhere, emptied.
  await tab.goto(`${server.url}/#/view/nothing`);
  await tab.evaluate(
    "document.body.innerHTML = '<div id=stage></div>'; document.getElementById('stage').style.width = '320px'",
  );
  await tab.evaluate(page.outputFiles[0]?.text ?? "");
  const started = answerOf(receivers, "started");
  receivers.send({ type: "start", url: server.url, count: sessionCount - 1 });
  const { sessions: players } = await started;
  await tab.evaluate("startPlaying()");
  await pause(WARM_UP_MILLISECONDS);

  const groups = () => {
    const encoders = processTree(server.pid).filter((pid) => pid !== server.pid);
    return {
      server: processorSeconds(server.pid),
      encoder: sumOfProcessorSeconds(encoders),
      receivers: processorSeconds(receivers.pid ?? 0),
      browser: sumOfProcessorSeconds(processTree(browser.process().pid ?? 0)),
    };
  };
  const sessions = [...players, await tab.evaluate("ownSession()")];
  const missesBefore = await Promise.all(sessions.map((session) => missesOf(server.url, session)));
  receivers.send({ type: "begin" });
  await tab.evaluate("beginCounting()");
  const before = groups();
  const begin = performance.now();
  await pause(seconds * 1000);
  const measured = (performance.now() - begin) / 1000;
  const after = groups();
  const decoded = await tab.evaluate("endCounting()");
  const told = answerOf(receivers, "results");
  receivers.send({ type: "end" });
  const { results: received } = await told;
  const missesAfter = await Promise.all(sessions.map((session) => missesOf(server.url, session)));
  const load = loadavg();

  const rows = [...received, { ...decoded, packets: undefined }].map((each, index) => {
    const steps = each.lastFrame - each.firstFrame + 1;
    const lateSteps = (missesAfter[index]?.lateSteps ?? 0) - (missesBefore[index]?.lateSteps ?? 0);
    const droppedFrames = (missesAfter[index]?.droppedFrames ?? 0) - (missesBefore[index]?.droppedFrames ?? 0);
    return {
      receiver: index < received.length ? "counts packets" : "decodes in Chromium",
      steps,
      stepsPerSecond: steps / measured,
      frames: each.frames,
      packets: each.packets,
      isFirstFrameWhole: each.isFirstFrameWhole,
      lateSteps,
      droppedFrames,
      missedShare: (lateSteps + droppedFrames) / steps,
      serverMilliseconds: each.serverMilliseconds,
    };
  });
  const share = (/** @type {keyof ReturnType<typeof groups>} */ name) =>
    before[name] === undefined || after[name] === undefined ? undefined : (after[name] - before[name]) / measured;
  result = {
    format: "dreamloop-bench-many",
    version: 1,
    machine: {
      node: process.version,
      cpu: cpus()[0]?.model,
      cores: cpus().length,
      serverCores: prefix.length === 0 ? cpus().length : CORES,
      loadAverage: load,
    },
    settings: { sessions: sessionCount, seconds: measured, ...SIZE, framesPerSecond: FRAMES_PER_SECOND },
    processorShares: {
      server: share("server"),
      encoder: share("encoder"),
      receivers: share("receivers"),
      browser: share("browser"),
    },
    sessions: rows,
  };
  tell(rows, result);
} finally {
  await browser.close();
  if (receivers.connected) receivers.disconnect();
  server.stop();
}
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(result, undefined, 2)}\n`);
