import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { OutputArtifact, OutputTarget } from "@dreamloop/core";
import { outputTargetConformance, registerCases } from "@dreamloop/testing";
import { afterAll, beforeAll, describe, test } from "vitest";
import { BenchmarkOutputTarget } from "./bench/benchmark-output-target.ts";
import { CompositeOutputTarget } from "./compose/composite-output-target.ts";
import { selectEncoder } from "./encode/select-encoder.ts";
import type { VideoEncoderBackend } from "./encode/video-encoder.ts";
import { ImagesOutputTarget } from "./images/images-output-target.ts";
import { MjpegOutputTarget } from "./mjpeg/mjpeg-output-target.ts";
import { Mp4OutputTarget } from "./mp4/mp4-output-target.ts";
import { RawOutputTarget } from "./raw/raw-output-target.ts";
import { fullDisk } from "./test-support/failing-file-system.ts";

const home = mkdtempSync(join(tmpdir(), "dreamloop-outputs-"));
let encoder: VideoEncoderBackend;
let count = 0;
beforeAll(async () => {
  encoder = await selectEncoder();
});
afterAll(async () => {
  await encoder.close();
  rmSync(home, { recursive: true, force: true });
});

/** A path that no other case uses. */
function fresh(name: string): string {
  count += 1;
  return join(home, String(count), name);
}

/** Bytes of all files that a run made. */
function filesOf(artifacts: readonly OutputArtifact[]): Buffer[] {
  return artifacts.flatMap(({ uri, kind }) =>
    kind.startsWith("image/")
      ? readdirSync(uri)
          .sort()
          .map((name) => readFileSync(join(uri, name)))
      : [readFileSync(uri)],
  );
}

const TARGETS: readonly [string, (isFull: boolean) => OutputTarget][] = [
  ["rgb", (isFull) => new RawOutputTarget({ path: fresh("x.rgb"), ...disk(isFull) })],
  ["y4m", (isFull) => new RawOutputTarget({ path: fresh("x.y4m"), ...disk(isFull) })],
  ["png", (isFull) => new ImagesOutputTarget({ path: fresh("png"), ...disk(isFull) })],
  ["jpeg", (isFull) => new ImagesOutputTarget({ path: fresh("jpeg"), format: "jpeg", ...disk(isFull) })],
  ["mjpeg", (isFull) => new MjpegOutputTarget({ path: fresh("x.mjpeg"), ...disk(isFull) })],
  ["mp4", (isFull) => new Mp4OutputTarget({ path: fresh("x.mp4"), encoder, ...disk(isFull) })],
];

function disk(isFull: boolean) {
  return isFull ? { fileSystem: fullDisk(100) } : {};
}

describe.each(TARGETS)("the target %s", (_name, create) => {
  registerCases(
    test,
    outputTargetConformance({
      create: () => create(false),
      createFailing: () => create(true),
      contents: filesOf,
    }),
  );
});

describe("the benchmark folder", () => {
  registerCases(
    test,
    outputTargetConformance({
      create: () => new BenchmarkOutputTarget({ path: fresh("bench"), clock: { nowSeconds: () => 1 } }),
      createFailing: () => new BenchmarkOutputTarget({ path: fresh("bench"), ...disk(true) }),
      contents: ([{ uri }]) => readFileSync(join(uri, "steps.ndjson"), "utf8"),
    }),
  );
});

describe("several targets as one", () => {
  const both = (isFull: boolean) =>
    new CompositeOutputTarget({
      targets: ["x.rgb", "x.y4m"].map((name) => ({
        name,
        target: new RawOutputTarget({ path: fresh(name), ...disk(isFull) }),
      })),
    });
  registerCases(
    test,
    outputTargetConformance({ create: () => both(false), createFailing: () => both(true), contents: filesOf }),
  );
});
