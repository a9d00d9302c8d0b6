// Adapters
export { bundleAdapter, DEFAULT_MAX_SESSIONS } from "./adapter/bundle-adapter.ts";
export type { BundleAdapterOptions, BundleModelAdapter } from "./adapter/bundle-adapter.ts";
export type { BundleRuntime, LoadStatus } from "./adapter/bundle-runtime.ts";
export type { Fallback } from "./adapter/fallbacks.ts";
export { openBundle } from "./bundle/open-bundle.ts";
export type { Bundle, BundleOpening } from "./bundle/open-bundle.ts";
export type { LoadedBundle } from "./load/loaded-bundle.ts";
export { DEFAULT_REFERENCE_FRAMES, recordReference } from "./reference/record-reference.ts";
export type { RecordedReference, RecordReferenceOptions } from "./reference/record-reference.ts";
export { REFERENCE_COMPARISONS } from "./reference/reference-check.ts";
export type { ReferenceCheck, ReferenceComparison } from "./reference/reference-check.ts";
export { SharedLoads } from "./load/shared-loads.ts";
export type { AcquireOptions, Closable, Lease } from "./load/shared-loads.ts";
// Checks
export { CHECK_LEVELS, checkBundleFiles } from "./check/check-bundle.ts";
export type { CheckLevel, CheckOptions, CheckReport } from "./check/check-bundle.ts";
export { bundleError, describeFault, FAULT_CODES } from "./check/fault.ts";
export type { Fault, FaultCode } from "./check/fault.ts";
// Files
export { SMALL_FILE_BYTES } from "./files/bundle-files.ts";
export type { BundleFiles, FileFacts, HashOptions, ReadOptions } from "./files/bundle-files.ts";
export { memoryFiles } from "./files/memory-files.ts";
export type { MemoryFilesOptions } from "./files/memory-files.ts";
// Manifest
export { readManifest, readManifestText } from "./manifest/read-manifest.ts";
export type { ManifestReading } from "./manifest/read-manifest.ts";
export { worldJsonSchema } from "./manifest/json-schema.ts";
export type { JsonSchemaNode } from "./manifest/json-schema.ts";
export type {
  ReferenceEnvironment,
  ReferenceFramesDeclaration,
  WorldManifest,
  WorldManifestInput,
} from "./manifest/world-manifest.ts";
export { DEFAULT_MINIMUM_PSNR, MAX_REFERENCE_FRAMES } from "./manifest/reference-schema.ts";
export { FORMAT_VERSION, MANIFEST_FILE } from "./manifest/world-schema.ts";
export { CACHE_ALIGNMENTS, GRAPH_ROLES } from "./manifest/graph-schema.ts";
export type { CacheAlignment, GraphRole } from "./manifest/graph-schema.ts";
export type { WorldPlan } from "./plan/world-plan.ts";
export type { Vocabulary } from "./inputs/prompt-encoder.ts";
// Engines
export type { Engine, EngineFacts, Graph, GraphOptions, GraphPort, GraphSource } from "./engine/engine.ts";
export { TENSOR_DTYPES } from "./engine/tensor.ts";
export type { Dimension, Tensor, TensorData, TensorDtype, TensorSignature } from "./engine/tensor.ts";
// Domains and samplers
export type {
  BoundDomain,
  DomainContext,
  DomainRegistry,
  NeutralQuantity,
  WorldDomain,
} from "./domain/world-domain.ts";
export { BUILT_IN_SAMPLERS, flowMatching } from "./sampler/flow-matching.ts";
export type { Sampler, SamplerRegistry, SamplerRun } from "./sampler/sampler.ts";
// Reports of steps
export { REFUSED_PROMPTS } from "./inputs/prompt-mapping.ts";
export type { PromptReport } from "./inputs/initial-encoder.ts";
