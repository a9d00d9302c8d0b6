// Drives the demo routes with the drivers that also drove for the training data, and writes what they did as scripts.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import {
  advanceDrive,
  createDriveState,
  createDriveWorld,
  DRIVE_STEP_SECONDS,
  stationAt,
} from "@dreamloop/worlds/drive";
import { DEMOS, type Demo } from "./demos.ts";

/** Steps between two moves of the driver's hands and feet. */
const STEPS_PER_MOVE = 3;
/** No demo is longer. */
const STEP_LIMIT = 5000;
/** The axes of a script that drive the car. */
const AXES = ["steer", "throttle", "brake"] as const;

const { values } = parseArgs({
  options: {
    out: { type: "string", default: "examples" },
    // Roads are looked for with these two.
    only: { type: "string" },
    seed: { type: "string" },
  },
});
for (const planned of DEMOS) {
  if (values.only !== undefined && planned.name !== values.only) continue;
  const demo = values.seed === undefined ? planned : { ...planned, seed: Number(values.seed) };
  const { text, report } = scriptOf(demo);
  writeFileSync(join(values.out, `${demo.name}.script`), text);
  console.log(`${demo.name}: ${report}`);
}

function scriptOf(demo: Demo): { readonly text: string; readonly report: string } {
  const world = createDriveWorld(demo.seed);
  let state = createDriveState(world);
  const startStation = stationOf(state.ego) ?? 0;
  let travelled = 0;
  let lastStation = startStation;
  let impacts = 0;
  let held: Readonly<Record<(typeof AXES)[number], number>> = { steer: 0, throttle: 0, brake: 0 };
  const lines: string[] = [];
  let step = 0;
  for (; step < STEP_LIMIT; step += 1) {
    const seconds = step * DRIVE_STEP_SECONDS;
    if (demo.seconds === undefined ? travelled >= world.track.lengthMetres : seconds >= demo.seconds) break;
    if (step % STEPS_PER_MOVE === 0) {
      const wanted = demo.drive(world, state, seconds);
      const next = { steer: round(wanted.steer), throttle: round(wanted.throttle), brake: round(wanted.brake) };
      for (const axis of AXES) {
        if (next[axis] !== held[axis]) lines.push(`at ${seconds.toFixed(2)} s axis ${axis} ${next[axis]}`);
      }
      held = next;
    }
    state = advanceDrive(world, state, { ...held, reverse: false, stop: false }, DRIVE_STEP_SECONDS);
    if (state.impactMetresPerSecond > 0) impacts += 1;
    const station = stationOf(state.ego);
    if (station !== undefined) {
      const length = world.track.lengthMetres;
      const moved = (((station - lastStation + length / 2) % length) + length) % length;
      travelled += moved - length / 2;
      lastStation = station;
    }
  }
  const end = (step * DRIVE_STEP_SECONDS).toFixed(2);
  const prompts = demo.prompts.map(({ seconds, text }) => `at ${seconds.toFixed(2)} s prompt ${JSON.stringify(text)}`);
  const head = [
    ...demo.about.map((line) => `# ${line}`),
    `# dreamloop run drive --script examples/${demo.name}.script --seed ${demo.seed} --prompt ${JSON.stringify(demo.prompt)}`,
    "# The road belongs to the seed: on another one this driver leaves it.",
  ];
  const sections = [head, prompts, lines, [`end ${end} s`]].filter((section) => section.length > 0);
  return {
    text: `${sections.map((section) => section.join("\n")).join("\n\n")}\n`,
    report: `${end} s, ${travelled.toFixed(0)} of ${world.track.lengthMetres.toFixed(0)} m, ${impacts} steps with a contact`,
  };

  function stationOf(ego: { readonly xMetres: number; readonly yMetres: number }): number | undefined {
    return stationAt(world.surface, ego.xMetres, ego.yMetres);
  }
}

function round(value: number): number {
  return Math.round(value * 50) / 50 + 0;
}
