/**
 * Peak signal-to-noise ratio of two pictures.
 *
 * @param one Packed RGB bytes.
 * @param other Packed RGB bytes of the same size.
 * @param mask One byte per pixel; only pixels that are not 0 count. Absent: all do.
 * @returns Decibels; 99 for equal pictures, `NaN` when no pixel counts.
 */
export function psnr(one: Uint8Array, other: Uint8Array, mask?: Uint8Array): number {
  let sum = 0;
  let count = 0;
  for (let index = 0; index < one.length; index++) {
    if (mask !== undefined && mask[Math.floor(index / 3)] === 0) continue;
    const difference = one[index] - other[index];
    sum += difference * difference;
    count++;
  }
  if (count === 0) return Number.NaN;
  return sum === 0 ? 99 : 10 * Math.log10((255 * 255 * count) / sum);
}

/**
 * Mean absolute difference of two pictures.
 *
 * @param one Packed RGB bytes.
 * @param other Packed RGB bytes of the same size.
 * @returns Difference, 0..255.
 */
export function meanDifference(one: Uint8Array, other: Uint8Array): number {
  let sum = 0;
  for (let index = 0; index < one.length; index++) sum += Math.abs(one[index] - other[index]);
  return sum / one.length;
}

/** Sums overlap and union of masks over many pictures. */
export class IouCounter {
  #overlap = 0;
  #union = 0;

  /** @param found What was found. @param wanted What should have been; pixels that are not 0. */
  add(found: Uint8Array, wanted: Uint8Array): void {
    for (let index = 0; index < found.length; index++) {
      const a = found[index] !== 0;
      const b = wanted[index] !== 0;
      if (a && b) this.#overlap++;
      if (a || b) this.#union++;
    }
  }

  /** Overlap divided by union over everything added. */
  get value(): number {
    return this.#union === 0 ? Number.NaN : this.#overlap / this.#union;
  }
}

/** Numbers that describe a picture as a whole. */
export interface PictureStatistics {
  /** Mean brightness, 0..255. */
  readonly mean: number;
  /** Standard deviation of the brightness. */
  readonly deviation: number;
  /** Mean absolute step between neighbouring pixels of a row: how much fine structure there is. */
  readonly detail: number;
  /** Mean distance of the colours from grey. */
  readonly colour: number;
}

/**
 * Describes a picture.
 *
 * @param picture Packed RGB bytes.
 * @param width Its width.
 * @returns Its statistics.
 */
export function pictureStatistics(picture: Uint8Array, width: number): PictureStatistics {
  let sum = 0;
  let squares = 0;
  let steps = 0;
  let colour = 0;
  const pixels = picture.length / 3;
  let before = 0;
  for (let pixel = 0; pixel < pixels; pixel++) {
    const red = picture[3 * pixel];
    const green = picture[3 * pixel + 1];
    const blue = picture[3 * pixel + 2];
    const light = (red + green + blue) / 3;
    sum += light;
    squares += light * light;
    if (pixel % width !== 0) steps += Math.abs(light - before);
    colour += (Math.abs(red - light) + Math.abs(green - light) + Math.abs(blue - light)) / 3;
    before = light;
  }
  const mean = sum / pixels;
  return {
    mean,
    deviation: Math.sqrt(Math.max(0, squares / pixels - mean * mean)),
    detail: steps / pixels,
    colour: colour / pixels,
  };
}

/**
 * Mean of numbers, without those that are none.
 *
 * @param values Numbers.
 * @returns Their mean, `NaN` for an empty list.
 */
export function mean(values: readonly number[]): number {
  const known = values.filter((value) => !Number.isNaN(value));
  return known.reduce((sum, value) => sum + value, 0) / known.length;
}
