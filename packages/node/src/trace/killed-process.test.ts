import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { replayTrace } from "@dreamloop/core";
import { FakeClock, fakeWorld } from "@dreamloop/testing";
import { expect, test } from "vitest";
import { sha256FrameHasher } from "../sha256-hasher.ts";
import { readTraceFile } from "./trace-file-reader.ts";

const root = fileURLToPath(new URL("../../../../", import.meta.url));

/** A process that records without end and says so after each step. */
const CHILD = `
import { runBatch, TraceEncoder } from "@dreamloop/core";
import { fakeWorld } from "@dreamloop/testing";
import { ProcessClock, sha256FrameHasher, TraceFileWriter } from "@dreamloop/node";
const sink = await TraceFileWriter.create(process.argv[2]);
const encoder = new TraceEncoder({ sink, hasher: sha256FrameHasher });
await runBatch({
  adapter: fakeWorld({ stepCount: Infinity }).adapter,
  clock: new ProcessClock(),
  frameHasher: sha256FrameHasher,
  stepLimit: Number.MAX_SAFE_INTEGER,
  observers: [encoder, { stepCommitted: ({ stepNumber }) => void process.stdout.write(stepNumber + "\\n") }],
});
`;

test("a process that is killed leaves a trace of every step that it has reported, and it can be replayed", async () => {
  const folder = await mkdtemp(join(tmpdir(), "dreamloop-killed-"));
  try {
    const [script, path] = [join(folder, "child.mjs"), join(folder, "a.trace")];
    await writeFile(script, CHILD);
    const child = spawn(process.execPath, ["--import", "tsx", script, path], {
      cwd: root,
      env: { ...process.env, TSX_TSCONFIG_PATH: join(root, "tsconfig.check.json") },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = once(child, "exit");
    let reported = -1;
    for await (const line of createInterface({ input: child.stdout })) {
      reported = Number(line);
      if (reported >= 50) child.kill("SIGKILL");
    }
    expect((await ended)[1]).toBe("SIGKILL");
    const trace = await readTraceFile(path);
    expect(trace.complete).toBe(false);
    expect(trace.steps.length).toBeGreaterThan(reported);
    const { adapter } = fakeWorld({ stepCount: Infinity });
    const options = { trace, adapter, frameHasher: sha256FrameHasher, clock: new FakeClock() };
    expect(await replayTrace(options)).toMatchObject({ equal: true, stepCount: trace.steps.length });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
