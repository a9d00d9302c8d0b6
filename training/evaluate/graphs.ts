import { PICTURE_HEIGHT, PICTURE_WIDTH } from "@dreamloop/worlds/drive";
import { InferenceSession, Tensor } from "onnxruntime-node";
import type { Condition } from "../render/looks.ts";

const PIXELS = PICTURE_WIDTH * PICTURE_HEIGHT;
const FRAME_SHAPE = [1, 3, PICTURE_HEIGHT, PICTURE_WIDTH];

/** What the judge sees in a picture. */
export interface Judgement {
  /** Painted lines, one byte per pixel. */
  readonly lines: Uint8Array;
  /** Other cars, one byte per pixel. */
  readonly cars: Uint8Array;
  /** The condition that it looks most like. */
  readonly condition: Condition;
}

/** A small network, trained on rendered pictures only, that says where lines and cars are and which condition a picture shows. */
export class Judge {
  readonly #graph: InferenceSession;

  private constructor(graph: InferenceSession) {
    this.#graph = graph;
  }

  /** Loads the judge. @param path Its file. @returns The judge. */
  static async load(path: string): Promise<Judge> {
    return new Judge(await InferenceSession.create(path, { intraOpNumThreads: 2 }));
  }

  /** Judges a picture. @param picture Packed RGB bytes. @returns What it sees. */
  async look(picture: Uint8Array): Promise<Judgement> {
    const result = await this.#graph.run({ frame: planesOf(picture) });
    const scores = result.classes.data as Float32Array;
    const lines = new Uint8Array(PIXELS);
    const cars = new Uint8Array(PIXELS);
    for (let index = 0; index < PIXELS; index++) {
      const none = scores[index];
      const line = scores[PIXELS + index];
      const car = scores[2 * PIXELS + index];
      if (line > none && line > car) lines[index] = 1;
      else if (car > none) cars[index] = 1;
    }
    const condition = result.condition.data as Float32Array;
    return {
      lines,
      cars,
      condition: { time: largest(condition.subarray(0, 3)), weather: largest(condition.subarray(3)) },
    };
  }
}

/** Encoder and decoder alone, for the figure of reconstruction. */
export class Reconstructor {
  readonly #encode: InferenceSession;
  readonly #decode: InferenceSession;

  private constructor(encode: InferenceSession, decode: InferenceSession) {
    this.#encode = encode;
    this.#decode = decode;
  }

  /** Loads both. @param folder Folder of the bundle. @returns The pair. */
  static async load(folder: string): Promise<Reconstructor> {
    const open = (name: string): Promise<InferenceSession> =>
      InferenceSession.create(`${folder}/${name}.onnx`, { intraOpNumThreads: 2 });
    return new Reconstructor(await open("encode"), await open("decode"));
  }

  /** Encodes and decodes a picture. @param picture Packed RGB. @param map Map frame. @returns Packed RGB. */
  async run(picture: Uint8Array, map: Uint8Array): Promise<Uint8Array> {
    const { latent } = await this.#encode.run({ frame: planesOf(picture) });
    const planes = new Tensor("uint8", map, [1, 6, PICTURE_HEIGHT, PICTURE_WIDTH]);
    const { frame } = await this.#decode.run({ latent, map: planes });
    const values = frame.data as Float32Array;
    const result = new Uint8Array(3 * PIXELS);
    for (let index = 0; index < PIXELS; index++) {
      for (let channel = 0; channel < 3; channel++) {
        result[3 * index + channel] = Math.round(255 * Math.max(0, Math.min(1, values[channel * PIXELS + index])));
      }
    }
    return result;
  }
}

function planesOf(picture: Uint8Array): Tensor {
  const values = new Float32Array(3 * PIXELS);
  for (let index = 0; index < PIXELS; index++) {
    for (let channel = 0; channel < 3; channel++) values[channel * PIXELS + index] = picture[3 * index + channel] / 255;
  }
  return new Tensor("float32", values, FRAME_SHAPE);
}

function largest(values: Float32Array): number {
  return values.indexOf(Math.max(...values));
}
