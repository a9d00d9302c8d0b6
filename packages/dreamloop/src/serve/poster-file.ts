import { readFileSync, realpathSync, statSync } from "node:fs";
import { isAbsolute, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { isDreamloopError, MAX_POSTER_BYTES } from "@dreamloop/core";
import { worldPoster, type WorldPoster } from "@dreamloop/server";
import { glanceAtManifest } from "../lookup/bundle-folder.ts";

/** A frame of the probe, which `scripts/make-probe-poster.ts` makes. */
const PROBE_POSTER = fileURLToPath(new URL("../../assets/probe.webp", import.meta.url));

/** The picture of the probe world. */
export function probePoster(): WorldPoster | undefined {
  return posterFile(PROBE_POSTER);
}

/**
 * The picture that the manifest of a bundle names. None where the manifest names none, or one that leads out of the folder, is too large or is no
 * picture: `dreamloop check` explains that, and a world without a picture can be played all the same.
 */
export function bundlePoster(folder: string): WorldPoster | undefined {
  const { poster } = glanceAtManifest(folder);
  if (typeof poster !== "string") return undefined;
  const file = join(folder, poster);
  return staysInside(folder, file) ? posterFile(file) : undefined;
}

/** Whether a file lies in a folder also after links have been followed. */
function staysInside(folder: string, file: string): boolean {
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return false;
  const steps = relative(realpathSync(folder), realpathSync(file));
  return !isAbsolute(steps) && steps !== ".." && !steps.startsWith(`..${sep}`);
}

function posterFile(file: string): WorldPoster | undefined {
  const facts = statSync(file, { throwIfNoEntry: false });
  if (facts?.isFile() !== true || facts.size > MAX_POSTER_BYTES) return undefined;
  try {
    return worldPoster(readFileSync(file));
  } catch (error) {
    if (isDreamloopError(error)) return undefined;
    throw error;
  }
}
