import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { declaredWorlds } from "./discovery/declared-worlds.ts";
import { installedPackage, installedWorlds } from "./discovery/installed-worlds.ts";
import { MAX_PACKAGE_MANIFEST_BYTES, packageEntry, readPackageManifest } from "./discovery/package-manifest.ts";
import { loadAdapter } from "./pool/load-adapter.ts";
import { resolveWorld, type ResolvedWorld } from "./world-discovery.ts";

let root = "";
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "dreamloop-worlds-")));
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function file(path: string, content: unknown): Promise<string> {
  const full = join(root, path);
  await mkdir(dirname(full), { recursive: true });
  await writeFile(full, typeof content === "string" ? content : JSON.stringify(content));
  return full;
}

/** An installed package that would throw if it were loaded. */
async function install(folder: string, manifest: Record<string, unknown>): Promise<string> {
  await file(`${folder}/index.js`, "throw new Error('a listed package was loaded');");
  await file(`${folder}/worlds/sea/world.json`, {});
  await file(`${folder}/package.json`, { version: "1.2.3", ...manifest });
  return join(root, folder);
}

const SEA = { id: "sea", title: "The sea", bundle: "worlds/sea" };
const HILLS = { id: "hills", module: "./index.js", export: "hills" };

const resolveIn = (argument: string, cwd = root): ResolvedWorld =>
  resolveWorld(argument, {
    cwd,
    bundled: [
      { id: "probe", title: "Probe", reference: { module: "@dreamloop/worlds/probe", exportName: "probeWorld" } },
    ],
    bundleReference: (folder) => ({ module: "/loader.js", argument: folder }),
  });

describe("installed worlds", () => {
  test("are listed without being loaded, from every node_modules upward, those in scopes too", async () => {
    await install("node_modules/zeta", { name: "zeta", dreamloop: { worlds: [SEA, HILLS] } });
    await install("a/b/node_modules/@scope/inner", { name: "@scope/inner", dreamloop: { worlds: [HILLS] } });
    await install("node_modules/plain", { name: "plain" });
    const { worlds, problems, truncated } = installedWorlds(join(root, "a/b"));
    expect(worlds).toEqual([
      {
        id: "hills",
        kind: "module",
        location: join(root, "a/b/node_modules/@scope/inner/index.js"),
        exportName: "hills",
        packageName: "@scope/inner",
        packageVersion: "1.2.3",
      },
      {
        id: "sea",
        title: "The sea",
        kind: "bundle",
        location: join(root, "node_modules/zeta/worlds/sea"),
        exportName: "default",
        packageName: "zeta",
        packageVersion: "1.2.3",
      },
      expect.objectContaining({ id: "hills", packageName: "zeta" }),
    ]);
    expect([problems, truncated]).toEqual([[], false]);
  });

  test("of a package that is installed twice the nearest counts", async () => {
    await install("node_modules/sea", { name: "sea", version: "1.0.0", dreamloop: { worlds: [SEA] } });
    await install("a/node_modules/sea", { name: "sea", version: "2.0.0", dreamloop: { worlds: [SEA] } });
    expect(installedWorlds(join(root, "a")).worlds).toMatchObject([{ packageVersion: "2.0.0" }]);
    expect(installedPackage("sea", join(root, "a"))).toMatchObject({ version: "2.0.0" });
  });

  test("a linked package counts as one that is installed", async () => {
    const folder = await install("elsewhere/sea", { name: "sea", dreamloop: { worlds: [SEA] } });
    await mkdir(join(root, "node_modules"));
    await symlink(folder, join(root, "node_modules/sea"), "dir");
    expect(installedWorlds(root).worlds).toMatchObject([{ location: join(folder, "worlds/sea") }]);
  });

  test("broken manifests and declarations keep nobody else's from being listed", async () => {
    await file("node_modules/broken/package.json", "{");
    await file("node_modules/huge/package.json", `{"name":"huge","x":"${"x".repeat(MAX_PACKAGE_MANIFEST_BYTES)}"}`);
    await file("node_modules/.bin/tool", "");
    await file("node_modules/a-file", "");
    await install("node_modules/wrong", { name: "wrong", dreamloop: { worlds: [{ id: "x" }] } });
    await install("node_modules/zeta", { name: "zeta", dreamloop: { worlds: [SEA] } });
    const { worlds, problems } = installedWorlds(root);
    expect(worlds).toMatchObject([{ packageName: "zeta" }]);
    expect(problems).toMatchObject([
      {
        packageName: "wrong",
        message: expect.stringMatching(/^wrong: dreamloop\.worlds\[0\]: expected either module or/) as string,
      },
    ]);
  });

  test.each([
    [{ worlds: "sea" }, /pkg: dreamloop\.worlds: expected a list/],
    [{ worlds: [{ ...SEA, id: "../sea" }] }, /worlds\[0\]\.id: expected letters/],
    [{ worlds: [{ ...SEA, module: "index.js" }] }, /worlds\[0\]: expected either module or bundle/],
    [{ worlds: [{ ...SEA, titel: "x" }] }, /worlds\[0\]\.titel: unknown key; did you mean "title"/],
    [{ worlds: [{ ...SEA, export: "x" }] }, /worlds\[0\]\.export: expected nothing/],
    [{ worlds: [SEA, SEA] }, /worlds\[1\]\.id: expected each id once/],
    [{ worlds: [{ id: "x", module: "missing.js" }] }, /worlds\[0\]\.module: missing\.js does not exist/],
    [{ worlds: [{ id: "x", module: "worlds" }] }, /worlds\[0\]\.module: expected a file/],
    [{ worlds: [{ id: "x", bundle: "index.js" }] }, /worlds\[0\]\.bundle: expected a folder/],
    [{ worlds: [{ id: "x", module: "../outside.js" }] }, /worlds\[0\]\.module: expected a path inside of the package/],
    [{ worlds: [{ id: "x", module: "link.js" }] }, /worlds\[0\]\.module: expected a path inside of the package/],
    [{ worlds: Array.from({ length: 101 }, (_, index) => ({ ...SEA, id: `w${index}` })) }, /a list of at most 100/],
  ])("a declaration is refused: %j", async (dreamloop, message) => {
    const folder = await install("pkg", { name: "pkg", dreamloop });
    await symlink(await file("outside.js", ""), join(folder, "link.js"));
    const manifest = readPackageManifest(folder);
    if (manifest === undefined) throw new Error("the manifest was to be read");
    expect(() => declaredWorlds(manifest)).toThrow(message);
  });
});

