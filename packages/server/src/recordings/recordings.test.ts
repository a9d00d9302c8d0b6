import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { readTrace, replayTrace, type ReplayReport } from "@dreamloop/core";
import {
  loadAdapter,
  PayloadFolder,
  payloadFolderOf,
  ProcessClock,
  sha256FrameHasher,
  worldReference,
} from "@dreamloop/node";
import type { RecordingFacts, UploadAnswer } from "@dreamloop/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makePng } from "../test-support/make-png.ts";
import { PictureWorld } from "../test-support/picture-world.ts";
import { readTar } from "../test-support/read-tar.ts";
import { SocketClient } from "../test-support/socket-client.ts";
import { TestServer, until } from "../test-support/test-server.ts";
import { SessionTrace } from "./session-trace.ts";
import { archiveBytes, readArchive, readTrace as readTraceBytes } from "./trace-archive.ts";

const SMALL = { width: 64, height: 32 };
/** More bytes than a line of a trace holds. */
const LARGE = { width: 1024, height: 512 };

let server: TestServer;
let folder: string;
const worlds = { small: new PictureWorld("small", SMALL), large: new PictureWorld("large", LARGE) };

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "dreamloop-recordings-"));
  server = await TestServer.start({ maxLoads: 2 }, { worlds: [worlds.small.served, worlds.large.served] });
});

afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
  for (const world of Object.values(worlds)) world.remove();
});

/** Plays a world from a picture, records, and fetches what stands for the trace. */
async function record(
  world: keyof typeof worlds,
  size: typeof SMALL,
): Promise<{ readonly tracePath: string; readonly content: Uint8Array }> {
  const png = makePng(size.width, size.height, [10, 200, 90]);
  const uploaded = await server.fetch("/api/uploads", { method: "POST", body: png });
  const { uploadId } = (await uploaded.json()) as UploadAnswer;
  const session = await server.create({ world, images: { first_frame: uploadId } });
  const client = await SocketClient.open(server, session);
  await until(() => client.frames.length > 0, "frames come");
  expect(await client.request("record_start")).toMatchObject({ ok: true });
  const count = client.frames.length;
  await until(() => client.frames.length > count + 5, "frames are recorded");
  const stopped = await client.request("record_stop");
  if (!stopped.ok) throw new Error(stopped.error.message);
  const { tracePath = "", frameCount, droppedFrames, videoSeconds } = stopped.result as unknown as RecordingFacts;
  // On the timeline of the world, which gives 30 frames a second.
  expect(videoSeconds).toBeCloseTo((frameCount + droppedFrames) / 30, 9);
  expect(videoSeconds).toBeGreaterThan(0);
  const response = await server.fetch(`${tracePath}?token=${session.token}`);
  const content = new Uint8Array(await response.arrayBuffer());
  expect(response.headers.get("content-length")).toBe(String(content.byteLength));
  await server.send("DELETE", `/api/sessions/${session.sessionId}`, session);
  return { tracePath, content };
}

async function replay(world: keyof typeof worlds, trace: Uint8Array, payloads?: PayloadFolder): Promise<ReplayReport> {
  const read = await readTrace([trace]);
  expect(read).toMatchObject({ complete: true, droppedLines: 0, footer: { stillRunning: true } });
  return replayTrace({
    trace: read,
    adapter: await loadAdapter(worldReference(worlds[world].served.reference)),
    frameHasher: sha256FrameHasher,
    clock: new ProcessClock(),
    ...(payloads === undefined ? {} : { payloads }),
  });
}

describe("the trace of a recording that began with a picture", () => {
  it("G3: replays from the one file where the picture stands in it", async () => {
    const { tracePath, content } = await record("small", SMALL);
    expect(tracePath).toMatch(/\/run\.trace$/);
    const { equal, comparedFrames } = await replay("small", content);
    expect(equal).toBe(true);
    expect(comparedFrames).toBeGreaterThan(5);
  });

  it("G3: comes as an archive with a picture that is too big for a line, and replays from what that unpacks to", async () => {
    const { tracePath, content } = await record("large", LARGE);
    expect(tracePath).toMatch(/\/run\.tar$/);
    const files = readTar(content);
    for (const [name, bytes] of files) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), bytes);
    }
    const trace = files.get("run.trace") ?? new Uint8Array();
    await expect(replay("large", trace)).rejects.toMatchObject({ code: "replay_refused" });
    const payloads = new PayloadFolder(payloadFolderOf(join(folder, "run.trace")));
    const { equal, comparedFrames } = await replay("large", trace, payloads);
    expect(equal).toBe(true);
    expect(comparedFrames).toBeGreaterThan(5);
  });
});

describe("the trace of a session", () => {
  it("M5: is given up beyond its limit, arrays included, and what was recorded before stays", async () => {
    const trace = await SessionTrace.open(folder, { bytes: 1000 });
    const address = `sha256:${"ab".repeat(32)}`;
    trace.write("one\n");
    trace.keep(address, new Uint8Array(600));
    trace.keep(address, new Uint8Array(600));
    const view = await trace.view();
    if (view === undefined) throw new Error("the trace was given up");
    trace.keep(`sha256:${"cd".repeat(32)}`, new Uint8Array(600));
    expect(await trace.view()).toBeUndefined();
    const parts: Uint8Array[] = [];
    for await (const part of readArchive(view)) parts.push(part);
    const archive = Buffer.concat(parts);
    expect(archive.byteLength).toBe(archiveBytes(view));
    const [lines, array] = [...readTar(archive).values()];
    expect(Buffer.from(lines ?? []).toString()).toMatch(/^one\n{"type":"footer".*}\n$/);
    expect(array?.byteLength).toBe(600);
    await trace.close();
  });

  it("G3: a trace that is taken ends with the step before which it was taken, whatever comes meanwhile, and says that the run went on", async () => {
    const place = mkdtempSync(join(folder, "copies-"));
    const trace = await SessionTrace.open(place, { bytes: 1_000_000 });
    const step = (index: number): string => `{"type":"step","stepNumber":${index},"frameCount":2}\n`;
    trace.write(step(0));
    trace.write(step(1));
    const taking = trace.view();
    for (let index = 2; index < 200; index += 1) trace.write(step(index));
    const view = await taking;
    if (view === undefined) throw new Error("the trace was given up");
    const parts: Uint8Array[] = [];
    for await (const part of readTraceBytes(view)) parts.push(part);
    const lines = Buffer.concat(parts).toString().trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      { type: "step", stepNumber: 0, frameCount: 2 },
      { type: "step", stepNumber: 1, frameCount: 2 },
      expect.objectContaining({ type: "footer", stepCount: 2, frameCount: 4, stillRunning: true }),
    ]);
    await trace.close();
  });
});
