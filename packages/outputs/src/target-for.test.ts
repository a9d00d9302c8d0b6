import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { isDreamloopError, NullOutputTarget } from "@dreamloop/core";
import { afterEach, describe, expect, it } from "vitest";
import { BenchmarkOutputTarget } from "./bench/benchmark-output-target.ts";
import { CompositeOutputTarget } from "./compose/composite-output-target.ts";
import { ImagesOutputTarget } from "./images/images-output-target.ts";
import { MjpegOutputTarget } from "./mjpeg/mjpeg-output-target.ts";
import { Mp4OutputTarget } from "./mp4/mp4-output-target.ts";
import { RawOutputTarget } from "./raw/raw-output-target.ts";
import { StreamOutputTarget } from "./raw/stream-output-target.ts";
import { TARGET_FORMS, targetFor, targetsFor } from "./target-for.ts";
import { writeMovingFrames } from "./test-support/results.ts";
import { temporaryFolders } from "./test-support/temporary-folder.ts";

const folder = temporaryFolders(afterEach);

describe("targetFor", () => {
  it.each([
    ["x.mp4", Mp4OutputTarget],
    ["X.MP4", Mp4OutputTarget],
    ["a.b/x.mp4", Mp4OutputTarget],
    ["x.y4m", RawOutputTarget],
    ["x.rgb", RawOutputTarget],
    ["x.mjpeg", MjpegOutputTarget],
    ["frames/", ImagesOutputTarget],
    ["frames.mp4/", ImagesOutputTarget],
    ["frames/*.jpg", ImagesOutputTarget],
    ["bench:results", BenchmarkOutputTarget],
    ["-", StreamOutputTarget],
    ["null:", NullOutputTarget],
  ])("makes of %s what it names, and touches nothing", (spec, kind) => {
    expect(targetFor(spec)).toBeInstanceOf(kind);
    expect(existsSync(spec)).toBe(false);
  });

  it("knows every form that it lists", () => {
    for (const [form] of TARGET_FORMS) expect(() => targetFor(form)).not.toThrow();
  });

  it.each([
    ["x.avi", /output "x\.avi": no target of that form\. Forms: NAME\.mp4 \(H\.264 video\), FOLDER\//],
    ["x.mp5", /Did you mean \.mp4\?/],
    ["x.y4", /Did you mean \.y4m\?/],
    ["frames", /For a folder of pictures write "frames\/"/],
    ["", /Forms:/],
    ["bench:", /Forms:/],
    ["x.toString", /Forms:/],
    ["frames/*.gif", /Forms:/],
  ])("refuses %s with the list of forms", (spec, message) => {
    expect(() => targetFor(spec)).toThrow(message);
    expect(() => targetFor(spec)).toThrow(expect.objectContaining({ code: "invalid_value" }));
  });

  it("writes JPEG or PNG into the folder of a pattern", async () => {
    const path = folder();
    for (const [pattern, name] of [
      ["*.jpg", "frame-000000.jpg"],
      ["*.png", "frame-000000.png"],
    ]) {
      await writeMovingFrames(targetFor(join(path, pattern)), { width: 2, height: 2, frames: 1 });
      expect(readdirSync(path)).toContain(name);
    }
  });

  it("passes the pipe and its format on", async () => {
    const pipe = new PassThrough();
    await writeMovingFrames(targetFor("-", { pipe, pipeFormat: "rgb" }), { width: 2, height: 2, frames: 1 });
    expect((pipe.read() as Buffer).length).toBe(12);
  });
});

describe("targetsFor", () => {
  it("makes one of several, named by their specifications", async () => {
    const path = folder();
    const specs = [join(path, "a.rgb"), join(path, "b.y4m")];
    const target = targetsFor(specs);
    expect(target).toBeInstanceOf(CompositeOutputTarget);
    const artifacts = await writeMovingFrames(target, { width: 2, height: 2, frames: 1 });
    expect(artifacts.map(({ uri }) => uri)).toEqual(specs);
    expect(targetsFor(["null:"])).toBeInstanceOf(NullOutputTarget);
  });

  it("refuses the same place twice, and none", () => {
    for (const specs of [["a.mp4", "a.mp4"], []]) {
      expect(() => targetsFor(specs)).toThrow(
        expect.toSatisfy((error: unknown) => isDreamloopError(error, "invalid_value")),
      );
    }
  });
});
