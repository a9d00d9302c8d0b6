import {
  Material,
  SceneRasteriser,
  createMapTarget,
  planeViews,
  PICTURE_HEIGHT,
  PICTURE_WIDTH,
  type DriveCamera,
  type DriveState,
  type DriveWorld,
  type GroundCover,
  type PlaneViews,
} from "@dreamloop/worlds/drive";
import { addGlows } from "./glow.ts";
import { LookField, type Look } from "./looks.ts";
import { emissionOf, LitPalette } from "./palette.ts";
import { SkyColours } from "./sky-colours.ts";
import { addReflections } from "./reflection.ts";

/** Samples per pixel and axis. */
const SCALE = 2;
const WIDTH = PICTURE_WIDTH * SCALE;
const HEIGHT = PICTURE_HEIGHT * SCALE;

/** Turns the geometry of a drive into pictures: what the world model learns to imagine, and what it is measured against. */
export class AppearanceRenderer {
  readonly #rasteriser = new SceneRasteriser(SCALE);
  readonly #planes: PlaneViews;
  readonly #materials = new Uint8Array(WIDTH * HEIGHT);
  readonly #cover: GroundCover;
  readonly #target;
  readonly #palette = new LitPalette();
  readonly #sky = new SkyColours(WIDTH, HEIGHT);
  readonly #sum = new Float32Array(3 * PICTURE_WIDTH * PICTURE_HEIGHT);
  readonly #asphalt = new Float32Array(PICTURE_WIDTH * PICTURE_HEIGHT);
  readonly #fade = new Float32Array(256);
  readonly #beamDistance = new Float32Array(256);
  readonly #beamColumn = new Float32Array(WIDTH);
  readonly #beamRow = new Float32Array(HEIGHT);
  readonly #emission = new Float32Array(3 * 64);
  #camera: DriveCamera | undefined;
  #world: DriveWorld | undefined;
  #state: DriveState | undefined;

  constructor() {
    const plane = (): Uint8Array => new Uint8Array(WIDTH * HEIGHT);
    this.#cover = { shoulder: plane(), asphalt: plane(), white: plane(), yellow: plane() };
    this.#target = { ...createMapTarget(WIDTH, HEIGHT), materials: this.#materials, cover: this.#cover };
    this.#planes = planeViews(this.#target);
  }

  /**
   * Computes the geometry of a frame. After it, `shade` may be called with any number of looks.
   *
   * @param world The world.
   * @param state Where everything is.
   */
  place(world: DriveWorld, state: DriveState): void {
    this.#camera = this.#rasteriser.rasterise(world, state, this.#target);
    this.#world = world;
    this.#state = state;
  }

