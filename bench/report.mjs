// Writes the tables of docs/benchmarks.md from the result files in bench/results. A test compares the page with them, so a figure on the page
// is always one that a command has printed. `node bench/report.mjs` after `npm run bench:… -- --json bench/results/NAME.json`.
import { summarize } from "@dreamloop/core/internal";
import { existsSync, readFileSync, writeFileSync } from "node:fs";

const other = process.argv.indexOf("--page");
/** `--page FILE` names another page, `--check` only compares. */
const PAGE = other < 0 ? new URL("../docs/benchmarks.md", import.meta.url) : process.argv[other + 1];
const RESULTS = new URL("./results/", import.meta.url);

const fixed = (value, digits = 1) => (value === undefined ? "–" : value.toFixed(digits));
const microseconds = (seconds) => fixed(seconds * 1e6);
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

/** A Markdown table. */
function table(columns, rows) {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  return [line(columns), line(columns.map(() => "---")), ...rows.map(line)].join("\n");
}

/** What each benchmark puts on the page. */
const SECTIONS = {
  loop(result) {
    const { machine, turnSeconds, copySeconds } = result;
    const stages = Object.entries(result.stages).map(([stage, figures]) => [
      stage,
      microseconds(figures.p50),
      microseconds(figures.p95),
      microseconds(figures.p99),
    ]);
    return [
      ranOn(machine),
      `${result.steps.toLocaleString("en")} steps, probe world 640×360 with an instant step, null output, check and hash off: **p50 ${microseconds(turnSeconds.p50)} µs, p99 ${microseconds(turnSeconds.p99)} µs a step**, beside ${microseconds(copySeconds.p50)} µs for one copy of the frame. Last ten thousand steps against the first: ${fixed(result.lastTenThousand.p50 / result.firstTenThousand.p50, 2)}. Heap: ${fixed(result.heapBytesPerStep, 2)} bytes a step.`,
      "Each stage of its own, with the frame check and the hash on (µs):",
      table(["stage", "p50", "p95", "p99"], stages),
      `Instruments with nothing attached: a wrapped call ${fixed(result.instruments.wrappedNanoseconds, 2)} ns, a span ${fixed(result.instruments.spanNanoseconds, 2)} ns, the plain call ${fixed(result.instruments.plainNanoseconds, 2)} ns.`,
    ];
  },
  mp4(result) {
    const rows = result.sizes.flatMap(({ width, height, samples }) => {
      const rates = samples.map(({ runs }) =>
        runs.map(({ milliseconds }) => (result.frameCount * 1000) / milliseconds),
      );
      return samples.map(({ name, psnrDecibels }, index) => [
        `${width}×${height}`,
        name,
        fixed(median(rates[index])),
        index === 0 ? "1" : fixed(median(rates[0].map((rate, round) => rate / rates[index][round])), 2),
        fixed(psnrDecibels),
      ]);
    });
    return [
      ranOn({
        ...result.environment,
        load: median(
          result.sizes.flatMap(({ samples }) => samples.flatMap(({ runs }) => runs.map(({ load }) => load))),
        ),
      }),
      `${result.frameCount} frames, ${result.rounds} rounds in turns; the ratio is the median over rounds.`,
      table(["size", "encoder", "frames/s, median", "dreamloop ÷ this", "luma dB"], rows),
    ];
  },
  onnx(result) {
    const columns = Object.keys(result.rows[0] ?? {});
    const rows = result.rows.map((row) =>
      columns.map((column) => (typeof row[column] === "number" ? fixed(row[column], 3) : String(row[column]))),
    );
    return [ranOn({ ...result.machine, load: result.machine.load?.[0] }), table(columns, rows)];
  },
  live(result) {
    const rows = result.results.map((run) => {
      const photon = summarize(run.inputToPhoton);
      const decoded = summarize(run.outputToDecoded);
      return [
        run.transport,
        fixed(photon.p50),
        fixed(photon.p95),
        fixed(decoded.p50),
        fixed(decoded.p95),
        fixed(run.firstFrame, 0),
      ];
    });
    return [
      ranOn({ ...result.machine, load: result.machine.loadAverage[0] }),
      "Probe world 640×360 at 30 frames/s, headless Chromium on loopback; milliseconds.",
      table(
        [
          "transport",
          "input to photon p50",
          "p95",
          "model output to decoded p50",
          "p95",
          "first frame after `connect`",
        ],
        rows,
      ),
    ];
  },
  many(result) {
    const { settings, processorShares, machine } = result;
    const percent = (share) => (share === undefined ? "–" : fixed(100 * share));
    const rows = result.sessions.map((session) => {
      const latency = summarize(session.serverMilliseconds);
      return [
        session.receiver,
        fixed(session.stepsPerSecond),
        `${session.frames} of ${session.steps}`,
        String(session.lateSteps),
        String(session.droppedFrames),
        percent(session.missedShare),
        fixed(latency.p50),
        fixed(latency.p95),
      ];
    });
    return [
      ranOn({ ...machine, load: machine.loadAverage[0] }),
      `${settings.sessions} sessions of the probe world at ${settings.width}×${settings.height} and ${settings.framesPerSecond} frames/s for ${fixed(settings.seconds, 0)} s, server, receivers and browser on the same machine (${machine.serverCores} cores for the server).`,
      table(
        [
          "session",
          "steps/s",
          "frames received",
          "late steps",
          "dropped frames",
          "deadlines missed, %",
          "input read to sent p50, ms",
          "p95",
        ],
        rows,
      ),
      `Processor time, in % of one core: server ${percent(processorShares.server)}, its encoder ${percent(processorShares.encoder)}, receivers ${percent(processorShares.receivers)}, browser ${percent(processorShares.browser)}.`,
    ];
  },
  backends(result) {
    const rows = [
      ...result.handOvers.map(({ world, through, seconds }) => [
        `hand-over of an 832×480 frame, ${world === "Instant" ? "drawn where the driver reads" : "copied once"}, through ${through.split(",")[0]}`,
        seconds,
      ]),
      ["loop with an instant step", result.turnSeconds],
    ];
    const last = result.cycles.at(-1);
    return [
      ranOn({ ...result.machine, load: result.machine.load?.[0] }),
      table(
        ["", "p50, µs", "p99, µs"],
        rows.map(([name, { p50, p99 }]) => [name, microseconds(p50), microseconds(p99)]),
      ),
      `At 20 ms a step a world in Python runs at **${fixed(median(result.rounds.map(({ share }) => share)) * 100)} %** of the rate of a plain Python loop (median of ${result.rounds.length} rounds in turns).`,
      ...(last === undefined
        ? []
        : [
            `After ${last.cycle} workers that were killed: ${last.children.length} processes, ${last.descriptors} descriptors (${result.cycles[0].descriptors} at the first sample), ${fixed(last.residentBytes / 1e6, 0)} MB (${fixed(result.cycles[0].residentBytes / 1e6, 0)} MB).`,
          ]),
    ];
  },
  soak(result) {
    const rows = result.runs.map(({ title, status, seconds, figures }) => [
      title,
      status,
      fixed(seconds, 0),
      Object.entries(figures)
        .map(([name, value]) => `${fixed(value, 0)} ${name}`)
        .join(", "),
    ]);
    return [ranOn(result.machine), table(["run", "result", "seconds", "growth"], rows)];
  },
};

