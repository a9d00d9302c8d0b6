import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { NoticeMessage } from "@dreamloop/protocol";
import { afterEach, describe, expect, it } from "vitest";
import { SocketClient } from "../test-support/socket-client.ts";
import { TestServer, until } from "../test-support/test-server.ts";
import type { SessionLogEntry } from "./session-log.ts";
import { WarningReporter } from "./warning-reporter.ts";

/** A world that stays black. */
const BLACK = `
import { defineWorld } from ${JSON.stringify(pathToFileURL(createRequire(import.meta.url).resolve("@dreamloop/core")).href)};
export default defineWorld({
  id: "black",
  video: { width: 32, height: 32, framesPerSecond: 60 },
  step: ({ frames }) => ({ frames }),
});
`;

const folder = mkdtempSync(join(tmpdir(), "dreamloop-warnings-"));
let server: TestServer | undefined;
afterEach(async () => {
  await server?.close();
  rmSync(folder, { recursive: true, force: true });
});

describe("warnings of a session", () => {
  it("F1: odd frames stand in the log, once, and players are not told", async () => {
    writeFileSync(join(folder, "black.mjs"), BLACK);
    server = await TestServer.start(
      {},
      { worlds: [{ id: "black", reference: { module: join(folder, "black.mjs") } }] },
    );
    const running = server;
    const session = await running.create({ world: "black" });
    const client = await SocketClient.open(running, session);
    const warnings = async (): Promise<readonly SessionLogEntry[]> => {
      const response = await running.send("GET", `/api/sessions/${session.sessionId}/log`, { token: session.token });
      const { entries } = (await response.json()) as { readonly entries: readonly SessionLogEntry[] };
      return entries.filter(({ event }) => event === "warning");
    };
    await until(async () => (await warnings()).length > 0, "the log tells of it");
    const count = client.frames.length;
    await until(() => client.frames.length > count + 5, "the world goes on");
    expect(await client.request("pause")).toMatchObject({ ok: true });
    expect((await warnings()).map(({ facts }) => facts)).toEqual([
      { kind: "constant", message: expect.stringContaining("frames look odd") as string, count: 1 },
    ]);
    expect(client.messages.filter(({ type }) => type === "notice")).toEqual([]);
  });

  it("of one kind do not fill the log, and what players can act on is told them", () => {
    const desk = new WarningReporter();
    const logged: unknown[] = [];
    const told: string[] = [];
    const places = {
      log: { note: (_event: string, facts?: Readonly<Record<string, unknown>>) => void logged.push(facts?.count) },
      audience: { notify: ({ kind }: NoticeMessage) => void told.push(kind) },
    };
    for (let at = 0; at < 1000; at += 1) desk.take({ kind: "variance_out_of_band", message: "odd" }, places);
    expect(logged).toEqual([1, 10, 100, 1000]);
    desk.take({ kind: "update_refused", message: "left out" }, places);
    expect(logged).toEqual([1, 10, 100, 1000, 1]);
    expect(told).toEqual(["update_refused"]);
  });
});
