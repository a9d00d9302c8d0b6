// Time, hashes and facts
export { environmentFacts } from "./environment-facts.ts";
export type { EnvironmentFactsOptions } from "./environment-facts.ts";
export { ProcessClock } from "./process-clock.ts";
export { sha256FrameHasher } from "./sha256-hasher.ts";
// Inputs
export { imageInputSize } from "./image-input.ts";
export type { ImageInputSize } from "./image-input.ts";
// Traces on disk
export { appendToTrace, TRACE_SYNC, TraceFileWriter } from "./trace/trace-file-writer.ts";
export type { TraceFileHandle, TraceFileOptions, TraceSync } from "./trace/trace-file-writer.ts";
export { inspectTraceFile, readTraceFile, traceFileChunks } from "./trace/trace-file-reader.ts";
export { PayloadFolder, payloadFolderOf } from "./trace/payload-folder.ts";
// Moments
export { openMomentFile, readMomentBytes, writeMomentBytes, writeMomentFile } from "./moment/moment-files.ts";
export { momentPicture } from "./moment/png-picture.ts";
export { momentOf, runFrom } from "./moment/run-from.ts";
export type { MomentExtras } from "./moment/run-from.ts";
export { momentTools, zlibCompressor } from "./moment/zlib-compressor.ts";
// World discovery
export { BUNDLE_MANIFEST, resolveWorld, WORLD_MODULE_EXTENSIONS } from "./world-discovery.ts";
export type { BundledWorld, ResolvedWorld, ResolveWorldOptions } from "./world-discovery.ts";
export { installedWorlds } from "./discovery/installed-worlds.ts";
export type { DiscoveryProblem, InstalledWorlds } from "./discovery/installed-worlds.ts";
export type { DeclaredWorld } from "./discovery/declared-worlds.ts";
// World host
export { HostedSession } from "./host/hosted-session.ts";
export type { HostedSessionOptions } from "./host/hosted-session.ts";
export type { HostedChunk } from "./host/hosted-chunk.ts";
export { ChunkReceiver } from "./host/chunk-receiver.ts";
export type { ChunkReceiverOptions } from "./host/chunk-receiver.ts";
export type { SessionStart, WorldInfo, WorldInfoField } from "./host/messages.ts";
export { DEFAULT_MAX_CHUNKS_IN_FLIGHT } from "./host/port-chunk-sink.ts";
export { WORKER_END_SECONDS, WorldHost } from "./host/world-host.ts";
export type { LoadWorldOptions } from "./host/world-host.ts";
export { worldReference } from "./host/world-reference.ts";
export type { WorldReference, WorldReferenceInput } from "./host/world-reference.ts";
// Pools of workers
export { shareDeviceLock } from "./host/share-device-lock.ts";
export { loadAdapter } from "./pool/load-adapter.ts";
export { PooledRuntime } from "./pool/pooled-runtime.ts";
export type { PooledRuntimeOptions, StartWorkerOptions } from "./pool/pooled-runtime.ts";
export type { PoolWorker } from "./pool/pool-worker.ts";
export { RestartPauses } from "./pool/restart-pauses.ts";
