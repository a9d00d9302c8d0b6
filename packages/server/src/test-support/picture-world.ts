import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { ServedWorld } from "../worlds/served-world.ts";

const CORE = pathToFileURL(createRequire(import.meta.url).resolve("@dreamloop/core")).href;
const VIDEO = { width: 64, height: 48, framesPerSecond: 30 } as const;

/** A world that shows another part of the picture it started from in each step, as a module that a worker can load. */
const MODULE = `
import { defineWorld, input } from ${JSON.stringify(CORE)};

export default (size) => {
  const video = ${JSON.stringify(VIDEO)};
  return defineWorld({
    id: "pictured",
    video,
    inputs: { initial: { first_frame: input.image(size) } },
    start: () => ({ at: 0 }),
    step: ({ initial, state }) => {
      const { data } = initial.first_frame;
      const frames = Uint8Array.from({ length: 3 * video.width * video.height }, (_, index) => data[(state.at + index) % data.length]);
      frames[0] = state.at % 256;
      return { frames, state: { at: state.at + 7 } };
    },
  });
};
`;

/** A world that starts from a picture of a size. Whoever made it removes its module. */
export class PictureWorld {
  /** As a server offers it. */
  readonly served: ServedWorld;
  readonly #folder = mkdtempSync(join(tmpdir(), "dreamloop-picture-world-"));

  /** `size` is that of the picture. */
  constructor(id: string, size: { readonly width: number; readonly height: number }) {
    const module = join(this.#folder, "world.mjs");
    writeFileSync(module, MODULE);
    this.served = { id, reference: { module, argument: size } };
  }

  /** Removes the module. */
  remove(): void {
    rmSync(this.#folder, { recursive: true });
  }
}
