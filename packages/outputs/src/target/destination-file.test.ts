import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDreamloopError } from "@dreamloop/core";
import { afterEach, describe, expect, it } from "vitest";
import { fullDisk, refusingDisk, systemError } from "../test-support/failing-file-system.ts";
import { temporaryFolders } from "../test-support/temporary-folder.ts";
import { DestinationFile } from "./destination-file.ts";
import { NODE_FILE_SYSTEM, writeFully, type FileSystem, type OutputFile } from "./file-system.ts";

const folder = temporaryFolders(afterEach);
const open = (path: string, fileSystem: FileSystem = NODE_FILE_SYSTEM) =>
  DestinationFile.open({
    target: "test",
    path,
    isOwnKind: (head) => head[0] === 7,
    kindName: "a file of sevens",
    fileSystem,
  });
const isFailure = (pattern: RegExp) => (error: unknown) =>
  isDreamloopError(error, "output_failed") && pattern.test(error.message);

describe("DestinationFile", () => {
  it("takes its name only when it is complete, and makes the folders above", async () => {
    const path = join(folder(), "a/b/file");
    const file = await open(path);
    await file.append(Uint8Array.from([7, 1]));
    await file.append(Uint8Array.from([2]));
    expect(existsSync(path)).toBe(false);
    await file.commit();
    expect([...readFileSync(path)]).toEqual([7, 1, 2]);
    expect(readdirSync(join(path, ".."))).toEqual(["file"]);
  });

  it("leaves nothing when it is discarded, and an older file as it was", async () => {
    const path = join(folder(), "file");
    writeFileSync(path, Uint8Array.from([7, 9]));
    const file = await open(path);
    await file.append(Uint8Array.from([7, 1]));
    await file.discard();
    await file.discard();
    expect([...readFileSync(path)]).toEqual([7, 9]);
    expect(readdirSync(join(path, ".."))).toEqual(["file"]);
  });

  it("replaces a file of its kind and an empty one, and refuses any other", async () => {
    const path = join(folder(), "file");
    for (const content of [[7, 9], []]) {
      writeFileSync(path, Uint8Array.from(content));
      const file = await open(path);
      await file.append(Uint8Array.from([7, 1]));
      await file.commit();
      expect([...readFileSync(path)]).toEqual([7, 1]);
    }
    writeFileSync(path, "a letter");
    await expect(open(path)).rejects.toSatisfy(isFailure(/exists and is not a file of sevens/));
    expect(readFileSync(path, "utf8")).toBe("a letter");
  });

  it("refuses a folder, and a path below a file", async () => {
    const path = join(folder(), "place");
    mkdirSync(path);
    await expect(open(path)).rejects.toSatisfy(isFailure(/is a folder; name a file in it/));
    writeFileSync(join(path, "file"), "x");
    await expect(open(join(path, "file/below"))).rejects.toSatisfy(isFailure(/ENOTDIR|EEXIST/));
  });

  it.skipIf(process.platform === "win32")("replaces what a link points to, and keeps the link", async () => {
    const home = folder();
    writeFileSync(join(home, "real"), Uint8Array.from([7]));
    symlinkSync("real", join(home, "link"));
    const file = await open(join(home, "link"));
    await file.append(Uint8Array.from([7, 5]));
    await file.commit();
    expect(readlinkSync(join(home, "link"))).toBe("real");
    expect([...readFileSync(join(home, "real"))]).toEqual([7, 5]);
  });

  it("names path, cause and advice when the disk is full, and leaves nothing", async () => {
    const path = join(folder(), "file");
    const file = await open(path, fullDisk(5));
    await file.append(new Uint8Array(4));
    await expect(file.append(new Uint8Array(4))).rejects.toSatisfy(
      isFailure(/test target: could not write .*file \(ENOSPC\): the disk is full; free space or choose another disk/),
    );
    await file.discard();
    expect(readdirSync(join(path, ".."))).toEqual([]);
  });

  it.each([
    ["EACCES", /permission is missing; choose a path that you may write to/],
    ["EROFS", /the file system is read-only/],
    ["EMFILE", /too many files are open/],
  ])("says what to do about %s", async (code, advice) => {
    await expect(open(join(folder(), "file"), refusingDisk(code))).rejects.toSatisfy(isFailure(advice));
  });

  it("says so when the new name is refused, and leaves nothing", async () => {
    const path = join(folder(), "file");
    const fileSystem = { ...NODE_FILE_SYSTEM, rename: () => Promise.reject(systemError("EPERM")) };
    const file = await open(path, fileSystem);
    await expect(file.commit()).rejects.toSatisfy(isFailure(/could not finish .* \(EPERM\)/));
    await file.discard();
    expect(readdirSync(join(path, ".."))).toEqual([]);
  });

  it.skipIf(process.platform !== "linux")("writes to a device directly, and meets a full one", async () => {
    const file = await open("/dev/full");
    expect(file.isSeekable).toBe(false);
    await expect(file.append(new Uint8Array(4))).rejects.toSatisfy(isFailure(/\/dev\/full \(ENOSPC\)/));
    await file.discard();
    expect(existsSync("/dev/full")).toBe(true);
  });

  it("E7: writes the bytes of a view that lies in a larger buffer", async () => {
    const path = join(folder(), "file");
    const pool = Buffer.alloc(40, 0xee);
    pool.set([7, 8, 9], 21);
    const file = await open(path);
    await file.append(pool.subarray(21, 24));
    await file.commit();
    expect([...readFileSync(path)]).toEqual([7, 8, 9]);
  });
});

describe("writeFully", () => {
  it("E7: goes on where a partial write ended", async () => {
    const written: number[] = [];
    const file: OutputFile = {
      write: async (buffer, offset, length) => {
        const part = Math.min(2, length);
        written.push(...buffer.subarray(offset, offset + part));
        return { bytesWritten: part };
      },
      read: () => Promise.resolve({ bytesRead: 0 }),
      sync: () => Promise.resolve(),
      close: () => Promise.resolve(),
    };
    await writeFully(file, Buffer.from("abcdefg").subarray(1, 6), 0);
    expect(Buffer.from(written).toString()).toBe("bcdef");
    const stuck = { ...file, write: () => Promise.resolve({ bytesWritten: 0 }) };
    await expect(writeFully(stuck, new Uint8Array(1), 0)).rejects.toMatchObject({ code: "ENOSPC" });
  });
});
