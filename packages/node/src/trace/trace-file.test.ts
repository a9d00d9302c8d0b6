import { mkdtemp, open, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FakeClock, fakeWorld } from "@dreamloop/testing";
import { readTrace, replayTrace, runBatch, toleranceText, TraceEncoder } from "@dreamloop/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sha256FrameHasher as hasher } from "../sha256-hasher.ts";
import { PayloadFolder, payloadFolderOf } from "./payload-folder.ts";
import { inspectTraceFile, readTraceFile } from "./trace-file-reader.ts";
import { appendToTrace, TraceFileWriter, type TraceFileHandle, type TraceFileOptions } from "./trace-file-writer.ts";

let folder = "";
let files = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "dreamloop-trace-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const newPath = (): string => join(folder, `${(files += 1)}.trace`);

async function recordTo(path: string, stepLimit: number, options: TraceFileOptions = {}): Promise<void> {
  const file = await TraceFileWriter.create(path, options);
  const payloads = new PayloadFolder(payloadFolderOf(path));
  const encoder = new TraceEncoder({ sink: file, hasher, payloads, recordModelInputs: true });
  try {
    await runBatch({
      adapter: fakeWorld({ stepCount: Infinity }).adapter,
      clock: new FakeClock(),
      frameHasher: hasher,
      stepLimit,
      observers: [encoder],
    });
  } finally {
    await file.close();
  }
}

/** A file that fails in its `failing`-th write, after half of the bytes. */
const failingFile =
  (failing: number, code: string): TraceFileOptions["openFile"] =>
  async (path, flags): Promise<TraceFileHandle> => {
    const file = await open(path, flags);
    let writes = 0;
    return {
      write: async (bytes, offset, length, position) => {
        writes += 1;
        if (writes === failing) return file.write(bytes, offset, Math.floor(length / 2), position);
        if (writes > failing) throw Object.assign(new Error(code), { code });
        return file.write(bytes, offset, length, position);
      },
      truncate: (length) => file.truncate(length),
      datasync: () => file.datasync(),
      close: () => file.close(),
    };
  };

