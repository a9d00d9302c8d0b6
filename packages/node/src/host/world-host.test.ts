import { createRequire } from "node:module";
import { readProbeStrip } from "@dreamloop/worlds/probe";
import { frameRgb8 } from "@dreamloop/core";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { HoldingWorlds } from "../test-support/holding-worlds.ts";
import {
  ProcessClock,
  WORKER_END_SECONDS,
  WorldHost,
  type HostedChunk,
  type HostedSession,
  type HostedSessionOptions,
  type LoadWorldOptions,
} from "../index.ts";

const reference = {
  module: createRequire(import.meta.url).resolve("@dreamloop/worlds/probe"),
  exportName: "probeWorld",
};
const clock = new ProcessClock();
const hosts: WorldHost[] = [];
const holdingWorlds = new HoldingWorlds();

afterAll(() => holdingWorlds.remove());

afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.close()));
});

async function load(
  runtimeOptions: Record<string, string | number | boolean> = {},
  options: Partial<LoadWorldOptions> = {},
): Promise<WorldHost> {
  const host = await WorldHost.load({
    reference,
    config: { runtimeOptions: { width: 320, height: 180, framesPerSecond: 60, ...runtimeOptions } },
    ...options,
  });
  hosts.push(host);
  return host;
}

/** Collects chunks until `enough` says so, copying what a test looks at. */
function collect(
  host: WorldHost,
  enough: (seen: readonly Seen[]) => boolean,
  options: HostedSessionOptions = {},
): { session: HostedSession; seen: Seen[]; done: Promise<void> } {
  const seen: Seen[] = [];
  let finish: () => void = () => undefined;
  const done = new Promise<void>((resolve) => (finish = resolve));
  const session = host.startSession({
    ...options,
    onChunk: (chunk) => {
      const { output } = chunk.result;
      const strip =
        output === undefined
          ? undefined
          : readProbeStrip({ data: frameRgb8(output, 0), width: output.width, height: output.height });
      seen.push({ chunk, strip });
      chunk.release();
      if (enough(seen)) finish();
    },
  });
  void session.done.then(finish, finish);
  return { session, seen, done };
}

interface Seen {
  readonly chunk: HostedChunk;
  readonly strip: ReturnType<typeof readProbeStrip>;
}

