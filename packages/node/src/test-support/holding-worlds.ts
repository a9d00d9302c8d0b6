import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { WorldReferenceInput } from "../index.ts";

const PROBE = pathToFileURL(createRequire(import.meta.url).resolve("@dreamloop/worlds/probe")).href;

/**
 * Worlds whose loads hold their thread, as a module that a worker can load: each tells a progress of 0.5 as it begins to hold, and of 0.9
 * when the call has returned.
 */
const MODULE = `
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { probeWorld } from ${JSON.stringify(PROBE)};

const GATE = fileURLToPath(new URL("gate", import.meta.url));
const hold = (seconds) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, seconds * 1000);
const bound = (object) => {
  const made = {};
  for (let at = object; at !== null && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    for (const name of Object.getOwnPropertyNames(at)) {
      if (name === "constructor" || name in made) continue;
      const value = object[name];
      made[name] = typeof value === "function" ? value.bind(object) : value;
    }
  }
  return made;
};
const world = (work) => ({
  ...probeWorld,
  createRuntime: async (config, options) => {
    options.onProgress({ stage: "load", fraction: 0.5 });
    await work();
    options.onProgress({ stage: "load", fraction: 0.9 });
    return probeWorld.createRuntime(config, options);
  },
});

export const holding = world(() => hold(600));
export const neverEnding = world(() => new Promise(() => setInterval(() => undefined, 1000)));
export const stuckInStep = {
  ...probeWorld,
  createRuntime: async (config, options) => {
    const runtime = await probeWorld.createRuntime(config, options);
    let sessions = 0;
    const how = config.runtimeOptions.failAtStep === 1 ? () => hold(600) : () => new Promise(() => undefined);
    return {
      ...bound(runtime),
      // The first session is the one that does not return.
      startSession: async (inputs, start) => {
        if (config.runtimeOptions.failAtStep === 2) hold(600);
        const session = await runtime.startSession(inputs, start);
        sessions += 1;
        return sessions > 1 ? session : { ...bound(session), step: how, close: () => session.close() };
      },
    };
  },
};
export const native = world(() => {
  // As a load in a native add-on: the thread has loaded such code, and a call into it holds the thread for a while.
  try {
    process.dlopen({ exports: {} }, "no-such-addon.node");
  } catch {}
  hold(1.5);
});

/** An object one of whose methods is replaced. */
const replacing = (target, method, replacement) =>
  new Proxy(target, {
    get: (_, name) => {
      if (name === method) return replacement;
      const value = target[name];
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
const stepsBehindGate = (session) =>
  replacing(session, "step", (...args) => {
    while (!existsSync(GATE)) hold(0.01);
    return session.step(...args);
  });
export const gated = {
  ...probeWorld,
  createRuntime: async (config, options) => {
    const runtime = await probeWorld.createRuntime(config, options);
    return replacing(runtime, "startSession", async (...args) => stepsBehindGate(await runtime.startSession(...args)));
  },
};
`;

/** A world whose module takes a second to import, and says beside itself in a file when that is done. */
const SLOW_MODULE = `
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

await new Promise((resolve) => setTimeout(resolve, 1000));
writeFileSync(fileURLToPath(new URL("imported", import.meta.url)), "");
export { probeWorld as slow } from ${JSON.stringify(PROBE)};
`;

/** A module with worlds whose loads hold their thread. Whoever made it removes it. */
export class HoldingWorlds {
  readonly #folder = mkdtempSync(join(tmpdir(), "dreamloop-holding-"));

  /** Writes the modules. */
  constructor() {
    writeFileSync(join(this.#folder, "worlds.mjs"), MODULE);
    writeFileSync(join(this.#folder, "slow.mjs"), SLOW_MODULE);
  }

  /** A world whose import takes a second. */
  get slow(): WorldReferenceInput {
    return { module: join(this.#folder, "slow.mjs"), exportName: "slow" };
  }

  /** Whether that import has come to its end. */
  get isSlowImported(): boolean {
    return existsSync(join(this.#folder, "imported"));
  }

  /**
   * One of them. `holding`: a call holds the thread for ten minutes. `neverEnding`: it waits for ever. `native`: a call of 1.5 s that must not be
   * broken off. `stuckInStep`: the steps of its first session never answer; with the option `failAtStep: 1` they hold the thread, with `failAtStep: 2` the start does.
   */
  reference(exportName: "holding" | "neverEnding" | "native" | "stuckInStep"): WorldReferenceInput {
    return { module: join(this.#folder, "worlds.mjs"), exportName };
  }

  /** A world whose steps hold their thread until `openGate` is called. */
  get gated(): WorldReferenceInput {
    return { module: join(this.#folder, "worlds.mjs"), exportName: "gated" };
  }

  /** Lets the steps of `gated` run. */
  openGate(): void {
    writeFileSync(join(this.#folder, "gate"), "");
  }

  /** Removes the module. */
  remove(): void {
    rmSync(this.#folder, { recursive: true });
  }
}
