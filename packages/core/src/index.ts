/**
 * What authors of worlds, adapters, converters, mappings and targets need, and people who run or replay worlds from a program. Every name
 * here is a promise to them; `public-names.test.ts` lists them all.
 */
// Errors
export { DreamloopError, ERROR_CODES, isDreamloopError, throwIfCancelled } from "./foundation/dreamloop-error.ts";
export type { DreamloopErrorOptions, ErrorCode } from "./foundation/dreamloop-error.ts";
// Validation
export type { Json, Mapping } from "./foundation/validate/reader.ts";
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
export { BACKENDS, chosenModelConfig, inferenceConfig, PRECISIONS } from "./model/inference-config.ts";
export type { Backend, InferenceConfig, InferenceConfigInput, Precision } from "./model/inference-config.ts";
export { ATTENTION_BACKENDS, modelConfig } from "./model/model-config.ts";
export type { AttentionBackend, CachePolicy, ModelConfig, ModelConfigInput } from "./model/model-config.ts";
// User inputs
export { userInputEvent } from "./inputs/user-input-event.ts";
export type { UserInputEvent, UserInputEventInput } from "./inputs/user-input-event.ts";
export { userInputSchema } from "./inputs/user-input-schema.ts";
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
export { PendingInput } from "./inputs/pending-input.ts";
export type { OriginalTime, PendingInputCounters, PendingInputOptions } from "./inputs/pending-input.ts";
export { eventListSource } from "./inputs/event-list-source.ts";
export type { EventListOptions, FiniteInputSource } from "./inputs/event-list-source.ts";
export { eventCatalogue } from "./inputs/event-catalogue.ts";
export type {
  CatalogueEventType,
  CatalogueSchemaOptions,
  EventCatalogue,
  EventPayloads,
} from "./inputs/event-catalogue.ts";
export { EVENT_ROLES, eventDefinition } from "./inputs/catalogue/event-definition.ts";
export type { EventDefinition, EventDefinitionInput, EventRole } from "./inputs/catalogue/event-definition.ts";
export { parseScript } from "./inputs/script/parse-script.ts";
export type { ParseScriptOptions, Script } from "./inputs/script/parse-script.ts";
// Canonical inputs
export { canonicalInputs, canonicalInputSchema, canonicalModality } from "./canonical/canonical-inputs.ts";
export type {
  CanonicalInputs,
  CanonicalInputSchema,
  CanonicalModality,
  CanonicalModalityInput,
} from "./canonical/canonical-inputs.ts";
export { CONTROL_DEVICES, deviceConverter } from "./canonical/device-converter.ts";
export type {
  ControlDevice,
  ControlHint,
  Conversion,
  DeviceConverter,
  DeviceConverterInput,
} from "./canonical/device-converter.ts";
export { InputCanonicalizer } from "./canonical/input-canonicalizer.ts";
export type { InputCanonicalizerOptions } from "./canonical/input-canonicalizer.ts";
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
export { actionSetToActions } from "./canonical/converters/action-set.ts";
export type { ActionSetOptions } from "./canonical/converters/action-set.ts";
export { axesToCameraMotion, axesToDriverCommand } from "./canonical/converters/axes.ts";
export type { AxesOptions, AxisValues } from "./canonical/converters/axes.ts";
export type { BindingOptions, Bindings } from "./canonical/converters/bindings.ts";
export type { CameraAction } from "./canonical/converters/camera-actions.ts";
export { conditioningConverter } from "./canonical/converters/conditioning.ts";
export type { DriverAction } from "./canonical/converters/driver-actions.ts";
export {
  GAMEPAD_ACTION_BINDINGS,
  GAMEPAD_CAMERA_BINDINGS,
  GAMEPAD_DRIVER_BINDINGS,
  GAMEPAD_LOOK_BINDINGS,
  gamepadToActions,
  gamepadToCameraMotion,
  gamepadToDriverCommand,
  gamepadToLookDelta,
} from "./canonical/converters/gamepad.ts";
export type { GamepadLookOptions, LookAction } from "./canonical/converters/gamepad.ts";
export {
  KEYBOARD_CAMERA_BINDINGS,
  KEYBOARD_DRIVER_BINDINGS,
  keyboardToActions,
  keyboardToCameraMotion,
  keyboardToDriverCommand,
} from "./canonical/converters/keyboard.ts";
export { mouseToLookDelta } from "./canonical/converters/mouse.ts";
export type { MouseLookOptions } from "./canonical/converters/mouse.ts";
export { DEFAULT_ACTION_BINDINGS } from "./canonical/converters/named-actions.ts";
export type { PadOptions } from "./canonical/converters/pad-converter.ts";
export { steeringWheelToDriverCommand, WHEEL_BINDINGS } from "./canonical/converters/steering-wheel.ts";
export type { WheelAction } from "./canonical/converters/steering-wheel.ts";
export { scriptedModality } from "./canonical/scripted-modality.ts";
export type { ScriptedModalityOptions, ScriptEntry } from "./canonical/scripted-modality.ts";
export { actionsNamed } from "./canonical/modalities.ts";
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
export { conditioningMapping } from "./mapping/conditioning-mapping.ts";
export type { ConditioningField, ConditioningMappingOptions } from "./mapping/conditioning-mapping.ts";
export { mappingSet } from "./mapping/mapping-set.ts";
export { undeclaredModelInputs } from "./mapping/undeclared-inputs.ts";
export type { UndeclaredModelInput } from "./mapping/undeclared-inputs.ts";
export { identityInputMapping, inputMapping } from "./mapping/input-mapping.ts";
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
export { framesOfStep, sessionDescription } from "./model/session-description.ts";
export type { SessionDescription, SessionDescriptionInput } from "./model/session-description.ts";
export { stepRequest } from "./mapping/step-request.ts";
export { stepResult } from "./model/step-result.ts";
export type { StepRequest, StepRequestInput } from "./mapping/step-request.ts";
export type { StepResult, StepResultInput } from "./model/step-result.ts";
export { COLOR_RANGES, COLOR_SPACES, FRAME_LAYOUTS, PIXEL_FORMATS, videoChunk } from "./model/video-chunk.ts";
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
export { input } from "./adapter/world/input.ts";
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
export { InMemoryMetricsRecorder } from "./foundation/metrics/metrics-recorder.ts";
export type { MetricsRecorder, TimingOptions } from "./foundation/metrics/metrics-recorder.ts";
export { METRIC_CATEGORIES } from "./foundation/metrics/runtime-metric-sample.ts";
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
export { assertDistinctStreams, randomStream } from "./foundation/random/index.ts";
export type { RandomStream, RandomStreamAddress, RandomTarget } from "./foundation/random/index.ts";
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
export { planRun } from "./rollout/run-plan.ts";
export type { RunPlan, RunPlanOptions } from "./rollout/run-plan.ts";
export type { Stage, StageListener } from "./rollout/stages.ts";
// Frames
export { FramePool } from "./model/frame-pool.ts";
export type { FrameLoan } from "./model/frame-pool.ts";
export { frameRgb8 } from "./model/frame-pixels.ts";
// Drivers
export { runBatch } from "./drivers/batch-driver.ts";
export type { BatchOptions } from "./drivers/batch-driver.ts";
export type { ChunkSink } from "./drivers/chunk-sink.ts";
export { LivePresenter } from "./drivers/live-presenter.ts";
export type { LivePresenterOptions } from "./drivers/live-presenter.ts";
export { startRealtime } from "./drivers/realtime-driver.ts";
export type { RealtimeOptions, RealtimeRun, RealtimeStatus } from "./drivers/realtime-options.ts";
export { RecordingQueue } from "./drivers/recording-queue.ts";
export type { RunOptions, RunReport, RunServices } from "./drivers/run-options.ts";
export type { RunWarning } from "./drivers/run-warnings.ts";
// Traces
export { TraceEncoder } from "./trace/trace-encoder.ts";
export type { TraceEncoderOptions, TraceSink } from "./trace/trace-encoder.ts";
export { readTrace } from "./trace/read-trace.ts";
export type { ReadTraceOptions, Trace, TraceEnd } from "./trace/read-trace.ts";
export { inspectTrace } from "./trace/inspect-trace.ts";
export type { TraceChange, TraceSummary } from "./trace/inspect-trace.ts";
export { toleranceText } from "./trace/format/write-records.ts";
export type { TraceHeader, TraceStep, TraceTolerance } from "./trace/format/trace-records.ts";
export { measureTolerance } from "./trace/replay/measure-tolerance.ts";
export type { MeasureToleranceOptions } from "./trace/replay/measure-tolerance.ts";
export { REPLAY_LEVELS } from "./trace/replay/replay-options.ts";
export type { ReplayDifference, ReplayLevel, ReplayOptions, ReplayReport } from "./trace/replay/replay-options.ts";
export { replayTrace } from "./trace/replay/replay-trace.ts";
export { DEFAULT_WAIT_LIMITS, UNLIMITED_WAITS } from "./foundation/time/wait-guard.ts";
export type { WaitLimits, Waits } from "./foundation/time/wait-guard.ts";
// Snapshots, moments, history
export { MemoryPayloadStore } from "./snapshot/content/payload-store.ts";
export type { PayloadStore } from "./snapshot/content/payload-store.ts";
export { encodeMoment, openMoment } from "./snapshot/moment-file.ts";
export type { MomentContent, MomentFile, MomentPicture, MomentTools } from "./snapshot/moment-file.ts";
export type { HistoryOptions } from "./snapshot/session-history.ts";
export type { SessionState } from "./snapshot/session-state.ts";
export type { RestoreOptions } from "./model/inference-session.ts";
export type { CapturedState, MomentAgo, RewindAnswer } from "./drivers/realtime-options.ts";
export type { RunFrom } from "./drivers/run-options.ts";
export type { ForkRecord, RewindRecord, RunOrigin } from "./rollout/run-observer.ts";
export type { TraceFork, TraceOrigin, TraceRewind } from "./trace/format/trace-records.ts";
