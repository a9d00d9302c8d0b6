import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { measureConditions, measureObedience } from "./behaviour.ts";
import { measureClosedLoop, measureReconstruction } from "./closed-loop.ts";
import { measureDrift } from "./drift.ts";
import { Studio } from "./drives.ts";
import { Judge, Reconstructor } from "./graphs.ts";
import { contactSheet, replaceSection, reportOf, type EvaluationResult } from "./report.ts";
import { DriveWorldModel } from "./world-rollout.ts";

/** How many drives each measurement takes, in full and with `--quick`. */
const SIZES = {
  full: { reconstruction: 24, loops: 12, loopFrames: 256, obedience: 8, conditionRounds: 3, driftFrames: 10_000 },
  quick: { reconstruction: 6, loops: 3, loopFrames: 64, obedience: 2, conditionRounds: 1, driftFrames: 600 },
} as const;

const { values } = parseArgs({
  options: {
    world: { type: "string", default: "worlds/drive" },
    judge: { type: "string", default: "training/evaluate/judge.onnx" },
    out: { type: "string", default: "docs/benchmarks.md" },
    raw: { type: "string", default: "docs/benchmarks/drive.json" },
    pictures: { type: "string", default: "docs/pictures" },
    threads: { type: "string", default: "2" },
    steps: { type: "string", default: "1" },
    quick: { type: "boolean", default: false },
  },
});

const size = values.quick ? SIZES.quick : SIZES.full;
const studio = new Studio();
const judge = existsSync(values.judge) ? await Judge.load(values.judge) : undefined;
const model = await DriveWorldModel.load(values.world, Number(values.threads), Number(values.steps));
const say = (text: string): void => console.log(`${new Date().toISOString().slice(11, 19)} ${text}`);
say("reconstruction");
const reconstruction = await measureReconstruction(await Reconstructor.load(values.world), studio, size.reconstruction);
say(`${reconstruction.toFixed(2)} dB; closed loop`);
const closedLoop = await measureClosedLoop(model, judge, studio, size.loops, size.loopFrames);
say(
  `${closedLoop.horizons.map((row) => `${row.frames}: ${row.whole.toFixed(2)}/${row.road.toFixed(2)}`).join(", ")}; obedience`,
);
const obedience = await measureObedience(model, studio, size.obedience);
say(`${JSON.stringify(obedience)}; conditions`);
const conditions =
  judge === undefined ? undefined : await measureConditions(model, judge, studio, size.conditionRounds);
say(`${JSON.stringify(conditions) ?? "no judge"}; drift`);
const drift = await measureDrift(model, studio, size.driftFrames);
await model.close();

const manifest = JSON.parse(readFileSync(join(values.world, "world.json"), "utf8")) as {
  readonly model: { readonly version: string };
};
const result: EvaluationResult = {
  date: new Date().toISOString().slice(0, 10),
  worldVersion: manifest.model.version,
  processor: `${cpus()[0].model.trim()}, ${cpus().length} cores, ${values.threads} inference threads`,
  node: process.version,
  denoisingSteps: Number(values.steps),
  size,
  reconstruction,
  closedLoop,
  obedience,
  ...(conditions === undefined ? {} : { conditions }),
  drift,
};
mkdirSync(values.pictures, { recursive: true });
mkdirSync(dirname(values.raw), { recursive: true });
writeFileSync(
  join(values.pictures, "drive-closed-loop.png"),
  contactSheet(closedLoop.pictures, result.closedLoop.horizons.length),
);
const { closedLoop: loop, drift: long, ...rest } = result;
const raw = { ...rest, closedLoop: { ...loop, pictures: undefined }, drift: { ...long, lastPicture: undefined } };
writeFileSync(values.raw, `${JSON.stringify(raw, null, 2)}\n`);
replaceSection(values.out, "drive", reportOf(result));
say("done");
