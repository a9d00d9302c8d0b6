// Errors
export {
  DreamloopError,
  ERROR_CODES,
  errorFromRecord,
  errorToRecord,
  isDreamloopError,
  throwIfCancelled,
} from "./foundation/dreamloop-error.ts";
export type { DreamloopErrorOptions, ErrorCode, ErrorRecord } from "./foundation/dreamloop-error.ts";
// Validation
export {
  callable,
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
  standardSchema,
  text,
  throughSchema,
  withDefault,
  within,
} from "./foundation/validate/reader.ts";
export type { Json, Mapping, NumberLimits, Reader, TextLimits } from "./foundation/validate/reader.ts";
export {
  isMade,
  made,
  markMade,
  nearest,
  recordFactory,
  refuseUnknownKeys,
  shape,
} from "./foundation/validate/record.ts";
export type { FieldReaders } from "./foundation/validate/record.ts";
export type {
  StandardSchema,
  StandardSchemaIssue,
  StandardSchemaResult,
} from "./foundation/validate/standard-schema.ts";
// Time
export type { Clock } from "./foundation/time/clock.ts";
export { timeWindow } from "./foundation/time/time-window.ts";
export type { TimeWindow, TimeWindowInput } from "./foundation/time/time-window.ts";
// Configuration
export {
  BACKENDS,
  chosenModelConfig,
  configOfCandidate,
  inferenceConfig,
  PRECISIONS,
  setJsonPath,
} from "./model/inference-config.ts";
export type { Backend, InferenceConfig, InferenceConfigInput, Precision } from "./model/inference-config.ts";
export { ATTENTION_BACKENDS, modelConfig } from "./model/model-config.ts";
export type { AttentionBackend, CachePolicy, ModelConfig, ModelConfigInput } from "./model/model-config.ts";
// User inputs
export { userInputEvent } from "./inputs/user-input-event.ts";
export type { UserInputEvent, UserInputEventInput } from "./inputs/user-input-event.ts";
export { isSatisfiedBy, userInputCapability, userInputSchema } from "./inputs/user-input-schema.ts";
export type {
  SnapshotField,
  UserInputCapability,
  UserInputCapabilityInput,
  UserInputSchema,
  UserInputSchemaInput,
} from "./inputs/user-input-schema.ts";
export type { UserInputSource } from "./inputs/user-input-source.ts";
export { userInputs } from "./inputs/user-inputs.ts";
export type { UserInputs, UserInputsInput } from "./inputs/user-inputs.ts";
export { DEFAULT_HOLD_TIMEOUT_SECONDS, MAX_ORDERED_EDGES, PendingInput } from "./inputs/pending-input.ts";
export type { OriginalTime, PendingInputCounters, PendingInputOptions } from "./inputs/pending-input.ts";
export { eventListSource } from "./inputs/event-list-source.ts";
export type { EventListOptions, FiniteInputSource } from "./inputs/event-list-source.ts";
export { InputTracker, MAX_HELD_CODES, TIMEOUT_SOURCE } from "./inputs/input-tracker.ts";
export type { InputTrackerCounters, InputTrackerState } from "./inputs/held/tracker-state.ts";
export { splitControl } from "./inputs/split-control.ts";
export type { ControlOrders, ResetOrder, SplitInputs } from "./inputs/split-control.ts";
export {
  CATALOGUE_EVENTS,
  eventCatalogue,
  isConditioningEvent,
  isControlEvent,
  payloadOf,
} from "./inputs/event-catalogue.ts";
export type {
  CatalogueEventType,
  CatalogueSchemaOptions,
  EventCatalogue,
  EventPayloads,
} from "./inputs/event-catalogue.ts";
export { EVENT_ROLES, eventDefinition } from "./inputs/catalogue/event-definition.ts";
export type { EventDefinition, EventDefinitionInput, EventRole } from "./inputs/catalogue/event-definition.ts";
export { MAX_CODE_LENGTH, MAX_STATE_CODES } from "./inputs/catalogue/keyboard-events.ts";
export type { KeyDownPayload, KeysStatePayload, KeyUpPayload } from "./inputs/catalogue/keyboard-events.ts";
export { MAX_DELTA, MAX_MOUSE_BUTTON, MAX_TOTAL_DELTA } from "./inputs/catalogue/mouse-events.ts";
export type {
  MouseButtonPayload,
  MouseMovePayload,
  MouseStatePayload,
  MouseWheelPayload,
} from "./inputs/catalogue/mouse-events.ts";
export { BUTTON_THRESHOLD, MAX_PAD_AXES, MAX_PAD_BUTTONS, MAX_PAD_INDEX } from "./inputs/catalogue/pad-events.ts";
export type { GamepadStatePayload, PadButtons, WheelStatePayload } from "./inputs/catalogue/pad-events.ts";
export { POINTER_PHASES } from "./inputs/catalogue/pointer-events.ts";
export type { PointerPayload, PointerPhase } from "./inputs/catalogue/pointer-events.ts";
export { MAX_ACTIONS, MAX_NAME_LENGTH } from "./inputs/catalogue/action-events.ts";
export type { ActionSetPayload, AxisSetPayload, FocusPayload } from "./inputs/catalogue/action-events.ts";
export { MAX_IMAGE_BYTES, MAX_IMAGE_NAME_LENGTH, MAX_PROMPT_LENGTH } from "./inputs/catalogue/conditioning-events.ts";
export type { ImageSetPayload, PromptSetPayload, TextEventPayload } from "./inputs/catalogue/conditioning-events.ts";
export type { ResetPayload } from "./inputs/catalogue/control-events.ts";
export { MAX_SCRIPT_EVENTS, MAX_SCRIPT_LENGTH, parseScript, SCRIPT_SOURCE } from "./inputs/script/parse-script.ts";
export type { ParseScriptOptions, Script } from "./inputs/script/parse-script.ts";
// Canonical inputs
export {
  canonicalInputs,
  canonicalInputSchema,
  canonicalModality,
  canonicalValue,
  supportsModality,
} from "./canonical/canonical-inputs.ts";
export type {
  CanonicalInputs,
  CanonicalInputSchema,
  CanonicalModality,
  CanonicalModalityInput,
} from "./canonical/canonical-inputs.ts";
export {
  CONTROL_DEVICES,
  converterStateToJson,
  deviceConverter,
  readConversion,
} from "./canonical/device-converter.ts";
export type {
  ControlDevice,
  ControlHint,
  Conversion,
  DeviceConverter,
  DeviceConverterInput,
} from "./canonical/device-converter.ts";
export { InputCanonicalizer, NEUTRAL_SOURCE } from "./canonical/input-canonicalizer.ts";
export type {
  Canonicalization,
  CanonicalizerState,
  InputCanonicalizerOptions,
} from "./canonical/input-canonicalizer.ts";
export { MODALITY_COMBINATIONS, modality, neutralValue } from "./canonical/modality.ts";
export type { ModalityCombination, ModalityInput, ModalityOf, ModalityValue } from "./canonical/modality.ts";
export {
  ACTIONS,
  CAMERA_MOTION,
  CONDITIONING,
  DRIVER_COMMAND,
  LOOK_DELTA,
  MODALITIES,
} from "./canonical/modalities.ts";
export type {
  Actions,
  CameraMotion,
  Conditioning,
  DriverCommand,
  LookDelta,
  ModalityName,
  TextEvent,
} from "./canonical/modalities.ts";
export { ACTION_SET_PRIORITY, actionSetToActions } from "./canonical/converters/action-set.ts";
export type { ActionSetOptions } from "./canonical/converters/action-set.ts";
export { AXES_PRIORITY, axesToCameraMotion, axesToDriverCommand } from "./canonical/converters/axes.ts";
export type { AxesOptions, AxisValues } from "./canonical/converters/axes.ts";
export type { BindingOptions, Bindings } from "./canonical/converters/bindings.ts";
export type { CameraAction } from "./canonical/converters/camera-actions.ts";
export { conditioningConverter } from "./canonical/converters/conditioning.ts";
export type { DriverAction } from "./canonical/converters/driver-actions.ts";
export {
  DEFAULT_LOOK_PER_SECOND,
  GAMEPAD_ACTION_BINDINGS,
  GAMEPAD_CAMERA_BINDINGS,
  GAMEPAD_DRIVER_BINDINGS,
  GAMEPAD_LOOK_BINDINGS,
  GAMEPAD_LOOK_PRIORITY,
  GAMEPAD_PRIORITY,
  gamepadToActions,
  gamepadToCameraMotion,
  gamepadToDriverCommand,
  gamepadToLookDelta,
  LONGEST_LOOK_SECONDS,
} from "./canonical/converters/gamepad.ts";
export type { GamepadLookOptions, LookAction } from "./canonical/converters/gamepad.ts";
export type { HeldCodeList } from "./canonical/converters/held-window.ts";
export {
  KEYBOARD_CAMERA_BINDINGS,
  KEYBOARD_DRIVER_BINDINGS,
  KEYBOARD_PRIORITY,
  keyboardToActions,
  keyboardToCameraMotion,
  keyboardToDriverCommand,
} from "./canonical/converters/keyboard.ts";
export { MOUSE_PRIORITY, mouseToLookDelta } from "./canonical/converters/mouse.ts";
export type { MouseLookOptions } from "./canonical/converters/mouse.ts";
export { DEFAULT_ACTION_BINDINGS } from "./canonical/converters/named-actions.ts";
export { DEFAULT_DEAD_ZONE } from "./canonical/converters/pad-converter.ts";
export type { PadOptions } from "./canonical/converters/pad-converter.ts";
export type { PadReading, PadReadings } from "./canonical/converters/pad-readings.ts";
export { steeringWheelToDriverCommand, WHEEL_BINDINGS, WHEEL_PRIORITY } from "./canonical/converters/steering-wheel.ts";
export type { WheelAction } from "./canonical/converters/steering-wheel.ts";
export { SCRIPT_PRIORITY, scriptedModality } from "./canonical/scripted-modality.ts";
export type { ScriptedModalityOptions, ScriptEntry } from "./canonical/scripted-modality.ts";
export { actionsNamed } from "./canonical/modalities.ts";
export { KEY_CODES } from "./inputs/script/commands.ts";
export { standardConverters } from "./canonical/standard-converters.ts";
export { defaultCanonicalizer } from "./adapter/default-canonicalizer.ts";
// Mapping
export { checkMappingCompatibility } from "./mapping/compatibility.ts";
export type {
  MappingCompatibility,
  MappingCompatibilityOptions,
  MissingModelField,
  ModelFieldReference,
  UnavailableMapping,
} from "./mapping/compatibility.ts";
export { CONDITIONING_FIELDS, conditioningMapping } from "./mapping/conditioning-mapping.ts";
export type { ConditioningField, ConditioningMappingOptions } from "./mapping/conditioning-mapping.ts";
export { mappingMembers, mappingSet } from "./mapping/mapping-set.ts";
export type { MappingSetState } from "./mapping/mapping-set.ts";
export { undeclaredModelInputs } from "./mapping/undeclared-inputs.ts";
export type { UndeclaredModelInput } from "./mapping/undeclared-inputs.ts";
export { identityInputMapping, inputMapping, readMappedInputs } from "./mapping/input-mapping.ts";
export type {
  InitialMappingContext,
  InputMapping,
  InputMappingInput,
  MappedInputs,
  StepMappingContext,
} from "./mapping/input-mapping.ts";
// Model
export type {
  InferenceRuntime,
  InferenceSession,
  ResetOptions,
  SessionSnapshot,
  StartSessionOptions,
  StepOptions,
} from "./model/inference-session.ts";
export { assertRuntime, assertSession } from "./model/assert-runtime.ts";
export {
  assertModelAdapter,
  checkConfigSupport,
  MAX_PROMPT_SUGGESTIONS,
  MAX_SUGGESTION_LENGTH,
} from "./adapter/model-adapter.ts";
export type {
  AdapterSupport,
  CreateRuntimeOptions,
  LoadProgress,
  ModelAdapter,
  ModelOption,
} from "./adapter/model-adapter.ts";
export { inputField, modelInputSchema, UPDATE_POLICIES } from "./mapping/model-input-schema.ts";
export type {
  InputField,
  InputFieldInput,
  ModelInputSchema,
  ModelInputSchemaInput,
  UpdatePolicy,
} from "./mapping/model-input-schema.ts";
export { modelInputs } from "./mapping/model-inputs.ts";
export type { ModelInputs, ModelInputsInput } from "./mapping/model-inputs.ts";
export { MAX_POSTER_BYTES, POSTER_HEAD_BYTES, POSTER_TYPES, posterTypeOf } from "./adapter/poster.ts";
export type { PosterType } from "./adapter/poster.ts";
export { framesOfStep, sessionDescription } from "./model/session-description.ts";
export type { SessionDescription, SessionDescriptionInput } from "./model/session-description.ts";
export { stepRequest } from "./mapping/step-request.ts";
export { stepResult } from "./model/step-result.ts";
export type { StepRequest, StepRequestInput } from "./mapping/step-request.ts";
export type { StepResult, StepResultInput } from "./model/step-result.ts";
export {
  channelsOf,
  COLOR_RANGES,
  COLOR_SPACES,
  FRAME_LAYOUTS,
  PIXEL_FORMATS,
  videoChunk,
} from "./model/video-chunk.ts";
export type {
  ColorRange,
  ColorSpace,
  FrameLayout,
  PixelData,
  PixelFormat,
  VideoChunk,
  VideoChunkInput,
} from "./model/video-chunk.ts";
// Worlds in one declaration
export { defineWorld } from "./adapter/world/define-world.ts";
export { DEFAULT_TEXT_LENGTH, input } from "./adapter/world/input.ts";
export type {
  ImageInput,
  ImageInputOptions,
  NumberInputOptions,
  TextInputOptions,
  ValueInputOptions,
} from "./adapter/world/input.ts";
export type {
  InputOptions,
  InputPresence,
  InputProducts,
  InputSpec,
  InputSpecs,
  InputValue,
  InputValues,
} from "./adapter/world/input-spec.ts";
export type { ControlSpec, ControlSpecs, ControlValue, ControlValues } from "./adapter/world/control-spec.ts";
export { DEFAULT_MAX_SESSIONS } from "./adapter/world/world.ts";
export type {
  WorldDefinition,
  WorldDynamics,
  WorldFrames,
  WorldLoad,
  WorldMap,
  WorldRandom,
  WorldRollout,
  WorldSettings,
  WorldStep,
  WorldStepOutcome,
  WorldStepTime,
  WorldVideo,
} from "./adapter/world/world-definition.ts";
// Outputs
export { NullOutputTarget } from "./drivers/null-output-target.ts";
export { outputArtifact } from "./drivers/output-target.ts";
export type { CloseOptions, OutputArtifact, OutputArtifactInput, OutputTarget } from "./drivers/output-target.ts";
// Metrics
export { InMemoryMetricsRecorder, nullMetricsRecorder } from "./foundation/metrics/metrics-recorder.ts";
export type { MetricsRecorder, TimingOptions } from "./foundation/metrics/metrics-recorder.ts";
export { METRIC_CATEGORIES, runtimeMetricSample } from "./foundation/metrics/runtime-metric-sample.ts";
export type {
  MetricCategory,
  RuntimeMetricSample,
  RuntimeMetricSampleInput,
} from "./foundation/metrics/runtime-metric-sample.ts";
// Exact maths and random numbers
export {
  exactAcos,
  exactAsin,
  exactAtan,
  exactAtan2,
  exactCos,
  exactExp,
  exactHypot,
  exactLog,
  exactPow,
  exactSin,
  exactTan,
  exactTanh,
} from "./foundation/maths/index.ts";
export {
  assertDistinctStreams,
  MAX_SEED,
  MAX_STREAM_NAME_LENGTH,
  MAX_STREAM_NUMBER,
  MAX_SUB_STEP,
  philox4x32,
  RANDOM_STREAM_WORDS,
  randomStream,
  streamNumber,
} from "./foundation/random/index.ts";
export type {
  PhiloxCounter,
  PhiloxKey,
  RandomStream,
  RandomStreamAddress,
  RandomTarget,
} from "./foundation/random/index.ts";
// Rollout
export { RUN_OUTCOMES } from "./rollout/run-observer.ts";
export type {
  FrameHasher,
  PauseRecord,
  ResetRecord,
  RunEnd,
  RunObserver,
  RunOutcome,
  RunStart,
  StepRecord,
  StepTiming,
} from "./rollout/run-observer.ts";
export { freshInputState, planRun, readSeed } from "./rollout/run-plan.ts";
export type { FreshInputState, RunPlan, RunPlanOptions } from "./rollout/run-plan.ts";
export { Rollout } from "./rollout/rollout.ts";
export type { RolloutOptions, RolloutSnapshot, StepOutcome } from "./rollout/rollout-types.ts";
export { FrameLease } from "./rollout/frame-lease.ts";
export { STAGES } from "./rollout/stages.ts";
export type { Stage, StageListener } from "./rollout/stages.ts";
// Frames
export { CONSTANT_FRAMES, DEFAULT_FRAME_BANDS, FRAME_WARNINGS, FrameChecker } from "./model/frame-check.ts";
export type { FrameBands, FrameStatistics, FrameWarning } from "./model/frame-check.ts";
export { FramePool } from "./model/frame-pool.ts";
export type { FrameLoan } from "./model/frame-pool.ts";
export { frameHashInput, frameRgb8, sliceFrames } from "./model/frame-pixels.ts";
// Drivers
export { requireBatchEnd, runBatch } from "./drivers/batch-driver.ts";
export type { BatchOptions } from "./drivers/batch-driver.ts";
export type { ChunkSink } from "./drivers/chunk-sink.ts";
export { LivePresenter } from "./drivers/live-presenter.ts";
export type { LivePresenterOptions } from "./drivers/live-presenter.ts";
export { Pacer } from "./drivers/pacer.ts";
export type { PacerOptions } from "./drivers/pacer.ts";
export { PresentationQueue } from "./drivers/presentation-queue.ts";
export type { DueFrame, PresentationDrops, ScheduledChunk } from "./drivers/presentation-queue.ts";
export { startRealtime } from "./drivers/realtime-driver.ts";
export type { RealtimeOptions, RealtimeRun, RealtimeStatus } from "./drivers/realtime-options.ts";
export { DEFAULT_RECORDING_CAPACITY, RecordingQueue } from "./drivers/recording-queue.ts";
export type { RunOptions, RunReport } from "./drivers/run-options.ts";
export type { RunWarning } from "./drivers/run-warnings.ts";
export { SessionTimeline } from "./drivers/session-timeline.ts";
// Metrics: instruments
export { Instruments, timed } from "./report/instruments.ts";
export type { Instrumented, InstrumentsOptions, SpanListener, SpanOptions, SpanRecord } from "./report/instruments.ts";
export { RateEstimator } from "./report/rate-estimator.ts";
export { ChromeTrace, MAX_TRACE_SPANS } from "./report/chrome-trace.ts";
export type { ChromeTraceEvent, ChromeTraceFile } from "./report/chrome-trace.ts";
export { RunStatistics } from "./report/run-statistics.ts";
export { MAX_STATISTICS_SAMPLES, STATISTICS_SCHEMA_VERSION } from "./report/statistics-report.ts";
export type {
  RunPhases,
  RunStatisticsFacts,
  RunStatisticsReport,
  RealtimeStatistics,
  StepSample,
  SteadyPhase,
} from "./report/statistics-report.ts";
export { summarize } from "./report/distribution.ts";
export type { Distribution } from "./report/distribution.ts";
// Traces
export { DREAMLOOP_VERSION } from "./foundation/version.ts";
export { TraceEncoder } from "./trace/trace-encoder.ts";
export type { TraceEncoderOptions, TraceSink } from "./trace/trace-encoder.ts";
export { readTrace, traceItems } from "./trace/read-trace.ts";
export type { ReadTraceOptions, Trace, TraceEnd } from "./trace/read-trace.ts";
export { traceEvents } from "./trace/trace-events.ts";
export type { RecordedEvents, TraceEventsOptions } from "./trace/trace-events.ts";
export { inspectTrace, MAX_LISTED_CHANGES } from "./trace/inspect-trace.ts";
export type { TraceChange, TraceSummary } from "./trace/inspect-trace.ts";
export type { TraceItem } from "./trace/format/trace-assembler.ts";
export type { TraceChunks } from "./trace/format/trace-lines.ts";
export { toleranceText } from "./trace/format/write-records.ts";
export { TraceTally } from "./trace/trace-tally.ts";
export {
  DEFAULT_INLINE_BYTES,
  DEFAULT_TRACE_LIMITS,
  FRAME_HASH_NAME,
  INLINE_BYTES_PER_LINE,
  TRACE_FORMAT,
  TRACE_FORMAT_VERSION,
} from "./trace/format/trace-records.ts";
export type {
  TraceEvent,
  TraceExactness,
  TraceFooter,
  TraceHeader,
  TraceLimits,
  TracePause,
  TraceReset,
  TraceStep,
  TraceTolerance,
  TraceUpdate,
} from "./trace/format/trace-records.ts";
export type { ArrayReference } from "./trace/value/decode-value.ts";
export { encodeModelInputs } from "./trace/value/model-inputs-payload.ts";
export type { EncodedModelInputs } from "./trace/value/model-inputs-payload.ts";
export type { StoredValue } from "./trace/value/resolve-value.ts";
export { MAX_VALUE_DEPTH } from "./trace/value/trace-value.ts";
export type { EncodedArray } from "./trace/value/trace-value.ts";
export { measureTolerance } from "./trace/replay/measure-tolerance.ts";
export type { MeasureToleranceOptions } from "./trace/replay/measure-tolerance.ts";
export { REPLAY_LEVELS } from "./trace/replay/replay-options.ts";
export type { ReplayDifference, ReplayLevel, ReplayOptions, ReplayReport } from "./trace/replay/replay-options.ts";
export { replayTrace } from "./trace/replay/replay-trace.ts";
export {
  DEFAULT_WAIT_LIMITS,
  readWaitLimits,
  UNLIMITED_WAITS,
  WaitGuard,
  type Wait,
  type WaitKind,
  type WaitLimits,
  type Waits,
} from "./foundation/time/wait-guard.ts";
export { eventLoopTurn } from "./foundation/time/event-loop-turn.ts";
// Snapshots, moments, history
export { CONTENT_ADDRESS, contentAddressOf, MAX_ARRAY_BYTES } from "./snapshot/content/content-address.ts";
export { MemoryPayloadStore } from "./snapshot/content/payload-store.ts";
export type { PayloadStore } from "./snapshot/content/payload-store.ts";
export { MAX_CHUNK_BYTES, MIN_CHUNK_BYTES, TYPICAL_CHUNK_BYTES } from "./snapshot/chunk-bounds.ts";
export { ChunkPool } from "./snapshot/chunk-pool.ts";
export type { Boundary, DriverHistory, MomentPosition } from "./snapshot/driver-history.ts";
export type { GenerationFacts } from "./snapshot/generation-table.ts";
export { encodeMoment, looksLikeMoment, openMoment } from "./snapshot/moment-file.ts";
export type { ChunkCompressor, MomentContent, MomentFile, MomentPicture, MomentTools } from "./snapshot/moment-file.ts";
export {
  DEFAULT_MOMENT_LIMITS,
  MOMENT_EXTENSION,
  MOMENT_FORMAT_VERSION,
  MOMENT_MEDIA_TYPE,
  MOMENT_PICTURE_TYPES,
} from "./snapshot/moment-format.ts";
export type { MomentFacts, MomentLimits, MomentPictureType } from "./snapshot/moment-format.ts";
export { packState, readPackedState, unpackState } from "./snapshot/pack-state.ts";
export type { ChunkPlace, PackedArray, PackedState, UnpackLimits } from "./snapshot/pack-state.ts";
export { PlannedHistory } from "./snapshot/planned-history.ts";
export {
  DEFAULT_HISTORY_BYTES,
  DEFAULT_HISTORY_SPACING_SECONDS,
  readHistoryOptions,
  SessionHistory,
} from "./snapshot/session-history.ts";
export type { HistoryFacts, HistoryOptions, SessionHistoryOptions } from "./snapshot/session-history.ts";
export { heldAt, positionOf, readSessionState } from "./snapshot/session-state.ts";
export type { DriverState, LeadEntry, SessionState, StatePosition } from "./snapshot/session-state.ts";
export { requireSameBinding } from "./snapshot/state-binding.ts";
export type { BindingAllowance, StateBinding } from "./snapshot/state-binding.ts";
export type { RestoreOptions } from "./model/inference-session.ts";
export type { CapturedState, MomentAgo, RewindAnswer } from "./drivers/realtime-options.ts";
export type { RunFrom } from "./drivers/run-options.ts";
export type { ForkRecord, RewindRecord, RunOrigin } from "./rollout/run-observer.ts";
export type { TraceFork, TraceOrigin, TraceRewind } from "./trace/format/trace-records.ts";
