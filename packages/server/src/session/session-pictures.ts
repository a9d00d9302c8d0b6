import { DreamloopError, ERROR_CODES, type Mapping } from "@dreamloop/core";
import { pictureFrame } from "@dreamloop/outputs";
import type { WorldSummary, WorldSummaryField } from "@dreamloop/protocol";

/** What of an initial input matters to pictures. */
type Field = Pick<WorldSummaryField, "name" | "image">;

/** The pictures that one session starts from: uploaded ones until its world is loaded and tells what size it wants. */
export class SessionPictures {
  #pictures: ReadonlyMap<string, Uint8Array>;

  /** `pictures`, as PNG, by the name of the input that takes them. */
  constructor(pictures: ReadonlyMap<string, Uint8Array>) {
    this.#pictures = pictures;
  }

  /** Throws `invalid_value` when it is known already that the world has no picture input of one of the names; a world that tells no inputs may have any. */
  checkEarly({ id, initialFields, loaded }: Pick<WorldSummary, "id" | "initialFields" | "loaded">): void {
    if (!loaded && initialFields.length === 0) return;
    for (const name of this.#pictures.keys()) imageOf(name, id, initialFields);
  }

  /** The pictures as frames of the sizes that the inputs want, by name; they are let go of. Throws `invalid_value` for names that the world lacks. */
  async frames(worldId: string, fields: readonly Field[]): Promise<Mapping> {
    const pictures = this.#pictures;
    this.#pictures = new Map();
    const frames = [...pictures].map(async ([name, png]) => {
      return [name, await pictureFrame(png, imageOf(name, worldId, fields))] as const;
    });
    return Object.fromEntries(await Promise.all(frames));
  }
}

function imageOf(name: string, worldId: string, fields: readonly Field[]): NonNullable<Field["image"]> {
  const image = fields.find((field) => field.name === name)?.image;
  if (image !== undefined) return image;
  const names = fields.filter((field) => field.image !== undefined).map((field) => field.name);
  throw new DreamloopError(
    ERROR_CODES.invalidValue,
    names.length === 0
      ? `images: the world ${worldId} starts from no picture; leave images out`
      : `images: the world ${worldId} has no picture input ${JSON.stringify(name)}; it has: ${names.join(", ")}`,
  );
}
