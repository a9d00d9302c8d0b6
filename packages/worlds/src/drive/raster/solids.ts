import { exactCos, exactSin } from "@dreamloop/core";
import type { DriveCamera } from "../camera.ts";
import { SUN_AZIMUTH_RADIANS } from "../dimensions.ts";
import { drawPolygon, toCamera } from "./polygon.ts";
import type { PixelWriter } from "./target.ts";

/** Draws faces of one upright body that stands on the ground, given in the body's own axes. */
export class SolidPainter {
  readonly #camera: DriveCamera;
  readonly #writer: PixelWriter;
  readonly #right: number;
  readonly #ahead: number;
  readonly #axisRight: number;
  readonly #axisAhead: number;
  readonly #sunAlong: number;
  readonly #sunLeft: number;

  /**
   * @param camera The view.
   * @param writer Where to draw.
   * @param xMetres x of the body's foot.
   * @param yMetres y of the body's foot.
   * @param headingRadians Direction of the body's own "along" axis.
   */
  constructor(camera: DriveCamera, writer: PixelWriter, xMetres: number, yMetres: number, headingRadians: number) {
    this.#camera = camera;
    this.#writer = writer;
    const { right, ahead } = toCamera(camera, xMetres, yMetres);
    this.#right = right;
    this.#ahead = ahead;
    const cos = exactCos(headingRadians);
    const sin = exactSin(headingRadians);
    this.#axisRight = cos * camera.forwardY - sin * camera.forwardX;
    this.#axisAhead = cos * camera.forwardX + sin * camera.forwardY;
    this.#sunAlong = exactCos(SUN_AZIMUTH_RADIANS - headingRadians);
    this.#sunLeft = exactSin(SUN_AZIMUTH_RADIANS - headingRadians);
  }

  /**
   * Draws a face if its front is seen.
   *
   * @param corners Triples of along, left and up, in metres.
   * @param normalAlong Outward normal along the body.
   * @param normalLeft Outward normal to the left of the body.
   * @param material Material of the face.
   * @param tilt Share of the normal that points up, 0..1.
   */
  face(corners: readonly number[], normalAlong: number, normalLeft: number, material: number, tilt = 0): void {
    const polygon: number[] = [];
    for (let index = 0; index < corners.length; index += 3) {
      const along = corners[index];
      const left = corners[index + 1];
      // The left axis is the along axis turned by a quarter; in (right, ahead) that is (−ahead, right).
      polygon.push(
        this.#right + along * this.#axisRight - left * this.#axisAhead,
        corners[index + 2],
        this.#ahead + along * this.#axisAhead + left * this.#axisRight,
      );
    }
    const flat = 1 - tilt;
    const normalRight = (normalAlong * this.#axisRight - normalLeft * this.#axisAhead) * flat;
    const normalAhead = (normalAlong * this.#axisAhead + normalLeft * this.#axisRight) * flat;
    const toEyeUp = this.#camera.heightMetres - polygon[1];
    if (-polygon[0] * normalRight - polygon[2] * normalAhead + toEyeUp * tilt <= 0) return;
    const sun = (normalAlong * this.#sunAlong + normalLeft * this.#sunLeft) * flat;
    drawPolygon(this.#camera, this.#writer, polygon, material, Math.round(128 + 62 * sun + 46 * tilt));
  }

  /**
   * Draws the visible sides and the top of a box.
   *
   * @param box Extents: from/to along, half of the width, from/to up, and how much the top is narrower at either end and side.
   * @param material Material of all faces.
   */
  box(box: SolidBox, material: number): void {
    const { fromAlong: a, toAlong: b, halfWidth: w, fromUp: low, toUp: high } = box;
    const ta = a + box.taperRear;
    const tb = b - box.taperFront;
    const tw = w - box.taperSide;
    if (this.#camera.heightMetres > high)
      this.face([ta, -tw, high, tb, -tw, high, tb, tw, high, ta, tw, high], 0, 0, material, 1);
    this.face([a, -w, low, a, w, low, ta, tw, high, ta, -tw, high], -1, 0, material, 0);
    this.face([b, w, low, b, -w, low, tb, -tw, high, tb, tw, high], 1, 0, material, 0);
    this.face([a, w, low, b, w, low, tb, tw, high, ta, tw, high], 0, 1, material, 0);
    this.face([b, -w, low, a, -w, low, ta, -tw, high, tb, -tw, high], 0, -1, material, 0);
  }
}

/** Extents of a box that may narrow towards its top. */
export interface SolidBox {
  /** Rear end at the bottom, in metres along the body. */
  readonly fromAlong: number;
  /** Front end at the bottom, in metres along the body. */
  readonly toAlong: number;
  /** Half of the width at the bottom, in metres. */
  readonly halfWidth: number;
  /** Height of the bottom, in metres. */
  readonly fromUp: number;
  /** Height of the top, in metres. */
  readonly toUp: number;
  /** How far the rear end leans forward at the top, in metres. */
  readonly taperRear: number;
  /** How far the front end leans back at the top, in metres. */
  readonly taperFront: number;
  /** How far either side leans in at the top, in metres. */
  readonly taperSide: number;
}
