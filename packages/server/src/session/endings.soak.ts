import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { ENDINGS, ENDINGS_BY_GRACE } from "../test-support/endings.ts";
import type { EndingMeasurement } from "../test-support/measure-ending.ts";

const WARM_UP = 50;
const CYCLES = 200;
/**
 * Cycles of endings that are quick. Resident memory swings by a dozen megabytes as workers collect their garbage, which only so many
 * cycles tell from a loss; of the slow endings it is not judged.
 */
const LONG_CYCLES = 1500;
const SLOW_ENDINGS: readonly string[] = [...ENDINGS_BY_GRACE, "a load fails", "a load is cancelled"];
const MAX_BYTES_PER_CYCLE = 20_000;
const PROGRAM = fileURLToPath(new URL("../test-support/measure-ending.ts", import.meta.url));

/** Lets sessions end in a process of its own, in which nothing else takes memory. */
function measure(ending: string): EndingMeasurement {
  const graceSeconds = ENDINGS_BY_GRACE.includes(ending) ? "0.2" : "5";
  const cycles = SLOW_ENDINGS.includes(ending) ? CYCLES : LONG_CYCLES;
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    ["--expose-gc", "--import", "tsx", PROGRAM, ending, String(WARM_UP), String(cycles), graceSeconds],
    // Fewer arenas of the C library: what threads free goes back sooner, so that a loss shows among less noise.
    { encoding: "utf8", env: { ...process.env, MALLOC_ARENA_MAX: "2" } },
  );
  expect(status, stderr).toBe(0);
  return JSON.parse(stdout) as EndingMeasurement;
}

it.for(Object.keys(ENDINGS).map((ending) => ({ ending })))(
  "C1: 200 cycles or more leave nothing behind: $ending",
  ({ ending }, { task }) => {
    const { heapBytesPerCycle, residentBytesPerCycle, handles, counts } = measure(ending);
    const figures = { "heap bytes a cycle": heapBytesPerCycle, "resident bytes a cycle": residentBytesPerCycle };
    Object.assign(task.meta, { figures: { ...figures, "further handles": handles[1] - handles[0] } });
    expect(counts).toMatchObject({ sessions: 0, takenSlots: 0, feeds: 0, loads: 0, doubleReleases: 0, lateFrames: 0 });
    expect(handles[1]).toBeLessThanOrEqual(handles[0] + 5);
    expect(heapBytesPerCycle).toBeLessThan(MAX_BYTES_PER_CYCLE);
    if (!SLOW_ENDINGS.includes(ending)) expect(residentBytesPerCycle).toBeLessThan(MAX_BYTES_PER_CYCLE);
  },
);
