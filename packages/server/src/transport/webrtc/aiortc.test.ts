import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TestServer } from "../../test-support/test-server.ts";

const PYTHON = process.env.DREAMLOOP_AIORTC_PYTHON;
const SCRIPT = fileURLToPath(new URL("../../test-support/aiortc-peer.py", import.meta.url));

function runPeer(
  args: readonly string[],
): Promise<{ readonly code: number | null; readonly out: string; readonly err: string }> {
  return new Promise((resolve) => {
    const child = spawn(PYTHON ?? "python3", [SCRIPT, ...args], { stdio: ["ignore", "pipe", "pipe"] });
    let out = "";
    let err = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
    child.on("close", (code) => resolve({ code, out, err }));
  });
}

describe.skipIf(PYTHON === undefined)("a peer that is not ours: aiortc", () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await TestServer.start({ preload: ["probe"] });
  });

  afterAll(async () => {
    await server.close();
  });

  it.each([
    { mimeType: "video/H264", codec: "h264" },
    { mimeType: "video/VP8", codec: "vp8" },
  ])("D1: negotiates $codec, decodes its frames, and steers", async ({ mimeType, codec }) => {
    const { sessionId, token } = await server.create();
    const { code, out, err } = await runPeer([server.url, sessionId, token, mimeType]);
    expect(code, err).toBe(0);
    expect(JSON.parse(out)).toEqual({ codec, width: 320, height: 180, steered: true });
  });
});
