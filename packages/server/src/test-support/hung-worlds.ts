import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import type { ServedWorld } from "../worlds/served-world.ts";

const CORE = pathToFileURL(createRequire(import.meta.url).resolve("@dreamloop/core")).href;

/** Ways in which the seventh step of a world never returns. */
export const HANGS = {
  "holds its thread": "for (;;);",
  "waits for ever": "await new Promise(() => {});",
  "fills the queue of promises":
    "const again = () => Promise.resolve().then(again); again(); await new Promise(() => {});",
} as const;

/** Writes a small world whose seventh step never returns in sessions with the seed 13. */
export function hungWorld(folder: string, how: keyof typeof HANGS): ServedWorld {
  const module = join(folder, `${how.replaceAll(" ", "-")}.mjs`);
  writeFileSync(
    module,
    `import { defineWorld } from ${JSON.stringify(CORE)};
export default defineWorld({
  id: "hung", video: { width: 64, height: 48, framesPerSecond: 20 },
  start: ({ seed } = {}) => ({ count: 0, hangs: seed === 13 }),
  step: async ({ state, frames }) => {
    if (state.hangs && state.count === 6) { ${HANGS[how]} }
    frames.fill(state.count % 250);
    return { frames, state: { ...state, count: state.count + 1 } };
  },
});
`,
  );
  return { id: "hung", reference: { module } };
}
