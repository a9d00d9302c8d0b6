import { afterAll, beforeAll, expect, it } from "vitest";
import { baseline, ENDING_WORLDS, ENDINGS } from "../test-support/endings.ts";
import { probe, TestServer } from "../test-support/test-server.ts";
import { releaseRtc } from "../webrtc/rtc-library.ts";

const WARM_UP = 50;
const CYCLES = 200;
const MAX_BYTES_PER_CYCLE = 20_000;

let server: TestServer;

beforeAll(async () => {
  const absent = { ...probe({}, ENDING_WORLDS.absent), reference: { module: "@dreamloop/absent" } };
  server = await TestServer.start(
    {
      preload: ["probe", ENDING_WORLDS.fails],
      graceSeconds: 2,
      worldIdleSeconds: 0.1,
      sessionStartsPerMinute: 100_000,
      httpRequestsPerSecond: 100_000,
    },
    { worlds: [probe(), probe({ failAtStep: 3 }, ENDING_WORLDS.fails), absent] },
  );
});

afterAll(async () => {
  await server.close();
  await releaseRtc();
});

function memory(): { readonly heap: number; readonly rss: number } {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  return { heap: heapUsed, rss };
}

it.each(Object.entries(ENDINGS))("C1: 200 cycles leave nothing behind: %s", async (_, end) => {
  for (let cycle = 0; cycle < WARM_UP; cycle += 1) {
    await end(server);
    await baseline(server);
  }
  const resources = process.getActiveResourcesInfo().length;
  const before = memory();
  for (let cycle = 0; cycle < CYCLES; cycle += 1) {
    await end(server);
    await baseline(server);
  }
  const after = memory();
  expect(process.getActiveResourcesInfo().length).toBeLessThanOrEqual(resources + 5);
  expect((after.heap - before.heap) / CYCLES).toBeLessThan(MAX_BYTES_PER_CYCLE);
  expect((after.rss - before.rss) / CYCLES).toBeLessThan(MAX_BYTES_PER_CYCLE);
});
