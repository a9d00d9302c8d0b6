import { describe, expect, test } from "vitest";
import { contentFiles, sha256Hex } from "../node/index.ts";
import { toyStepWorld, type BundleContents } from "../testing/index.ts";
import { checkBundleFiles } from "./check-bundle.ts";

const FRAME_BYTES = 6 * 5 * 3;

/** The toy world with reference frames of this many bytes and this entry in its manifest. */
function withReference(bytes: number, referenceFrames: object, isListed = true): BundleContents {
  const contents = toyStepWorld(sha256Hex);
  const pixels = new Uint8Array(bytes);
  const manifest = JSON.parse(new TextDecoder().decode(contents["world.json"])) as { files: object };
  const entry = isListed ? { "reference.rgb": { bytes, sha256: sha256Hex(pixels) } } : {};
  const whole = { ...manifest, files: { ...manifest.files, ...entry }, referenceFrames };
  return { ...contents, "reference.rgb": pixels, "world.json": new TextEncoder().encode(JSON.stringify(whole)) };
}

async function faultsOf(contents: BundleContents) {
  return (await checkBundleFiles(contentFiles(contents), { level: "structure" })).faults;
}

const reference = { file: "reference.rgb", count: 2 };
const environment = { engine: "a", engineVersion: "1", processor: "p", threads: 1 };

describe("the first phase of a check, on reference frames", () => {
  test("finds nothing wrong with frames of the right size", async () => {
    expect(await faultsOf(withReference(2 * FRAME_BYTES, reference))).toEqual([]);
    expect(await faultsOf(withReference(2 * FRAME_BYTES, { ...reference, environment }))).toEqual([]);
  });

  test.each([
    ["a byte too few", 2 * FRAME_BYTES - 1],
    ["a frame too many", 3 * FRAME_BYTES],
    ["none", 0],
  ])("H1, F4: explains a file with %s", async (_, bytes) => {
    expect(await faultsOf(withReference(bytes, reference))).toEqual([
      {
        code: "file_size",
        file: "reference.rgb",
        path: "referenceFrames",
        expected: "180 bytes for 2 frame(s) of 6 x 5 pixels, 3 bytes each",
        found: `${bytes} bytes`,
        mend: expect.stringContaining("--write-reference") as string,
      },
    ]);
  });

  test.each<[string, object, string, string]>([
    ["a path out of the bundle", { ...reference, file: "../reference.rgb" }, "path_unsafe", "referenceFrames.file"],
    ["a missing file", { ...reference, file: "other.rgb" }, "file_missing", "referenceFrames.file"],
    ["no frames", { ...reference, count: 0 }, "invalid_value", "referenceFrames.count"],
    ["too many frames", { ...reference, count: 9 }, "invalid_value", "referenceFrames.count"],
    ["half a frame", { ...reference, count: 1.5 }, "invalid_value", "referenceFrames.count"],
    ["a limit of 0 dB", { ...reference, minimumPsnr: 0 }, "invalid_value", "referenceFrames.minimumPsnr"],
    ["an unknown key", { ...reference, hash: "" }, "unknown_key", "referenceFrames.hash"],
    [
      "half an environment",
      { ...reference, environment: { engine: "a", engineVersion: "1", threads: 1 } },
      "missing_key",
      "referenceFrames.environment.processor",
    ],
  ])("H1, H2: explains %s", async (_, entry, code, path) => {
    expect(await faultsOf(withReference(2 * FRAME_BYTES, entry))).toMatchObject([{ code, path }]);
  });

  test("H1: explains a file that is not listed", async () => {
    const faults = await faultsOf(withReference(2 * FRAME_BYTES, reference, false));
    expect(faults).toMatchObject([{ code: "file_unlisted", path: "referenceFrames.file" }]);
  });
});
