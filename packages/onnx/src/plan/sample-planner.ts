import { exactPow } from "@dreamloop/core";
import type { FaultList } from "../faults/fault-list.ts";
import { FAULT_CODES } from "../faults/fault.ts";
import {
  describeSignature,
  fitsShape,
  isFixedShape,
  isFloatDtype,
  type TensorDtype,
  type TensorSignature,
} from "../manifest/tensor.ts";
import type { GraphDeclaration, SampleItemDeclaration } from "../manifest/world-manifest.ts";
import { portName, type GraphPorts } from "./graph-ports.ts";
import type { Source } from "./reference.ts";
import type { SourceContext, SourceResolver } from "./source-resolver.ts";
import type { PlannedBranch, PlannedContext, PlannedInput, PlannedSample } from "./world-plan.ts";

/** A sample item but for its targets. */
export interface PlannedSampling {
  /** What goes to the targets. */
  readonly latent: PlannedSample["latent"];
  /** The item; absent when a fault keeps it from being run. */
  readonly item?: Omit<PlannedSample, "targets">;
}

/** The latent of a graph: what it is fed, and what is sampled of that. */
interface GraphLatent {
  readonly whole: TensorSignature & { readonly shape: readonly number[] };
  readonly sampled: { readonly dtype: "float32" | "float16"; readonly shape: readonly number[] };
  readonly context: PlannedContext | undefined;
}

/** A single number that guidance takes. */
const NUMBER: TensorSignature = { dtype: "float32", shape: [1] };

/** Resolves sample items. */
export class SamplePlanner {
  readonly #faults: FaultList;
  readonly #resolver: SourceResolver;
  readonly #ports: GraphPorts;

  /** Faults are added to `faults`. */
  constructor(faults: FaultList, resolver: SourceResolver, ports: GraphPorts) {
    this.#faults = faults;
    this.#resolver = resolver;
    this.#ports = ports;
  }

  /** The item with its references resolved; `undefined` when not even its latent is known. */
  plan(item: SampleItemDeclaration, path: string, context: SourceContext): PlannedSampling | undefined {
    const graph = this.#ports.graph(item.graph, path);
    if (graph === undefined) return undefined;
    const latent = this.#latent(item, graph, path, context);
    if (latent === undefined) return undefined;
    const { whole, sampled } = latent;
    const levelCount = latent.context === undefined ? undefined : whole.shape[latent.context.axis];
    const within: SourceContext = { ...context, latent: whole, levelCount };
    const start = this.#resolver.resolve(item.latent, sampled, { ...context, path: `${path}.latent` });
    const inputs = this.#ports.inputs(graph, item.inputs, `${path}.inputs`, within);
    const { branches, rescale } = this.#guidance(item, graph, path, within);
    this.#checkPrediction(item, graph, latent, path);
    const schedules = this.#schedules(item, path);
    this.#checkWholeLevels([inputs, ...branches.map((branch) => branch.inputs)].flat(), [...schedules.values()], path);
    if (start === undefined) return { latent: sampled };
    const planned: PlannedSampling["item"] = {
      type: "sample",
      path,
      condition: context.condition,
      graph: item.graph,
      sampler: item.sampler,
      settings: item.settings,
      start,
      latent: sampled,
      context: latent.context,
      inputs,
      branches,
      rescale,
      prediction: portName(graph, item.prediction),
      schedules,
      defaultSteps: item.defaultSteps,
    };
    return { latent: sampled, item: planned };
  }

