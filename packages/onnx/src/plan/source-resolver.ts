import { FAULT_CODES } from "../faults/fault.ts";
import {
  describeSignature,
  elementCount,
  fitsShape,
  isFixedShape,
  isFloatDtype,
  type TensorSignature,
} from "../manifest/tensor.ts";
import type { SourceDeclaration, WorldManifest } from "../manifest/world-manifest.ts";
import { addTypeFault, checkRuntimeCounter, checkSingle, checkStateProperty } from "./counter-check.ts";
import type { FaultList } from "../faults/fault-list.ts";
import { PHASE_RULES, type Phase } from "./phases.ts";
import { parseSource, SOURCE_FORMS, type Source } from "./reference.ts";
import type { ValueScope } from "./scope.ts";
import type { RunCondition } from "./world-plan.ts";

/** Where a source is used. */
export interface SourceContext {
  /** Where it stands in the manifest. */
  readonly path: string;
  /** The part of the pipeline. */
  readonly phase: Phase;
  /** Values that earlier items produce. */
  readonly scope: ValueScope;
  /** When the item runs. */
  readonly condition: RunCondition;
  /** Signature of the latent, within a sampler's call. */
  readonly latent?: TensorSignature | undefined;
  /** How many noise levels there are, within the call of a sampler with a context; absent: as many as are asked for. */
  readonly levelCount?: number | undefined;
}

/** Resolves sources against a manifest, noting every fault. */
export class SourceResolver {
  readonly #manifest: WorldManifest;
  readonly #faults: FaultList;
  readonly #noiseShapes = new Map<string, readonly number[]>();
  /** Names that some item refers to, such as `initial:prompt`. */
  readonly used = new Set<string>();

  /** Faults are added to `faults`. */
  constructor(manifest: WorldManifest, faults: FaultList) {
    this.#manifest = manifest;
    this.#faults = faults;
  }

  /** Whether an initial input may be missing when a rollout starts. */
  mayBeAbsent(name: string): boolean {
    const input = this.#manifest.inputs.initial[name];
    if (input === undefined || ("default" in input && input.default !== undefined)) return false;
    return !input.required || this.#manifest.inputs.alternatives.some((names) => names.includes(name));
  }

