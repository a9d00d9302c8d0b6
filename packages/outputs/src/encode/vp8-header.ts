/** Bytes of the uncompressed part of a VP8 key frame (RFC 6386, 9.1). */
const KEY_FRAME_HEADER_BYTES = 10;
/** The start code that follows the frame tag. */
const START_CODE = [0x9d, 0x01, 0x2a] as const;
const SIZE_MASK = 0x3fff;

/** Whether decoding can start at this frame. Throws `RangeError` for what is no VP8 frame. */
export function isVp8KeyFrame(frame: Uint8Array): boolean {
  if (frame.byteLength < 3) throw new RangeError("a VP8 frame ends early");
  if ((frame[0] & 1) !== 0) return false;
  if (frame.byteLength < KEY_FRAME_HEADER_BYTES || START_CODE.some((byte, index) => frame[3 + index] !== byte)) {
    throw new RangeError("a VP8 key frame has no start code");
  }
  return true;
}

/** The size that a key frame tells. */
export function vp8Size(keyFrame: Uint8Array): { readonly width: number; readonly height: number } {
  const view = new DataView(keyFrame.buffer, keyFrame.byteOffset, keyFrame.byteLength);
  return { width: view.getUint16(6, true) & SIZE_MASK, height: view.getUint16(8, true) & SIZE_MASK };
}

/**
 * Changes the size that a key frame tells. It may shrink only within the same blocks of 16, which holds for a picture that was
 * padded to even; throws `RangeError` otherwise.
 */
export function setVp8Size(keyFrame: Uint8Array, size: { readonly width: number; readonly height: number }): void {
  const told = vp8Size(keyFrame);
  for (const side of ["width", "height"] as const) {
    if (Math.ceil(size[side] / 16) !== Math.ceil(told[side] / 16)) {
      throw new RangeError(`the ${side} ${size[side]} does not fit a VP8 frame of ${told[side]}`);
    }
  }
  const view = new DataView(keyFrame.buffer, keyFrame.byteOffset, keyFrame.byteLength);
  view.setUint16(6, (view.getUint16(6, true) & ~SIZE_MASK) | size.width, true);
  view.setUint16(8, (view.getUint16(8, true) & ~SIZE_MASK) | size.height, true);
}
