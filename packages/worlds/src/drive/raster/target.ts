import { MATERIAL_COLOURS } from "./materials.ts";

/** Names of the planes of a map frame, in their order. */
export const MAP_PLANES = ["red", "green", "blue", "nearness", "detail", "shade"] as const;

/** Number of planes of a map frame. */
export const MAP_PLANE_COUNT = MAP_PLANES.length;

/** Value of the planes detail and shade that says "nothing special". */
export const NEUTRAL_BYTE = 128;

/** How much of each ground layer a pixel shows, for renderers that colour the ground themselves. */
export interface GroundCover {
  /** Gravel, 0..255. */
  readonly shoulder: Uint8Array;
  /** Asphalt, 0..255; painted over the gravel. */
  readonly asphalt: Uint8Array;
  /** White paint, 0..255; painted over the asphalt. */
  readonly white: Uint8Array;
  /** Yellow paint, 0..255; painted over the asphalt. */
  readonly yellow: Uint8Array;
}

/** Where a scene is drawn to. */
export interface SceneTarget {
  /** Width, in pixels. */
  readonly width: number;
  /** Height, in pixels. */
  readonly height: number;
  /** The six planes of the map frame, one after the other: red, green, blue, nearness, detail, shade. */
  readonly planes: Uint8Array;
  /** Material of each pixel, if wanted. */
  readonly materials?: Uint8Array;
  /** Layers of the ground, if wanted. */
  readonly cover?: GroundCover;
}

/** One plane after the other, as views into a target. */
export interface PlaneViews {
  /** Red of the class colour. */
  readonly red: Uint8Array;
  /** Green of the class colour. */
  readonly green: Uint8Array;
  /** Blue of the class colour. */
  readonly blue: Uint8Array;
  /** Nearness: 255 · √(2.5 m ÷ distance), 0 for the sky. */
  readonly nearness: Uint8Array;
  /** Texture tied to the world, or light on the faces of things; 128 is neutral. */
  readonly detail: Uint8Array;
  /** Shadow below and lamp light above 128. */
  readonly shade: Uint8Array;
}

/**
 * Makes an empty map frame.
 *
 * @param width Width, in pixels.
 * @param height Height, in pixels.
 * @returns A target without material and cover planes.
 */
export function createMapTarget(width: number, height: number): SceneTarget {
  return { width, height, planes: new Uint8Array(MAP_PLANE_COUNT * width * height) };
}

/**
 * Views of the six planes.
 *
 * @param target The target.
 * @returns Views that share the target's memory.
 */
export function planeViews(target: SceneTarget): PlaneViews {
  const size = target.width * target.height;
  const plane = (index: number): Uint8Array => target.planes.subarray(index * size, (index + 1) * size);
  return { red: plane(0), green: plane(1), blue: plane(2), nearness: plane(3), detail: plane(4), shade: plane(5) };
}

/**
 * The nearness of a distance.
 *
 * @param distanceMetres Distance along the axis of view, in metres.
 * @returns A byte: 255 at 2.5 m and nearer, falling with the square root.
 */
export function nearnessOf(distanceMetres: number): number {
  return distanceMetres <= 2.5 ? 255 : Math.round(255 * Math.sqrt(2.5 / distanceMetres));
}

/** A drawing of one material over what is there, pixel by pixel. */
export class PixelWriter {
  readonly #views: PlaneViews;
  readonly #materials: Uint8Array | undefined;
  #red = 0;
  #green = 0;
  #blue = 0;
  #nearness = 0;
  #material = 0;

  /**
   * @param views Planes to draw to.
   * @param materials Material plane, if wanted.
   */
  constructor(views: PlaneViews, materials: Uint8Array | undefined) {
    this.#views = views;
    this.#materials = materials;
  }

  /**
   * Chooses what the next pixels show.
   *
   * @param material The material.
   * @param nearness Its nearness byte.
   */
  use(material: number, nearness: number): void {
    this.#material = material;
    this.#red = MATERIAL_COLOURS[3 * material]!;
    this.#green = MATERIAL_COLOURS[3 * material + 1]!;
    this.#blue = MATERIAL_COLOURS[3 * material + 2]!;
    this.#nearness = nearness;
  }

  /**
   * Draws one pixel.
   *
   * @param index Index of the pixel.
   * @param coverage Share of the pixel that is covered, 0..1.
   * @param detail Detail byte.
   */
  put(index: number, coverage: number, detail: number): void {
    const views = this.#views;
    if (coverage >= 0.99) {
      views.red[index] = this.#red;
      views.green[index] = this.#green;
      views.blue[index] = this.#blue;
      views.nearness[index] = this.#nearness;
      views.detail[index] = detail;
      views.shade[index] = NEUTRAL_BYTE;
      if (this.#materials !== undefined) this.#materials[index] = this.#material;
      return;
    }
    mix(views.red, index, this.#red, coverage);
    mix(views.green, index, this.#green, coverage);
    mix(views.blue, index, this.#blue, coverage);
    mix(views.nearness, index, this.#nearness, coverage);
    mix(views.detail, index, detail, coverage);
    mix(views.shade, index, NEUTRAL_BYTE, coverage);
    if (coverage >= 0.5 && this.#materials !== undefined) this.#materials[index] = this.#material;
  }
}

function mix(plane: Uint8Array, index: number, value: number, weight: number): void {
  const present = plane[index];
  plane[index] = present + (value - present) * weight + 0.5;
}
