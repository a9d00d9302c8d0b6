import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import type { VideoEncoderBackend } from "./video-encoder.ts";

/** What may be asked of the place where an encoder runs. */
export const HARDWARE_PREFERENCES = {
  /** Either; its settings say which it is. */
  auto: "auto",
  /** The processor. */
  software: "software",
  /** Special hardware; an encoder that runs on the processor is refused. */
  hardware: "hardware",
} as const;

/** One of `HARDWARE_PREFERENCES`. */
export type HardwarePreference = (typeof HARDWARE_PREFERENCES)[keyof typeof HARDWARE_PREFERENCES];

/** Throws `unavailable` when a backend encodes elsewhere than asked for. */
export function requireHardware({ name, isHardware }: VideoEncoderBackend, asked: HardwarePreference): void {
  if (asked === HARDWARE_PREFERENCES.auto) return;
  const found = isHardware ? HARDWARE_PREFERENCES.hardware : HARDWARE_PREFERENCES.software;
  if (found === asked) return;
  throw new DreamloopError(
    ERROR_CODES.unavailable,
    `${name} encoder: expected one in ${asked}, found that it encodes in ${found}; ask for ${found} or auto`,
  );
}
