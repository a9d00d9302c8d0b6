import { i420ToRgb, webCodecsBackend } from "@dreamloop/outputs";

const SIZE = { width: 320, height: 180 };

/** Decodes frames that begin with a key frame, to pictures of packed RGB. */
export async function decodePictures(
  codec: "h264" | "vp8",
  frames: readonly { readonly data: Uint8Array; readonly keyFrame: boolean }[],
): Promise<{ readonly data: Uint8Array; readonly width: number; readonly height: number }[]> {
  const backend = webCodecsBackend();
  try {
    const encoded = frames.map(({ data, keyFrame }, index) => ({ data, isKeyFrame: keyFrame, timestamp: index }));
    const pictures = (await backend.decode?.({ codec, frames: encoded, ...SIZE })) ?? [];
    return pictures.map((picture) => ({ data: i420ToRgb({ picture, ...SIZE }), ...SIZE }));
  } finally {
    await backend.close();
  }
}
