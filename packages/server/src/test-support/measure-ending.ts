import { baseline, ENDING_WORLDS, ENDINGS } from "./endings.ts";
import { probe, TestServer } from "./test-server.ts";

/** What a process tells after it has let many sessions end in the same way. */
export interface EndingMeasurement {
  /** Growth of this thread's heap, in bytes a cycle. */
  readonly heapBytesPerCycle: number;
  /** Growth of the lowest resident memory between the first and the last quarter, in bytes a cycle. */
  readonly residentBytesPerCycle: number;
  /** Open handles and requests at the start and at the end. */
  readonly handles: readonly [number, number];
  /** What the server says is open at the end. */
  readonly counts: TestServer["server"]["counts"];
}

/** Sessions before anything is measured: the heaps of the workers find their sizes meanwhile. */
const SETTLING_CYCLES = 300;

const [name = "", warmUp = "0", cycles = "0", graceSeconds = "5"] = process.argv.slice(2);
const end = ENDINGS[name];
if (end === undefined) throw new Error(`there is no ending called ${name}`);

const absent = { ...probe({}, ENDING_WORLDS.absent), reference: { module: "@dreamloop/absent" } };
const server = await TestServer.start(
  {
    preload: ["probe", ENDING_WORLDS.fails],
    graceSeconds: Number(graceSeconds),
    worldIdleSeconds: 0.1,
    sessionStartsPerMinute: 100_000,
    httpRequestsPerSecond: 100_000,
  },
  { worlds: [probe(), probe({ failAtStep: 3 }, ENDING_WORLDS.fails), absent] },
);

async function run(ending: (server: TestServer) => Promise<void>, count: number): Promise<number[]> {
  const resident: number[] = [];
  for (let cycle = 0; cycle < count; cycle += 1) {
    await ending(server);
    await baseline(server);
    globalThis.gc?.();
    resident.push(process.memoryUsage.rss());
  }
  return resident;
}

const heap = (): number => {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
};
const handles = (): number => process.getActiveResourcesInfo().length;

const plain = ENDINGS["the player closes it"];
if (plain !== undefined) await run(plain, SETTLING_CYCLES);
await run(end, Number(warmUp));
const before = { heap: heap(), handles: handles() };
const resident = await run(end, Number(cycles));
const quarter = Math.floor(resident.length / 4);
const rise = Math.min(...resident.slice(-quarter)) - Math.min(...resident.slice(0, quarter));
const measurement: EndingMeasurement = {
  heapBytesPerCycle: (heap() - before.heap) / Number(cycles),
  residentBytesPerCycle: rise / (resident.length - quarter),
  handles: [before.handles, handles()],
  counts: server.server.counts,
};
process.stdout.write(`${JSON.stringify(measurement)}\n`);
await server.close();
process.exit(0);
