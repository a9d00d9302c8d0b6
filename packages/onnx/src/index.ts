// Adapters
export { bundleAdapter, DEFAULT_MAX_BUNDLE_SESSIONS } from "./adapter/bundle-adapter.ts";
export type { BundleAdapterOptions, BundleModelAdapter } from "./adapter/bundle-adapter.ts";
export type { BundleRuntime, Fallback, LoadStatus } from "./adapter/bundle-runtime.ts";
export { openBundle } from "./plan/open-bundle.ts";
export type { Bundle, BundleOpening } from "./plan/open-bundle.ts";
export type { LoadedBundle } from "./load/loaded-bundle.ts";
export { DEFAULT_REFERENCE_FRAMES, recordReference } from "./adapter/record-reference.ts";
export type { RecordedReference, RecordReferenceOptions } from "./adapter/record-reference.ts";
export { REFERENCE_COMPARISONS } from "./load/reference-check.ts";
export type { ReferenceCheck, ReferenceComparison } from "./load/reference-check.ts";
export { SharedLoads } from "./load/shared-loads.ts";
export type { AcquireOptions, Closable, Lease } from "./load/shared-loads.ts";
// Checks
export { CHECK_LEVELS, checkBundleFiles } from "./adapter/check-bundle.ts";
export type { CheckLevel, CheckOptions, CheckReport } from "./adapter/check-bundle.ts";
export { bundleError, describeFault, FAULT_CODES, faultLines, LISTED_FAULTS, MANIFEST_FILE } from "./faults/fault.ts";
export type { Fault, FaultCode } from "./faults/fault.ts";
// Files
export { SMALL_FILE_BYTES } from "./manifest/bundle-files.ts";
export type { BundleFiles, FileFacts, HashOptions, PathObstacle, ReadOptions } from "./manifest/bundle-files.ts";
export { memoryFiles } from "./manifest/memory-files.ts";
export type { MemoryFilesOptions } from "./manifest/memory-files.ts";
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
export { FORMAT_VERSION } from "./manifest/world-schema.ts";
export { CACHE_ALIGNMENTS, GRAPH_ROLES } from "./manifest/graph-schema.ts";
export type { CacheAlignment, GraphRole } from "./manifest/graph-schema.ts";
export type { WorldPlan } from "./plan/world-plan.ts";
export type { Vocabulary } from "./plan/prompt-encoder.ts";
// Engines
export type { Engine, EngineFacts, Graph, GraphOptions, GraphSource } from "./load/engine.ts";
export { TENSOR_DTYPES } from "./manifest/tensor.ts";
export type { Dimension, GraphPort, Tensor, TensorData, TensorDtype, TensorSignature } from "./manifest/tensor.ts";
// Domains and samplers
export type { BoundDomain, DomainContext, DomainRegistry, NeutralQuantity, WorldDomain } from "./plan/world-domain.ts";
export { domainRegistry } from "./plan/world-domain.ts";
export { BUILT_IN_SAMPLERS } from "./plan/samplers/built-in-samplers.ts";
export { flowMatching } from "./plan/samplers/flow-matching.ts";
export type {
  PredictionCall,
  Sampler,
  SamplerRegistry,
  SamplerRun,
  SamplerSettings,
  SettingRule,
} from "./plan/samplers/sampler.ts";
// Reports of steps
export { REFUSED_PROMPTS } from "./session/initial-encoder.ts";
export type { PromptReport } from "./session/initial-encoder.ts";
