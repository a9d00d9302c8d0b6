import { createMapTarget, Material, PICTURE_HEIGHT, PICTURE_WIDTH, type SceneTarget } from "@dreamloop/worlds/drive";

/** What a pixel shows, as far as the judge of the evaluation is asked. */
export const PixelClass = {
  /** Anything else. */
  other: 0,
  /** Asphalt that paint covers by half or more. */
  line: 1,
  /** A car other than the driven one. */
  car: 2,
  /** Asphalt without paint. */
  road: 3,
} as const;

/** A map target that keeps the materials and covers which `classify` reads. */
export type ClassifiedTarget = SceneTarget & Required<Pick<SceneTarget, "materials" | "cover">>;

/** @returns A target of the size of the world's pictures. */
export function createClassifiedTarget(): ClassifiedTarget {
  const plane = (): Uint8Array => new Uint8Array(PICTURE_WIDTH * PICTURE_HEIGHT);
  const cover = { shoulder: plane(), asphalt: plane(), white: plane(), yellow: plane() };
  return { ...createMapTarget(PICTURE_WIDTH, PICTURE_HEIGHT), materials: plane(), cover };
}

/**
 * Says what each pixel of a rasterised frame shows.
 *
 * @param target What was rasterised into.
 * @returns One `PixelClass` per pixel.
 */
export function classify({ materials, cover }: ClassifiedTarget): Uint8Array {
  return materials.map((material, index) => {
    if (isCar(material)) return PixelClass.car;
    if (material !== Material.asphalt) return PixelClass.other;
    return cover.white[index] + cover.yellow[index] >= 128 ? PixelClass.line : PixelClass.road;
  });
}

function isCar(material: number): boolean {
  return (material >= Material.tyre && material <= Material.headLight) || material >= Material.carRed;
}