describe("a world in a worker", () => {
  it("loads, says what it is, and streams frames in order with readable strips", async () => {
    const host = await load();
    expect(host.info).toMatchObject({ modelId: "probe" });
    expect(host.info.controls.length).toBeGreaterThan(0);
    const { seen, done, session } = collect(host, (chunks) => chunks.length >= 20);
    await session.started;
    await done;
    const indexes = seen.map(({ chunk }) => chunk.result.stepIndex);
    expect(indexes).toEqual(indexes.map((_, index) => index));
    expect(seen.every(({ strip }) => strip !== undefined)).toBe(true);
    await session.close();
    expect(host.sessionCount).toBe(0);
  });

  it("A6: the action that a frame shows is the one that its step was given: no hidden delay", async () => {
    const host = await load();
    const { seen, done, session } = collect(
      host,
      (chunks) => chunks.some(({ chunk }) => chunk.result.inputSequence === 7) && chunks.length > 10,
    );
    await session.started;
    session.push([{ timestampSeconds: clock.nowSeconds(), eventType: "key_down", payload: { code: "KeyE" } }], {
      sequence: 7,
    });
    await done;
    const first = seen.find(({ chunk }) => chunk.result.inputSequence === 7);
    expect(first?.strip?.inputSequence).toBe(7);
    await session.close();
  });

  it("runs two sessions side by side in one worker, with one runtime", async () => {
    const host = await load();
    const both = [collect(host, (chunks) => chunks.length >= 10), collect(host, (chunks) => chunks.length >= 10)];
    await Promise.all(both.map(({ done }) => done));
    expect(host.sessionCount).toBe(2);
    await Promise.all(both.map(({ session }) => session.close()));
    expect(host.sessionCount).toBe(0);
  });

  it("A8: a step that blocks its thread blocks nothing here: input is stamped at arrival and seen by the next step", async () => {
    const host = await load({ framesPerSecond: 1 }, { reference: holdingWorlds.gated });
    const { seen, done, session } = collect(host, (chunks) =>
      chunks.some(({ chunk }) => (chunk.result.inputSequence ?? 0) >= 100),
    );
    await session.started;
    for (let sequence = 1; sequence <= 100; sequence += 1) {
      const now = clock.nowSeconds();
      session.push(
        [{ timestampSeconds: now, eventType: sequence % 2 === 1 ? "key_down" : "key_up", payload: { code: "KeyE" } }],
        { sequence },
      );
    }
    // Had the step held this thread too, the gate would never open.
    holdingWorlds.openGate();
    await done;
    expect(seen.at(-1)?.chunk.result.inputSequence).toBe(100);
    await session.close();
  });

  it("answers a reset with the new generation, and older frames are announced as void", async () => {
    const host = await load();
    const generations: number[] = [];
    const { seen, session } = collect(host, () => false, {
      onGeneration: (generation) => void generations.push(generation),
    });
    await session.started;
    expect(await session.reset({ seed: 5 })).toBe(1);
    expect(await session.reset()).toBe(2);
    expect(generations).toEqual([1, 2]);
    await session.close();
    const order = seen.map(({ chunk }) => chunk.result.generation);
    expect(order).toEqual([...order].sort((a, b) => a - b));
  });

  it("drops new chunks, counted, when the receiver holds all buffers, and the world goes on", async () => {
    const host = await load();
    const held: HostedChunk[] = [];
    const session = host.startSession({ start: { maxChunksInFlight: 3 }, onChunk: (chunk) => void held.push(chunk) });
    await session.started;
    // How long the world needs for its next chunks is not known: all buffers are held until one has been dropped.
    while ((held[0]?.droppedChunks ?? 0) === 0) {
      while (held.length < 3) await new Promise((resolve) => setImmediate(resolve));
      await clock.sleepUntil(clock.nowSeconds() + 0.3);
      expect(held).toHaveLength(3);
      held.splice(0).forEach((chunk) => chunk.release());
      while (held.length < 1) await new Promise((resolve) => setImmediate(resolve));
    }
    held.forEach((chunk) => chunk.release());
    await session.close();
  });

  it("sends the lines of an exact trace when asked", async () => {
    const host = await load();
    const lines: string[] = [];
    const { done, session } = collect(host, (chunks) => chunks.length >= 3, {
      start: { trace: true },
      onTraceLine: (line) => void lines.push(line),
    });
    await done;
    await session.close();
    const text = lines.join("");
    expect(text).toContain("probe");
    expect(text.trim().split("\n").length).toBeGreaterThanOrEqual(4);
  });

  it("reports events with a wrong payload and goes on", async () => {
    const host = await load();
    const errors: string[] = [];
    const { done, session } = collect(host, (chunks) => chunks.length >= 5 && errors.length > 0, {
      onRefusedEvents: (error) => void errors.push(error.message),
    });
    await session.started;
    session.push([{ timestampSeconds: clock.nowSeconds(), eventType: "key_down", payload: { code: 7 } }]);
    await done;
    expect(errors[0]).toMatch(/payload\.code/);
    await session.close();
  });

  it("refuses a module without that export, and a module that is not there, saying which", async () => {
    await expect(WorldHost.load({ reference: { ...reference, exportName: "nothing" } })).rejects.toMatchObject({
      code: "not_found",
      message: expect.stringContaining("nothing") as string,
    });
    await expect(WorldHost.load({ reference: { module: "@dreamloop/absent" } })).rejects.toMatchObject({
      code: "load_failed",
    });
  });

  it("refuses an unsupported configuration before the world loads", async () => {
    await expect(WorldHost.load({ reference, config: { device: "cuda:0" } })).rejects.toMatchObject({
      code: "unsupported_config",
    });
  });

  it("L1: refuses a wrong start of a session by name, and the sessions beside it go on", async () => {
    const host = await load({}, {});
    const { done, session } = collect(host, (chunks) => chunks.length >= 5);
    await session.started;
    const wrong = [
      ["leadFrames", { leadFrames: "x" }],
      ["holdTimeoutSeconds", { holdTimeoutSeconds: -1 }],
      ["maxChunksInFlight", { maxChunksInFlight: 0 }],
      ["stepLimt", { stepLimt: 3 }],
    ] as const;
    for (const [name, start] of wrong) {
      expect(() => host.startSession({ start: start as never })).toThrow(`SessionStart.${name}: `);
    }
    await done;
    expect(host.failure).toBeUndefined();
    await expect(WorldHost.load({ reference, configg: {} } as never)).rejects.toThrow(/LoadWorldOptions\.configg/);
    await expect(WorldHost.load(undefined as never)).rejects.toThrow(/^LoadWorldOptions: expected an object/);
  });

  it("ends its sessions and its thread when it is closed, and starts no more", async () => {
    const host = await load();
    const { session, done } = collect(host, (chunks) => chunks.length >= 2);
    await done;
    await host.close();
    await expect(session.done).resolves.toMatchObject({ outcome: "closed" });
    expect(() => host.startSession()).toThrow(/closed/);
  });

  it("C3: a cancelled load rejects as cancelled", async () => {
    const controller = new AbortController();
    const loading = WorldHost.load({ reference, signal: controller.signal });
    controller.abort();
    await expect(loading).rejects.toMatchObject({ code: "cancelled" });
  });

  it("C3: a thread is not broken off while it imports modules, which would leave their files open", async () => {
    const controller = new AbortController();
    const loading = WorldHost.load({ reference: holdingWorlds.slow, signal: controller.signal });
    controller.abort();
    await expect(loading).rejects.toMatchObject({ code: "cancelled" });
    expect(holdingWorlds.isSlowImported).toBe(true);
  });

  it.each(["holding", "neverEnding"] as const)(
    "C3: the thread of a cancelled load is ended at once, whatever it does: %s",
    async (exportName) => {
      const controller = new AbortController();
      let cancelledSeconds = 0;
      const loading = WorldHost.load({
        reference: holdingWorlds.reference(exportName),
        signal: controller.signal,
        onProgress: () => {
          cancelledSeconds = clock.nowSeconds();
          controller.abort();
        },
      });
      await expect(loading).rejects.toMatchObject({ code: "cancelled" });
      // The promise is 1 s; a machine that is busy with other things may take longer, but not as long as a world that is closed.
      expect(clock.nowSeconds() - cancelledSeconds).toBeLessThan(WORKER_END_SECONDS);
    },
  );

  it("C3: a thread with native code is not broken off: its load ends when the call returns", async () => {
    const controller = new AbortController();
    const fractions: (number | undefined)[] = [];
    const loading = WorldHost.load({
      reference: holdingWorlds.reference("native"),
      signal: controller.signal,
      onProgress: ({ fraction }) => {
        fractions.push(fraction);
        controller.abort();
      },
    });
    await expect(loading).rejects.toMatchObject({ code: "cancelled" });
    expect(fractions.slice(0, 2)).toEqual([0.5, 0.9]);
  });

  it("C3: a cancellation that comes as the load ends leaves no world behind", async () => {
    const controller = new AbortController();
    const loading = WorldHost.load({
      reference,
      signal: controller.signal,
      onProgress: ({ fraction }) => {
        if (fraction === 1) queueMicrotask(() => controller.abort());
      },
    });
    await expect(loading).rejects.toMatchObject({ code: "cancelled" });
  });

  it("fails the session with the step's error, and the world stays usable", async () => {
    const host = await load({ failAtStep: 2 });
    const { session } = collect(host, () => false);
    await expect(session.done).rejects.toMatchObject({ code: expect.any(String) as string });
    const again = collect(host, (chunks) => chunks.length >= 1);
    await again.done;
    await again.session.close();
  });

  it("R4: a session whose step never answers ends within its limits; the one beside it runs on", async () => {
    const reference = holdingWorlds.reference("stuckInStep");
    const host = await load({}, { reference, waits: { stopSeconds: 0.2, closeSeconds: 10 } });
    const stuck = host.startSession();
    await stuck.started;
    const { session: other, done, seen } = collect(host, (chunks) => chunks.length >= 2);
    await done;
    await stuck.close();
    await expect(stuck.done).rejects.toMatchObject({
      code: "timed_out",
      message: expect.stringContaining("step 0 did not answer within 0.2 s after the session was closed") as string,
    });
    expect(host.sessionCount).toBe(1);
    expect(host.failure).toBeUndefined();
    await other.close();
    await expect(other.done).resolves.toMatchObject({ outcome: "closed" });
    expect(seen.length).toBeGreaterThanOrEqual(2);
  });

  it("R4: a session is given up when its thread is held, and its place is free", async () => {
    const reference = holdingWorlds.reference("stuckInStep");
    const host = await load({ failAtStep: 2 }, { reference, waits: { stopSeconds: 0.2, closeSeconds: 0.2 } });
    const stuck = host.startSession();
    await stuck.close();
    await expect(stuck.done).rejects.toMatchObject({ code: "timed_out" });
    expect(host.sessionCount).toBe(0);
  });

  it("R5: a thread that is held by a step ends with its sessions and says why; nothing starts on it any more", async () => {
    const reference = holdingWorlds.reference("stuckInStep");
    const host = await load({ failAtStep: 1 }, { reference, waits: { stepSeconds: 1 } });
    const stuck = host.startSession();
    await expect(stuck.done).rejects.toMatchObject({
      code: "worker_failed",
      message: expect.stringContaining("a call of its code does not return") as string,
    });
    expect(host.failure).toMatchObject({ code: "worker_failed" });
    expect(() => host.startSession()).toThrow("does not return");
    await host.close();
  });

  it("R1: a load that never answers ends with an error", async () => {
    const reference = holdingWorlds.reference("neverEnding");
    await expect(WorldHost.load({ reference, waits: { loadSeconds: 0.5 } })).rejects.toMatchObject({
      code: "timed_out",
      message:
        "the world did not load within 0.5 s; raise resourceHints.loadSeconds (waits.loadSeconds in a program) if it needs longer",
    });
  });

  it("L1: refuses limits that are none", async () => {
    await expect(WorldHost.load({ reference, waits: { stepSeconds: -1 } })).rejects.toThrow(
      "LoadWorldOptions.waits.stepSeconds",
    );
  });
});
