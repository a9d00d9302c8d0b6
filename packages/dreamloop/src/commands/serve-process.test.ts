import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CommandProcess, dreamloop, conditionHolds } from "../fixtures/command-process.ts";
import { THROWING_WORLD } from "../fixtures/throwing-world.ts";

/** The address in what a command printed so far. */
async function address(command: CommandProcess): Promise<string> {
  return (await command.printed(/http:\/\/127\.0\.0\.1:\d+\/\S*/))[0];
}

describe("the server as a command", () => {
  test("L3: play prints a link without a question, answers there, and Ctrl-C drains and ends it", async () => {
    const command = new CommandProcess(["play", "probe", "--port", "0"], tmpdir());
    try {
      const link = new URL(await address(command));
      expect(link.searchParams.get("world")).toBe("probe");
      expect((await fetch(new URL("/readyz", link))).status).toBe(200);
      const answer = (await (await fetch(new URL("/api/worlds", link))).json()) as { worlds: { loaded: boolean }[] };
      expect(answer.worlds[0]).toMatchObject({ id: "probe", loaded: true });
      const session = await fetch(new URL("/api/sessions", link), { method: "POST", body: '{"world":"probe"}' });
      expect(session.status).toBe(201);
    } finally {
      command.signal("SIGINT", "group");
    }
    expect((await command.end).exitCode).toBe(130);
  });

  test("serve says which page was refused, which session failed and where, and what Ctrl-C does", async () => {
    const folder = mkdtempSync(join(tmpdir(), "dreamloop-serve-"));
    const file = join(folder, "throwing.mjs");
    writeFileSync(file, THROWING_WORLD);
    const command = new CommandProcess(["serve", "./throwing.mjs", "--port", "0"], folder);
    try {
      const url = await address(command);
      const ask = (path: string, init: RequestInit = {}) => fetch(new URL(path, url), init);
      for (let time = 0; time < 3; time += 1) {
        const answer = await ask("/api/worlds", { headers: { origin: "http://localhost:5173" } });
        expect(answer.headers.get("access-control-allow-origin")).toBeNull();
      }
      const body = JSON.stringify({ world: "./throwing.mjs" });
      const created = await ask("/api/sessions", { method: "POST", body });
      const { sessionId, token } = (await created.json()) as { sessionId: string; token: string };
      const authorization = `Bearer ${token}`;
      const state = async () => (await ask(`/api/sessions/${sessionId}`, { headers: { authorization } })).status;
      await conditionHolds(async () => (await state()) !== 200, "the session has failed");
      command.signal("SIGINT");
      const lines = (await command.end).err.trimEnd().split("\n");
      expect(lines).toEqual([
        "warning: refused a page of http://localhost:5173; if it may use this server, start it with --allow-origin http://localhost:5173",
        expect.stringMatching(
          /^warning: session [\w-]{8} of \.\/throwing\.mjs ended: step 2 failed: kaboom \(/,
        ) as string,
        "stopping: ending the sessions; once more to exit at once",
      ]);
      expect(lines[1]).toContain(`(${file}:11:28)`);
      expect(lines[1]).toContain(`session ${sessionId.slice(0, 8)}`);
    } finally {
      command.kill();
      rmSync(folder, { recursive: true });
    }
  });

  test("serve takes the next free port when the default one is taken, and none other when one was asked for", async () => {
    const blocker = createServer();
    await new Promise<void>((resolve) => {
      // Somebody else may have it already, which is as good.
      blocker.once("error", () => resolve());
      blocker.listen(8787, "127.0.0.1", resolve);
    });
    const command = new CommandProcess(["serve", "probe", "--json"], tmpdir());
    try {
      const [text] = await command.printed(/\{[^}]*\}/);
      const { port } = JSON.parse(text) as { port: number };
      expect(port).toBeGreaterThan(8787);
      const refused = await new CommandProcess(["serve", "probe", "--port", String(port)], tmpdir()).end;
      expect(refused.exitCode).toBe(1);
      expect(refused.err).toContain(`port ${port} of 127.0.0.1 is taken`);
    } finally {
      command.signal("SIGTERM");
      expect((await command.end).exitCode).toBe(0);
      blocker.close();
    }
  });

  test("D4: serve says once why no encoder runs where it has to", () => {
    const args = ["serve", "probe", "--port", "0", "--encoder", "ffmpeg", "--encoder-hardware", "hardware"];
    const { status, stderr } = dreamloop(args, tmpdir(), { PATH: "", DREAMLOOP_FFMPEG: "none" });
    expect(status).toBe(1);
    const [, reasons = ""] = stderr.trim().split("there is none here: ");
    expect(reasons).toContain("ffmpeg");
    const each = reasons.split(". ");
    expect(each).toEqual([...new Set(each)]);
  });

  test("M6: what is no terminal never gets the server's token", async () => {
    const token = "a-secret-of-some-length";
    for (const args of [
      ["play", "probe"],
      ["serve", "probe"],
      ["serve", "probe", "--json"],
    ]) {
      const command = new CommandProcess([...args, "--port", "0", "--token", token], tmpdir());
      try {
        await address(command);
      } finally {
        command.signal("SIGINT");
      }
      const { out, err } = await command.end;
      expect(out + err).not.toContain(token);
    }
  });

  test("M1: serve refuses to be reached from other machines without a token", async () => {
    const { exitCode, err } = await new CommandProcess(["serve", "--host", "0.0.0.0"], tmpdir()).end;
    expect(exitCode).toBe(2);
    expect(err).toMatch(/0\.0\.0\.0.*token/);
  });
});
