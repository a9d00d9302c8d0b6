import {
  Material,
  PICTURE_HEIGHT,
  PICTURE_WIDTH,
  trafficPose,
  type DriveCamera,
  type DriveState,
  type DriveWorld,
} from "@dreamloop/worlds/drive";
import { LookField, type Look } from "./looks.ts";

/** A light that blooms in the picture. */
interface Light {
  readonly xMetres: number;
  readonly yMetres: number;
  readonly upMetres: number;
  readonly material: number;
  readonly colour: readonly [number, number, number];
  readonly sizeMetres: number;
}

/**
 * Adds halos around the lamps and car lights that are in view and not hidden.
 *
 * @param sum The picture, three numbers per pixel; it is changed.
 * @param camera The view the materials were drawn with.
 * @param scale Samples per pixel and axis of the materials.
 * @param world The world.
 * @param state Where everything is.
 * @param materials Material of each sample.
 * @param look The look.
 */
export function addGlows(
  sum: Float32Array,
  camera: DriveCamera,
  scale: number,
  world: DriveWorld,
  state: DriveState,
  materials: Uint8Array,
  look: Look,
): void {
  const lamps = look[LookField.lamps];
  const haze = 1 + 18 * look[LookField.fogDensity];
  for (const light of lights(world, state, lamps)) {
    const dx = light.xMetres - camera.xMetres;
    const dy = light.yMetres - camera.yMetres;
    const ahead = dx * camera.forwardX + dy * camera.forwardY;
    if (ahead < 1.5 || ahead > 120) continue;
    const right = dx * camera.forwardY - dy * camera.forwardX;
    const focal = camera.focalPixels / ahead;
    const x = camera.centreColumn + right * focal;
    const y = camera.horizonRow + (camera.heightMetres - light.upMetres) * focal;
    if (!isSeen(materials, camera, x, y, light.material)) continue;
    const radius = Math.min(46, 2.2 + (light.sizeMetres * focal * haze) / scale);
    const strength = Math.exp(-ahead * look[LookField.fogDensity] * 0.5);
    addHalo(sum, x / scale, y / scale, radius, light.colour, strength);
  }
}

function* lights(world: DriveWorld, state: DriveState, lamps: number): Generator<Light> {
  if (lamps > 0.1) {
    for (const object of world.scenery) {
      if (object.kind !== "lamp") continue;
      const xMetres = object.xMetres + 1.5 * Math.cos(object.headingRadians);
      const yMetres = object.yMetres + 1.5 * Math.sin(object.headingRadians);
      const colour = [0.6 * lamps, 0.5 * lamps, 0.3 * lamps] as const;
      yield {
        xMetres,
        yMetres,
        upMetres: object.heightMetres - 0.18,
        material: Material.lampHead,
        colour,
        sizeMetres: 1.1,
      };
    }
  }
  for (const car of state.traffic) {
    const pose = trafficPose(world, car);
    const cos = Math.cos(pose.headingRadians);
    const sin = Math.sin(pose.headingRadians);
    const half = car.kind === "van" ? 2.6 : 2.15;
    const side = (car.kind === "van" ? 1 : 0.9) - 0.23;
    for (const left of [-side, side]) {
      const front = [0.55 * lamps, 0.53 * lamps, 0.45 * lamps] as const;
      const rear = car.braking ? ([0.5, 0.05, 0.04] as const) : ([0.3 * lamps, 0.03 * lamps, 0.02 * lamps] as const);
      const at = (along: number): { xMetres: number; yMetres: number } => ({
        xMetres: pose.xMetres + along * cos - left * sin,
        yMetres: pose.yMetres + along * sin + left * cos,
      });
      if (lamps > 0.1)
        yield { ...at(half), upMetres: 0.66, material: Material.headLight, colour: front, sizeMetres: 0.75 };
      const material = car.braking ? Material.brakeLight : Material.tailLight;
      if (car.braking || lamps > 0.1) yield { ...at(-half), upMetres: 0.66, material, colour: rear, sizeMetres: 0.6 };
    }
  }
}

function isSeen(materials: Uint8Array, camera: DriveCamera, x: number, y: number, material: number): boolean {
  for (const [dx, dy] of [
    [0, 0],
    [-1, 0],
    [1, 0],
    [0, -1],
    [0, 1],
  ] as const) {
    const column = Math.floor(x + dx);
    const row = Math.floor(y + dy);
    if (column < 0 || row < 0 || column >= camera.width || row >= camera.height) continue;
    if (materials[row * camera.width + column] === material) return true;
  }
  return false;
}

function addHalo(
  sum: Float32Array,
  x: number,
  y: number,
  radius: number,
  colour: readonly [number, number, number],
  strength: number,
): void {
  const reach = Math.ceil(radius * 1.6);
  for (let row = Math.max(0, Math.floor(y - reach)); row <= Math.min(PICTURE_HEIGHT - 1, y + reach); row++) {
    for (let column = Math.max(0, Math.floor(x - reach)); column <= Math.min(PICTURE_WIDTH - 1, x + reach); column++) {
      const squared = ((column + 0.5 - x) ** 2 + (row + 0.5 - y) ** 2) / (radius * radius);
      const light = strength * Math.exp(-squared * 3);
      const at = 3 * (row * PICTURE_WIDTH + column);
      for (let channel = 0; channel < 3; channel++) sum[at + channel] += colour[channel] * light;
    }
  }
}
