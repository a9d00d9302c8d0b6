const SINGLE = new DataView(new ArrayBuffer(4));

/** The bits of the 16-bit floating point number (IEEE 754 binary16) nearest to `value`, ties to even; too large ones become infinite. */
export function float16Bits(value: number): number {
  SINGLE.setFloat32(0, value);
  const bits = SINGLE.getUint32(0);
  const sign = (bits >>> 16) & 0x8000;
  const exponent = (bits >>> 23) & 0xff;
  const fraction = bits & 0x7fffff;
  if (exponent === 0xff) return sign | 0x7c00 | (fraction === 0 ? 0 : 0x200);
  const power = exponent - 112;
  if (power >= 31) return sign | 0x7c00;
  if (power <= 0) {
    if (power < -10) return sign;
    return sign | roundedShift(fraction | 0x800000, 14 - power);
  }
  // A carry out of the fraction goes into the exponent, which is what rounding up means there.
  return sign | ((power << 10) + roundedShift(fraction, 13));
}

/** The number that 16 bits stand for. */
export function float16Value(bits: number): number {
  const sign = (bits & 0x8000) === 0 ? 1 : -1;
  const exponent = (bits >>> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN;
  return sign * (1024 + fraction) * 2 ** (exponent - 25);
}

/** Numbers as 16-bit floats. */
export function float16Array(values: ArrayLike<number>): Uint16Array {
  return Uint16Array.from({ length: values.length }, (_, index) => float16Bits(values[index] ?? 0));
}

function roundedShift(value: number, shift: number): number {
  const kept = value >>> shift;
  const rest = value & ((1 << shift) - 1);
  const half = 1 << (shift - 1);
  return rest > half || (rest === half && (kept & 1) === 1) ? kept + 1 : kept;
}