describe("a trace on disk", () => {
  test("G3: is read back, inspected, and replayed to the same frames at both levels", async () => {
    const path = newPath();
    await recordTo(path, 4);
    const trace = await readTraceFile(path);
    expect(trace).toMatchObject({ complete: true, steps: { length: 4 } });
    expect(await inspectTraceFile(path)).toMatchObject({ stepCount: 4, outcome: "completed" });
    const payloads = new PayloadFolder(payloadFolderOf(path));
    for (const level of ["user-events", "model-inputs"] as const) {
      const { adapter } = fakeWorld({ stepCount: Infinity });
      const options = { trace, adapter, frameHasher: hasher, clock: new FakeClock(), payloads, level };
      expect(await replayTrace(options)).toMatchObject({ equal: true, comparedFrames: 4 });
    }
  });

  test("is never replaced unless that is asked for", async () => {
    const path = newPath();
    await recordTo(path, 2);
    await expect(TraceFileWriter.create(path)).rejects.toMatchObject({
      code: "output_failed",
      message: expect.stringMatching(/could not create the trace .* \(EEXIST\): .*may be overwritten/) as string,
      details: { path, systemError: "EEXIST" },
    });
    expect((await readTraceFile(path)).steps).toHaveLength(2);
    await recordTo(path, 1, { overwrite: true });
    expect((await readTraceFile(path)).steps).toHaveLength(1);
  });

  test("what has been written can be read while the run goes on", async () => {
    const path = newPath();
    const file = await TraceFileWriter.create(path);
    const encoder = new TraceEncoder({ sink: file, hasher });
    const seen: number[] = [];
    await runBatch({
      adapter: fakeWorld({ stepCount: Infinity }).adapter,
      clock: new FakeClock(),
      stepLimit: 3,
      observers: [encoder, { stepCommitted: async () => void seen.push((await readTraceFile(path)).steps.length) }],
    });
    expect(seen).toEqual([1, 2, 3]);
    await file.close();
  });

  test("writes that come while one is under way are joined, in their order", async () => {
    const path = newPath();
    let calls = 0;
    const file = await TraceFileWriter.create(path, {
      openFile: async (name, flags) => {
        const handle = await open(name, flags);
        const write = handle.write.bind(handle) as TraceFileHandle["write"];
        return Object.assign(handle, {
          write: (...args: Parameters<typeof write>) => {
            calls += 1;
            return write(...args);
          },
        });
      },
    });
    const letters = Array.from({ length: 50 }, (_, index) => `${index}\n`);
    const written = Promise.all(letters.map((line) => file.write(line)));
    await file.close();
    await written;
    expect(await readFile(path, "utf8")).toBe(letters.join(""));
    expect(calls).toBe(2);
  });

  test("after it is closed, writing is refused and closing again does nothing", async () => {
    const file = await TraceFileWriter.create(newPath());
    expect(file.close()).toBe(file.close());
    await file.close();
    await expect(file.write("x\n")).rejects.toMatchObject({ code: "closed" });
  });

  test.each(["step", "close", "never"] as const)("sync %s brings it to the disk when it says", async (sync) => {
    const path = newPath();
    let syncs = 0;
    await recordTo(path, 3, {
      sync,
      openFile: async (name, flags) => {
        const file = await open(name, flags);
        const datasync = file.datasync.bind(file);
        return Object.assign(file, {
          datasync: () => {
            syncs += 1;
            return datasync();
          },
        });
      },
    });
    // Header, three steps and footer, and the end.
    expect(syncs).toBe({ step: 6, close: 1, never: 0 }[sync]);
  });

  test.each([
    ["ENOSPC", /the disk is full/],
    ["EIO", /the device reported a fault/],
  ])("a write that fails with %s ends the run by name and leaves whole steps only", async (code, advice) => {
    const path = newPath();
    // Header, two steps, then half of the third.
    const run = recordTo(path, 5, { openFile: failingFile(4, code) });
    await expect(run).rejects.toMatchObject({
      code: "output_failed",
      message: expect.stringMatching(advice) as string,
      details: { path, systemError: code },
    });
    expect(await readTraceFile(path)).toMatchObject({ complete: false, droppedLines: 0, steps: { length: 2 } });
  });

  test("a path that cannot be written is refused with advice", async () => {
    const missing = join(folder, "nowhere", "a.trace");
    await expect(TraceFileWriter.create(missing)).rejects.toMatchObject({ code: "output_failed", message: /ENOENT/ });
    await expect(TraceFileWriter.create(folder, { overwrite: true })).rejects.toMatchObject({ code: "output_failed" });
  });

  test("a path that cannot be read is named", async () => {
    const missing = join(folder, "missing.trace");
    await expect(readTraceFile(missing)).rejects.toMatchObject({ code: "not_found", details: { path: missing } });
    await expect(readTraceFile(folder)).rejects.toMatchObject({
      code: "load_failed",
      details: { systemError: "EISDIR" },
    });
  });

  test("reading stops at the first bad line and lets go of the file", async () => {
    const path = newPath();
    await writeFile(path, `no trace\n${"x".repeat(1_000_000)}\n`);
    await expect(readTraceFile(path)).rejects.toMatchObject({
      code: "trace_invalid",
      message: expect.stringContaining(`${path}: trace line 1: `) as string,
      details: { line: 1 },
    });
    await rm(path);
  });

  test("G4: a measured tolerance is added after the last line, also where its line feed is missing", async () => {
    const path = newPath();
    await recordTo(path, 1);
    const measured = { comparedRuns: 1, stepCount: 1, frameCount: 1, maxDifference: 2, meanDifference: 1 };
    await appendToTrace(path, toleranceText({ ...measured, environment: {} }));
    await writeFile(path, (await readFile(path, "utf8")).trimEnd());
    await appendToTrace(path, toleranceText({ ...measured, maxDifference: 3, environment: {} }));
    const trace = await readTrace([await readFile(path)]);
    expect(trace).toMatchObject({ complete: true, tolerance: { maxDifference: 3 } });
    await expect(appendToTrace(join(folder, "missing"), "x\n")).rejects.toMatchObject({ code: "output_failed" });
  });
});