  /**
   * Colours the frame that was placed last.
   *
   * @param look The look.
   * @param out Packed RGB bytes of the picture.
   */
  shade(look: Look, out: Uint8Array): void {
    const camera = this.#camera;
    if (camera === undefined || this.#world === undefined || this.#state === undefined) {
      throw new Error("AppearanceRenderer.shade: no frame is placed; call place() first.");
    }
    this.#prepare(camera, look);
    this.#shadeSamples(look);
    addReflections(this.#sum, this.#asphalt, look);
    addGlows(this.#sum, camera, SCALE, this.#world, this.#state, this.#materials, look);
    for (let index = 0; index < out.length; index++) {
      const value = this.#sum[index];
      // A soft shoulder keeps lights from clipping hard.
      const soft = value <= 0.8 ? value : 0.8 + 0.2 * (1 - Math.exp(-(value - 0.8) / 0.2));
      out[index] = 255 * soft + 0.5;
    }
  }

  #prepare(camera: DriveCamera, look: Look): void {
    this.#palette.update(look);
    this.#sky.prepare(camera, look);
    const lamps = Math.max(0, look[LookField.lamps] - 0.3) / 0.7;
    for (let nearness = 0; nearness < 256; nearness++) {
      const distance = nearness === 0 ? 1000 : 2.5 * (255 / nearness) ** 2;
      this.#fade[nearness] = 1 - Math.exp(-distance * look[LookField.fogDensity]);
      this.#beamDistance[nearness] = (1.15 * lamps * (1 - Math.exp(-distance / 4))) / (1 + (distance / 21) ** 2);
    }
    for (let column = 0; column < WIDTH; column++) {
      this.#beamColumn[column] = Math.exp(-(((column + 0.5 - WIDTH / 2) / (0.3 * WIDTH)) ** 2));
    }
    for (let row = 0; row < HEIGHT; row++) {
      const above = camera.horizonRow - row;
      this.#beamRow[row] = above > 0 ? Math.exp(-above / (0.11 * HEIGHT)) : 1;
    }
    for (let material = 0; material < 64; material++)
      this.#emission.set(emissionOf(material, look[LookField.lamps]), 3 * material);
  }

  #shadeSamples(look: Look): void {
    this.#sum.fill(0);
    this.#asphalt.fill(0);
    const { nearness, detail, shade } = this.#planes;
    const { shoulder, asphalt, white, yellow } = this.#cover;
    const palette = this.#palette.values;
    const shadowDepth = (look[LookField.shadow] * 0.85) / 128;
    const pools = (0.95 * look[LookField.lamps]) / 127;
    const [fogRed, fogGreen, fogBlue] = tripleOf(look, LookField.fog);
    const [warmRed, warmGreen, warmBlue] = lampGains(look);
    const sum = this.#sum;
    const rgb = new Float32Array(6);
    const part = 1 / (SCALE * SCALE);
    for (let row = 0; row < HEIGHT; row++) {
      const beamRow = this.#beamRow[row];
      for (let column = 0; column < WIDTH; column++) {
        const index = row * WIDTH + column;
        const pixel = (row >> 1) * PICTURE_WIDTH + (column >> 1);
        const at = 3 * pixel;
        const material = this.#materials[index];
        const byte = detail[index];
        if (material === Material.sky) {
          this.#sky.add(row, column, byte, sum, at);
          continue;
        }
        const isGround = material === Material.grass || material === Material.asphalt;
        const first = ((isGround ? Material.grass : material) * 256 + byte) * 6;
        for (let place = 0; place < 6; place++) rgb[place] = palette[first + place]!;
        if (isGround && shoulder[index] !== 0) {
          blend(rgb, palette, Material.shoulder, byte, shoulder[index]);
          blend(rgb, palette, Material.asphalt, byte, asphalt[index]);
          blend(rgb, palette, Material.whiteLine, byte, white[index]);
          blend(rgb, palette, Material.yellowLine, byte, yellow[index]);
          this.#asphalt[pixel] += asphalt[index] / (255 * SCALE * SCALE);
        }
        const tone = shade[index];
        const direct = tone < 128 ? 1 - shadowDepth * (128 - tone) : 1;
        let extra = tone > 128 ? pools * (tone - 128) : 0;
        let fade = 0;
        if (material !== Material.bonnet) {
          const near = nearness[index];
          extra += this.#beamDistance[near] * this.#beamColumn[column] * beamRow;
          fade = this.#fade[near]!;
        }
        const keep = 1 - fade;
        const emission = 3 * material;
        const red = rgb[0] * direct + rgb[3] * (1 + extra * warmRed) + this.#emission[emission];
        const green = rgb[1] * direct + rgb[4] * (1 + extra * warmGreen) + this.#emission[emission + 1];
        const blue = rgb[2] * direct + rgb[5] * (1 + extra * warmBlue) + this.#emission[emission + 2];
        sum[at] += red * keep + fogRed * fade;
        sum[at + 1] += green * keep + fogGreen * fade;
        sum[at + 2] += blue * keep + fogBlue * fade;
      }
    }
    for (let index = 0; index < this.#sum.length; index++) this.#sum[index] *= part;
  }
}

const WARM = [1, 0.93, 0.76] as const;

function tripleOf(look: Look, field: number): readonly [number, number, number] {
  return [look[field], look[field + 1], look[field + 2]];
}

/** How much lamp light adds to what a surface sends back of the ambient light, per channel. */
function lampGains(look: Look): readonly [number, number, number] {
  const gain = (channel: number): number => {
    const ambient = look[LookField.ambient + channel];
    return (1.25 * WARM[channel] * (1 - 0.4 * Math.min(1, ambient))) / ambient;
  };
  return [gain(0), gain(1), gain(2)];
}

function blend(rgb: Float32Array, palette: Float32Array, material: number, detail: number, cover: number): void {
  if (cover === 0) return;
  const share = cover / 255;
  const at = (material * 256 + detail) * 6;
  for (let place = 0; place < 6; place++) rgb[place] += (palette[at + place] - rgb[place]) * share;
}
