import { periodicNoise } from "../random.ts";

/** Side of the square ground textures, in texels; a power of two. */
export const GROUND_TEXELS = 256;

/** Columns of the panorama of sky and hills, over one full turn. */
export const PANORAMA_COLUMNS = 2048;

/** Rows of the cloud panorama, from the horizon up. */
export const CLOUD_ROWS = 96;

/** Tangent of the elevation that the top of the cloud panorama shows. */
export const CLOUD_TOP_TANGENT = 0.62;

/** Textures that belong to no track: fixed once and for all. */
export interface SceneTextures {
  /** Fine ground noise, one texel per 0.2 m; each entry holds a texel and its neighbours right, below and diagonal, a byte each. */
  readonly fine: Uint32Array;
  /** Coarse ground noise, one texel per 1.6 m, in the same form. */
  readonly coarse: Uint32Array;
  /** Cloud density, `CLOUD_ROWS` rows of `PANORAMA_COLUMNS` bytes, the lowest row first. */
  readonly clouds: Uint8Array;
  /** Tangent of the elevation of the far hills per column of the panorama. */
  readonly farHills: Float64Array;
  /** Tangent of the elevation of the near hills per column of the panorama. */
  readonly nearHills: Float64Array;
}

/**
 * Makes the textures. Takes about a tenth of a second.
 *
 * @returns The textures, always the same bits.
 */
export function createSceneTextures(): SceneTextures {
  const fine = new Uint8Array(GROUND_TEXELS * GROUND_TEXELS);
  const coarse = new Uint8Array(GROUND_TEXELS * GROUND_TEXELS);
  for (let row = 0; row < GROUND_TEXELS; row++) {
    for (let column = 0; column < GROUND_TEXELS; column++) {
      const index = row * GROUND_TEXELS + column;
      fine[index] = 255 * fractal(column / 4, row / 4, GROUND_TEXELS / 4, GROUND_TEXELS / 4, 11);
      coarse[index] = 255 * stretched(fractal(column / 6.4, row / 6.4, 40, 40, 23));
    }
  }
  return {
    fine: quads(fine),
    coarse: quads(coarse),
    clouds: createClouds(),
    farHills: hillLine(31, 0.115, 14),
    nearHills: hillLine(47, 0.062, 26),
  };
}

function quads(texels: Uint8Array): Uint32Array {
  const packed = new Uint32Array(texels.length);
  const mask = GROUND_TEXELS - 1;
  for (let row = 0; row < GROUND_TEXELS; row++) {
    const below = ((row + 1) & mask) * GROUND_TEXELS;
    for (let column = 0; column < GROUND_TEXELS; column++) {
      const right = (column + 1) & mask;
      const here = row * GROUND_TEXELS;
      packed[here + column] =
        texels[here + column] |
        (texels[here + right] << 8) |
        (texels[below + column] << 16) |
        (texels[below + right] << 24);
    }
  }
  return packed;
}

function createClouds(): Uint8Array {
  const clouds = new Uint8Array(PANORAMA_COLUMNS * CLOUD_ROWS);
  for (let row = 0; row < CLOUD_ROWS; row++) {
    // Rows near the horizon see more sky per row: bands become flatter there.
    const height = Math.sqrt((row + 0.5) / CLOUD_ROWS);
    for (let column = 0; column < PANORAMA_COLUMNS; column++) {
      const value = fractal((column / PANORAMA_COLUMNS) * 18, height * 6, 18, 64, 61);
      clouds[row * PANORAMA_COLUMNS + column] = 255 * Math.max(0, Math.min(1, (value - 0.42) * 3.4));
    }
  }
  return clouds;
}

function hillLine(salt: number, height: number, waves: number): Float64Array {
  const line = new Float64Array(PANORAMA_COLUMNS);
  for (let column = 0; column < PANORAMA_COLUMNS; column++) {
    const turn = column / PANORAMA_COLUMNS;
    const wide = periodicNoise(turn * waves, 0.5, waves, 1, salt);
    const small = periodicNoise(turn * waves * 4, 0.5, waves * 4, 1, salt + 1);
    line[column] = height * (0.25 + 0.85 * wide + 0.12 * small);
  }
  return line;
}

function fractal(x: number, y: number, periodX: number, periodY: number, salt: number): number {
  return (
    0.55 * periodicNoise(x, y, periodX, periodY, salt) +
    0.3 * periodicNoise(2 * x, 2 * y, 2 * periodX, 2 * periodY, salt + 1) +
    0.15 * periodicNoise(4 * x, 4 * y, 4 * periodX, 4 * periodY, salt + 2)
  );
}

function stretched(value: number): number {
  return Math.max(0, Math.min(1, 0.5 + (value - 0.5) * 1.7));
}
