import { isDreamloopError } from "../../foundation/dreamloop-error.ts";
import { CONDITIONING_FIELDS, type ConditioningField } from "../../mapping/conditioning-mapping.ts";
import { UPDATE_POLICIES } from "../../mapping/model-input-schema.ts";
import { videoChunk, type VideoChunk, type VideoChunkInput } from "../../model/video-chunk.ts";
import {
  finite,
  flag as readFlag,
  listOf,
  optional,
  refuse,
  standardSchema,
  text as readText,
  throughSchema,
  withDefault,
  type NumberLimits,
  type Reader,
} from "../../foundation/validate/reader.ts";
import { markMade, refuseUnknownKeys } from "../../foundation/validate/record.ts";
import type { StandardSchema } from "../../foundation/validate/standard-schema.ts";
import type { InputOptions, InputPresence, InputSpec, PresenceOf } from "./input-spec.ts";

/** The longest text that `input.text` takes unless told otherwise, in UTF-16 units. */
export const DEFAULT_TEXT_LENGTH = 4000;

/** What `input.text` takes. */
export interface TextInputOptions extends InputOptions<string> {
  /** Greatest length in UTF-16 units; default `DEFAULT_TEXT_LENGTH`. */
  readonly maxLength?: number;
}

/** What `input.number` takes. */
export interface NumberInputOptions extends InputOptions<number> {
  /** Least value; default none. */
  readonly min?: number;
  /** Greatest value; default none. */
  readonly max?: number;
  /** Whether only integers pass; default false. */
  readonly integer?: boolean;
}

/** What `input.value` takes: a type that only the compiler knows, or a schema that checks it too. */
export interface ValueInputOptions<Value> extends InputOptions<Value> {
  /** A synchronous Standard Schema; absent: any value passes. */
  readonly schema?: StandardSchema<unknown, Value>;
}

/** What `input.image` takes. */
export interface ImageInputOptions {
  /** Pixels a row of the picture, 1 to 16,384; what a person gives is scaled and cropped to it. */
  readonly width: number;
  /** Rows, 1 to 16,384. */
  readonly height: number;
  /** Whether the world starts without one as well; default false. */
  readonly optional?: boolean;
  /** For people. */
  readonly description?: string;
}

/** A picture as a world gets it: one frame of packed full-range sRGB bytes, row by row from the top. */
export type ImageInput = VideoChunk & {
  /** Always `rgb8`. */
  readonly format: "rgb8";
  /** `3 · width · height` bytes. */
  readonly data: Uint8Array;
};

function text<const Options extends TextInputOptions = Record<never, never>>(
  options?: Options,
): InputSpec<string, PresenceOf<Options>> {
  const { maxLength, ...base } = checked<TextInputOptions>(options, "text", ["maxLength"]);
  const limit = withDefault(finite({ integer: true, min: 1 }), DEFAULT_TEXT_LENGTH)(maxLength, "input.text.maxLength");
  return inputSpec("text", base, readText({ maxLength: limit, allowBlank: true }));
}

function number<const Options extends NumberInputOptions = Record<never, never>>(
  options?: Options,
): InputSpec<number, PresenceOf<Options>> {
  const { min, max, integer, ...base } = checked<NumberInputOptions>(options, "number", ["min", "max", "integer"]);
  const limits: NumberLimits = {
    ...(min === undefined ? {} : { min: finite()(min, "input.number.min") }),
    ...(max === undefined ? {} : { max: finite()(max, "input.number.max") }),
    ...(integer === undefined ? {} : { integer: readFlag(integer, "input.number.integer") }),
  };
  return inputSpec("number", base, finite(limits));
}

function flag<const Options extends InputOptions<boolean> = Record<never, never>>(
  options?: Options,
): InputSpec<boolean, PresenceOf<Options>> {
  return inputSpec("flag", checked<InputOptions<boolean>>(options, "flag", []), readFlag);
}

function choice<const Value extends string, const Options extends InputOptions<NoInfer<Value>> = Record<never, never>>(
  values: readonly Value[],
  options?: Options,
): InputSpec<Value, PresenceOf<Options>> {
  const allowed = listOf(readText(), { min: 1 })(values, "input.choice(values)");
  const read: Reader<Value> = (value, path) => {
    if (allowed.includes(value as string)) return value as Value;
    return refuse(path, `one of ${allowed.map((member) => JSON.stringify(member)).join(", ")}`, value);
  };
  return inputSpec("choice", checked<InputOptions<Value>>(options, "choice", []), read);
}

function image<const Options extends ImageInputOptions>(
  options: Options,
): InputSpec<ImageInput, Options extends { readonly optional: true } ? "optional" : "required"> {
  refuseOtherThan(options, "image", ["width", "height", "optional", "description"]);
  const { width, height, ...base } = options;
  const side = finite({ integer: true, min: 1, max: 16_384 });
  const size = { width: side(width, "input.image.width"), height: side(height, "input.image.height") };
  const read: Reader<ImageInput> = (candidate, path) => {
    const picture = videoChunk(candidate as VideoChunkInput);
    const { format, layout, colorSpace, range, frameCount } = picture;
    const isPacked = format === "rgb8" && layout === "thwc" && colorSpace === "srgb" && range === "full";
    if (isPacked && frameCount === 1 && picture.width === size.width && picture.height === size.height) {
      return picture as ImageInput;
    }
    const found = `${frameCount} of ${picture.width}×${picture.height} (${format}, ${layout}, ${colorSpace}, ${range})`;
    return refuse(path, `one frame of ${size.width}×${size.height} (rgb8, thwc, srgb, full)`, found);
  };
  return inputSpec("image", base, read, { type: "image", ...size });
}

