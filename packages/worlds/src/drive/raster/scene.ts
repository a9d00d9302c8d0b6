import { driverCamera, type DriveCamera } from "../camera.ts";
import type { SceneryObject } from "../scenery.ts";
import type { DriveState } from "../state.ts";
import { trafficPose, type TrafficCar, type TrafficPose } from "../traffic.ts";
import type { DriveWorld } from "../world.ts";
import { drawHouse, drawLamp, drawSign } from "./buildings.ts";
import { createBonnet, drawBonnet, type Bonnet } from "./bonnet.ts";
import { drawCar, drawCarShadow } from "./cars.ts";
import { drawGround, type GroundScratch } from "./ground.ts";
import { toCamera } from "./polygon.ts";
import { createColumnTable, drawSky, type ColumnTable } from "./sky.ts";
import { createPlantSprites, drawPlant, type PlantSprites } from "./sprites.ts";
import { planeViews, PixelWriter, type SceneTarget } from "./target.ts";
import { createSceneTextures, type SceneTextures } from "./textures.ts";

/** Beyond this distance nothing that stands is drawn, in metres. */
const DRAW_DISTANCE_METRES = 170;

/** Something that stands on the ground, with its distance. */
interface Standing {
  readonly ahead: number;
  readonly object?: SceneryObject;
  readonly car?: TrafficCar;
  readonly pose?: TrafficPose;
}

/** Draws map frames. Holds textures and tables, and nothing about any drive: one rasteriser may serve many. */
export class SceneRasteriser {
  readonly #scale: number;
  readonly #textures: SceneTextures;
  readonly #sprites: PlantSprites;
  readonly #table: ColumnTable;
  readonly #bonnet: Bonnet;
  readonly #scratch: GroundScratch;

  /** @param scale Pixels per pixel of the standard picture; default 1. */
  constructor(scale = 1) {
    this.#scale = scale;
    this.#textures = createSceneTextures();
    this.#sprites = createPlantSprites();
    const camera = driverCamera(ORIGIN, scale);
    this.#table = createColumnTable(camera);
    this.#bonnet = createBonnet(camera.width, camera.height);
    this.#scratch = { lateral: new Float64Array(camera.width), previous: new Float64Array(camera.width) };
  }

  /**
   * Draws what the driver's camera sees.
   *
   * @param world The world.
   * @param state Where everything is.
   * @param target Where to draw; of the size that this rasteriser was made for.
   * @returns The camera that was used.
   */
  rasterise(world: DriveWorld, state: DriveState, target: SceneTarget): DriveCamera {
    const camera = driverCamera(state.ego, this.#scale);
    const views = planeViews(target);
    drawSky(camera, this.#textures, this.#table, views, target.materials);
    drawGround({
      camera,
      grid: world.surface,
      textures: this.#textures,
      scratch: this.#scratch,
      bonnet: this.#bonnet,
      views,
      materials: target.materials,
      cover: target.cover,
    });
    const writer = new PixelWriter(views, target.materials);
    const standing = visible(camera, world, state);
    for (const item of standing) {
      if (item.car !== undefined && item.pose !== undefined) drawCarShadow(camera, views.shade, item.car, item.pose);
    }
    for (const item of standing) {
      if (item.car !== undefined && item.pose !== undefined) drawCar(camera, writer, item.car, item.pose);
      else if (item.object !== undefined) this.#drawObject(camera, writer, item.object);
    }
    drawBonnet(this.#bonnet, writer);
    return camera;
  }

  #drawObject(camera: DriveCamera, writer: PixelWriter, object: SceneryObject): void {
    switch (object.kind) {
      case "house":
        return drawHouse(camera, writer, object);
      case "lamp":
        return drawLamp(camera, writer, object);
      case "sign":
        return drawSign(camera, writer, object);
      default:
        return drawPlant(camera, writer, this.#sprites, object);
    }
  }
}

const ORIGIN = {
  xMetres: 0,
  yMetres: 0,
  headingRadians: 0,
  speedMetresPerSecond: 0,
  steerAngleRadians: 0,
  yawRateRadiansPerSecond: 0,
  accelerationMetresPerSecondSquared: 0,
};

function visible(camera: DriveCamera, world: DriveWorld, state: DriveState): Standing[] {
  const standing: Standing[] = [];
  for (const object of world.scenery) {
    const { right, ahead } = toCamera(camera, object.xMetres, object.yMetres);
    if (ahead < -6 || ahead > DRAW_DISTANCE_METRES || Math.abs(right) > ahead * 0.8 + 9) continue;
    standing.push({ ahead, object });
  }
  for (const car of state.traffic) {
    const pose = trafficPose(world, car);
    const { right, ahead } = toCamera(camera, pose.xMetres, pose.yMetres);
    if (ahead < -3 || ahead > DRAW_DISTANCE_METRES || Math.abs(right) > ahead * 0.8 + 5) continue;
    standing.push({ ahead, car, pose });
  }
  return standing.sort((a, b) => b.ahead - a.ahead);
}
