import { createRequire } from "node:module";
import { openMoment, readTrace, replayTrace, MemoryPayloadStore } from "@dreamloop/core";
import { createProbeWorld } from "@dreamloop/worlds";
import { afterEach, describe, expect, it } from "vitest";
import {
  momentTools,
  ProcessClock,
  sha256FrameHasher,
  WorldHost,
  zlibCompressor,
  type HostedSession,
  type SessionStart,
} from "../index.ts";

const reference = {
  module: createRequire(import.meta.url).resolve("@dreamloop/worlds/probe"),
  exportName: "probeWorld",
};
const hosts: WorldHost[] = [];
afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.close()));
});

async function load(width = 64): Promise<WorldHost> {
  const config = { runtimeOptions: { width, height: 48, framesPerSecond: 60, instant: true } };
  const host = await WorldHost.load({ reference, config });
  hosts.push(host);
  return host;
}

interface Recorded {
  readonly session: HostedSession;
  /** Resolves when so many steps have been traced. */
  steps(count: number): Promise<void>;
  replay(): Promise<unknown>;
}

function record(host: WorldHost, start: SessionStart): Recorded {
  let text = "";
  let stepCount = 0;
  let waiting: (() => void) | undefined;
  const payloads = new MemoryPayloadStore();
  const session = host.startSession({
    start: { trace: true, ...start },
    onTraceLine: (line) => {
      text += line;
      stepCount += line.split('{"type":"step"').length - 1;
      waiting?.();
    },
    onTracePayload: (address, bytes) => payloads.put(address, bytes),
  });
  return {
    session,
    steps: (count) =>
      new Promise((resolve, reject) => {
        waiting = () => (stepCount >= count ? resolve() : undefined);
        waiting();
        session.done.then(() => resolve(), reject);
      }),
    replay: async () => {
      await session.close();
      const trace = await readTrace([new TextEncoder().encode(text)]);
      const options = { trace, adapter: createProbeWorld(), frameHasher: sha256FrameHasher, payloads };
      return replayTrace({ ...options, clock: new ProcessClock(), compressor: zlibCompressor });
    },
  };
}

describe("time in a worker", () => {
  it("O6: a session goes back, tells its generations, and its trace replays equal", async () => {
    const live = record(await load(), { seed: 1, history: { spacingSeconds: 0.1 } });
    await live.steps(30);
    const answer = await live.session.rewind({ generation: 0, stepIndex: 11 });
    expect(answer).toEqual({ generation: 1, from: { generation: 0, stepIndex: 11 } });
    await expect(live.session.rewind({ generation: 9, stepIndex: 0 })).rejects.toMatchObject({ code: "not_found" });
    await live.steps(50);
    const facts = await live.session.history();
    expect(facts).toMatchObject({ available: true });
    expect(facts?.generations).toMatchObject([
      { generation: 0, origin: "start", firstStepIndex: 0 },
      { generation: 1, origin: "rewind", from: { generation: 0, stepIndex: 11 }, firstStepIndex: 11 },
    ]);
    expect(await live.replay()).toMatchObject({ equal: true });
  });

  it("O8: a fork is a moment file from which another session goes on, in another worker too, and both replay equal", async () => {
    const host = await load();
    const live = record(host, { seed: 1, history: {} });
    await live.steps(20);
    const file = await live.session.moment({
      at: { generation: 0, stepIndex: 9 },
      isFork: true,
      extras: { name: "nine" },
    });
    const moment = await openMoment(file, momentTools);
    expect(moment.facts).toMatchObject({ name: "nine", position: { generation: 0, stepIndex: 9 } });
    const forks = [record(host, { from: file }), record(await load(), { from: file, seed: 5 })];
    for (const fork of forks) await fork.steps(10);
    for (const fork of forks) expect(await fork.replay()).toMatchObject({ equal: true });
    expect(await live.replay()).toMatchObject({ equal: true });
  });

  it("O5: a moment of another size, and a file that is none, end the session with a named error", async () => {
    const host = await load();
    const live = record(host, { seed: 1 });
    await live.steps(5);
    const file = await live.session.moment();
    expect(await live.session.history()).toBeUndefined();
    await expect(live.session.rewind({ secondsAgo: 1 })).rejects.toMatchObject({ code: "unavailable" });
    const other = await load(128);
    await expect(other.startSession({ start: { from: file } }).started).rejects.toMatchObject({
      code: "snapshot_refused",
    });
    const none = host.startSession({ start: { from: new Uint8Array(100) } });
    await expect(none.started).rejects.toMatchObject({ code: "snapshot_invalid" });
    const long = host.startSession({ start: { from: file, momentLimits: { fileBytes: 10 } } });
    await expect(long.started).rejects.toMatchObject({ code: "limit_exceeded" });
    await live.session.close();
    expect(host.sessionCount).toBe(0);
  });
});
