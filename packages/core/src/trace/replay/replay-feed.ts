import type { PlannedWindow } from "../../drivers/batch-driver.ts";
import { DreamloopError, ERROR_CODES } from "../../foundation/dreamloop-error.ts";
import { isControlEvent } from "../../inputs/event-catalogue.ts";
import { InputTracker } from "../../inputs/input-tracker.ts";
import { userInputEvent, type UserInputEvent } from "../../inputs/user-input-event.ts";
import type { UserInputSchema } from "../../inputs/user-input-schema.ts";
import type { UserInputSource } from "../../inputs/user-input-source.ts";
import { userInputs, type UserInputs } from "../../inputs/user-inputs.ts";
import { inputMapping, type InputMapping } from "../../mapping/input-mapping.ts";
import type { ModelInputSchema } from "../../mapping/model-input-schema.ts";
import type { ModelInputs } from "../../mapping/model-inputs.ts";
import type { TimeWindow } from "../../foundation/time/time-window.ts";
import type { Mapping } from "../../foundation/validate/reader.ts";
import type { TraceEvent, TraceStep } from "../format/trace-records.ts";
import type { Trace } from "../read-trace.ts";
import { loadModelInputs } from "../value/model-inputs-payload.ts";
import type { PayloadReader } from "../value/payload-reader.ts";
import { resolveValue } from "../value/resolve-value.ts";
import { REPLAY_LEVELS, type ReplayLevel } from "./replay-options.ts";

/** What one step needs, read from trace and payloads before the driver asks for it. */
interface PreparedStep {
  readonly step: TraceStep;
  readonly events: readonly UserInputEvent[];
  readonly modelInputs: ModelInputs | undefined;
}

/**
 * Gives a driver the recorded inputs of each window: the source of a replay and, at the level of model inputs, its mapping. It prepares
 * one step at a time, so that a long trace with big payloads takes no more memory than a short one.
 */
export class ReplayFeed implements UserInputSource {
  readonly schema: UserInputSchema;
  readonly #trace: Trace;
  readonly #level: ReplayLevel;
  readonly #payloads: PayloadReader;
  readonly #tracker = new InputTracker();
  readonly #initialInputs: ModelInputs[] = [];
  #prepared: PreparedStep | undefined;

  /** Feeds the steps of `trace` at `level`. */
  constructor(trace: Trace, level: ReplayLevel, payloads: PayloadReader) {
    this.#trace = trace;
    this.#level = level;
    this.#payloads = payloads;
    this.schema = trace.header.sourceSchema;
  }

  /** Reads what the start and the first step need. Throws `replay_refused` when something is not to be had. */
  async prepareStart(): Promise<void> {
    const { initialInputs } = this.#trace.header;
    if (this.#level === REPLAY_LEVELS.modelInputs) await this.#loadInitial(initialInputs, "header.initialInputs");
    await this.#prepareStep(0);
  }

  /** Prepares the step with this number and gives its window; nothing when the trace has no such step. */
  async window(stepNumber: number): Promise<PlannedWindow | undefined> {
    if (this.#prepared?.step.stepNumber !== stepNumber) await this.#prepareStep(stepNumber);
    return this.#prepared?.step;
  }

  async #prepareStep(stepNumber: number): Promise<void> {
    const step = this.#trace.steps[stepNumber];
    this.#prepared = undefined;
    if (step === undefined) return;
    let modelInputs: ModelInputs | undefined;
    if (this.#level === REPLAY_LEVELS.modelInputs) {
      for (const reset of step.resets) await this.#loadInitial(reset.initialInputs, `reset before step ${stepNumber}`);
      modelInputs = await this.#load(step.modelInputs, `step ${stepNumber}`);
    }
    const events: UserInputEvent[] = [];
    for (const event of step.events) {
      if (modelInputs === undefined || isControlEvent(userInputEvent({ ...event, payload: {} }))) {
        events.push(await this.#event(event, stepNumber));
      }
    }
    this.#prepared = { step, events, modelInputs };
  }

  /** The recorded events of the window, with what is held after them. */
  read(window: TimeWindow): UserInputs {
    const { step, events } = this.#require();
    const { startSeconds, endSeconds } = step.window;
    if (window.startSeconds !== startSeconds || window.endSeconds !== endSeconds) {
      throw new DreamloopError(
        ERROR_CODES.internal,
        `ReplayFeed.read: expected the window [${startSeconds}, ${endSeconds}) of step ${step.stepNumber}, found [${window.startSeconds}, ${window.endSeconds})`,
      );
    }
    for (const event of events) this.#tracker.resolve(event);
    const { inputSequence } = step;
    return userInputs({
      events,
      snapshot: this.#tracker.snapshot(),
      metadata: inputSequence === undefined ? {} : { inputSequence },
    });
  }

  /** The mapping that gives the recorded model inputs; it serves one run. */
  mapping(schema: ModelInputSchema): InputMapping {
    const initialNames = schema.initialFields.map(({ name }) => name);
    return inputMapping({
      name: "recorded-model-inputs",
      producesInitial: initialNames,
      producesStep: schema.stepFields.map(({ name }) => name),
      producesUpdate: initialNames,
      // Called once at the start and once for each reset, in the order in which the trace has them.
      mapInitialInputs: ({ state }) => ({ inputs: this.#initialInputs.shift() ?? missing("initial inputs"), state }),
      mapStepInputs: ({ state }) => ({ inputs: this.#require().modelInputs ?? missing("model inputs"), state }),
    });
  }

  async #event(event: TraceEvent, stepNumber: number): Promise<UserInputEvent> {
    const payload = await resolveValue(event.payload, `${event.eventType} in step ${stepNumber}`, this.#payloads);
    return userInputEvent({ ...pick(event), payload: payload as Mapping });
  }

  async #loadInitial(address: string | undefined, place: string): Promise<void> {
    this.#initialInputs.push(await this.#load(address, place));
  }

  async #load(address: string | undefined, place: string): Promise<ModelInputs> {
    if (address !== undefined) return loadModelInputs(address, this.#payloads);
    throw new DreamloopError(
      ERROR_CODES.replayRefused,
      `${place}: the trace does not have its model inputs, since they held what no trace can; replay at the level of user events`,
    );
  }

  #require(): PreparedStep {
    return this.#prepared ?? missing("step");
  }
}

function pick({ timestampSeconds, eventType, source, sourceEventId }: TraceEvent): Omit<TraceEvent, "payload"> {
  return {
    timestampSeconds,
    eventType,
    ...(source === undefined ? {} : { source }),
    ...(sourceEventId === undefined ? {} : { sourceEventId }),
  };
}

function missing(what: string): never {
  throw new DreamloopError(ERROR_CODES.internal, `ReplayFeed: no ${what} was prepared; a replay feeds one run only`);
}
