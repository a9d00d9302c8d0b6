import { neutralValue } from "@dreamloop/core";
import { errorToRecord } from "@dreamloop/core/internal";
import { FAULT_CODES, type Fault } from "../faults/fault.ts";
import { describeSignature, fitsShape, type TensorSignature } from "../manifest/tensor.ts";
import type { WorldManifest } from "../manifest/world-manifest.ts";
import { checkModalities } from "./check-inputs.ts";
import { FaultList } from "../faults/fault-list.ts";
import type { BoundDomain, DomainContext, DomainRegistry, WorldDomain } from "./world-domain.ts";

/** A domain that has been looked up and bound. */
export interface DomainBinding {
  /** The domain. */
  readonly domain: WorldDomain;
  /** What it is for this world. */
  readonly bound: BoundDomain;
}

/** Looks up and binds the domain of a manifest; everything that does not fit is a fault. No binding where the world has none. */
export function bindDomain(
  manifest: WorldManifest,
  domains: DomainRegistry,
): { readonly binding?: DomainBinding | undefined; readonly faults: readonly Fault[] } {
  const list = new FaultList();
  const id = manifest.domain;
  if (id === undefined) {
    checkModalities(manifest, [], list);
    if (manifest.neutralAction !== undefined) {
      list.add({
        code: FAULT_CODES.neutralAction,
        path: "neutralAction",
        expected: "no such key without a domain",
        found: "neutralAction",
        mend: "Say what is neutral at each input: components and cases have their own key for it.",
      });
    }
    return { faults: list.faults };
  }
  const domain = Object.hasOwn(domains, id) ? domains[id] : undefined;
  if (domain === undefined) {
    const known = Object.keys(domains);
    if (known.length > 0) {
      list.addUnknown({
        code: FAULT_CODES.domain,
        path: "domain",
        what: "a domain that is registered",
        name: id,
        known,
      });
    } else {
      list.add({
        code: FAULT_CODES.domain,
        path: "domain",
        expected: "a domain that is registered, of which there is none here",
        found: JSON.stringify(id),
        mend: "Hand it over where the bundle is loaded: loadBundle(folder, { domains: [driveDomain] }).",
      });
    }
    return { faults: list.faults };
  }
  checkNeutralAction(manifest, domain, list);
  const bound = tryBind(manifest, domain, list);
  if (bound === undefined) return { faults: list.faults };
  const { initial, step } = manifest.inputs;
  const { consumes, consumesOptional } = bound.mapping;
  const converted = (domain.converters ?? []).map(({ produces }) => produces);
  checkModalities(manifest, [...converted, ...consumes, ...consumesOptional], list);
  checkTensors(ofDomain(initial), bound.initialTensors, "inputs.initial", list);
  checkTensors(ofDomain(step), bound.stepTensors, "inputs.step", list);
  checkIdleDevice(domain, bound, list);
  return { binding: { domain, bound }, faults: list.faults };
}

function tryBind(manifest: WorldManifest, domain: WorldDomain, list: FaultList): BoundDomain | undefined {
  const { video, inputs } = manifest;
  const context: DomainContext = {
    worldId: manifest.id,
    width: video.width,
    height: video.height,
    framesPerSecond: video.framesPerSecond,
    framesPerStep: video.framesPerStep,
    firstStepFrames: video.firstStepFrames ?? video.framesPerStep,
    initialInputs: ofDomain(inputs.initial),
    stepInputs: ofDomain(inputs.step),
    options: manifest.domainOptions,
  };
  try {
    return domain.bind(context);
  } catch (error) {
    const { message } = errorToRecord(error);
    list.add({
      code: FAULT_CODES.domain,
      path: "domain",
      expected: `a world that ${domain.id} can serve`,
      found: message,
      mend: "Correct video, inputs or domainOptions.",
    });
    return undefined;
  }
}

function ofDomain(
  inputs: Readonly<Record<string, TensorSignature & { readonly type: string; readonly from?: unknown }>>,
): Readonly<Record<string, TensorSignature>> {
  const taken = Object.entries(inputs).filter(([, input]) => input.type === "tensor" && input.from === "domain");
  return Object.fromEntries(taken.map(([name, { dtype, shape }]) => [name, { dtype, shape }]));
}

function checkTensors(
  declared: Readonly<Record<string, TensorSignature>>,
  supplied: Readonly<Record<string, TensorSignature>>,
  path: string,
  list: FaultList,
): void {
  for (const [name, signature] of Object.entries(declared)) {
    const found = Object.hasOwn(supplied, name) ? supplied[name] : undefined;
    if (found === undefined) {
      list.addUnknown({
        code: FAULT_CODES.domain,
        path: `${path}.${name}`,
        what: "an input that the domain supplies",
        name,
        known: Object.keys(supplied),
      });
    } else if (found.dtype !== signature.dtype || !fitsShape(signature.shape, found.shape)) {
      list.add({
        code: FAULT_CODES.domain,
        path: `${path}.${name}`,
        expected: `${describeSignature(found)}, as the domain supplies it`,
        found: describeSignature(signature),
        mend: "Correct the declaration, or the size of the video that it follows from.",
      });
    }
  }
}

/** The manifest and the domain have to mean the same by "nothing is done". */
function checkNeutralAction(manifest: WorldManifest, domain: WorldDomain, list: FaultList): void {
  const declared = manifest.neutralAction ?? {};
  for (const [name, quantity] of Object.entries(domain.neutralAction)) {
    const found = Object.hasOwn(declared, name) ? declared[name] : undefined;
    if (found?.value === quantity.value && found.unit === quantity.unit) continue;
    list.add({
      code: FAULT_CODES.neutralAction,
      path: `neutralAction[${JSON.stringify(name)}]`,
      expected: `{"value": ${quantity.value}, "unit": ${JSON.stringify(quantity.unit)}}, as in ${domain.id}`,
      found: found === undefined ? "nothing" : JSON.stringify(found),
      mend: "Write the domain's neutral action; the model has to be trained with it.",
    });
  }
  for (const name of Object.keys(declared)) {
    if (Object.hasOwn(domain.neutralAction, name)) continue;
    const known = Object.keys(domain.neutralAction);
    list.addUnknown({
      code: FAULT_CODES.neutralAction,
      path: `neutralAction[${JSON.stringify(name)}]`,
      what: "a quantity of the domain",
      name,
      known,
    });
  }
}

/** What an idle device gives has to be the neutral action, else the world moves when nobody touches anything. */
function checkIdleDevice(domain: WorldDomain, bound: BoundDomain, list: FaultList): void {
  for (const modality of [...bound.mapping.consumes, ...bound.mapping.consumesOptional]) {
    for (const [field, value] of Object.entries(neutralValue(modality) ?? {})) {
      const name = `${modality.name}.${field}`;
      const quantity = domain.neutralAction[name];
      if (quantity === undefined || quantity.value === value) continue;
      list.add({
        code: FAULT_CODES.neutralAction,
        path: `neutralAction[${JSON.stringify(name)}]`,
        expected: `${String(value)}, which an idle device gives`,
        found: `${String(quantity.value)} ${quantity.unit}`,
        mend: `Correct the neutral action of ${domain.id}.`,
      });
    }
  }
}
