import { spawn, spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { chromiumMissing } from "./chromium.ts";

/** A network of its own that has nothing but the loopback interface; Linux alone has this, and not everywhere is it allowed. */
const ONLY_LOOPBACK = ["unshare", "--map-root-user", "--net", "sh", "-c"];
const [program = "", ...args] = ONLY_LOOPBACK;
const isPossible = spawnSync(program, [...args, "ip link set lo up"]).status === 0;

const VITEST = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs");

describe.skipIf(chromiumMissing() !== undefined || !isPossible)("with loopback as the only interface", () => {
  test("first frame, steering and every fallback work", { timeout: 480_000 }, async () => {
    const inner = `ip link set lo up && exec "${process.execPath}" "${VITEST}" run e2e/play-links.test.ts -t steers`;
    const env = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !/^VITEST|^NODE_OPTIONS$/.test(name)),
    );
    const child = spawn(program, [...args, inner], { env: { ...env, NO_COLOR: "1" } });
    let output = "";
    child.stdout.on("data", (text: Buffer) => (output += text.toString()));
    child.stderr.on("data", (text: Buffer) => (output += text.toString()));
    const code = await new Promise((resolve) => child.once("close", resolve));
    expect(code, output).toBe(0);
    expect(output).toMatch(/Tests +4 passed/);
  });
});
