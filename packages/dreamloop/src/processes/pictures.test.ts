import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toyPictureWorld, toyStepWorld, type BundleContents } from "@dreamloop/onnx/testing";
import sharp from "sharp";
import { afterAll, beforeAll, expect, test } from "vitest";
import { dreamloop } from "../fixtures/command-process.ts";

let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "dreamloop-pictures-"));
  writeBundle("picture", toyPictureWorld(sha256));
  writeBundle("step", toyStepWorld(sha256));
  const photo = { width: 640, height: 120, channels: 3, background: "#c81e5a" } as const;
  await sharp({ create: photo }).jpeg({ quality: 100 }).toFile(join(folder, "photo.jpg"));
});

afterAll(() => rmSync(folder, { recursive: true }));

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function writeBundle(name: string, contents: BundleContents): void {
  mkdirSync(join(folder, name));
  for (const [path, bytes] of Object.entries(contents)) writeFileSync(join(folder, name, path), bytes);
}

test("G1, G3: a run starts from a picture, and its trace replays exactly without the file", () => {
  const options = ["--image", "first_frame=photo.jpg", "--frames", "3", "--out", "a.rgb", "--record", "a.trace"];
  const run = dreamloop(["run", "./picture", ...options], folder);
  expect(run.stderr).toBe("");
  expect(run.status).toBe(0);
  const [red = 0, green = 0, blue = 0] = readFileSync(join(folder, "a.rgb"));
  for (const [found, expected] of [
    [red, 0xc8],
    [green, 0x1e],
    [blue, 0x5a],
  ] as const) {
    expect(Math.abs(found - expected)).toBeLessThanOrEqual(3);
  }
  rmSync(join(folder, "photo.jpg"));
  const replay = dreamloop(["replay", "a.trace", "--world", "./picture"], folder);
  expect(replay.stdout).toMatch(/^equal: 3 steps, 3 frames/);
  const again = dreamloop(["run", "./picture", ...options], folder);
  expect(again.stderr).toContain("--image first_frame: photo.jpg: there is no such file");
  expect(again.status).toBe(5);
});

test("the configuration in force names the picture, also where the option left its input out", async () => {
  const photo = { width: 64, height: 48, channels: 3, background: "#ffffff" } as const;
  await sharp({ create: photo }).png().toFile(join(folder, "white.png"));
  const printed = dreamloop(["run", "./picture", "--image", "white.png", "--print-config"], folder);
  const config = JSON.parse(printed.stdout) as Record<string, unknown>;
  expect(config).toMatchObject({ images: { first_frame: "white.png" }, initial: {} });
  writeFileSync(join(folder, "again.json"), printed.stdout);
  const options = ["run", "--config", "again.json", "--frames", "1", "--out", "white.rgb"];
  expect(dreamloop(options, folder).status).toBe(0);
  expect(readFileSync(join(folder, "white.rgb")).every((value) => value >= 254)).toBe(true);
  const check = dreamloop(["check", "./picture", "--run", "--image", "white.png"], folder);
  expect(check.stdout).toMatch(/is sound\n$/);
  const none = dreamloop(["run", "./step", "--image", "white.png"], folder);
  expect(none.stderr).toContain("starts from no picture");
  expect(none.status).toBe(2);
});
