import { UPDATE_POLICIES, type UpdatePolicy } from "@dreamloop/core";
import { isPlainObject } from "@dreamloop/core/internal";
import type { ImageInputSize } from "@dreamloop/node";

/** What a list of worlds shows of an initial input of a bundle that nobody has checked. */
export interface InputGlance {
  /** Its name. */
  readonly name: string;
  /** Whether it must be given. */
  readonly required: boolean;
  /** Whether an update may change it. */
  readonly updatePolicy: UpdatePolicy;
  /** For people. */
  readonly description: string;
  /** Size of the picture that it takes; absent: it takes none. */
  readonly image?: ImageInputSize;
}

/** The initial inputs of a manifest as it is written; what cannot be read of them is left out. */
export function glanceAtInputs(manifest: Readonly<Record<string, unknown>>): readonly InputGlance[] {
  const inputs = isPlainObject(manifest.inputs) ? manifest.inputs : {};
  const initial = isPlainObject(inputs.initial) ? inputs.initial : {};
  return Object.entries(initial).flatMap(([name, input]) => (isPlainObject(input) ? [glance(name, input)] : []));
}

function glance(name: string, input: Readonly<Record<string, unknown>>): InputGlance {
  const image = imageSize(input);
  return {
    name,
    required: input.required !== false && input.default === undefined,
    updatePolicy:
      input.updatePolicy === UPDATE_POLICIES.stepBoundary ? UPDATE_POLICIES.stepBoundary : UPDATE_POLICIES.sessionStart,
    description: typeof input.description === "string" ? input.description : "",
    ...(image === undefined ? {} : { image }),
  };
}

function imageSize({ type, shape, layout }: Readonly<Record<string, unknown>>): ImageInputSize | undefined {
  if (type !== "image" || !Array.isArray(shape)) return undefined;
  const [first, second, third] = (shape as readonly unknown[]).slice(-3);
  const [height, width] = layout === "hwc" ? [first, second] : [second, third];
  return isSide(width) && isSide(height) ? { width, height } : undefined;
}

function isSide(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 1;
}
