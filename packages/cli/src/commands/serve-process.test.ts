import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { describe, expect, test } from "vitest";
import { CommandProcess } from "../fixtures/command-process.ts";

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
      expect((await command.end).exitCode).toBe(143);
      blocker.close();
    }
  });

  test("M1: serve refuses to be reached from other machines without a token", async () => {
    const { exitCode, err } = await new CommandProcess(["serve", "--host", "0.0.0.0"], tmpdir()).end;
    expect(exitCode).toBe(2);
    expect(err).toMatch(/0\.0\.0\.0.*token/);
  });
});
