import type { InputFieldInput, ModelInputSchemaInput } from "@dreamloop/core";
import { imageSize } from "../session/image-tensor.ts";
import type { InitialInputDeclaration, StepInputDeclaration, WorldManifest } from "../manifest/world-manifest.ts";

/** What the sessions of a world need, in the terms of the envelope. */
export function bundleInputSchema(manifest: WorldManifest): ModelInputSchemaInput {
  const { initial, step, alternatives } = manifest.inputs;
  return {
    initialFields: Object.entries(initial).map(([name, input]) => initialField(name, input)),
    stepFields: Object.entries(step).map(([name, input]) => stepField(name, input)),
    alternatives,
    description: manifest.description,
  };
}

function initialField(name: string, input: InitialInputDeclaration): InputFieldInput {
  const hasDefault = "default" in input && input.default !== undefined;
  const modality = input.type === "tensor" ? undefined : "conditioning";
  return {
    name,
    required: input.required && !hasDefault,
    updatePolicy: input.updatePolicy,
    description: input.description ?? "",
    metadata: { type: input.type, dtype: input.dtype, shape: input.shape, ...imageFacts(input) },
    ...(modality === undefined ? {} : { modality }),
  };
}

/** By its size whoever gives a picture knows what to crop it to. */
function imageFacts(input: InitialInputDeclaration): { readonly width?: number; readonly height?: number } {
  if (input.type !== "image") return {};
  const [height, width] = imageSize(input);
  return { width, height };
}

/** Controls have a neutral value, so that a world runs without a device; numbers that nobody else can supply are required. */
function stepField(name: string, input: StepInputDeclaration): InputFieldInput {
  const modality = modalityOf(input);
  return {
    name,
    required: input.type === "tensor" && input.neutral === undefined,
    description: input.description ?? "",
    metadata: { type: input.type, dtype: input.dtype, shape: input.shape },
    ...(modality === undefined ? {} : { modality }),
  };
}

function modalityOf(input: StepInputDeclaration): string | undefined {
  if (input.type === "tensor") return input.modality;
  if (input.type === "discrete") return "actions";
  return input.components[0]?.from?.split(".")[0] ?? "actions";
}
