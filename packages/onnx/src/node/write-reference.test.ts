import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { toyFlowWorld, toyStepWorld, type BundleContents } from "../testing/index.ts";
import { checkBundle, nodeEngine, sha256Hex, writeContents, writeReference } from "./index.ts";

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "dreamloop-reference-"));
});
afterAll(() => rm(root, { recursive: true, force: true }));

let count = 0;
async function folderOf(contents: BundleContents): Promise<string> {
  const folder = join(root, `bundle-${(count += 1)}`);
  await writeContents(folder, contents);
  return folder;
}

async function manifestOf(folder: string) {
  return JSON.parse(await readFile(join(folder, "world.json"), "utf8")) as {
    readonly files: Readonly<Record<string, unknown>>;
    readonly referenceFrames?: Readonly<Record<string, unknown>>;
  };
}

describe("writeReference", () => {
  test.each([
    ["toy-step", toyStepWorld(sha256Hex), 6 * 5 * 3],
    ["toy-flow", toyFlowWorld(sha256Hex), 8 * 4 * 3],
  ])("F4: what it writes for %s is what the next load is compared with", async (_, contents, frameBytes) => {
    const folder = await folderOf(contents);
    const before = await manifestOf(folder);
    const written = await writeReference(folder, { frames: 3, withEnvironment: true });
    const pixels = await readFile(join(folder, "reference.rgb"));
    expect(written).toMatchObject({ file: "reference.rgb", count: 3, bytes: 3 * frameBytes });
    expect(pixels.length).toBe(3 * frameBytes);
    const entry = { bytes: pixels.length, sha256: sha256Hex(pixels) };
    const { environment } = written;
    expect(await manifestOf(folder)).toEqual({
      ...before,
      files: { ...before.files, "reference.rgb": entry },
      referenceFrames: { file: "reference.rgb", count: 3, environment },
    });
    expect(await readFile(join(folder, "world.json"), "utf8")).toMatch(/^\{\n {2}"formatVersion": 1,\n.*\n\}\n$/s);
    const { faults, status } = await checkBundle(folder, { level: "run" });
    expect(faults).toEqual([]);
    expect(status?.referenceCheck).toEqual({ compared: "bits", psnr: null, frames: 3 });
    expect((await readdir(folder)).filter((name) => name.endsWith(".part"))).toEqual([]);
  });

  test("a reference that is out of date is replaced; its limit stays, its environment does not", async () => {
    const folder = await folderOf(toyStepWorld(sha256Hex));
    await writeReference(folder, { frames: 4, withEnvironment: true });
    const manifest = await manifestOf(folder);
    const changed = { ...manifest, referenceFrames: { ...manifest.referenceFrames, minimumPsnr: 45, count: 7 } };
    await writeFile(join(folder, "world.json"), JSON.stringify(changed));
    await writeFile(join(folder, "reference.rgb"), "damaged");
    await writeReference(folder);
    expect((await manifestOf(folder)).referenceFrames).toEqual({ file: "reference.rgb", count: 2, minimumPsnr: 45 });
    expect((await checkBundle(folder, { level: "run" })).status?.referenceCheck).toMatchObject({ compared: "psnr" });
  });

  test("writes nothing for a bundle with faults, and says what they are", async () => {
    const contents = toyStepWorld(sha256Hex);
    const folder = await folderOf({ ...contents, "step.bin": new Uint8Array(8) });
    const before = await readFile(join(folder, "world.json"), "utf8");
    await expect(writeReference(folder)).rejects.toMatchObject({
      code: "bundle_invalid",
      message: expect.stringContaining("step.bin") as string,
    });
    await expect(writeReference(folder, { frames: 9 })).rejects.toMatchObject({ code: "invalid_value" });
    expect(await readFile(join(folder, "world.json"), "utf8")).toBe(before);
    expect(await readdir(folder)).not.toContain("reference.rgb");
  });

  test("refuses to name an environment that is not known", async () => {
    const folder = await folderOf(toyStepWorld(sha256Hex));
    const known = nodeEngine();
    const engine = {
      name: known.name,
      devices: known.devices,
      defaultThreads: known.defaultThreads,
      openGraphs: 0,
      facts: async () => ({ ...(await known.facts()), processor: "" }),
      createGraph: known.createGraph.bind(known),
    };
    await expect(writeReference(folder, { engine, withEnvironment: true })).rejects.toMatchObject({
      code: "unavailable",
    });
    expect(await readdir(folder)).not.toContain("reference.rgb");
    await expect(writeReference(folder, { engine })).resolves.toMatchObject({ count: 2 });
  });

  test("M7: follows no link out of the folder", async () => {
    const folder = await folderOf(toyStepWorld(sha256Hex));
    const outside = join(root, "outside.txt");
    await writeFile(outside, "untouched");
    for (const name of ["reference.rgb", "reference.rgb.part", "world.json.part"]) {
      await symlink(outside, join(folder, name));
    }
    await writeReference(folder);
    expect(await readFile(outside, "utf8")).toBe("untouched");
    expect((await checkBundle(folder, { level: "run" })).faults).toEqual([]);
  });
});
