import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { modelInputSchema, type ModelAdapter, type VideoChunk } from "@dreamloop/core";
import { fakeWorld } from "@dreamloop/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { exitCodeOf } from "../program/exit-code-of.ts";
import { startInputs } from "./start-inputs.ts";

let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "dreamloop-images-"));
  const wide = { width: 60, height: 20, channels: 3, background: "#0a64c8" } as const;
  await sharp({ create: wide }).png().toFile(join(folder, "wide.png"));
  writeFileSync(join(folder, "note.png"), "not a picture");
  mkdirSync(join(folder, "folder.png"));
});

afterAll(() => rmSync(folder, { recursive: true }));

/** A world that takes pictures under these names. */
function taking(...names: readonly string[]): ModelAdapter {
  const image = { type: "image", width: 8, height: 6 };
  const initialFields = [
    ...names.map((name) => ({ name, required: false, metadata: image })),
    { name: "prompt", required: false },
  ];
  return { ...fakeWorld({ stepCount: 1 }).adapter, modelInputSchema: modelInputSchema({ initialFields }) };
}

const refusal = async (adapter: ModelAdapter, images: Record<string, string>, initial = {}) => {
  const error: unknown = await startInputs(adapter, { images, initial, world: "w" }, folder).catch((e: unknown) => e);
  return { message: (error as Error).message, exitCode: exitCodeOf(error) };
};

describe("the pictures that a world starts from", () => {
  test("are read, cropped to cover what the world takes, and stand beside the other inputs", async () => {
    const settings = { images: { first_frame: "wide.png" }, initial: { prompt: "sun" } };
    const { initial, images } = await startInputs(taking("first_frame"), settings, folder);
    expect(images).toEqual({ first_frame: "wide.png" });
    expect(initial.prompt).toBe("sun");
    const { data, ...frame } = initial.first_frame as VideoChunk;
    expect(frame).toMatchObject({ width: 8, height: 6, format: "rgb8", layout: "thwc", range: "full" });
    expect([...data.subarray(0, 3)]).toEqual([10, 100, 200]);
  });

  test("need no name where a world takes one only; the command line stands above a file's own", async () => {
    const one = { images: { first_frame: "gone.png", "": "wide.png" }, initial: {} };
    expect((await startInputs(taking("first_frame"), one, folder)).images).toEqual({ first_frame: "wide.png" });
    expect(await startInputs(taking("first_frame"), { initial: {} }, folder)).toEqual({ initial: {} });
    const { message, exitCode } = await refusal(taking("a", "b"), { "": "wide.png" });
    expect(message).toBe("--image: w takes several pictures (a, b); say which: --image a=FILE");
    expect(exitCode).toBe(2);
  });

  test.each([
    [{ first_frame: "gone.jpg" }, "--image first_frame: gone.jpg: there is no such file", 5],
    [{ first_frame: "wide.png/x" }, "--image first_frame: wide.png/x: there is no such file", 5],
    [{ first_frame: "folder.png" }, "--image first_frame: folder.png is a folder", 2],
    [{ first_frame: "note.png" }, "--image first_frame: note.png: expected a PNG, JPEG or WebP picture", 2],
    [
      { first_fram: "wide.png" },
      "w has no picture input of that name. Did you mean first_frame? It takes: first_frame",
      2,
    ],
    [{ prompt: "wide.png" }, "w has no picture input of that name. It takes: first_frame", 2],
  ])("that cannot be had are refused: %j", async (images, message, exitCode) => {
    const refused = await refusal(taking("first_frame"), images);
    expect(refused.message).toContain(message);
    expect(refused.exitCode).toBe(exitCode);
  });

  test("of a world that takes none, and those that are given twice, are refused", async () => {
    expect((await refusal(taking(), { "": "wide.png" })).message).toBe(
      "--image: w starts from no picture; leave it out",
    );
    const twice = await refusal(taking("first_frame"), { first_frame: "wide.png" }, { first_frame: 1 });
    expect(twice.message).toContain("--initial gives it as well");
  });
});
