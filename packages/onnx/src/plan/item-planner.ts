import type { FaultList } from "../faults/fault-list.ts";
import { FAULT_CODES } from "../faults/fault.ts";
import { describeSignature, isFixedShape, isFloatDtype, type TensorSignature } from "../manifest/tensor.ts";
import type {
  AddNoiseItemDeclaration,
  ConcatItemDeclaration,
  GraphItemDeclaration,
  ItemDeclaration,
  SampleItemDeclaration,
  SetItemDeclaration,
  TargetsDeclaration,
  TransformItemDeclaration,
  WorldManifest,
} from "../manifest/world-manifest.ts";
import { GraphPorts, portName } from "./graph-ports.ts";
import { type Phase, PHASE_RULES } from "./phases.ts";
import { parseSource, parseTarget, PIPELINE_TARGET_FORMS, type Target } from "./reference.ts";
import { SamplePlanner } from "./sample-planner.ts";
import type { ValueScope } from "./scope.ts";
import { joinedSignature, signatureAfter } from "./tensor-ops.ts";
import type { SourceContext, SourceResolver } from "./source-resolver.ts";
import type { TargetChecker } from "./target-checker.ts";
import type { PlannedItem, PlannedOutput, RunCondition } from "./world-plan.ts";

/** Where an item stands. */
export interface ItemPlace {
  /** Where it stands in the manifest. */
  readonly path: string;
  /** The part of the pipeline. */
  readonly phase: Phase;
  /** Values of earlier items; the item's own are added. */
  readonly scope: ValueScope;
  /** Watches over what is written. */
  readonly targets: TargetChecker;
}

/** Resolves the items of a pipeline one by one. */
export class ItemPlanner {
  readonly #manifest: WorldManifest;
  readonly #faults: FaultList;
  readonly #resolver: SourceResolver;
  readonly #samples: SamplePlanner;
  /** The graphs and what they are fed. */
  readonly ports: GraphPorts;

  /** Faults are added to `faults`. */
  constructor(manifest: WorldManifest, faults: FaultList, resolver: SourceResolver) {
    this.#manifest = manifest;
    this.#faults = faults;
    this.#resolver = resolver;
    this.ports = new GraphPorts(manifest.graphs, faults, resolver);
    this.#samples = new SamplePlanner(faults, resolver, this.ports);
  }

  /** The item with its references resolved; `undefined` when a fault keeps it from being run at all. */
  plan(item: ItemDeclaration, place: ItemPlace): PlannedItem | undefined {
    const condition: RunCondition = {
      when: this.#conditionInput(item.when, `${place.path}.when`),
      unless: this.#conditionInput(item.unless, `${place.path}.unless`),
    };
    const context: SourceContext = { path: place.path, phase: place.phase, scope: place.scope, condition };
    switch (item.type) {
      case "graph":
        return this.#graph(item, place, context);
      case "sample":
        return this.#sample(item, place, context);
      case "add_noise":
        return this.#addNoise(item, place, context);
      case "set":
        return this.#set(item, place, context);
      case "transform":
        return this.#transform(item, place, context);
      case "concat":
        return this.#concat(item, place, context);
    }
  }

