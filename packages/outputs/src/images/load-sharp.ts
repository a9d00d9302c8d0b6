import type sharp from "sharp";
import { DreamloopError, ERROR_CODES } from "@dreamloop/core";

/** Loads sharp when the first picture is wanted. Throws `unavailable` when the platform lacks it. */
export async function loadSharp(): Promise<typeof sharp> {
  try {
    return (await import("sharp")).default;
  } catch (cause) {
    throw new DreamloopError(
      ERROR_CODES.unavailable,
      "pictures: the sharp package could not be loaded on this platform; install it with: npm install sharp@0.35.5",
      { cause },
    );
  }
}