function ranOn(machine) {
  const processor = machine.processor ?? machine.cpu;
  const load = typeof machine.load === "number" ? `, load average ${fixed(machine.load)}` : "";
  return `Measured on ${processor}, ${machine.cores ?? machine.logicalCores} cores, Node ${String(machine.node ?? `v${machine.versions.node}`)}${load}.`;
}

/** The text of one benchmark's section, or nothing when there is no result file. */
function sectionOf(name) {
  const file = new URL(`${name}.json`, RESULTS);
  if (!existsSync(file)) return undefined;
  return SECTIONS[name](JSON.parse(readFileSync(file, "utf8"))).join("\n\n");
}

/** The page with every section whose result file exists written anew, between its markers. */
function pageWithSections(page) {
  let text = page;
  for (const name of Object.keys(SECTIONS)) {
    const section = sectionOf(name);
    if (section === undefined) continue;
    const [start, end] = [`<!-- bench:${name} -->`, `<!-- /bench:${name} -->`];
    const [from, to] = [text.indexOf(start), text.indexOf(end)];
    if (from < 0 || to < 0) throw new Error(`docs/benchmarks.md has no markers ${start} … ${end}`);
    text = `${text.slice(0, from + start.length)}\n\n${section}\n\n${text.slice(to)}`;
  }
  return text;
}

const page = readFileSync(PAGE, "utf8");
const written = pageWithSections(page);
if (!process.argv.includes("--check")) writeFileSync(PAGE, written);
else if (withoutPadding(written) !== withoutPadding(page)) {
  console.error("docs/benchmarks.md differs from the result files in bench/results; run node bench/report.mjs");
  process.exitCode = 1;
}

/** Formatters pad the cells of tables; what stands in them counts. */
function withoutPadding(text) {
  return text.replaceAll(/[ -]+\|/g, "|").replaceAll(/\| +/g, "|");
}