  #conditionInput(text: string | undefined, path: string): string | undefined {
    if (text === undefined) return undefined;
    const source = parseSource(text);
    if (source?.kind !== "initial") {
      this.#faults.add({
        code: FAULT_CODES.reference,
        path,
        expected: "initial:NAME",
        found: JSON.stringify(text),
        mend: "Name an initial input.",
      });
      return undefined;
    }
    const known = Object.keys(this.#manifest.inputs.initial);
    if (!known.includes(source.name))
      this.#faults.addUnknown({
        code: FAULT_CODES.reference,
        path,
        what: "an initial input",
        name: source.name,
        known,
      });
    return source.name;
  }

  #targets(
    declared: TargetsDeclaration,
    signature: TensorSignature,
    path: string,
    place: ItemPlace,
    condition: RunCondition,
  ): readonly Target[] {
    const targets: Target[] = [];
    for (const text of typeof declared === "string" ? [declared] : declared) {
      const target = parseTarget(text);
      const rule = PHASE_RULES[place.phase];
      if (target === undefined) {
        this.#faults.add({
          code: FAULT_CODES.reference,
          path,
          expected: PIPELINE_TARGET_FORMS,
          found: JSON.stringify(text),
          mend: "Write one of these forms.",
        });
      } else if (!rule.targets.includes(target.kind)) {
        this.#faults.add({
          code: FAULT_CODES.reference,
          path,
          expected: `no ${text} in this part of the pipeline`,
          found: JSON.stringify(text),
          mend: rule.reason,
        });
      } else {
        place.targets.check(target, signature, path, condition);
        if (target.kind === "value") this.#addValue(target.name, signature, path, place, condition);
        targets.push(target);
      }
    }
    return targets;
  }

  #addValue(name: string, signature: TensorSignature, path: string, place: ItemPlace, condition: RunCondition): void {
    if (place.scope.add(name, signature, condition)) return;
    this.#faults.add({
      code: FAULT_CODES.reference,
      path,
      expected: "a name that no item before this one produces",
      found: JSON.stringify(name),
      mend: 'Rename one of them, or let them exclude each other by "when" and "unless".',
    });
  }

  #graph(item: GraphItemDeclaration, place: ItemPlace, context: SourceContext): PlannedItem | undefined {
    const graph = this.ports.graph(item.graph, place.path);
    if (graph === undefined) return undefined;
    const inputs = this.ports.inputs(graph, item.inputs, `${place.path}.inputs`, context);
    this.ports.refuseUnknown(
      Object.keys(item.outputs),
      Object.keys(graph.outputs),
      `${place.path}.outputs`,
      "an output of the graph",
    );
    const outputs: PlannedOutput[] = [];
    for (const [name, targets] of Object.entries(item.outputs)) {
      const signature = graph.outputs[name];
      if (signature === undefined) continue;
      const planned = this.#targets(targets, signature, `${place.path}.outputs.${name}`, place, context.condition);
      outputs.push({ port: portName(graph, name), signature, targets: planned });
    }
    return { type: "graph", path: place.path, condition: context.condition, graph: item.graph, inputs, outputs };
  }

  #sample(item: SampleItemDeclaration, place: ItemPlace, context: SourceContext): PlannedItem | undefined {
    const planned = this.#samples.plan(item, place.path, context);
    if (planned === undefined) return undefined;
    const targets = this.#targets(item.output, planned.latent, `${place.path}.output`, place, context.condition);
    return planned.item && { ...planned.item, targets };
  }

  #addNoise(item: AddNoiseItemDeclaration, place: ItemPlace, context: SourceContext): PlannedItem | undefined {
    const { path } = place;
    const latent = this.#resolver.resolveOpen(item.latent, { ...context, path: `${path}.latent` });
    if (latent === undefined) return undefined;
    const { signature } = latent;
    if (!isFloatDtype(signature.dtype) || !isFixedShape(signature.shape)) {
      this.#faults.add({
        code: FAULT_CODES.referenceType,
        path: `${path}.latent`,
        expected: "float32 or float16 of a known shape",
        found: describeSignature(signature),
        mend: "Noise can only be added to such a tensor.",
      });
      return undefined;
    }
    const noise = this.#resolver.resolve(item.noise, signature, { ...context, path: `${path}.noise` });
    const targets = this.#targets(item.output, signature, `${path}.output`, place, context.condition);
    if (noise === undefined) return undefined;
    return {
      type: "add_noise",
      path,
      condition: context.condition,
      sampler: item.sampler,
      latent: latent.source,
      noise,
      signature,
      level: item.level,
      settings: item.settings,
      targets,
    };
  }

  #transform(item: TransformItemDeclaration, place: ItemPlace, context: SourceContext): PlannedItem | undefined {
    const { path } = place;
    const from = this.#resolver.resolveOpen(item.from, { ...context, path: `${path}.from` });
    if (from === undefined) return undefined;
    let signature = from.signature;
    for (const [index, op] of item.do.entries()) {
      const result = signatureAfter(op, signature);
      if ("refused" in result) {
        this.#faults.add({
          code: FAULT_CODES.referenceType,
          path: `${path}.do[${index}]`,
          expected: result.refused,
          found: `${JSON.stringify(op)} on ${describeSignature(signature)}`,
          mend: "Correct the numbers, or what comes before.",
        });
        return undefined;
      }
      signature = result;
    }
    const targets = this.#targets(item.to, signature, `${path}.to`, place, context.condition);
    const { source } = from;
    const { condition } = context;
    return { type: "transform", path, condition, from: source, signature: from.signature, ops: item.do, targets };
  }

  #concat(item: ConcatItemDeclaration, place: ItemPlace, context: SourceContext): PlannedItem | undefined {
    const { path } = place;
    const parts = item.from.flatMap(
      (text, index) => this.#resolver.resolveOpen(text, { ...context, path: `${path}.from[${index}]` }) ?? [],
    );
    if (parts.length < item.from.length) return undefined;
    const joined = joinedSignature(
      parts.map(({ signature }) => signature),
      item.axis,
    );
    if ("refused" in joined) {
      this.#faults.add({
        code: FAULT_CODES.referenceType,
        path: `${path}.from`,
        expected: joined.refused,
        found: parts.map(({ signature }) => describeSignature(signature)).join(", "),
        mend: "Correct the axis, or transform the parts before.",
      });
      return undefined;
    }
    const targets = this.#targets(item.to, joined, `${path}.to`, place, context.condition);
    const axis = item.axis < 0 ? item.axis + joined.shape.length : item.axis;
    return { type: "concat", path, condition: context.condition, parts, axis, targets };
  }

  #set(item: SetItemDeclaration, place: ItemPlace, context: SourceContext): PlannedItem | undefined {
    const { path } = place;
    const from = this.#resolver.resolveOpen(item.from, { ...context, path: `${path}.from` });
    if (from === undefined) return undefined;
    const targets = this.#targets(item.to, from.signature, `${path}.to`, place, context.condition);
    return { type: "set", path, condition: context.condition, from: from.source, signature: from.signature, targets };
  }
}
