import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readProbeStrip } from "@dreamloop/worlds/probe";
import sharp from "sharp";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { servedWorlds } from "./served-worlds.ts";

const PICTURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13);

const served = (name: string): ReturnType<typeof servedWorlds>[number] | undefined =>
  servedWorlds({ names: [name], search: { cwd: import.meta.dirname, env: {} }, inference: {}, withOthers: false })[0];

describe("the pictures of worlds", () => {
  let parent: string;
  let folder: string;

  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), "dreamloop-posters-"));
    folder = join(parent, "world");
    mkdirSync(folder);
    writeFileSync(join(parent, "outside.png"), PICTURE);
    writeFileSync(join(folder, "inside.png"), PICTURE);
    writeFileSync(join(folder, "page.png"), "<svg/>");
    writeFileSync(join(folder, "large.png"), Buffer.concat([PICTURE, Buffer.alloc(1_048_576)]));
    symlinkSync(join(parent, "outside.png"), join(folder, "link.png"));
  });
  afterEach(() => rmSync(parent, { recursive: true }));

  test("that of the probe is a frame of the probe, whose strip can be read", async () => {
    const poster = served("probe")?.poster;
    expect(poster?.contentType).toBe("image/webp");
    const { data, info } = await sharp(poster?.bytes).removeAlpha().raw().toBuffer({ resolveWithObject: true });
    const { width, height } = info;
    const strip = readProbeStrip({ data, width, height, channels: 3 });
    expect(strip).toMatchObject({ stepIndex: 150, generation: 0 });
  });

  test("that of a bundle is the file that its manifest names", () => {
    writeFileSync(join(folder, "world.json"), JSON.stringify({ id: "mine", poster: "inside.png" }));
    expect(served(folder)?.poster?.bytes).toEqual(readFileSync(join(folder, "inside.png")));
  });

  test.each(["../outside.png", "link.png", "page.png", "large.png", "missing.png", ".", 4, null])(
    "M7: a bundle that names %j has none, and is served all the same",
    (poster) => {
      writeFileSync(join(folder, "world.json"), JSON.stringify({ id: "mine", poster }));
      const world = served(folder);
      expect(world?.id).toBe("mine");
      expect(world?.poster).toBeUndefined();
    },
  );
});
