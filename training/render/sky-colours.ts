import { SUN_AZIMUTH_RADIANS, type DriveCamera } from "@dreamloop/worlds/drive";
import { LookField, type Look } from "./looks.ts";

/** Colours of the sky of one frame: everything that is the same along rows or columns, computed once. */
export class SkyColours {
  readonly #rowBase: Float32Array;
  readonly #rowGlow: Float32Array;
  readonly #rowDisc: Float32Array;
  readonly #columnGlow: Float32Array;
  readonly #columnDisc: Float32Array;
  readonly #tint = new Float32Array(9);
  #cloudAmount = 0;

  /** @param width Columns of the picture. @param height Rows of the picture. */
  constructor(width: number, height: number) {
    this.#rowBase = new Float32Array(3 * height);
    this.#rowGlow = new Float32Array(height);
    this.#rowDisc = new Float32Array(height);
    this.#columnGlow = new Float32Array(width);
    this.#columnDisc = new Float32Array(width);
  }

  /**
   * Prepares a frame.
   *
   * @param camera The view.
   * @param look The look.
   */
  prepare(camera: DriveCamera, look: Look): void {
    const { height, width, focalPixels, horizonRow } = camera;
    const discHeight = look[LookField.discHeight];
    for (let row = 0; row < height; row++) {
      const tangent = (horizonRow - row - 0.5) / focalPixels;
      const rise = 1 - Math.exp(-Math.max(0, tangent) * 5.5);
      for (let channel = 0; channel < 3; channel++) {
        const low = look[LookField.horizon + channel];
        this.#rowBase[3 * row + channel] = low + (look[LookField.zenith + channel] - low) * rise;
      }
      this.#rowGlow[row] = Math.exp(-(((tangent - discHeight * 0.6) / 0.3) ** 2));
      this.#rowDisc[row] = Math.exp(-(((tangent - discHeight) / 0.035) ** 2));
    }
    for (let column = 0; column < width; column++) {
      const right = Math.atan((column + 0.5 - camera.centreColumn) / focalPixels);
      let turn = SUN_AZIMUTH_RADIANS - (camera.headingRadians - right);
      turn -= 2 * Math.PI * Math.round(turn / (2 * Math.PI));
      this.#columnGlow[column] = Math.exp(-((turn / 0.75) ** 2));
      this.#columnDisc[column] = 3 * look[LookField.disc] * Math.exp(-((turn / 0.035) ** 2));
    }
    for (let channel = 0; channel < 3; channel++) {
      this.#tint[channel] = look[LookField.glow + channel]!;
      this.#tint[3 + channel] = look[LookField.cloud + channel]!;
      this.#tint[6 + channel] = Math.min(1, look[LookField.glow + channel] + look[LookField.cloud + channel]);
    }
    this.#cloudAmount = look[LookField.cloudAmount] / 255;
  }

  /**
   * Adds the colour of one sky pixel to a sum.
   *
   * @param row Its row.
   * @param column Its column.
   * @param cloud Its cloud byte.
   * @param sum Where to add.
   * @param at First of the three places.
   */
  add(row: number, column: number, cloud: number, sum: Float32Array, at: number): void {
    const glow = this.#rowGlow[row] * this.#columnGlow[column];
    const disc = Math.min(1, this.#rowDisc[row] * this.#columnDisc[column]);
    const cover = cloud * this.#cloudAmount;
    const base = 3 * row;
    for (let channel = 0; channel < 3; channel++) {
      const tint = this.#tint[channel] * glow;
      let value = this.#rowBase[base + channel] + tint;
      value += (this.#tint[3 + channel] + tint * 0.5 - value) * cover;
      if (disc > 0.001) value += (this.#tint[6 + channel] - value) * disc * (1 - 0.6 * cover);
      sum[at + channel] += value;
    }
  }
}
