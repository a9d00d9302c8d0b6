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
  // From blue over violet to rose: the hues in which an evening looks like one.
  const hue = Math.floor(205 + random() * 125);
  const colour = (turn: number, saturation: number, lightness: number): string =>
    `hsl(${(hue + turn) % 360} ${saturation}% ${lightness}%)`;
  const hills = Array.from({ length: HILLS }, (_, index) => {
    const depth = index / (HILLS - 1);
    return {
      path: hillPath({ base: 112 + 50 * depth, height: 30 - 10 * depth, random }),
      colour: colour(8 - 40 * depth, 30 + 4 * depth, 38 - 29 * depth),
    };
  });
  return {
    sky: [colour(-14, 50, 16), colour(12, 42, 40), colour(62, 78, 74)],
    disc: { x: round(70 + random() * 180), y: round(48 + random() * 30), radius: round(12 + random() * 9) },
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
