import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DreamloopError, isDreamloopError, type OutputArtifact, type OutputTarget } from "@dreamloop/core";
import { afterEach, describe, expect, it } from "vitest";
import { fullDisk } from "../test-support/failing-file-system.ts";
import { described, writeMovingFrames, rgbResult } from "../test-support/results.ts";
import { temporaryFolders } from "../test-support/temporary-folder.ts";
import { RawOutputTarget } from "../raw/raw-output-target.ts";
import { CompositeOutputTarget } from "./composite-output-target.ts";

const folder = temporaryFolders(afterEach);

/** A target that notes its calls and throws where it is told to, synchronously. */
function noting(calls: string[], name: string, failing: "open" | "write" | "close" | "nowhere" = "nowhere") {
  const call = (what: "open" | "write" | "close") => {
    calls.push(`${name} ${what}`);
    if (failing === what) throw new Error(`${name} cannot ${what}`);
  };
  const target: OutputTarget = {
    open: () => call("open"),
    write: () => call("write"),
    close: () => {
      call("close");
      return [];
    },
  };
  return { name, target };
}

const result = (stepIndex: number) => rgbResult({ width: 2, height: 2 }, new Uint8Array(12), { stepIndex });

describe("CompositeOutputTarget", () => {
  it("reports one that fails by its name, and finishes the others properly", async () => {
    const home = folder();
    const failures: string[] = [];
    const target = new CompositeOutputTarget({
      targets: [
        { name: "good", target: new RawOutputTarget({ path: join(home, "good.rgb") }) },
        { name: "full", target: new RawOutputTarget({ path: join(home, "full.rgb"), fileSystem: fullDisk(30) }) },
      ],
      onFailure: ({ name }) => failures.push(name),
    });
    await target.open(described(2, 2));
    for (let step = 0; step < 5; step += 1) await target.write(result(step));
    expect(failures).toEqual(["full"]);
    const closed = target.close();
    await expect(closed).rejects.toSatisfy(
      (error) =>
        isDreamloopError(error, "output_failed") &&
        /1 target\(s\) failed: full: raw target: could not write .*full\.rgb \(ENOSPC\)/.test(error.message) &&
        (error.details["artifacts"] as OutputArtifact[]).length === 1,
    );
    expect(target.close()).toBe(closed);
    expect(readFileSync(join(home, "good.rgb"))).toHaveLength(60);
    expect(existsSync(join(home, "full.rgb"))).toBe(false);
    expect(target.failures.map(({ name }) => name)).toEqual(["full"]);
  });

  it("gives the artifacts of all, and hands on what was dropped", async () => {
    const home = folder();
    const target = new CompositeOutputTarget({
      targets: ["a.rgb", "b.y4m"].map((name) => ({ name, target: new RawOutputTarget({ path: join(home, name) }) })),
    });
    await target.open(described(2, 2));
    await target.write(result(0));
    const artifacts = await target.close({ droppedFrames: 2 });
    expect(artifacts.map(({ metadata }) => [metadata["frameCount"], metadata["droppedFrames"]])).toEqual([
      [1, 2],
      [1, 2],
    ]);
    expect(await writeMovingFrames(target, { width: 2, height: 2, frames: 1 })).toHaveLength(2);
  });

  it("starts nothing when one cannot be opened", async () => {
    const calls: string[] = [];
    const target = new CompositeOutputTarget({ targets: [noting(calls, "a"), noting(calls, "b", "open")] });
    await expect(target.open(described(2, 2))).rejects.toThrow("1 target(s) failed: b: b cannot open");
    expect(calls).toEqual(["a open", "b open", "a close"]);
    await expect(target.write(result(0))).rejects.toSatisfy((error) => isDreamloopError(error, "closed"));
    expect(await target.close()).toEqual([]);
  });

  it("stops the run when no target is left, naming all, and tells it once", async () => {
    const calls: string[] = [];
    const target = new CompositeOutputTarget({ targets: [noting(calls, "a", "write"), noting(calls, "b", "write")] });
    await target.open(described(2, 2));
    await expect(target.write(result(0))).rejects.toThrow("2 target(s) failed: a: a cannot write; b: b cannot write");
    expect(await target.close()).toEqual([]);
    expect(calls.filter((call) => call.endsWith("close"))).toEqual(["a close", "b close"]);
  });

  it("closes every target although one throws at that", async () => {
    const calls: string[] = [];
    const target = new CompositeOutputTarget({ targets: [noting(calls, "a", "close"), noting(calls, "b")] });
    await target.open(described(2, 2));
    await expect(target.close()).rejects.toThrow("1 target(s) failed: a: a cannot close");
    expect(calls).toContain("b close");
  });

  it("refuses to be empty, and to be opened twice", async () => {
    expect(() => new CompositeOutputTarget({ targets: [] })).toThrow(DreamloopError);
    const target = new CompositeOutputTarget({ targets: [noting([], "a")] });
    await target.open(described(2, 2));
    await expect(target.open(described(2, 2))).rejects.toSatisfy((error) => isDreamloopError(error, "invalid_state"));
    await target.close();
  });
});
