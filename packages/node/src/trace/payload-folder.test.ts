import { mkdir, mkdtemp, readdir, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { contentAddressOf } from "@dreamloop/core/internal";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sha256FrameHasher } from "../sha256-hasher.ts";
import { PayloadFolder, payloadFolderOf } from "./payload-folder.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "dreamloop-payloads-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const bytes = new TextEncoder().encode("a first frame");
const address = await contentAddressOf(bytes, sha256FrameHasher);
const files = async (path: string): Promise<readonly string[]> =>
  (await readdir(path, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);

describe("PayloadFolder", () => {
  test("lies beside the trace and is made with the first content", async () => {
    const path = payloadFolderOf(join(folder, "a.trace"));
    expect(path).toBe(join(folder, "a.trace.inputs"));
    const store = new PayloadFolder(path);
    expect(await store.get(address)).toBeUndefined();
    await expect(readdir(path)).rejects.toThrow(/ENOENT/);
    await store.put(address, bytes);
    expect(new Uint8Array((await store.get(address)) ?? [])).toEqual(bytes);
    expect(await files(path)).toEqual([address.slice("sha256:".length + 2)]);
  });

  test("E7: keeps a view by its offset and length", async () => {
    const store = new PayloadFolder(join(folder, "views"));
    await store.put(address, new TextEncoder().encode("xx a first frame").subarray(3));
    expect(new Uint8Array((await store.get(address)) ?? [])).toEqual(bytes);
  });

  test("writes equal content once, also from several runs at the same time, and mends half content", async () => {
    const path = join(folder, "shared");
    await Promise.all(Array.from({ length: 8 }, () => new PayloadFolder(path).put(address, bytes)));
    expect(await files(path)).toHaveLength(1);
    const file = join(path, address.slice(7, 9), address.slice(9));
    await truncate(file, 3);
    await new PayloadFolder(path).put(address, bytes);
    expect(new Uint8Array((await new PayloadFolder(path).get(address)) ?? [])).toEqual(bytes);
  });

  test.each([
    "sha256:../../../etc/passwd",
    "../x",
    "",
    "SHA256:".padEnd(71, "0"),
    `sha256:${"A".repeat(64)}`,
    `${address}/..`,
  ])("never makes a path of %j", async (name) => {
    const store = new PayloadFolder(join(folder, "names"));
    await expect(store.get(name)).rejects.toMatchObject({ code: "invalid_value" });
    await expect(store.put(name, bytes)).rejects.toMatchObject({ code: "invalid_value" });
  });

  test("a folder that cannot be written or read is named", async () => {
    const path = join(folder, "blocked");
    await writeFile(path, "a file");
    const store = new PayloadFolder(path);
    await expect(store.put(address, bytes)).rejects.toMatchObject({ code: "output_failed" });
    expect(await store.get(address)).toBeUndefined();
    const inner = join(folder, "dirs", address.slice(7, 9), address.slice(9));
    await mkdir(inner, { recursive: true });
    await expect(new PayloadFolder(join(folder, "dirs")).get(address)).rejects.toMatchObject({ code: "load_failed" });
  });

  test("a file above the limit is refused before it is read", async () => {
    const path = join(folder, "huge");
    const file = join(path, address.slice(7, 9), address.slice(9));
    await mkdir(join(path, address.slice(7, 9)), { recursive: true });
    await writeFile(file, "");
    await truncate(file, 2 ** 30 + 1);
    await expect(new PayloadFolder(path).get(address)).rejects.toMatchObject({ code: "limit_exceeded" });
    await rm(file);
  });

  test("content that a link leads to is read like any other, since its digest is what counts", async () => {
    const path = join(folder, "linked");
    await mkdir(path);
    await writeFile(join(folder, "elsewhere"), bytes);
    await mkdir(join(path, address.slice(7, 9)));
    await symlink(join(folder, "elsewhere"), join(path, address.slice(7, 9), address.slice(9)));
    expect(new Uint8Array((await new PayloadFolder(path).get(address)) ?? [])).toEqual(bytes);
  });
});
