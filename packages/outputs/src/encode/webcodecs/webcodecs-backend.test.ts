import { spawn } from "node:child_process";
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { isDreamloopError } from "@dreamloop/core";
import { describe, expect, it } from "vitest";
import { EncoderProcess } from "./encoder-process-host.ts";
import { readEncoderConfig } from "../read-encoder-config.ts";
import { createWebCodecsEncoder } from "./webcodecs-encoder.ts";
import { webCodecsBackend } from "./webcodecs-backend.ts";

const CONFIG = readEncoderConfig({
  codec: "h264",
  width: 64,
  height: 48,
  framesPerSecond: 30,
  bitrateBitsPerSecond: 1_000_000,
  keyFrameIntervalFrames: 30,
  latency: "realtime",
});
const picture = { codedWidth: 64, codedHeight: 48, data: new Uint8Array(64 * 48 * 1.5).fill(128) };

/** Resolves when no process has this number any longer. */
async function isGone(processId: number): Promise<void> {
  for (;;) {
    try {
      process.kill(processId, 0);
    } catch {
      return;
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe("the process that encodes", () => {
  it("serves threads at the same time and after one has ended, which the library alone does not survive", async () => {
    const entry = new URL("../../test-support/encode-in-worker.ts", import.meta.url);
    const inWorker = async () => {
      const program = `import("tsx/esm/api").then(({ register }) => { register(); return import("${entry.href}"); })`;
      const worker = new Worker(program, { eval: true });
      const ended = once(worker, "exit");
      const [count] = (await once(worker, "message")) as [number];
      await ended;
      return count;
    };
    const host = new EncoderProcess();
    const here = await createWebCodecsEncoder(host, CONFIG, { onFrame: () => undefined });
    await here.encode(picture, { timestamp: 0 });
    expect(await Promise.all([inWorker(), inWorker()])).toEqual([40, 40]);
    expect(await inWorker()).toBe(40);
    await here.encode(picture, { timestamp: 1 });
    await here.flush();
    await host.close();
  });

  it("tells every encoder when it dies, and starts anew for the next", async () => {
    const errors: Error[] = [];
    const host = new EncoderProcess();
    const encoder = await createWebCodecsEncoder(host, CONFIG, {
      onFrame: () => undefined,
      onError: (error) => errors.push(error),
    });
    await encoder.encode(picture, { timestamp: 0 });
    await encoder.flush();
    process.kill(host.processId ?? 0, "SIGKILL");
    const refused = (async () => {
      for (;;) await encoder.encode(picture, { timestamp: 1 });
    })();
    await expect(refused).rejects.toSatisfy((error) => isDreamloopError(error, "encoder_failed"));
    expect(errors).toHaveLength(1);
    expect(errors[0].message).toMatch(/its process (ended with SIGKILL|has ended)/);
    const next = await createWebCodecsEncoder(host, CONFIG, { onFrame: () => undefined });
    await next.encode(picture, { timestamp: 0 });
    await next.flush();
    await host.close();
  });

  it("goes on when the terminal sends an interrupt to the whole group", async () => {
    const host = new EncoderProcess();
    const encoder = await createWebCodecsEncoder(host, CONFIG, { onFrame: () => undefined });
    await encoder.encode(picture, { timestamp: 0 });
    process.kill(host.processId ?? 0, "SIGINT");
    await encoder.encode(picture, { timestamp: 1 });
    await encoder.flush();
    await encoder.close();
    await host.close();
  });

  it("C6: ends when its parent is killed", async () => {
    const url = new URL("./encoder-process-host.ts", import.meta.url).href;
    const program = `
      const { EncoderProcess } = await import(${JSON.stringify(url)});
      const host = new EncoderProcess();
      host.open({ onMessage() {}, onFailure() {} });
      host.hold();
      console.log(host.processId);`;
    const parent = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "--eval", program], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [printed] = (await once(parent.stdout, "data")) as [Buffer];
    const processId = Number(printed.toString());
    expect(processId).toBeGreaterThan(1);
    parent.kill("SIGKILL");
    await isGone(processId);
  });

  it("lets this process end while it idles", async () => {
    const url = new URL("./webcodecs-backend.ts", import.meta.url).href;
    const program = `
      const { webCodecsBackend } = await import(${JSON.stringify(url)});
      const config = ${JSON.stringify(CONFIG)};
      const encoder = await webCodecsBackend().createEncoder(config, { onFrame: () => console.log("frame") });
      const picture = { codedWidth: 64, codedHeight: 48, data: new Uint8Array(64 * 48 * 1.5) };
      await encoder.encode(picture, { timestamp: 0 });
      await encoder.flush();
      // Neither encoder nor backend is closed.`;
    const child = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "--eval", program], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let printed = "";
    child.stdout.on("data", (text: Buffer) => (printed += text.toString()));
    const [code] = (await once(child, "exit")) as [number];
    expect([code, printed.trim()]).toEqual([0, "frame"]);
  });

  it("refuses sizes that its H.264 cannot take, before anything starts", async () => {
    const backend = webCodecsBackend();
    const made = backend.createEncoder({ ...CONFIG, width: 5000 }, { onFrame: () => undefined });
    await expect(made).rejects.toThrow("H.264 takes at most 4096 pixels a side");
    await backend.close();
  });

  it("starts nothing after it was closed", async () => {
    const backend = webCodecsBackend();
    await backend.close();
    await backend.close();
    await expect(backend.createEncoder(CONFIG, { onFrame: () => undefined })).rejects.toSatisfy((error) =>
      isDreamloopError(error, "closed"),
    );
  });
});