function value<Value>(options: ValueInputOptions<Value> & { readonly default: Value }): InputSpec<Value, "defaulted">;
function value<Value>(options: ValueInputOptions<Value> & { readonly optional: true }): InputSpec<Value, "optional">;
function value<Value>(options?: ValueInputOptions<Value>): InputSpec<Value, "required">;
function value<Value>(options?: ValueInputOptions<Value>): InputSpec<Value, InputPresence> {
  const { schema, ...base } = checked<ValueInputOptions<Value>>(options, "value", ["schema"]);
  if (schema === undefined) return inputSpec<Value, InputPresence>("value", base, undefined);
  standardSchema(schema, "input.value.schema");
  return inputSpec<Value, InputPresence>("value", base, throughSchema(schema));
}

/**
 * Declares the inputs of a world, with a type for the compiler and a check for run time. Each may be `optional`, have a `default`, a
 * `description` and, among the initial inputs, be `live`: changeable while the world runs. Throws `invalid_value` and `unknown_key`.
 */
export const input = Object.freeze({
  /** A string: `input.text({ default: "a sunny road", live: true })`. */
  text,
  /** A finite number within bounds: `input.number({ min: -1, max: 1 })`. */
  number,
  /** True or false. */
  flag,
  /** One of some strings: `input.choice(["day", "night"])`. */
  choice,
  /** A picture to start from, as a file or an upload: `input.image({ width: 384, height: 224 })`. */
  image,
  /** Anything else: `input.value<Float32Array>()`, or `input.value({ schema })` with a Standard Schema. */
  value,
} as const);

function checked<Options extends object>(options: unknown, kind: string, further: readonly string[]): Options {
  if (options === undefined) return {} as Options;
  refuseOtherThan(options, kind, ["default", "optional", "live", "description", ...further]);
  return options as Options;
}

function refuseOtherThan(options: unknown, kind: string, keys: readonly string[]): void {
  if (typeof options !== "object" || options === null) refuse(`input.${kind}(options)`, "an object", options);
  refuseUnknownKeys(options, keys, `input.${kind}`);
}

function inputSpec<Value, Presence extends InputPresence>(
  kind: string,
  options: InputOptions<Value>,
  read: Reader<unknown> | undefined,
  metadata?: Readonly<Record<string, unknown>>,
): InputSpec<Value, Presence> {
  const { default: fallback, live = false } = options;
  const isOptional = withDefault(readFlag, false)(options.optional, `input.${kind}.optional`);
  const description = optional(readText({ allowBlank: true }))(options.description, `input.${kind}.description`);
  if (fallback !== undefined) read?.(fallback, `input.${kind}.default`);
  if (fallback !== undefined && isOptional) {
    refuse(`input.${kind}.optional`, "nothing, as an input with a default is never absent", isOptional);
  }
  if (typeof live !== "boolean" && !Object.hasOwn(CONDITIONING_FIELDS, live)) {
    const parts = Object.keys(CONDITIONING_FIELDS).join(", ");
    refuse(`input.${kind}.live`, `true, false or a part of the conditioning (${parts})`, live);
  }
  const presence = fallback !== undefined ? "defaulted" : isOptional ? "optional" : "required";
  const spec: InputSpec<Value> = {
    presence,
    defaultValue: fallback,
    isLive: live !== false,
    conditioning: typeof live === "string" ? live : undefined,
    field: Object.freeze({
      required: presence === "required",
      updatePolicy: live === false ? UPDATE_POLICIES.sessionStart : UPDATE_POLICIES.stepBoundary,
      ...(read === undefined ? {} : { schema: schemaOf(read) }),
      ...(description === undefined ? {} : { description }),
      ...(metadata === undefined ? {} : { metadata }),
    }),
  };
  return markMade(spec, "InputSpec") as InputSpec<Value, Presence>;
}

/** The part of the conditioning that changes an input of this name: the named one, else the one of its own name. */
export function conditioningOf(name: string, spec: InputSpec): ConditioningField | undefined {
  if (!spec.isLive) return undefined;
  if (spec.conditioning !== undefined) return spec.conditioning;
  return Object.hasOwn(CONDITIONING_FIELDS, name) ? (name as ConditioningField) : undefined;
}

/** A reader as a Standard Schema; its message loses the path, which the field adds again. */
function schemaOf(read: Reader<unknown>): StandardSchema {
  return {
    "~standard": {
      version: 1,
      vendor: "dreamloop",
      validate: (candidate) => {
        try {
          return { value: read(candidate, "value") };
        } catch (error) {
          if (!isDreamloopError(error)) throw error;
          return { issues: [{ message: error.message.replace(/^value: /, "") }] };
        }
      },
    },
  };
}
