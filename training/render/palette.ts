import { Material } from "@dreamloop/worlds/drive";
import { LookField, type Look } from "./looks.ts";

/** Natural colour of each material, display-encoded, 0..255. */
const ALBEDO: readonly (readonly [number, number, number])[] = [
  [0, 0, 0],
  [120, 136, 150],
  [84, 112, 84],
  [104, 146, 62],
  [176, 156, 124],
  [96, 98, 104],
  [238, 238, 236],
  [240, 196, 40],
  [78, 136, 48],
  [44, 98, 66],
  [112, 146, 50],
  [84, 140, 60],
  [112, 84, 58],
  [236, 228, 214],
  [228, 190, 128],
  [186, 104, 78],
  [158, 74, 58],
  [74, 92, 116],
  [112, 64, 40],
  [132, 136, 144],
  [235, 232, 214],
  [206, 34, 44],
  [244, 244, 240],
  [30, 30, 34],
  [40, 52, 66],
  [170, 24, 30],
  [255, 40, 36],
  [250, 246, 226],
  [34, 62, 128],
  [206, 38, 42],
  [42, 88, 196],
  [232, 234, 238],
  [242, 196, 40],
  [40, 142, 84],
  [86, 90, 98],
];

/** Colours per material and detail byte under one look, before shadow, headlights and fog: three numbers, 0..1 and above. */
export class LitPalette {
  /** `[material][detail][direct r, g, b, indirect r, g, b]`. */
  readonly values = new Float32Array(ALBEDO.length * 256 * 6);

  /**
   * Computes all entries for a look.
   *
   * @param look The look.
   */
  update(look: Look): void {
    for (let material = 0; material < ALBEDO.length; material++) this.#updateMaterial(look, material);
  }

  #updateMaterial(look: Look, material: number): void {
    const albedo = ALBEDO[material];
    const snow = look[LookField.snow];
    const wet = look[LookField.wet];
    const isGround = material >= Material.grass && material <= Material.yellowLine;
    const isPlant = material >= Material.broadleaf && material <= Material.bush;
    for (let detail = 0; detail < 256; detail++) {
      const light = (detail - 128) / 128;
      const cover = snow * snowShare(material, light);
      const texture = isGround ? groundTexture(material, light, cover) : 1;
      const damp =
        material === Material.asphalt || material === Material.shoulder ? 1 - 0.4 * wet : isGround ? 1 - 0.12 * wet : 1;
      // Ground takes the sun from above; upright things take it by the way they face.
      const facing = isGround ? 0.72 : isPlant ? 0.62 + 0.62 * light : Math.max(0, 0.5 + 1.0 * light);
      const around = isGround ? 1 : isPlant ? 0.86 + 0.42 * light : 0.88 + 0.28 * light;
      const at = (material * 256 + detail) * 6;
      for (let channel = 0; channel < 3; channel++) {
        const warm = material === Material.grass ? [1 + 0.22 * light, 1, 1 - 0.25 * light][channel] : 1;
        const base =
          (albedo[channel] / 255) * warm * texture * damp * (1 - cover) +
          [0.9, 0.93, 0.98][channel] * cover * (isGround ? 1 + 0.1 * light : 1);
        this.values[at + channel] = base * look[LookField.sun + channel] * facing;
        this.values[at + 3 + channel] = base * look[LookField.ambient + channel] * around;
      }
    }
  }
}

/**
 * Colour that a material gives off by itself under a look.
 *
 * @param material The material.
 * @param lamps Artificial light of the look, 0..1.
 * @returns Red, green, blue, 0..1 and above.
 */
export function emissionOf(material: number, lamps: number): readonly [number, number, number] {
  switch (material) {
    case Material.window:
      return [0.95 * lamps, 0.72 * lamps, 0.36 * lamps];
    case Material.lampHead:
      return [1.1 * lamps, 0.95 * lamps, 0.65 * lamps];
    case Material.tailLight:
      return [0.15 + 0.55 * lamps, 0.02, 0.02];
    case Material.brakeLight:
      return [0.9, 0.08, 0.06];
    case Material.headLight:
      return [lamps, 0.97 * lamps, 0.85 * lamps];
    default:
      return [0, 0, 0];
  }
}

function snowShare(material: number, light: number): number {
  switch (material) {
    case Material.grass:
      return 0.93 + 0.05 * light;
    case Material.shoulder:
      return 0.8;
    case Material.asphalt:
      return Math.max(0, Math.min(0.6, 0.36 + 0.9 * light));
    case Material.whiteLine:
    case Material.yellowLine:
      return 0.15;
    case Material.farHills:
    case Material.nearHills:
      return 0.75;
    case Material.roof:
      return 0.88;
    case Material.broadleaf:
    case Material.conifer:
    case Material.poplar:
    case Material.bush:
      return Math.max(0, Math.min(0.85, 0.35 + 1.5 * light));
    default:
      return 0;
  }
}

function groundTexture(material: number, light: number, cover: number): number {
  const strength =
    material === Material.grass
      ? 0.4
      : material === Material.asphalt
        ? 0.55
        : material === Material.shoulder
          ? 0.25
          : 0.1;
  return 1 + strength * light * (1 - 0.6 * cover);
}
