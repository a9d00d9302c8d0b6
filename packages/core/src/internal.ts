/**
 * What only the packages of this repository use: it may change with any release. What no other package uses is not exported at all.
 */
// Errors
export { errorFromRecord, errorToRecord } from "./foundation/dreamloop-error.ts";
export type { ErrorRecord } from "./foundation/dreamloop-error.ts";
// Validation
export {
  describeFound,
  finite,
  flag,
  isPlainObject,
  json,
  jsonMapping,
  listOf,
  mapping,
  mappingOf,
  oneOf,
  optional,
  refuse,
  text,
  withDefault,
  within,
} from "./foundation/validate/reader.ts";
export type { Reader } from "./foundation/validate/reader.ts";
export { isMade, nearest, recordFactory, refuseUnknownKeys, shape } from "./foundation/validate/record.ts";
export type { FieldReaders } from "./foundation/validate/record.ts";
// Configuration
export { configOfCandidate, setJsonPath } from "./model/inference-config.ts";
export { distributionOf } from "./model/distribution.ts";
export type { WorkerDistribution } from "./model/distribution.ts";
// User inputs
export { InputTracker } from "./inputs/input-tracker.ts";
// Canonical inputs
export { canonicalValue } from "./canonical/canonical-inputs.ts";
export { converterStateToJson } from "./canonical/device-converter.ts";
export { KEY_CODES } from "./inputs/script/commands.ts";
// Mapping
export { mappingMembers } from "./mapping/mapping-set.ts";
export { readMappedInputs } from "./mapping/input-mapping.ts";
// Model
export { assertRuntime } from "./model/assert-runtime.ts";
export {
  assertModelAdapter,
  checkConfigSupport,
  MAX_PROMPT_SUGGESTIONS,
  MAX_SUGGESTION_LENGTH,
} from "./adapter/model-adapter.ts";
export { MAX_POSTER_BYTES, POSTER_HEAD_BYTES, posterTypeOf } from "./adapter/poster.ts";
export type { PosterType } from "./adapter/poster.ts";
export { channelsOf } from "./model/video-chunk.ts";
// Rollout
export { freshInputState } from "./rollout/run-plan.ts";
export { STAGES } from "./rollout/stages.ts";
// Frames
export { FRAME_WARNINGS, FrameChecker } from "./model/frame-check.ts";
export { frameHashInput } from "./model/frame-pixels.ts";
// Metrics: instruments
export { Instruments } from "./report/instruments.ts";
export { RateEstimator } from "./report/rate-estimator.ts";
export { ChromeTrace } from "./report/chrome-trace.ts";
export type { ChromeTraceFile } from "./report/chrome-trace.ts";
export { RunStatistics } from "./report/run-statistics.ts";
export { STATISTICS_SCHEMA_VERSION } from "./report/statistics-report.ts";
export type { RunStatisticsFacts, RunStatisticsReport } from "./report/statistics-report.ts";
export { summarize } from "./report/distribution.ts";
export type { Distribution } from "./report/distribution.ts";
// Traces
export { DREAMLOOP_VERSION } from "./foundation/version.ts";
export { traceEvents } from "./trace/trace-events.ts";
export { TraceTally } from "./trace/trace-tally.ts";
export { INLINE_BYTES_PER_LINE, TRACE_FORMAT } from "./trace/format/trace-records.ts";
export { readWaitLimits, waitLimitsOf } from "./foundation/time/wait-guard.ts";
export { eventLoopTurn } from "./foundation/time/event-loop-turn.ts";
// Snapshots, moments, history
export { CONTENT_ADDRESS, contentAddressOf, MAX_ARRAY_BYTES } from "./snapshot/content/content-address.ts";
export type { MomentPosition } from "./snapshot/driver-history.ts";
export type { ChunkCompressor } from "./snapshot/moment-file.ts";
export { DEFAULT_MOMENT_LIMITS, MOMENT_EXTENSION, MOMENT_MEDIA_TYPE } from "./snapshot/moment-format.ts";
export type { MomentLimits } from "./snapshot/moment-format.ts";
export { readHistoryOptions, SessionHistory } from "./snapshot/session-history.ts";
export type { HistoryFacts } from "./snapshot/session-history.ts";
export { heldAt, positionOf } from "./snapshot/session-state.ts";
export type { Boundary, DriverHistory } from "./snapshot/driver-history.ts";
export type { GenerationFacts } from "./snapshot/generation-table.ts";
export { looksLikeMoment } from "./snapshot/moment-file.ts";
export type { MomentFacts } from "./snapshot/moment-format.ts";
export type { LeadEntry } from "./snapshot/session-state.ts";
export type { StateBinding } from "./snapshot/state-binding.ts";
export { CONDITIONING_FIELDS } from "./mapping/conditioning-mapping.ts";
