import {
  ACTIONS,
  CAMERA_MOTION,
  CONDITIONING,
  DRIVER_COMMAND,
  inputMapping,
  LOOK_DELTA,
  modelInputSchema,
  type InputMapping,
  type Mapping,
  type ModelInputSchema,
} from "@dreamloop/core";
import { PROBE_NEUTRAL, readPrompt, STEP_FIELD_READERS } from "./controls.ts";
import type { StandardSchema } from "@dreamloop/core";
import type { Reader } from "@dreamloop/core/internal";

/** Modality of each step field. */
const FIELD_MODALITIES = {
  driverCommand: DRIVER_COMMAND,
  cameraMotion: CAMERA_MOTION,
  lookDelta: LOOK_DELTA,
  actions: ACTIONS,
} as const;
const FIELDS = Object.entries(FIELD_MODALITIES);

/** Units of the physical quantities that the step fields stand for at ±1, for people and for the check of the neutral action. */
const FIELD_UNITS: Readonly<Record<keyof typeof FIELD_MODALITIES, Mapping>> = {
  driverCommand: { throttle: "6 m/s²", brake: "12 m/s²", steer: "1.8 rad/s" },
  cameraMotion: { move: "4 m/s", turn: "1.8 rad/s" },
  lookDelta: { delta: "px" },
  actions: { held: "4 m/s" },
};

function schemaOf<T>(reader: Reader<T>): StandardSchema<unknown, T> {
  return {
    "~standard": {
      version: 1,
      vendor: "dreamloop",
      validate: (value) => {
        try {
          return { value: reader(value, "value") };
        } catch (error) {
          return { issues: [{ message: error instanceof Error ? error.message : String(error) }] };
        }
      },
    },
  };
}

/** What the probe world takes: an optional prompt that may change at any step, and all shipped modalities, each optional. */
export const probeInputSchema: ModelInputSchema = modelInputSchema({
  description: "A prompt, if any; every control is optional and neutral when absent.",
  initialFields: [
    {
      name: "prompt",
      required: false,
      modality: CONDITIONING.name,
      updatePolicy: "step_boundary",
      schema: schemaOf(readPrompt),
      description: "Painted into the frame and hashed into the strip.",
    },
  ],
  stepFields: [
    ...FIELDS.map(([name, modality]) => {
      const field = name as keyof typeof FIELD_MODALITIES;
      return {
        name,
        required: false,
        modality: modality.name,
        schema: schemaOf(STEP_FIELD_READERS[field] as Reader<unknown>),
        metadata: { neutral: PROBE_NEUTRAL[field], fullScale: FIELD_UNITS[field] },
      };
    }),
    {
      name: "inputSequence",
      required: false,
      schema: schemaOf(STEP_FIELD_READERS.inputSequence),
      description: "Number of the newest client message whose state the step sees.",
    },
  ],
});

/** Hands every modality that is there to the step field of the same meaning, the prompt to an update, and the input sequence through. */
export const probeMapping: InputMapping<null> = inputMapping<null>({
  name: "probe",
  consumesOptional: [...FIELDS.map(([, modality]) => modality), CONDITIONING],
  producesStep: [...FIELDS.map(([name]) => name), "inputSequence"],
  producesUpdate: ["prompt"],
  createState: () => null,
  mapStepInputs: ({ canonical, modelInputs, state }) => {
    const step: Record<string, unknown> = { ...modelInputs.step };
    for (const [name, modality] of FIELDS) {
      const value = canonical.values[modality.name];
      if (value !== undefined) step[name] = value;
    }
    const { inputSequence } = canonical.metadata;
    if (inputSequence !== undefined) step.inputSequence = inputSequence;
    const prompt = canonical.values[CONDITIONING.name]?.prompt;
    const inputs = modelInputs.withStep(step);
    return { inputs: prompt === undefined ? inputs : inputs.withUpdate({ ...inputs.update, prompt }), state };
  },
});
