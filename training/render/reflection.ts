import { PICTURE_HEIGHT, PICTURE_WIDTH } from "@dreamloop/worlds/drive";
import { LookField, type Look } from "./looks.ts";

const HORIZON = Math.round(0.43 * PICTURE_HEIGHT);

/**
 * Lets a wet road mirror what is above the horizon, blurred along the rows and stronger towards the distance.
 *
 * @param sum The picture, three numbers per pixel; it is changed.
 * @param asphalt Share of asphalt per pixel, 0..1.
 * @param look The look.
 */
export function addReflections(sum: Float32Array, asphalt: Float32Array, look: Look): void {
  const wet = look[LookField.wet];
  if (wet < 0.02) return;
  const mirror = new Float32Array(3 * PICTURE_WIDTH);
  for (let row = HORIZON + 1; row < PICTURE_HEIGHT; row++) {
    const depth = row - HORIZON;
    const source = Math.max(0, HORIZON - 1 - Math.round(depth * 0.85));
    const spread = 2 + Math.floor(depth / 10);
    mirror.fill(0);
    let rows = 0;
    for (let offset = -spread; offset <= spread; offset += 2) {
      const from = Math.max(0, Math.min(HORIZON - 1, source + offset));
      for (let index = 0; index < mirror.length; index++) mirror[index] += sum[from * 3 * PICTURE_WIDTH + index];
      rows++;
    }
    const strength = wet * (0.2 + 0.42 * Math.exp(-depth / 34));
    for (let column = 0; column < PICTURE_WIDTH; column++) {
      const pixel = row * PICTURE_WIDTH + column;
      const share = strength * asphalt[pixel];
      if (share === 0) continue;
      for (let channel = 0; channel < 3; channel++) {
        const at = 3 * pixel + channel;
        sum[at] += (mirror[3 * column + channel] / rows - sum[at] * 0.8) * share;
      }
    }
  }
}
