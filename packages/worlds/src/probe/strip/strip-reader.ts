import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import { probeLayout, type StripLayout } from "../layout.ts";
import { decodeStrip, STRIP_BITS } from "./strip-code.ts";
import type { ProbeStripValues } from "./strip-values.ts";

/** A picture in which a strip is looked for. */
export interface StripPicture {
  /** Packed pixels, row after row, in any scale of brightness: bytes or floats. */
  readonly data: ArrayLike<number>;
  /** Columns of the picture. */
  readonly width: number;
  /** Rows of the picture. */
  readonly height: number;
  /** Values a pixel: 1 for luma alone, 3 for RGB, 4 for RGBA; default 3. */
  readonly channels?: 1 | 3 | 4;
}

/** How a strip is looked for. */
export interface ReadStripOptions {
  /** Columns of the frame as the world made it, where the picture was scaled since; default those of the picture. */
  readonly sourceWidth?: number;
  /** Rows of the frame as the world made it; default those of the picture. */
  readonly sourceHeight?: number;
}

/** The middle part of a cell that is looked at, since scaling and codecs blur its edges. */
const SAMPLED_SHARE = 0.5;

/**
 * Turns the pixels of a probe frame back into its values, also after scaling and lossy coding; nothing (`undefined`) where no strip with a
 * right check value is found, which includes sizes that have none. Throws `invalid_value` when the data is shorter than the size says.
 */
export function readProbeStrip(picture: StripPicture, options: ReadStripOptions = {}): ProbeStripValues | undefined {
  const { width, height, channels = 3 } = picture;
  if (picture.data.length < width * height * channels) {
    throw new DreamloopError(
      ERROR_CODES.invalidValue,
      `StripPicture.data: expected ${width * height * channels} values for ${width}×${height} with ${channels} channels, found ` +
        `${picture.data.length}`,
    );
  }
  const sourceWidth = options.sourceWidth ?? width;
  const sourceHeight = options.sourceHeight ?? height;
  const strip = probeLayout(sourceWidth, sourceHeight).strip;
  if (strip === undefined) return undefined;
  const means = cellMeans(picture, strip, width / sourceWidth, height / sourceHeight);
  const threshold = middleLevel(means);
  return decodeStrip(Uint8Array.from(means, (mean) => (mean > threshold ? 1 : 0)));
}

function cellMeans(picture: StripPicture, strip: StripLayout, scaleX: number, scaleY: number): Float64Array {
  const means = new Float64Array(STRIP_BITS);
  const { columns, cellPixels } = strip;
  const inset = (cellPixels * (1 - SAMPLED_SHARE)) / 2;
  for (let index = 0; index < STRIP_BITS; index += 1) {
    const x = strip.x + (1 + (index % columns)) * cellPixels;
    const y = strip.y + (1 + Math.floor(index / columns)) * cellPixels;
    means[index] = areaMean(picture, {
      left: (x + inset) * scaleX,
      right: (x + cellPixels - inset) * scaleX,
      top: (y + inset) * scaleY,
      bottom: (y + cellPixels - inset) * scaleY,
    });
  }
  return means;
}

interface Area {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** The mean brightness of an area whose edges may lie within pixels, which then count by the part that is covered. */
function areaMean({ data, width, height, channels = 3 }: StripPicture, area: Area): number {
  let sum = 0;
  let weightSum = 0;
  for (let row = Math.floor(area.top); row < area.bottom && row < height; row += 1) {
    const rowWeight = Math.min(row + 1, area.bottom) - Math.max(row, area.top);
    for (let column = Math.floor(area.left); column < area.right && column < width; column += 1) {
      const weight = rowWeight * (Math.min(column + 1, area.right) - Math.max(column, area.left));
      const at = (row * width + column) * channels;
      const brightness = channels === 1 ? data[at] : (data[at] * 54 + data[at + 1] * 183 + data[at + 2] * 19) / 256;
      sum += brightness * weight;
      weightSum += weight;
    }
  }
  return weightSum === 0 ? 0 : sum / weightSum;
}

/** The level halfway between dark and light cells: scrambling makes both about half of all. */
function middleLevel(means: Float64Array): number {
  const sorted = Float64Array.from(means).sort();
  return (sorted[Math.floor(STRIP_BITS * 0.2)] + sorted[Math.floor(STRIP_BITS * 0.8)]) / 2;
}
