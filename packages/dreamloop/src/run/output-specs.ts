import { existsSync } from "node:fs";
import { resolve } from "node:path";

/** How often a name is tried with a higher number. */
const MAX_NUMBER = 10_000;

/**
 * Where frames go when nothing was asked for: a video in the current folder named after the world, with a number where the
 * name is taken, so that nothing is ever replaced unasked.
 */
export function defaultOutput(worldId: string, cwd: string): string {
  const base = worldId.replace(/[^\p{L}\p{N}._-]+/gu, "-").replace(/^[.-]+|[.-]+$/g, "") || "world";
  for (let number = 1; number < MAX_NUMBER; number += 1) {
    const name = number === 1 ? `${base}.mp4` : `${base}-${number}.mp4`;
    if (!existsSync(resolve(cwd, name))) return name;
  }
  return `${base}-${MAX_NUMBER}.mp4`;
}
