import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { InferenceConfigInput } from "@dreamloop/core";
import type { ServedWorld } from "@dreamloop/server";
import { PROBE_MODEL_ID } from "@dreamloop/worlds/probe";
import { bundleFolderOf, glanceAtBundle, glanceAtManifest } from "../lookup/bundle-folder.ts";
import { glanceAtInputs } from "../lookup/glance-inputs.ts";
import { findPlace } from "../lookup/find-world.ts";
import { listWorlds } from "../lookup/list-worlds.ts";
import { bundlePoster, probePoster } from "./poster-file.ts";

/** A model card is text for people; what is larger is another file. */
const MAX_CARD_BYTES = 262_144;
const CARD_NAMES = ["MODEL_CARD.md", "model-card.md", "README.md"];

/** The worlds that a server offers: those that were named, or all that come with Dreamloop and with installed packages. */
export function servedWorlds(options: {
  readonly names: readonly string[];
  readonly cwd: string;
  /** How the worlds that were named run. */
  readonly inference: Partial<InferenceConfigInput>;
  /** Whether the others are offered beside those named. */
  readonly withOthers: boolean;
}): readonly ServedWorld[] {
  const { names, cwd, inference, withOthers } = options;
  const named = names.map((name) => ({ ...servedWorld(name, cwd), config: inference }));
  if (names.length > 0 && !withOthers) return named;
  const others = listWorlds(cwd)
    .worlds.map(({ id }) => id)
    .filter((id) => named.every((world) => world.id !== id));
  return [...named, ...others.map((id) => servedWorld(id, cwd))];
}

function servedWorld(name: string, cwd: string): ServedWorld {
  const place = findPlace(name, cwd);
  const listed = listWorlds(cwd).worlds.find(({ id }) => id === (place.id ?? name));
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
