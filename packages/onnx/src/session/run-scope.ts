import { DreamloopError, ERROR_CODES, randomStream } from "@dreamloop/core";
import {
  elementCount,
  filledTensor,
  floatTensor,
  tensorOf,
  type Dimension,
  type Tensor,
  type TensorSignature,
} from "../manifest/tensor.ts";
import { startStreamName } from "../plan/phases.ts";
import type { Source, Target } from "../plan/reference.ts";
import type { RunCondition } from "../plan/world-plan.ts";
import type { StateCells } from "./state/state-cells.ts";
import { firstFrameOfStep, type SessionWorld } from "./session-world.ts";

/** What a sampler supplies to its graph at one moment. */
export interface SamplerValues {
  /** The latent so far. */
  readonly latent: Tensor;
  /** The noise level that it is at. */
  readonly level: number;
  /** The noise level of each frame; one where all have the same. */
  readonly levels: readonly number[];
  /** Index of the denoising step. */
  readonly index: number;
}

/** What a scope is made of. */
export interface RunScopeOptions {
  /** What all sessions share. */
  readonly world: SessionWorld;
  /** Initial inputs as tensors. */
  readonly initial: ReadonlyMap<string, Tensor>;
  /** Values of the phases before. */
  readonly held: ReadonlyMap<string, Tensor>;
  /** The states as they are at the beginning. */
  readonly states: StateCells;
  /** Inputs of the step. */
  readonly stepInputs: ReadonlyMap<string, Tensor>;
  /** Seed of the rollout. */
  readonly seed: number;
  /** Index of the step. */
  readonly stepIndex: number;
  /** Whether this is the start of the rollout, which has noise of its own. */
  readonly isStart: boolean;
}

/** What the items of one step, or of the start, read and write. Nothing outside of it changes until it is committed. */
export class RunScope {
  readonly #options: RunScopeOptions;
  readonly #values = new Map<string, Tensor>();
  readonly #noise = new Map<string, Float32Array>();
  readonly #stateWrites = new Map<string, Tensor>();
  #frames: Tensor | undefined;

  /** Starts with nothing written. */
  constructor(options: RunScopeOptions) {
    this.#options = options;
  }

  /** Values that items of this scope produced. */
  get values(): ReadonlyMap<string, Tensor> {
    return this.#values;
  }

  /** State tensors that items of this scope wrote. */
  get stateWrites(): ReadonlyMap<string, Tensor> {
    return this.#stateWrites;
  }

  /** The frames, once they are written. */
  get frames(): Tensor | undefined {
    return this.#frames;
  }

  /** Whether an item with this condition runs. */
  holds({ when, unless }: RunCondition): boolean {
    const { initial } = this.#options;
    return (when === undefined || initial.has(when)) && (unless === undefined || !initial.has(unless));
  }

  /** The tensor that a source stands for. */
  resolve(source: Source, signature: TensorSignature, sampler?: SamplerValues): Tensor {
    const { initial, held, states, stepInputs, world, stepIndex } = this.#options;
    switch (source.kind) {
      case "fill":
        return filledTensor(signature.dtype, fixed(signature.shape), source.value);
      case "initial":
        return found(initial.get(source.name), source);
      case "step":
        return found(stepInputs.get(source.name), source);
      case "constant":
        return found(world.constants.get(source.name), source);
      case "value":
        return found(this.#values.get(source.name) ?? held.get(source.name), source);
      case "noise":
        return this.#noiseTensor(source.name, signature);
      case "state":
        return states.tensor(source.name);
      case "state_property":
        return this.#stateProperty(source, signature);
      case "runtime": {
        const value = source.counter === "step_index" ? stepIndex : firstFrameOfStep(world.manifest, stepIndex);
        return counting(signature, value, source.modulo);
      }
      case "sampler": {
        const values = found(sampler, source);
        if (source.value === "latent") return values.latent;
        if (source.value === "levels" && values.levels.length > 1) {
          return tensorOf(signature.dtype, fixed(signature.shape), values.levels);
        }
        if (source.value === "levels") return filledTensor(signature.dtype, fixed(signature.shape), values.level);
        return filledTensor(signature.dtype, fixed(signature.shape), values[source.value]);
      }
    }
  }

  /** Fresh noise for a denoising step, apart from the noise that `noise:NAME` stands for in this step. */
  freshNoise(stream: string, subStep: number, length: number): Float32Array {
    const { seed, stepIndex, isStart } = this.#options;
    const data = new Float32Array(length);
    randomStream({ seed, step: stepIndex, subStep, stream: isStart ? startStreamName(stream) : stream }).fillNormal(
      data,
    );
    return data;
  }

  /** Writes a result to all its targets. */
  write(targets: readonly Target[], tensor: Tensor): void {
    for (const target of targets) {
      if (target.kind === "frames") this.#frames = tensor;
      else if (target.kind === "state") this.#stateWrites.set(target.name, tensor);
      else this.#values.set(target.name, tensor);
    }
  }

  #noiseTensor(name: string, { dtype, shape }: TensorSignature): Tensor {
    const floats = this.#noise.get(name) ?? this.freshNoise(name, 0, elementCount(fixed(shape)));
    this.#noise.set(name, floats);
    return floatTensor(dtype, fixed(shape), floats);
  }

  #stateProperty(source: Source & { readonly kind: "state_property" }, signature: TensorSignature): Tensor {
    const cache = this.#options.states.appended(source.name);
    const shape = fixed(signature.shape);
    switch (source.property) {
      case "length":
        return filledTensor(signature.dtype, shape, wrapped(cache.length, source.modulo));
      case "position":
        return counting(signature, cache.total, source.modulo);
      case "mask":
      case "positions": {
        const { extend = 0, modulo } = source;
        const isMask = source.property === "mask";
        const kept = isMask ? cache.mask() : cache.positions();
        for (let next = 0; next < extend; next += 1) kept.push(isMask ? 1 : cache.total + next);
        const values = isMask ? kept : kept.map((position) => wrapped(position, modulo));
        const open = signature.shape.map((length) => (length === "any" ? values.length : length));
        return tensorOf(signature.dtype, open, values);
      }
    }
  }
}

/** A counter; fed to several elements it counts on from one to the next. */
function counting({ dtype, shape }: TensorSignature, first: number, modulo: number | undefined): Tensor {
  const count = elementCount(fixed(shape));
  if (count === 1) return filledTensor(dtype, fixed(shape), wrapped(first, modulo));
  const values = Array.from({ length: count }, (_, index) => wrapped(first + index, modulo));
  return tensorOf(dtype, fixed(shape), values);
}

function wrapped(value: number, modulo: number | undefined): number {
  return modulo === undefined ? value : value % modulo;
}

function fixed(shape: readonly Dimension[]): readonly number[] {
  return shape as readonly number[];
}

function found<T>(value: T | undefined, source: Source): T {
  if (value !== undefined) return value;
  const name = "name" in source ? source.name : source.kind;
  throw new DreamloopError(ERROR_CODES.internal, `${source.kind}:${name} is missing although the plan has it`);
}
