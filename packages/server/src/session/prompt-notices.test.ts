import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { NoticeMessage } from "@dreamloop/protocol";
import { afterEach, describe, expect, it } from "vitest";
import { SocketClient } from "../test-support/socket-client.ts";
import { TestServer, until } from "../test-support/test-server.ts";

/** A world that names the words of its prompt. */
const WORDY = `
import { defineWorld, input } from ${JSON.stringify(pathToFileURL(createRequire(import.meta.url).resolve("@dreamloop/core")).href)};
export default defineWorld({
  id: "wordy",
  video: { width: 32, height: 32, framesPerSecond: 30 },
  inputs: { initial: { prompt: input.text({ default: "day", live: true }) } },
  promptVocabulary: ["day", "snow"],
  step: ({ frames }) => ({ frames: frames.map((_, index) => index % 251) }),
});
`;

const folder = mkdtempSync(join(tmpdir(), "dreamloop-prompts-"));
let server: TestServer | undefined;
afterEach(async () => {
  await server?.close();
  rmSync(folder, { recursive: true, force: true });
});

function noticesOf({ messages }: SocketClient): readonly NoticeMessage[] {
  return messages.filter((message) => message.type === "notice");
}

describe("words that a world does not know", () => {
  it("are told in a notice, once for each prompt: at the start also to a player who comes later", async () => {
    writeFileSync(join(folder, "wordy.mjs"), WORDY);
    server = await TestServer.start(
      {},
      { worlds: [{ id: "wordy", reference: { module: join(folder, "wordy.mjs") } }] },
    );
    const running = server;
    const session = await running.create({ world: "wordy", prompt: "dragon snow" });
    await until(async () => (await running.factsOf(session)).state === "running", "the world runs");
    const viewer = await SocketClient.open(running, { ...session, token: session.viewerToken });
    await until(() => viewer.frames.length > 2, "steps are made");
    const client = await SocketClient.open(running, session);
    await until(() => noticesOf(client).length > 0, "the player is told");
    expect(noticesOf(client)).toEqual([
      {
        type: "notice",
        kind: "prompt_words",
        message: 'the world does not know "dragon"; it goes by "snow"',
        details: { input: "prompt", knownWords: ["snow"], unknownWords: ["dragon"], cutWords: [] },
      },
    ]);
    await client.request("prompt", { prompt: "snow" });
    await client.request("prompt", { prompt: "banana" });
    await until(() => noticesOf(client).length > 1, "the player is told again");
    await client.request("reset");
    const { length } = client.frames;
    await until(() => client.frames.length > length + 5, "frames of the new rollout come");
    expect(noticesOf(client).map(({ message }) => message)).toEqual([
      'the world does not know "dragon"; it goes by "snow"',
      'the world does not know "banana"; no word of the prompt is known',
    ]);
    expect(noticesOf(viewer).at(-1)?.message).toContain("banana");
    // A player who comes back is not told again.
    client.socket.close();
    const again = await SocketClient.open(running, session);
    await until(() => again.frames.length > 2, "frames come");
    expect(noticesOf(again)).toEqual([]);
  });
});
