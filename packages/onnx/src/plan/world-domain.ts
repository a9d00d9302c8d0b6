import type { DeviceConverter, InputMapping, Json } from "@dreamloop/core";
import type { TensorSignature } from "../manifest/tensor.ts";

/** What a domain is told about the world that it is to drive. */
export interface DomainContext {
  /** The world. */
  readonly worldId: string;
  /** Pixels a row of the world's frames. */
  readonly width: number;
  /** Rows of the world's frames. */
  readonly height: number;
  /** The world's own rate. */
  readonly framesPerSecond: number;
  /** Frames of each step. */
  readonly framesPerStep: number;
  /** Frames of the first step. */
  readonly firstStepFrames: number;
  /** Initial inputs that the world takes from the domain. */
  readonly initialInputs: Readonly<Record<string, TensorSignature>>;
  /** Step inputs that the world takes from the domain. */
  readonly stepInputs: Readonly<Record<string, TensorSignature>>;
  /** The manifest's `domainOptions`; the domain refuses keys that it does not know. */
  readonly options: { readonly [key: string]: Json };
}

/** A quantity in a physical unit. */
export interface NeutralQuantity {
  /** Its value. */
  readonly value: number | boolean;
  /** Its unit. */
  readonly unit: string;
}

/** A domain made ready for one world. */
export interface BoundDomain {
  /** Canonical inputs → the step and initial inputs that the world takes from the domain. */
  readonly mapping: InputMapping;
  /** What it supplies at the start, by name. */
  readonly initialTensors: Readonly<Record<string, TensorSignature>>;
  /** What it supplies in each step, by name. */
  readonly stepTensors: Readonly<Record<string, TensorSignature>>;
}

/**
 * The simulation between what a person does and what a world is conditioned on, such as vehicle dynamics and a map. Manifests
 * name it by its id; it is looked up in the registry that the adapter is given, and never loaded from a bundle.
 */
export interface WorldDomain {
  /** Its identity with the version of its interface, such as `dreamloop/drive@1`. */
  readonly id: string;
  /** Version of its behaviour, recorded in traces. */
  readonly version: string;
  /** Converters that belong to it; absent: the standard ones. */
  readonly converters?: readonly DeviceConverter[];
  /** The neutral action in physical units, keyed by modality and field, such as `driver_command.throttle`. */
  readonly neutralAction: Readonly<Record<string, NeutralQuantity>>;
  /** Makes it ready for a world; throws `invalid_value` when it cannot serve it. */
  bind(context: DomainContext): BoundDomain;
}

/** Domains by id. */
export type DomainRegistry = Readonly<Record<string, WorldDomain>>;

/** Domains as they are handed over: a list, or by their ids. */
export type DomainSource = DomainRegistry | readonly WorldDomain[];

/** Domains by their ids, however they were handed over. */
export function domainRegistry(domains: DomainSource = {}): DomainRegistry {
  if (!Array.isArray(domains)) return domains as DomainRegistry;
  return Object.fromEntries((domains as readonly WorldDomain[]).map((domain) => [domain.id, domain]));
}
