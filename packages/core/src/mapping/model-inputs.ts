import { mapping, withDefault, type Mapping } from "../foundation/validate/reader.ts";
import { isMade, markMade, refuseUnknownKeys } from "../foundation/validate/record.ts";

/** What a session receives, in three slots. Payloads are carried by reference, the slots are frozen copies. */
export interface ModelInputs {
  /** Starts or resets a rollout (prompt, first frame, scene). */
  readonly initial: Mapping;
  /** Feeds one step. */
  readonly step: Mapping;
  /** Asks for a change of initial values at this step boundary; never a reset. */
  readonly update: Mapping;
  /** Facts about the inputs that the model does not consume. */
  readonly metadata: Mapping;
  /** A copy with this step slot. */
  withStep(step: Mapping): ModelInputs;
  /** A copy with this update slot. */
  withUpdate(update: Mapping): ModelInputs;
}

/** What the factory of `ModelInputs` takes: every slot may be left out. */
export type ModelInputsInput = Partial<Pick<ModelInputs, "initial" | "step" | "update" | "metadata">>;

class ModelInputsValue implements ModelInputs {
  readonly initial: Mapping;
  readonly step: Mapping;
  readonly update: Mapping;
  readonly metadata: Mapping;

  constructor(initial: Mapping, step: Mapping, update: Mapping, metadata: Mapping) {
    this.initial = initial;
    this.step = step;
    this.update = update;
    this.metadata = metadata;
    markMade(this, "ModelInputs");
  }

  withStep(step: Mapping): ModelInputs {
    return new ModelInputsValue(this.initial, read(step, "ModelInputs.step"), this.update, this.metadata);
  }

  withUpdate(update: Mapping): ModelInputs {
    return new ModelInputsValue(this.initial, this.step, read(update, "ModelInputs.update"), this.metadata);
  }
}

const read = withDefault(mapping, Object.freeze({}));

/** Makes `ModelInputs` with empty slots where none are given. */
export function modelInputs(input: ModelInputsInput = {}): ModelInputs {
  if (isMade(input, "ModelInputs")) return input as ModelInputs;
  refuseUnknownKeys(input, ["initial", "step", "update", "metadata"], "ModelInputs");
  return new ModelInputsValue(
    read(input.initial, "ModelInputs.initial"),
    read(input.step, "ModelInputs.step"),
    read(input.update, "ModelInputs.update"),
    read(input.metadata, "ModelInputs.metadata"),
  );
}
