import { i420ToRgb, webCodecsBackend } from "@dreamloop/outputs";
import { readProbeStrip } from "@dreamloop/worlds";

const SIZE = { width: 320, height: 180 };

/** Decodes frames of the probe world that begin with a key frame, and reads what it painted into each. */
export async function readPictures(
  codec: "h264" | "vp8",
  frames: readonly { readonly data: Uint8Array; readonly keyFrame: boolean }[],
): Promise<ReturnType<typeof readProbeStrip>[]> {
  const backend = webCodecsBackend();
  try {
    const encoded = frames.map(({ data, keyFrame }, index) => ({ data, isKeyFrame: keyFrame, timestamp: index }));
    const pictures = (await backend.decode?.({ codec, frames: encoded, ...SIZE })) ?? [];
    return pictures.map((picture) => readProbeStrip({ data: i420ToRgb({ picture, ...SIZE }), ...SIZE }));
  } finally {
    await backend.close();
  }
}