  #latent(
    item: SampleItemDeclaration,
    graph: GraphDeclaration,
    path: string,
    context: SourceContext,
  ): GraphLatent | undefined {
    const name = Object.keys(item.inputs).find((each) => item.inputs[each] === "sampler:latent");
    const port = name === undefined ? undefined : graph.inputs[name];
    if (port === undefined || !isFloatDtype(port.dtype) || !isFixedShape(port.shape)) {
      this.#faults.add({
        code: FAULT_CODES.reference,
        path: `${path}.inputs`,
        expected: "one float32 or float16 input of a known shape fed by sampler:latent",
        found: port === undefined ? "none" : describeSignature(port),
        mend: "Bind the graph's latent input to it.",
      });
      return undefined;
    }
    const { dtype: latentDtype } = port;
    const wholeShape: readonly number[] = port.shape;
    const whole = { dtype: latentDtype, shape: wholeShape };
    if (item.context === undefined) return { whole, sampled: whole, context: undefined };
    const { axis, from, level } = item.context;
    const before = this.#resolver.resolveOpen(from, { ...context, path: `${path}.context.from` });
    if (before === undefined) return undefined;
    const { shape, dtype } = before.signature;
    const length = shape[axis];
    const isAlike =
      dtype === whole.dtype &&
      shape.length === whole.shape.length &&
      whole.shape.every((each, index) => index === axis || each === shape[index]);
    if (!isAlike || typeof length !== "number" || length >= whole.shape[axis]) {
      this.#faults.add({
        code: FAULT_CODES.referenceType,
        path: `${path}.context.from`,
        expected: `${describeSignature(whole)} with fewer frames along axis ${axis}`,
        found: describeSignature(before.signature),
        mend: "The graph is fed the context and then the frames that are sampled; correct the axis or the shapes.",
      });
      return undefined;
    }
    const rest = wholeShape.map((each, index) => (index === axis ? each - length : each));
    const planned = { source: before.source, signature: before.signature, axis, length, level };
    return { whole, sampled: { dtype: whole.dtype, shape: rest }, context: planned };
  }

  #guidance(
    { guidance, inputs }: SampleItemDeclaration,
    graph: GraphDeclaration,
    path: string,
    context: SourceContext,
  ): { readonly branches: readonly PlannedBranch[]; readonly rescale: number | Source } {
    if (guidance === undefined) return { branches: [], rescale: 0 };
    const isList = "branches" in guidance;
    const declared = isList ? guidance.branches : [guidance];
    const branches = declared.map((branch, index): PlannedBranch => {
      const at = isList ? `${path}.guidance.branches[${index}]` : `${path}.guidance`;
      const names = Object.keys(graph.inputs);
      this.#ports.refuseUnknown(Object.keys(branch.inputs), names, `${at}.inputs`, "an input of the graph");
      const planned = this.#ports.inputs(graph, { ...inputs, ...branch.inputs }, `${at}.inputs`, context);
      return { scale: this.#number(branch.scale, `${at}.scale`, context, 1), inputs: planned };
    });
    const rescale = isList ? this.#number(guidance.rescale, `${path}.guidance.rescale`, context, 0) : 0;
    return { branches, rescale };
  }

  #number(declared: number | string, path: string, context: SourceContext, otherwise: number): number | Source {
    if (typeof declared === "number") return declared;
    const { latent: _, ...outside } = context;
    return this.#resolver.resolve(declared, NUMBER, { ...outside, path }) ?? otherwise;
  }

  #checkPrediction(item: SampleItemDeclaration, graph: GraphDeclaration, latent: GraphLatent, path: string): void {
    const at = `${path}.prediction`;
    const found = graph.outputs[item.prediction];
    if (found === undefined) {
      const known = Object.keys(graph.outputs);
      const what = "an output of the graph";
      this.#faults.addUnknown({ code: FAULT_CODES.reference, path: at, what, name: item.prediction, known });
      return;
    }
    const { whole, sampled } = latent;
    if (found.dtype === whole.dtype && [whole, sampled].some(({ shape }) => fitsShape(shape, found.shape))) return;
    this.#faults.add({
      code: FAULT_CODES.referenceType,
      path: at,
      expected: `${describeSignature(whole)}, like the latent`,
      found: describeSignature(found),
      mend: "Use the output that the sampler steps along.",
    });
  }

  /** The schedules by number of denoising steps; faults where two are equally long or none is the default. */
  #schedules(item: SampleItemDeclaration, path: string): ReadonlyMap<number, readonly number[]> {
    const schedules = new Map<number, readonly number[]>();
    item.schedules.forEach((declared, index) => {
      const levels = "karras" in declared ? karrasLevels(declared.karras) : declared;
      const steps = levels.length - 1;
      if (schedules.has(steps)) {
        this.#faults.add({
          code: FAULT_CODES.sampler,
          path: `${path}.schedules[${index}]`,
          expected: "another number of levels than the schedules before",
          found: `a second list of ${levels.length}`,
          mend: "The number of denoising steps chooses the schedule, so each number may stand once.",
        });
      }
      schedules.set(steps, levels);
    });
    if (!schedules.has(item.defaultSteps)) {
      this.#faults.add({
        code: FAULT_CODES.sampler,
        path: `${path}.defaultSteps`,
        expected: `one of ${[...schedules.keys()].join(", ")}: a schedule has one level more than steps`,
        found: String(item.defaultSteps),
        mend: "Add a schedule of that length, or change the default.",
      });
    }
    return schedules;
  }

  /** A graph may take its level as a whole number where every level is one: the steps of a training schedule. */
  #checkWholeLevels(inputs: readonly PlannedInput[], schedules: readonly (readonly number[])[], path: string): void {
    const isWhole = schedules.flat().every(Number.isInteger);
    for (const { source, signature, port } of inputs) {
      if (source.kind !== "sampler" || (source.value !== "level" && source.value !== "levels")) continue;
      if (isFloatDtype(signature.dtype) || (isWhole && COUNTING.includes(signature.dtype))) continue;
      this.#faults.add({
        code: FAULT_CODES.referenceType,
        path: `${path}.inputs.${port}`,
        expected: "float32 or float16, or int64 or int32 where every level is a whole number",
        found: describeSignature(signature),
        mend: "Let the graph take its level as a floating point number.",
      });
    }
  }
}

const COUNTING: readonly TensorDtype[] = ["int64", "int32"];

/** Noise levels as in equation 5 of Karras et al. (2022), with 0 after the last. */
export function karrasLevels({
  steps,
  least,
  greatest,
  rho,
}: {
  readonly steps: number;
  readonly least: number;
  readonly greatest: number;
  readonly rho: number;
}): readonly number[] {
  const [from, to] = [exactPow(greatest, 1 / rho), exactPow(least, 1 / rho)];
  const levels = Array.from({ length: steps }, (_, index) =>
    exactPow(from + (steps === 1 ? 0 : index / (steps - 1)) * (to - from), rho),
  );
  return [...levels, 0];
}
