import type { ConditioningField } from "../../mapping/conditioning-mapping.ts";
import type { InputFieldInput } from "../../mapping/model-input-schema.ts";

declare const VALUE: unique symbol;

/** Whether an input has to be given: `required`; `optional` may be absent; `defaulted` has a value anyway. */
export type InputPresence = "required" | "optional" | "defaulted";

/** One input of a world, made by `input.text()` and its like; the type parameters exist for the compiler only. */
export interface InputSpec<Value = unknown, Presence extends InputPresence = InputPresence> {
  /** Whether it has to be given. */
  readonly presence: Presence;
  /** The value that stands in when none is given. */
  readonly defaultValue: Value | undefined;
  /** Whether an update may change it while the world runs. */
  readonly isLive: boolean;
  /** Which part of the `conditioning` modality changes it; absent: the part of its own name, if there is one. */
  readonly conditioning: ConditioningField | undefined;
  /** The field as the model's schema has it, but for its name. */
  readonly field: Omit<Exclude<InputFieldInput, string>, "name">;
  /** Never there: carries the type of the value. */
  readonly [VALUE]?: Value;
}

/** Inputs by name. */
export type InputSpecs = Readonly<Record<string, InputSpec>>;

/** No inputs. */
export type NoInputs = Readonly<Record<never, never>>;

/** The value that a world sees of an input. */
export type InputValue<Spec> =
  Spec extends InputSpec<infer Value, infer Presence>
    ? Presence extends "optional"
      ? Value | undefined
      : Value
    : never;

/** The values that a world sees, by name. */
export type InputValues<Specs> = { readonly [Name in keyof Specs]: InputValue<Specs[Name]> };

/** Names of the inputs that have to be given. */
export type RequiredInputNames<Specs> = {
  [Name in keyof Specs]: Specs[Name] extends InputSpec<infer _Value, "required"> ? Name : never;
}[keyof Specs];

/** What a mapping has to give for these inputs: the required ones, and the others if it likes. */
export type InputProducts<Specs> = {
  readonly [Name in RequiredInputNames<Specs>]: InputValue<Specs[Name]>;
} & {
  readonly [Name in Exclude<keyof Specs, RequiredInputNames<Specs>>]?: InputValue<Specs[Name]> | undefined;
};

/** What every kind of input takes. */
export interface InputOptions<Value> {
  /** The value that stands in when none is given; the input is never absent then. */
  readonly default?: Value;
  /** Whether it may be absent; default false. */
  readonly optional?: boolean;
  /**
   * Whether an update may change it while the world runs; initial inputs only, default false. `true` on an input named `prompt`,
   * `negativePrompt`, `image`, `textEvent` or `textEvents` lets it follow that part of the conditioning; another input names the part.
   */
  readonly live?: boolean | ConditioningField;
  /** For people. */
  readonly description?: string;
}

/** The presence that follows from the options. */
export type PresenceOf<Options> = Options extends { readonly default: infer Value }
  ? undefined extends Value
    ? "required"
    : "defaulted"
  : Options extends { readonly optional: true }
    ? "optional"
    : "required";
