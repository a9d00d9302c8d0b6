import { afterAll, beforeAll, expect, it } from "vitest";
import { baseline, ENDING_WORLDS, ENDINGS, ENDINGS_BY_GRACE } from "../test-support/endings.ts";
import { probe, TestServer } from "../test-support/test-server.ts";
import { releaseRtc } from "../webrtc/rtc-library.ts";

const WARM_UP = 50;
const CYCLES = 200;
const MAX_BYTES_PER_CYCLE = 20_000;
/** Cycles at either end whose lowest resident memory is compared. */
const WINDOW = 50;
/** Cycles of endings that are quick: resident memory swings by megabytes, which only many cycles tell from a loss. */
const LONG_CYCLES = 1000;
const SLOW_ENDINGS = [...ENDINGS_BY_GRACE, "a load fails", "a load is cancelled"];
/** Sessions of either server before anything is measured: the heaps of the workers find their sizes meanwhile. */
const SETTLING_CYCLES = 400;

/** One server whose sessions wait long enough for slow connections, one for the endings that are such a wait. */
let patient: TestServer;
let hasty: TestServer;

beforeAll(async () => {
  const absent = { ...probe({}, ENDING_WORLDS.absent), reference: { module: "@dreamloop/absent" } };
  const start = (graceSeconds: number): Promise<TestServer> =>
    TestServer.start(
      {
        preload: ["probe", ENDING_WORLDS.fails],
        graceSeconds,
        worldIdleSeconds: 0.1,
        sessionStartsPerMinute: 100_000,
        httpRequestsPerSecond: 100_000,
      },
      { worlds: [probe(), probe({ failAtStep: 3 }, ENDING_WORLDS.fails), absent] },
    );
  patient = await start(5);
  hasty = await start(0.2);
  for (const server of [patient, hasty]) {
    for (let count = 0; count < SETTLING_CYCLES; count += 1) {
      await ENDINGS["the player closes it"]?.(server);
      await baseline(server);
    }
  }
}, 600_000);

afterAll(async () => {
  await Promise.all([patient.close(), hasty.close()]);
  await releaseRtc();
});

function heapBytes(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

it.each(Object.entries(ENDINGS))("C1: 200 cycles leave nothing behind: %s", async (name, end) => {
  const server = ENDINGS_BY_GRACE.includes(name) ? hasty : patient;
  const cycle = async (): Promise<number> => {
    await end(server);
    await baseline(server);
    // The garbage of this thread, of the client's side too, is no loss.
    globalThis.gc?.();
    return process.memoryUsage.rss();
  };
  for (let count = 0; count < WARM_UP; count += 1) await cycle();
  const resources = process.getActiveResourcesInfo().length;
  const heapBefore = heapBytes();
  const resident: number[] = [];
  for (let count = 0; count < CYCLES; count += 1) resident.push(await cycle());
  expect((heapBytes() - heapBefore) / CYCLES).toBeLessThan(MAX_BYTES_PER_CYCLE);
  expect(process.getActiveResourcesInfo().length).toBeLessThanOrEqual(resources + 5);
  if (SLOW_ENDINGS.includes(name)) return;
  for (let count = CYCLES; count < LONG_CYCLES; count += 1) resident.push(await cycle());
  // Each worker collects its garbage when it likes; what is lost for good lifts the lowest points.
  const floor = (samples: readonly number[]): number => Math.min(...samples);
  const rise = floor(resident.slice(-WINDOW)) - floor(resident.slice(0, WINDOW));
  expect(rise / (LONG_CYCLES - WINDOW)).toBeLessThan(MAX_BYTES_PER_CYCLE);
});
