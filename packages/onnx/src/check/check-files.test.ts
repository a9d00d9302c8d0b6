import { describe, expect, test } from "vitest";
import { contentFiles, sha256Hex } from "../node/index.ts";
import { toyFlowWorld, type BundleContents } from "../testing/index.ts";
import { checkBundleFiles } from "../adapter/check-bundle.ts";
import type { Fault } from "../faults/fault.ts";

const PNG_HEAD = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13);

/** The toy world whose manifest names a picture, which is listed and there unless it says otherwise. */
function withPoster(bytes: Uint8Array, { path = "poster.png", isListed = true, isThere = true } = {}): BundleContents {
  const contents = toyFlowWorld(sha256Hex);
  const manifest = JSON.parse(new TextDecoder().decode(contents["world.json"])) as { files: object };
  const entry = isListed ? { [path]: { bytes: bytes.length, sha256: sha256Hex(bytes) } } : {};
  const changed = { ...manifest, poster: path, files: { ...manifest.files, ...entry } };
  const picture: BundleContents = isThere ? { [path]: bytes } : {};
  return { ...contents, ...picture, "world.json": new TextEncoder().encode(JSON.stringify(changed)) };
}

async function faultsOf(contents: BundleContents): Promise<readonly Fault[]> {
  return (await checkBundleFiles(contentFiles(contents), { level: "structure" })).faults;
}

describe("the picture of a bundle", () => {
  test("is fine when it is listed, there, and begins as a picture does", async () => {
    expect(await faultsOf(withPoster(PNG_HEAD))).toEqual([]);
  });

  test("H1: is explained when it does not exist, is not listed, or lies outside of the bundle", async () => {
    const missing = await faultsOf(withPoster(PNG_HEAD, { isListed: false, isThere: false }));
    expect(missing).toMatchObject([{ code: "file_missing", file: "poster.png", path: "poster" }]);
    const unlisted = await faultsOf(withPoster(PNG_HEAD, { isListed: false }));
    expect(unlisted).toMatchObject([{ code: "file_unlisted", path: "poster" }]);
    const outside = await faultsOf(withPoster(PNG_HEAD, { path: "../poster.png", isListed: false, isThere: false }));
    expect(outside).toMatchObject([{ code: "path_unsafe", path: "poster" }]);
  });

  test.each([
    ["a program", new TextEncoder().encode("<svg onload='x()'>")],
    ["empty", new Uint8Array()],
  ])("H1: is explained when it is %s", async (_, bytes) => {
    const faults = await faultsOf(withPoster(bytes));
    expect(faults).toMatchObject([{ code: "invalid_value", path: "poster", expected: "a PNG, JPEG or WebP picture" }]);
  });

  test("H1: is explained when it has more than 1 MiB", async () => {
    const large = new Uint8Array(1_048_577);
    large.set(PNG_HEAD);
    const faults = await faultsOf(withPoster(large));
    expect(faults).toMatchObject([{ code: "invalid_value", found: "poster.png of 1048577 bytes" }]);
  });
});
