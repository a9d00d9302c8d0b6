import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { WebSocket } from "ws";
import { readTrace, replayTrace } from "@dreamloop/core";
import { ProcessClock, sha256FrameHasher } from "@dreamloop/node";
import { loadBundle } from "@dreamloop/onnx/node";
import { toyPictureWorld } from "@dreamloop/onnx/testing";
import {
  PROTOCOL_VERSION,
  readFrameMessage,
  type SessionAnswer,
  type SessionFacts,
  type UploadAnswer,
} from "@dreamloop/protocol";
import { DreamloopServer } from "@dreamloop/server";
import { afterAll, beforeAll, expect, test } from "vitest";
import { servedWorlds } from "./served-worlds.ts";

const PATIENCE_MILLISECONDS = 90_000;
let folder: string;
let server: DreamloopServer;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "dreamloop-served-pictures-"));
  mkdirSync(join(folder, "picture"));
  const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
  for (const [path, bytes] of Object.entries(toyPictureWorld(sha256)))
    writeFileSync(join(folder, "picture", path), bytes);
  const options = { names: ["./picture"], search: { cwd: folder, env: {} }, inference: {}, withOthers: false };
  const worlds = servedWorlds(options).map((world) => ({
    ...world,
    // The worker runs what is built, and has no domains to look for.
    reference: {
      module: import.meta.resolve("@dreamloop/onnx/node"),
      exportName: "loadBundle",
      argument: join(folder, "picture"),
    },
  }));
  server = await DreamloopServer.start({ config: { port: 0, jpegQuality: 95 }, worlds });
});

afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

async function ask<Answer>(path: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(new URL(path, server.url), init);
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Answer;
}

interface Watching {
  readonly picture: Uint8Array;
  readonly requests: (method: string) => Promise<Readonly<Record<string, unknown>>>;
  readonly close: () => void;
}

/** Opens the socket of a session and waits for its first picture. */
function play(session: SessionAnswer): Promise<Watching> {
  return new Promise((resolve, reject) => {
    const url = `${server.url.replace(/^http/, "ws")}${session.websocketPath.slice(1)}?token=${session.token}`;
    const socket = new WebSocket(url);
    const timer = setTimeout(() => reject(new Error("no picture came")), PATIENCE_MILLISECONDS);
    const answers = new Map<number, (result: Readonly<Record<string, unknown>>) => void>();
    const requests = (method: string): Promise<Readonly<Record<string, unknown>>> =>
      new Promise((done) => {
        const id = answers.size + 1;
        answers.set(id, done);
        socket.send(JSON.stringify({ type: "request", id, method, params: {} }));
      });
    socket.on("open", () => {
      socket.send(JSON.stringify({ type: "hello", version: PROTOCOL_VERSION, decoders: ["jpeg"] }));
    });
    socket.on("error", reject);
    socket.on("message", (data: Buffer, isBinary: boolean) => {
      if (!isBinary) {
        const message = JSON.parse(data.toString()) as { type: string; id?: number; reason?: unknown };
        if (message.type === "response") answers.get(message.id ?? 0)?.(message);
        if (message.reason !== undefined) reject(new Error(JSON.stringify(message.reason)));
        return;
      }
      clearTimeout(timer);
      resolve({ picture: readFrameMessage(data).payload, requests, close: () => socket.close() });
    });
  });
}

const LEFT = [200, 30, 90] as const;
const RIGHT = [20, 140, 220] as const;

test("M3, G3: an uploaded picture reaches the model, and the trace of its session replays without it", async () => {
  const [world] = (await ask<{ worlds: readonly { id: string; initialFields: readonly object[] }[] }>("/api/worlds"))
    .worlds;
  expect(world).toMatchObject({
    loaded: false,
    initialFields: [{ name: "first_frame", required: false, image: { width: 64, height: 48 } }],
  });
  const data = Buffer.alloc(320 * 120 * 3);
  for (let at = 0; at < 320 * 120; at += 1) data.set(at % 320 < 160 ? LEFT : RIGHT, at * 3);
  const photo = await sharp(data, { raw: { width: 320, height: 120, channels: 3 } })
    .jpeg({ quality: 98 })
    .toBuffer();
  const { uploadId } = await ask<UploadAnswer>("/api/uploads", { method: "POST", body: Uint8Array.from(photo) });
  const body = JSON.stringify({ world: world?.id, images: { first_frame: uploadId } });
  const session = await ask<SessionAnswer>("/api/sessions", { method: "POST", body });
  expect(server.counts.uploads).toBe(0);
  const used = await fetch(new URL("/api/sessions", server.url), { method: "POST", body });
  expect([used.status, await used.text()]).toEqual([404, expect.stringContaining("no such picture") as string]);

  const watching = await play(session);
  const shown = await sharp(watching.picture).raw().toBuffer({ resolveWithObject: true });
  expect(shown.info).toMatchObject({ width: 64, height: 48 });
  for (const [x, colour] of [
    [8, LEFT],
    [56, RIGHT],
  ] as const) {
    const at = (24 * 64 + x) * 3;
    colour.forEach((value, channel) =>
      expect(Math.abs((shown.data[at + channel] ?? 0) - value)).toBeLessThanOrEqual(12),
    );
  }

  const known = await ask<SessionFacts>(`/api/sessions/${session.sessionId}`, {
    headers: { authorization: `Bearer ${session.token}` },
  });
  // F4: the status says what runs, and whether it was compared with reference frames.
  expect(known.runtimeFacts).toMatchObject({
    engine: "onnxruntime-node",
    fallbacks: [{ setting: "precision", asked: "auto", used: "fp32" }],
    referenceCheck: { compared: "skipped", reason: "the bundle has no reference frames" },
  });

  await watching.requests("record_start");
  const stopped = await watching.requests("record_stop");
  const { tracePath } = stopped.result as { readonly tracePath: string };
  watching.close();
  const trace = await (await fetch(new URL(`${tracePath}?token=${session.token}`, server.url))).arrayBuffer();
  const report = await replayTrace({
    trace: await readTrace([new Uint8Array(trace)]),
    adapter: await loadBundle(join(folder, "picture")),
    frameHasher: sha256FrameHasher,
    clock: new ProcessClock(),
    allowVersionMismatch: false,
  });
  expect(report.differingSteps).toBe(0);
  expect(report.comparedFrames).toBeGreaterThan(0);
});