  /** The source, if it gives what is `needed`; else a fault is noted and nothing given. */
  resolve(declaration: SourceDeclaration, needed: TensorSignature, context: SourceContext): Source | undefined {
    if (typeof declaration === "number") return this.#fill(declaration, needed, context);
    const source = this.#parse(declaration, context);
    if (source === undefined) return undefined;
    switch (source.kind) {
      case "noise":
        return this.#noise(source.name, needed, context) ? source : undefined;
      case "state_property": {
        const { state } = this.#manifest;
        const named = this.#named({ kind: "state", name: source.name }, state, "a state tensor", context);
        if (named === undefined) return undefined;
        return checkStateProperty(source, needed, context.path, state, this.#faults) ? source : undefined;
      }
      case "runtime":
        return checkRuntimeCounter(source, needed, context.path, this.#faults) ? source : undefined;
      case "sampler":
        if (source.value === "latent") break;
        if (source.value === "levels") return this.#levels(needed, context) ? source : undefined;
        return checkSingle(needed, context.path, this.#faults) ? source : undefined;
      default:
        break;
    }
    const signature = this.#signature(source, context);
    if (signature === undefined) return undefined;
    if (signature.dtype === needed.dtype && fitsShape(needed.shape, signature.shape)) return source;
    this.#typeFault(context.path, needed, describeSignature(signature));
    return undefined;
  }

  /** The source and what it gives, for items that take whatever it is. */
  resolveOpen(text: string, context: SourceContext): { source: Source; signature: TensorSignature } | undefined {
    const source = this.#parse(text, context);
    if (source === undefined) return undefined;
    const signature = this.#signature(source, context);
    return signature === undefined ? undefined : { source, signature };
  }

  #parse(declaration: Exclude<SourceDeclaration, number>, context: SourceContext): Source | undefined {
    const text = typeof declaration === "string" ? declaration : declaration.from;
    const source = parseSource(text);
    if (source === undefined) {
      this.#faults.add({
        code: FAULT_CODES.reference,
        path: context.path,
        expected: SOURCE_FORMS,
        found: JSON.stringify(text),
        mend: "Write one of these forms, or a number.",
      });
      return undefined;
    }
    const rule = PHASE_RULES[context.phase];
    if (!rule.sources.includes(source.kind)) {
      this.#faults.add({
        code: FAULT_CODES.reference,
        path: context.path,
        expected: `no ${text} in this part of the pipeline`,
        found: JSON.stringify(text),
        mend: rule.reason,
      });
      return undefined;
    }
    if (source.kind === "sampler" && context.latent === undefined) {
      this.#faults.add({
        code: FAULT_CODES.reference,
        path: context.path,
        expected: "sampler: sources in the inputs of a sample item only",
        found: JSON.stringify(text),
        mend: "Use a value, an input or a state.",
      });
      return undefined;
    }
    if (typeof declaration === "string") return source;
    const { modulo, extend } = declaration;
    const isPlaces = source.kind === "state_property" && ["mask", "positions"].includes(source.property);
    if (extend !== undefined && !isPlaces) {
      this.#refuse(context.path, "state:NAME/mask or state:NAME/positions beside extend", text);
      return undefined;
    }
    if (source.kind === "state_property" && (modulo === undefined || source.property !== "mask")) {
      return { ...source, modulo, extend };
    }
    if (source.kind === "runtime") return { ...source, modulo };
    this.#refuse(context.path, "a counter beside modulo", text);
    return undefined;
  }

  #refuse(path: string, expected: string, found: string): void {
    const mend = "Write the reference alone.";
    this.#faults.add({ code: FAULT_CODES.reference, path, expected, found: JSON.stringify(found), mend });
  }

  #signature(source: Source, context: SourceContext): TensorSignature | undefined {
    const { inputs, constants, state } = this.#manifest;
    switch (source.kind) {
      case "initial":
        return this.#named(source, inputs.initial, "an initial input", context) && this.#initial(source.name, context);
      case "step":
        return this.#named(source, inputs.step, "a step input", context);
      case "constant":
        return this.#named(source, constants, "a constant", context);
      case "state":
        return this.#named(source, state, "a state tensor", context);
      case "value":
        return this.#value(source.name, context);
      case "sampler":
        if (source.value === "latent") return context.latent;
        break;
      default:
        break;
    }
    this.#faults.add({
      code: FAULT_CODES.reference,
      path: context.path,
      expected: "a source that has a shape of its own",
      found: source.kind,
      mend: "Refer to an input, a constant, a value or a state.",
    });
    return undefined;
  }

  #named<T extends TensorSignature>(
    source: { readonly kind: string; readonly name: string },
    declared: Readonly<Record<string, T>>,
    what: string,
    context: SourceContext,
  ): T | undefined {
    const found = Object.hasOwn(declared, source.name) ? declared[source.name] : undefined;
    if (found === undefined) {
      this.#faults.addUnknown({
        code: FAULT_CODES.reference,
        path: context.path,
        what,
        name: source.name,
        known: Object.keys(declared),
      });
      return undefined;
    }
    this.used.add(`${source.kind}:${source.name}`);
    return found;
  }

  #initial(name: string, context: SourceContext): TensorSignature | undefined {
    if (this.mayBeAbsent(name) && context.condition.when !== name) {
      this.#faults.add({
        code: FAULT_CODES.reference,
        path: context.path,
        expected: "an initial input that is always there",
        found: `${JSON.stringify(name)}, which may be absent`,
        mend: `Add "when": "initial:${name}" to the item, or give the input a default, or make it required.`,
      });
      return undefined;
    }
    return this.#manifest.inputs.initial[name];
  }

  #value(name: string, context: SourceContext): TensorSignature | undefined {
    const signature = context.scope.signature(name);
    if (signature === undefined) {
      this.#faults.addUnknown({
        code: FAULT_CODES.reference,
        path: context.path,
        what: "a value that an earlier item produces",
        name,
        known: context.scope.names,
      });
      return undefined;
    }
    if (context.scope.isSure(name, context.condition)) return signature;
    this.#faults.add({
      code: FAULT_CODES.reference,
      path: context.path,
      expected: "a value that is produced whenever this item runs",
      found: `${JSON.stringify(name)}, whose item has another "when" or "unless"`,
      mend: "Give this item the same condition, or produce the value in the other case too.",
    });
    return undefined;
  }

  #fill(value: number, needed: TensorSignature, context: SourceContext): Source | undefined {
    if (!isFixedShape(needed.shape)) {
      this.#typeFault(context.path, needed, "a number, which gives no length to the open axis");
      return undefined;
    }
    if (!isFloatDtype(needed.dtype) && !Number.isSafeInteger(value)) {
      this.#typeFault(context.path, needed, `the number ${value}`);
      return undefined;
    }
    return { kind: "fill", value };
  }

  #noise(name: string, needed: TensorSignature, context: SourceContext): boolean {
    if (!this.#manifest.randomStreams.includes(name)) {
      this.#faults.addUnknown({
        code: FAULT_CODES.reference,
        path: context.path,
        what: "a random stream",
        name,
        known: this.#manifest.randomStreams,
      });
      return false;
    }
    this.used.add(`noise:${name}`);
    if (!isFloatDtype(needed.dtype) || !isFixedShape(needed.shape)) {
      this.#typeFault(context.path, needed, "noise, which is float32 or float16 of a known shape");
      return false;
    }
    const before = this.#noiseShapes.get(name);
    if (before !== undefined && elementCount(before) !== elementCount(needed.shape)) {
      this.#faults.add({
        code: FAULT_CODES.referenceType,
        path: context.path,
        expected: `noise of the shape [${before.join(", ")}], as elsewhere`,
        found: `[${needed.shape.join(", ")}]`,
        mend: "Use a random stream of its own for each shape: the same name in one step means the same numbers.",
      });
      return false;
    }
    this.#noiseShapes.set(name, needed.shape);
    return true;
  }

  #levels(needed: TensorSignature, { path, levelCount }: SourceContext): boolean {
    const fits =
      isFixedShape(needed.shape) && elementCount(needed.shape) === (levelCount ?? elementCount(needed.shape));
    if (!fits) this.#typeFault(path, needed, `a level for each of ${levelCount ?? "some"} frames`);
    return fits;
  }

  #typeFault(path: string, needed: TensorSignature, found: string): void {
    addTypeFault(this.#faults, path, needed, found);
  }
}
