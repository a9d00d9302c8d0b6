/** A picture of hills in the evening, drawn from a name: the same one for the same name, another for another. */
export interface PlaceholderArt {
  /** Colours of the sky, from the top. */
  readonly sky: readonly [string, string, string];
  /** Sun or moon. */
  readonly disc: { readonly x: number; readonly y: number; readonly radius: number };
  /** Outlines of the hills, the farthest first. */
  readonly hills: readonly { readonly path: string; readonly colour: string }[];
}

/** Width of the drawing. */
export const ART_WIDTH = 320;
/** Height of the drawing. */
export const ART_HEIGHT = 180;

const HILLS = 4;
const POINTS = 8;

/** Draws the picture of a name. Pure. */
export function placeholderArt(name: string): PlaceholderArt {
  const random = numbersOf(name);
  const hue = Math.floor(random() * 360);
  const colour = (turn: number, saturation: number, lightness: number): string =>
    `hsl(${(hue + turn + 360) % 360} ${saturation}% ${lightness}%)`;
  const hills = Array.from({ length: HILLS }, (_, index) => {
    const depth = index / (HILLS - 1);
    return {
      path: hillPath({ base: 92 + 66 * depth, height: 34 - 12 * depth, random }),
      colour: colour(-30 - 26 * depth, 34 - 6 * depth, 34 - 25 * depth),
    };
  });
  return {
    sky: [colour(-20, 48, 15), colour(18, 42, 38), colour(58, 74, 72)],
    disc: { x: round(70 + random() * 180), y: round(58 + random() * 34), radius: round(13 + random() * 11) },
    hills,
  };
}

function hillPath(options: { readonly base: number; readonly height: number; readonly random: () => number }): string {
  const { base, height, random } = options;
  const width = ART_WIDTH / (POINTS - 1);
  const tops = Array.from({ length: POINTS }, () => round(base - height * random()));
  let path = `M0 ${ART_HEIGHT}V${tops[0]}`;
  for (let index = 1; index < POINTS; index += 1) {
    const x = round(index * width);
    const half = round(width / 2);
    path += `C${round(x - half)} ${tops[index - 1]} ${round(x - half)} ${tops[index]} ${x} ${tops[index]}`;
  }
  return `${path}V${ART_HEIGHT}Z`;
}

/** Numbers from 0 to 1 that follow from a name, by a multiplicative hash and a linear congruential generator. */
function numbersOf(name: string): () => number {
  let state = 2_166_136_261;
  for (const letter of name) state = Math.imul(state ^ (letter.codePointAt(0) ?? 0), 16_777_619) >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
