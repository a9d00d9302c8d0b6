import type { InputField } from "@dreamloop/core";

/** Size of the picture that an initial input takes. */
export interface ImageInputSize {
  /** Pixels a row. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
}

/** Greatest side of a picture that is made for an input; that of a `VideoChunk`. */
const MAX_SIDE = 16_384;

/**
 * The size of the picture that a field takes, or `undefined` when it takes none. A field says so in its metadata: `type` is `image`, and
 * `width` and `height` are its pixels. Its value is one frame as `videoChunk` makes it.
 */
export function imageInputSize({ metadata }: Pick<InputField, "metadata">): ImageInputSize | undefined {
  const { type, width, height } = metadata;
  return type === "image" && isSide(width) && isSide(height) ? { width, height } : undefined;
}

function isSide(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= MAX_SIDE;
}
