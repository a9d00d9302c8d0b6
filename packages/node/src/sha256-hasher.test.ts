import { videoChunk } from "@dreamloop/core";
import { frameHashInput } from "@dreamloop/core/internal";
import { expect, test } from "vitest";
import { sha256FrameHasher } from "./sha256-hasher.ts";

const text = (value: string): Uint8Array => new TextEncoder().encode(value);

test("gives SHA-256 of the parts joined (the examples of FIPS 180-4)", () => {
  const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  const empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
  expect(sha256FrameHasher.digest([text("abc")])).toBe(abc);
  expect(sha256FrameHasher.digest([text("a"), new Uint8Array(), text("bc")])).toBe(abc);
  expect(sha256FrameHasher.digest([])).toBe(empty);
});

test("E7: a view into a bigger buffer is hashed by its offset and length", () => {
  const pool = text("xxabcyy");
  expect(sha256FrameHasher.digest([pool.subarray(2, 5)])).toBe(sha256FrameHasher.digest([text("abc")]));
});

test("a frame's hash depends on its size, not only on its pixels", () => {
  const pixels = new Uint8Array(12).fill(9);
  const chunk = (width: number, height: number): ReturnType<typeof videoChunk> =>
    videoChunk({ width, height, format: "rgb8", layout: "thwc", colorSpace: "srgb", range: "full", data: pixels });
  const hash = (width: number, height: number): unknown =>
    sha256FrameHasher.digest(frameHashInput(chunk(width, height), 0));
  expect(hash(4, 1)).not.toBe(hash(1, 4));
  expect(hash(2, 2)).toBe(hash(2, 2));
});
