import { readFileSync, realpathSync, statSync } from "node:fs";
import { isAbsolute, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { type InferenceConfigInput, isDreamloopError } from "@dreamloop/core";
import { MAX_POSTER_BYTES } from "@dreamloop/core/internal";
import { type ServedWorld, worldPoster, type WorldPoster } from "@dreamloop/server";
import { PROBE_MODEL_ID } from "@dreamloop/worlds/probe";
import { bundleFolderOf, glanceAtBundle, glanceAtManifest } from "../lookup/bundle-folder.ts";
import { findPlace, type WorldSearch } from "../lookup/find-world.ts";
import { glanceAtInputs } from "../lookup/glance-inputs.ts";
import { availableWorlds } from "../lookup/available-worlds.ts";

/** A model card is text for people; what is larger is another file. */
const MAX_CARD_BYTES = 262_144;
const CARD_NAMES = ["MODEL_CARD.md", "model-card.md", "README.md"];

/** The worlds that a server offers: those that were named, or all that come with Dreamloop and with installed packages. */
export function servedWorlds(options: {
  readonly names: readonly string[];
  /** Where they are looked for. */
  readonly search: WorldSearch;
  /** How the worlds that were named run. */
  readonly inference: Partial<InferenceConfigInput>;
  /** Whether the others are offered beside those named. */
  readonly withOthers: boolean;
}): readonly ServedWorld[] {
  const { names, search, inference, withOthers } = options;
  const named = names.map((name) => ({ ...servedWorld(name, search), config: inference }));
  if (names.length > 0 && !withOthers) return named;
  const others = availableWorlds(search.cwd)
    .worlds.map(({ id }) => id)
    .filter((id) => named.every((world) => world.id !== id));
  return [...named, ...others.map((id) => servedWorld(id, search))];
}

function servedWorld(name: string, search: WorldSearch): ServedWorld {
  const place = findPlace(name, search);
  const listed = availableWorlds(search.cwd).worlds.find(({ id }) => id === (place.id ?? name));
  const folder = bundleFolderOf(place);
  const glance = folder === undefined ? {} : glanceAtBundle(folder);
  const initialFields = folder === undefined ? [] : glanceAtInputs(glanceAtManifest(folder));
  const facts = { ...glance, ...listed };
  const id = place.id ?? facts.id ?? name;
  const card = folder === undefined ? undefined : modelCard(folder);
  const isProbe = id === PROBE_MODEL_ID && place.origin === "bundled";
  const poster = folder === undefined ? (isProbe ? probePoster() : undefined) : bundlePoster(folder);
  return {
    id,
    reference: place.reference,
    kind: folder === undefined ? "module" : "bundle",
    acceptsSize: isProbe,
    ...(facts.title === undefined ? {} : { title: facts.title }),
    ...(facts.description === undefined ? {} : { description: facts.description }),
    ...(facts.width === undefined ? {} : { width: facts.width }),
    ...(facts.height === undefined ? {} : { height: facts.height }),
    ...(facts.framesPerSecond === undefined ? {} : { framesPerSecond: facts.framesPerSecond }),
    ...(initialFields.length === 0 ? {} : { initialFields }),
    ...(card === undefined ? {} : { modelCard: card }),
    ...(poster === undefined ? {} : { poster }),
  };
}

function modelCard(folder: string): string | undefined {
  const file = CARD_NAMES.map((name) => join(folder, name)).find((path) => {
    const facts = statSync(path, { throwIfNoEntry: false });
    return facts?.isFile() === true && facts.size <= MAX_CARD_BYTES;
  });
  return file === undefined ? undefined : readFileSync(file, "utf8");
}

/** A clip of the probe, which `scripts/make-world-posters.ts` makes. */
const PROBE_POSTER = fileURLToPath(new URL("../../assets/probe.webp", import.meta.url));

/** The picture of the probe world. */
function probePoster(): WorldPoster | undefined {
  return posterFile(PROBE_POSTER);
}

/**
 * The picture that the manifest of a bundle names. None where the manifest names none, or one that leads out of the folder, is too large or is no
 * picture: `dreamloop check` explains that, and a world without a picture can be played all the same.
 */
function bundlePoster(folder: string): WorldPoster | undefined {
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
