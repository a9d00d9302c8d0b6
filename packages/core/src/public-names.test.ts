import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** What someone outside may use. A name that goes, or comes, goes or comes here too, with a line in CHANGELOG.md. */
const VALUES = `
  ACTIONS ATTENTION_BACKENDS BACKENDS CAMERA_MOTION COLOR_RANGES COLOR_SPACES CONDITIONING CONTROL_DEVICES DEFAULT_ACTION_BINDINGS
  DEFAULT_WAIT_LIMITS DRIVER_COMMAND DreamloopError ERROR_CODES EVENT_ROLES FRAME_LAYOUTS FramePool GAMEPAD_ACTION_BINDINGS
  GAMEPAD_CAMERA_BINDINGS GAMEPAD_DRIVER_BINDINGS GAMEPAD_LOOK_BINDINGS InMemoryMetricsRecorder InputCanonicalizer KEYBOARD_CAMERA_BINDINGS
  KEYBOARD_DRIVER_BINDINGS LOOK_DELTA LivePresenter METRIC_CATEGORIES MODALITIES MODALITY_COMBINATIONS MemoryPayloadStore NullOutputTarget
  PIXEL_FORMATS PRECISIONS PendingInput REPLAY_LEVELS RUN_OUTCOMES RecordingQueue TraceEncoder UNLIMITED_WAITS UPDATE_POLICIES
  WHEEL_BINDINGS actionSetToActions actionsNamed assertDistinctStreams axesToCameraMotion axesToDriverCommand canonicalInputSchema
  canonicalInputs canonicalModality checkMappingCompatibility chosenModelConfig conditioningConverter conditioningMapping
  defaultCanonicalizer defineWorld deviceConverter encodeMoment eventCatalogue eventDefinition eventListSource exactAcos exactAsin exactAtan
  exactAtan2 exactCos exactExp exactHypot exactLog exactPow exactSin exactTan exactTanh frameRgb8 framesOfStep gamepadToActions
  gamepadToCameraMotion gamepadToDriverCommand gamepadToLookDelta identityInputMapping inferenceConfig input inputField inputMapping
  inspectTrace isDreamloopError keyboardToActions keyboardToCameraMotion keyboardToDriverCommand mappingSet measureTolerance modality
  modelConfig modelInputSchema modelInputs mouseToLookDelta neutralValue openMoment outputArtifact parseScript planRun randomStream
  readTrace replayTrace runBatch scriptedModality sessionDescription standardConverters startRealtime steeringWheelToDriverCommand
  stepRequest stepResult throwIfCancelled timeWindow toleranceText undeclaredModelInputs userInputEvent userInputSchema userInputs
  videoChunk
`;
const TYPES = `
  ActionSetOptions Actions AdapterSupport AttentionBackend AxesOptions AxisValues Backend BatchOptions BindingOptions Bindings CachePolicy
  CameraAction CameraMotion CanonicalInputSchema CanonicalInputs CanonicalModality CanonicalModalityInput CapturedState CatalogueEventType
  CatalogueSchemaOptions ChunkSink Clock CloseOptions ColorRange ColorSpace Conditioning ConditioningField ConditioningMappingOptions
  ControlDevice ControlHint ControlSpec ControlSpecs ControlValue ControlValues Conversion CreateRuntimeOptions DeviceConverter
  DeviceConverterInput DreamloopErrorOptions DriverAction DriverCommand ErrorCode EventCatalogue EventDefinition EventDefinitionInput
  EventListOptions EventPayloads EventRole FiniteInputSource ForkRecord FrameHasher FrameLayout FrameLoan GamepadLookOptions HistoryOptions
  ImageInput ImageInputOptions InferenceConfig InferenceConfigInput InferenceRuntime InferenceSession InitialMappingContext
  InputCanonicalizerOptions InputField InputFieldInput InputMapping InputMappingInput InputOptions InputPresence InputProducts InputSpec
  InputSpecs InputValue InputValues Json LivePresenterOptions LoadProgress LookAction LookDelta MappedInputs Mapping MappingCompatibility
  MappingCompatibilityOptions MeasureToleranceOptions MetricCategory MetricsRecorder MissingModelField ModalityCombination ModalityInput
  ModalityName ModalityOf ModalityValue ModelAdapter ModelConfig ModelConfigInput ModelFieldReference ModelInputSchema ModelInputSchemaInput
  ModelInputs ModelInputsInput ModelOption MomentAgo MomentContent MomentFile MomentPicture MomentTools MouseLookOptions NumberInputOptions
  OriginalTime OutputArtifact OutputArtifactInput OutputTarget PadOptions ParseScriptOptions PauseRecord PayloadStore PendingInputCounters
  PendingInputOptions PixelData PixelFormat Precision RandomStream RandomStreamAddress RandomTarget ReadTraceOptions RealtimeOptions
  RealtimeRun RealtimeStatus ReplayDifference ReplayLevel ReplayOptions ReplayReport ResetOptions ResetRecord RestoreOptions RewindAnswer
  RewindRecord RunEnd RunFrom RunObserver RunOptions RunOrigin RunOutcome RunPlan RunPlanOptions RunReport RunServices RunStart RunWarning
  RuntimeMetricSample RuntimeMetricSampleInput Script ScriptEntry ScriptedModalityOptions SessionDescription SessionDescriptionInput
  SessionSnapshot SessionState SnapshotField Stage StageListener StandardSchema StandardSchemaIssue StandardSchemaResult StartSessionOptions
  StepMappingContext StepOptions StepRecord StepRequest StepRequestInput StepResult StepResultInput StepTiming TextEvent TextInputOptions
  TimeWindow TimeWindowInput TimingOptions Trace TraceChange TraceEncoderOptions TraceEnd TraceFork TraceHeader TraceOrigin TraceRewind
  TraceSink TraceStep TraceSummary TraceTolerance UnavailableMapping UndeclaredModelInput UpdatePolicy UserInputCapability
  UserInputCapabilityInput UserInputEvent UserInputEventInput UserInputSchema UserInputSchemaInput UserInputSource UserInputs
  UserInputsInput ValueInputOptions VideoChunk VideoChunkInput WaitLimits Waits WheelAction WorldDefinition WorldDynamics WorldFrames
  WorldLoad WorldMap WorldRandom WorldRollout WorldSettings WorldStep WorldStepOutcome WorldStepTime WorldVideo
`;

/** The names of a door, read from its text, since types leave nothing behind at run time. */
function namesOf(door: string): { readonly values: readonly string[]; readonly types: readonly string[] } {
  const text = readFileSync(new URL(door, import.meta.url), "utf8");
  const values: string[] = [];
  const types: string[] = [];
  for (const [, isType, names] of text.matchAll(/^export( type)? \{([^}]*)\} from/gm)) {
    (isType === undefined ? values : types).push(...listed(names));
  }
  return { values: values.sort(), types: types.sort() };
}

function listed(names: string): readonly string[] {
  return names.split(/[\s,]+/).filter((name) => name !== "");
}

test("the public door has exactly these names", () => {
  const { values, types } = namesOf("./index.ts");
  expect(values).toEqual(listed(VALUES));
  expect(types).toEqual(listed(TYPES));
});

test("no name goes through both doors", () => {
  const inside = namesOf("./internal.ts");
  const both = new Set([...listed(VALUES), ...listed(TYPES)]);
  expect([...inside.values, ...inside.types].filter((name) => both.has(name))).toEqual([]);
});
