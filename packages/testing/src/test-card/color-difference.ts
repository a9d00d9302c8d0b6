/** A colour in CIE 1976 L*a*b*. */
export interface LabColor {
  /** Lightness, 0 to 100. */
  readonly lightness: number;
  /** From green (negative) to red. */
  readonly a: number;
  /** From blue (negative) to yellow. */
  readonly b: number;
}

/** Reference white of sRGB, D65 for 2 degrees, as IEC 61966-2-1 and its usual matrix have it: X, Y, Z with Y = 1. */
const WHITE = [0.9504559270516716, 1, 1.0890577507598784] as const;

/** One 8-bit sRGB value as linear light, 0 to 1 (IEC 61966-2-1). */
function linearLight(value: number): number {
  const signal = value / 255;
  return signal <= 0.04045 ? signal / 12.92 : ((signal + 0.055) / 1.055) ** 2.4;
}

/** The cube root with its straight part near black (CIE 15:2004). */
function labRoot(ratio: number): number {
  return ratio > 216 / 24389 ? Math.cbrt(ratio) : ((24389 / 27) * ratio + 16) / 116;
}

/** An 8-bit sRGB colour in L*a*b* under D65; fractions are allowed, as means of areas have them. */
export function labOfRgb(red: number, green: number, blue: number): LabColor {
  const [r, g, b] = [linearLight(red), linearLight(green), linearLight(blue)];
  // The matrix of the BT.709 primaries with a D65 white.
  const x = labRoot((0.4123907992659595 * r + 0.357584339383878 * g + 0.1804807884018343 * b) / WHITE[0]);
  const y = labRoot((0.21263900587151036 * r + 0.715168678767756 * g + 0.07219231536073371 * b) / WHITE[1]);
  const z = labRoot((0.01933081871559185 * r + 0.11919477979462599 * g + 0.9505321522496606 * b) / WHITE[2]);
  return { lightness: 116 * y - 16, a: 500 * (x - y), b: 200 * (y - z) };
}

const DEGREE = Math.PI / 180;
const POW_25_7 = 25 ** 7;

function hueDegrees(a: number, b: number): number {
  if (a === 0 && b === 0) return 0;
  const hue = Math.atan2(b, a) / DEGREE;
  return hue < 0 ? hue + 360 : hue;
}

/**
 * The colour difference CIEDE2000 with all weights 1: about 1 is just visible side by side. Follows G. Sharma, W. Wu, E. N. Dalal, "The
 * CIEDE2000 color-difference formula: implementation notes, supplementary test data, and mathematical observations", Color Research and
 * Application 30 (2005), whose equation numbers are given, and gives its test data.
 */
export function deltaE2000(one: LabColor, other: LabColor): number {
  // Equations 2 to 7: chroma and hue with the red-green axis stretched for greys.
  const meanChroma = (Math.hypot(one.a, one.b) + Math.hypot(other.a, other.b)) / 2;
  const stretch = 1 + 0.5 * (1 - Math.sqrt(meanChroma ** 7 / (meanChroma ** 7 + POW_25_7)));
  const chroma1 = Math.hypot(one.a * stretch, one.b);
  const chroma2 = Math.hypot(other.a * stretch, other.b);
  const hue1 = hueDegrees(one.a * stretch, one.b);
  const hue2 = hueDegrees(other.a * stretch, other.b);
  const isGrey = chroma1 * chroma2 === 0;

  // Equations 8 to 11: the three differences.
  const lightnessStep = other.lightness - one.lightness;
  const chromaStep = chroma2 - chroma1;
  let hueTurn = isGrey ? 0 : hue2 - hue1;
  if (hueTurn > 180) hueTurn -= 360;
  else if (hueTurn < -180) hueTurn += 360;
  const hueStep = 2 * Math.sqrt(chroma1 * chroma2) * Math.sin((hueTurn / 2) * DEGREE);

  // Equations 12 to 14: the means; that of two hues lies on the shorter arc.
  const lightness = (one.lightness + other.lightness) / 2;
  const chroma = (chroma1 + chroma2) / 2;
  let hue = hue1 + hue2;
  if (!isGrey) {
    if (Math.abs(hue1 - hue2) > 180) hue += hue < 360 ? 360 : -360;
    hue /= 2;
  }

  // Equations 15 to 21: the weights.
  const tilt =
    1 -
    0.17 * Math.cos((hue - 30) * DEGREE) +
    0.24 * Math.cos(2 * hue * DEGREE) +
    0.32 * Math.cos((3 * hue + 6) * DEGREE) -
    0.2 * Math.cos((4 * hue - 63) * DEGREE);
  const blueness = Math.exp(-(((hue - 275) / 25) ** 2));
  const rotation = -2 * Math.sqrt(chroma ** 7 / (chroma ** 7 + POW_25_7)) * Math.sin(60 * blueness * DEGREE);
  const fromMiddle = (lightness - 50) ** 2;
  const weightLightness = 1 + (0.015 * fromMiddle) / Math.sqrt(20 + fromMiddle);
  const weightChroma = 1 + 0.045 * chroma;
  const weightHue = 1 + 0.015 * chroma * tilt;

  // Equation 22.
  const l = lightnessStep / weightLightness;
  const c = chromaStep / weightChroma;
  const h = hueStep / weightHue;
  return Math.sqrt(l * l + c * c + h * h + rotation * c * h);
}