describe("resolveWorld", () => {
  test("finds a bundled world by its id, before everything else", async () => {
    await install("node_modules/other", { name: "other", dreamloop: { worlds: [{ ...SEA, id: "probe" }] } });
    await file("probe/world.json", {});
    expect(resolveIn("probe")).toEqual({
      argument: "probe",
      origin: "bundled",
      id: "probe",
      title: "Probe",
      reference: { module: "@dreamloop/worlds/probe", exportName: "probeWorld" },
    });
  });

  test("finds a module by path or URL, and it can be loaded", async () => {
    // The module lies where no copy of the core can be imported; the mark is the same in every copy.
    const schema = `Object.freeze(Object.defineProperty({}, Symbol.for("dreamloop.made"), { value: "ModelInputSchema" }))`;
    const source = `export default { modelId: "mine", defaultInputMapping() {}, validateConfig() {}, createRuntime() {}, modelInputSchema: ${schema} };`;
    const path = await file("mine.mjs", source);
    for (const argument of ["./mine.mjs", "mine.mjs", path, pathToFileURL(path).href]) {
      const found = resolveIn(argument);
      expect(found).toMatchObject({ origin: "module", location: path, reference: { module: path } });
    }
    expect((await loadAdapter(resolveIn("./mine.mjs").reference)).modelId).toBe("mine");
    const wrong = await file("wrong.mjs", `export default { modelId: "" };`);
    await expect(loadAdapter(resolveIn(wrong).reference)).rejects.toThrow(/ModelAdapter\.modelId/);
  });

  test("finds a bundle by its folder or its manifest, and leaves loading to the caller", async () => {
    await file("worlds/sea/world.json", {});
    const folder = join(root, "worlds/sea");
    for (const argument of ["./worlds/sea", "worlds/sea", folder, "worlds/sea/world.json"]) {
      expect(resolveIn(argument)).toMatchObject({
        origin: "bundle",
        location: folder,
        reference: { module: "/loader.js", argument: folder },
      });
    }
    expect(() => resolveWorld(folder, { cwd: root })).toThrow(/is a bundle, and this program loads none/);
  });

  test("finds the worlds of installed packages by id, by package#id and by package", async () => {
    await install("node_modules/zeta", { name: "zeta", dreamloop: { worlds: [SEA, HILLS] } });
    await install("node_modules/@scope/one", { name: "@scope/one", dreamloop: { worlds: [HILLS] } });
    const sea = join(root, "node_modules/zeta/worlds/sea");
    expect(resolveIn("sea")).toMatchObject({ id: "sea", title: "The sea", origin: "package", location: sea });
    expect(resolveIn("sea").reference).toMatchObject({ module: "/loader.js", argument: sea });
    expect(resolveIn("zeta#hills").reference).toMatchObject({ exportName: "hills" });
    expect(resolveIn("@scope/one")).toMatchObject({ id: "hills" });
    expect(() => resolveIn("hills")).toThrow(/names several worlds; say which one: @scope\/one#hills, zeta#hills/);
    expect(() => resolveIn("zeta")).toThrow(/names several worlds; say which one: zeta#sea, zeta#hills/);
    expect(() => resolveIn("zeta#moon")).toThrow(/zeta declares no world "moon"; its worlds: sea, hills/);
  });

  test("takes the main module of a package that declares no world", async () => {
    const folder = await install("node_modules/plain", { name: "plain", exports: { default: "./index.js" } });
    const location = join(folder, "index.js");
    expect(resolveIn("plain")).toMatchObject({ origin: "package", location, reference: { module: location } });
    expect(resolveIn("./node_modules/plain")).toMatchObject({ location });
  });

  test.each([
    [{ main: "lib/main.js" }, "lib/main.js"],
    [{}, "index.js"],
    [{ exports: "./a.js", main: "b.js" }, "./a.js"],
    [{ exports: { ".": { types: "./a.d.ts", require: "./a.cjs", default: "./a.js" } } }, "./a.js"],
    [{ exports: { ".": { node: { import: "./node.js" }, default: "./a.js" } } }, "./node.js"],
    [{ exports: { browser: "./b.js", import: ["./first.js"] } }, "./first.js"],
    [{ exports: { "./sub": "./s.js" } }, undefined],
  ])("reads the main module of %j as an import does", (manifest, entry) => {
    expect(packageEntry({ folder: root, name: "x", ...manifest })).toBe(entry);
  });

  test("finds worlds in Python by their file, and models of FlashDreams by their module", async () => {
    const path = await file("glow.py", "");
    const options = {
      cwd: root,
      pythonReference: (place: string, name: string | undefined) => ({
        module: "python",
        argument: { place, name: name ?? null },
      }),
    };
    const argumentOf = (argument: string): unknown => resolveWorld(argument, options).reference.argument;
    expect(argumentOf("glow.py:Glow")).toEqual({ place: path, name: "Glow" });
    expect(argumentOf("flashdreams:town.adapter:Adapter")).toEqual({
      place: "flashdreams:town.adapter:Adapter",
      name: null,
    });
    expect(resolveWorld("flashdreams:town:Adapter", options)).toMatchObject({ origin: "python" });
    expect(() => resolveIn("flashdreams:town:Adapter")).toThrow(/this program runs no worlds in Python/);
  });

  test("refuses what is no world, saying what is", async () => {
    await file("graph.onnx", "");
    await file("empty/readme.txt", "");
    expect(() => resolveIn("./missing.js")).toThrow(/there is no such file or folder/);
    expect(() => resolveIn("./graph.onnx")).toThrow(/expected a module .* a world\.json/);
    expect(() => resolveIn("./empty")).toThrow(/holds no world\.json and no package\.json/);
    expect(() => resolveIn("prob")).toThrow(
      /no world, installed package or path is called "prob"; did you mean "probe"\?/,
    );
    expect(() => resolveIn("../../node_modules/x#y")).toThrow(/no such file/);
  });
});
