import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { WorldReferenceInput } from "../index.ts";

const PROBE = pathToFileURL(createRequire(import.meta.url).resolve("@dreamloop/worlds/probe")).href;

/** Seeds at which the world ends its thread in the second step, and how. */
export const ENDING_SEEDS = { exits: 1001, throws: 1002, holds: 1003 } as const;

/** Seeds at which a session never ends, and never starts until it is cancelled. */
export const LASTING_SEEDS = { neverEnds: 1004, startsLate: 1005 } as const;

/** The probe world, whose facts hold the thread that it runs in and its device, and whose thread ends for some seeds. */
const MODULE = `
import { threadId } from "node:worker_threads";
import { probeWorld } from ${JSON.stringify(PROBE)};

const replacing = (target, replacements) =>
  new Proxy(target, {
    get: (_, name) => {
      if (name in replacements) return replacements[name];
      const value = target[name];
      return typeof value === "function" ? value.bind(target) : value;
    },
  });

const end = { ${ENDING_SEEDS.exits}: () => process.exit(3), ${ENDING_SEEDS.throws}: () => setImmediate(() => { throw new Error("lost"); }), ${ENDING_SEEDS.holds}: () => { while (true); } };

let openSessions = 0;

export default {
  ...probeWorld,
  supports: { ...probeWorld.supports, devices: ["cpu", "cuda:0", "cuda:1"] },
  createRuntime: async (config, options) => {
    if (config.device === "cuda:1" && config.runtimeOptions.failAtStep === 7) throw new Error("cuda:1 is taken");
    const runtime = await probeWorld.createRuntime(config, options);
    return replacing(runtime, {
      facts: () => ({ threadId, device: config.device ?? "cpu" }),
      startSession: async (inputs, how) => {
        const { seed, signal } = how;
        if (seed === ${LASTING_SEEDS.startsLate}) await new Promise((resolve) => signal.addEventListener("abort", resolve));
        const session = await runtime.startSession(inputs, seed === ${LASTING_SEEDS.startsLate} ? { seed } : how);
        openSessions += 1;
        const close = async () => {
          openSessions -= 1;
          await session.close();
        };
        return replacing(session, {
          close,
          ...(seed === ${LASTING_SEEDS.neverEnds} ? { close: () => new Promise(() => undefined) } : {}),
          step: async (given, stepOptions) => {
            if (session.nextStepRequest()?.stepIndex === 1 && seed in end) {
              end[seed]();
              await new Promise(() => undefined);
            }
            const result = await session.step(given, stepOptions);
            return { ...result, metadata: { ...result.metadata, threadId, openSessions, device: config.device ?? "cpu" } };
          },
        });
      },
    });
  },
};
`;

/** A module with worlds that end their thread. Whoever made it removes it. */
export class EndingWorlds {
  readonly #folder = mkdtempSync(join(tmpdir(), "dreamloop-ending-"));

  /** Writes the module. */
  constructor() {
    writeFileSync(join(this.#folder, "worlds.mjs"), MODULE);
  }

  /** The world. */
  get reference(): WorldReferenceInput {
    return { module: join(this.#folder, "worlds.mjs") };
  }

  /** Removes the module. */
  remove(): void {
    rmSync(this.#folder, { recursive: true });
  }
}
