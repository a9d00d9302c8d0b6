/** Columns of a letter in dots. */
export const LETTER_COLUMNS = 5;
/** Rows of a letter in dots. */
export const LETTER_ROWS = 7;

/** Digits of the notation below: each stands for one row of five dots, the leftmost dot counting 16. */
const ROW_DIGITS = "0123456789abcdefghijklmnopqrstuv";

// One letter is seven rows of five dots, written as seven digits to the base of 32.
const SHAPES: Readonly<Record<string, string>> = {
  " ": "0000000",
  "!": "4444404",
  '"': "aaa0000",
  "#": "aavavaa",
  $: "4fke5u4",
  "%": "op248j3",
  "&": "cik8lid",
  "'": "4440000",
  "(": "2488842",
  ")": "8422248",
  "*": "04lel40",
  "+": "044v440",
  ",": "0000c48",
  "-": "000v000",
  ".": "00000cc",
  "/": "01248g0",
  ":": "0cc0cc0",
  ";": "0cc0c48",
  "<": "248g842",
  "=": "00v0v00",
  ">": "8421248",
  "?": "eh12404",
  "@": "eh1dlle",
  "[": "e88888e",
  "\\": "0g84210",
  "]": "e22222e",
  "^": "4ah0000",
  _: "000000v",
  "`": "8420000",
  "{": "2448442",
  "|": "4444444",
  "}": "8442448",
  "~": "008l200",
  "0": "ehjlphe",
  "1": "4c4444e",
  "2": "eh1248v",
  "3": "v2421he",
  "4": "26aiv22",
  "5": "vgu11he",
  "6": "68guhhe",
  "7": "v124888",
  "8": "ehhehhe",
  "9": "ehhf12c",
  A: "ehhvhhh",
  B: "uhhuhhu",
  C: "ehggghe",
  D: "sihhhis",
  E: "vgguggv",
  F: "vgguggg",
  G: "ehgnhhf",
  H: "hhhvhhh",
  I: "e44444e",
  J: "72222ic",
  K: "hikokih",
  L: "ggggggv",
  M: "hrllhhh",
  N: "hhpljhh",
  O: "ehhhhhe",
  P: "uhhuggg",
  Q: "ehhhlid",
  R: "uhhukih",
  S: "fgge11u",
  T: "v444444",
  U: "hhhhhhe",
  V: "hhhhha4",
  W: "hhhllla",
  X: "hha4ahh",
  Y: "hha4444",
  Z: "v1248gv",
  a: "00e1fhf",
  b: "ggmphhu",
  c: "00eggge",
  d: "11djhhf",
  e: "00ehvge",
  f: "698s888",
  g: "0fhhf1e",
  h: "ggmphhh",
  i: "40c444e",
  j: "20622ic",
  k: "ggikoki",
  l: "c44444e",
  m: "00qllhh",
  n: "00mphhh",
  o: "00ehhhe",
  p: "00uhugg",
  q: "00djf11",
  r: "00mpggg",
  s: "00fge1u",
  t: "88s8896",
  u: "00hhhjd",
  v: "00hhha4",
  w: "00hhlla",
  x: "00ha4ah",
  y: "00hhf1e",
  z: "00v248v",
};

/** A box, for letters that the font lacks. */
const UNKNOWN = "vhhhhhv";

function dotsOf(shape: string): Uint8Array {
  return Uint8Array.from(shape, (digit) => ROW_DIGITS.indexOf(digit));
}

const GLYPHS: ReadonlyMap<string, Uint8Array> = new Map(
  Object.entries(SHAPES).map(([letter, shape]) => [letter, dotsOf(shape)]),
);
const UNKNOWN_GLYPH = dotsOf(UNKNOWN);

/** The seven rows of a letter, each five bits with the leftmost dot in bit 4; a box for letters that the font lacks. */
export function glyphOf(letter: string): Uint8Array {
  return GLYPHS.get(letter) ?? UNKNOWN_GLYPH;
}

const COMBINING_MARKS = /\p{Mn}/gu;
const SIMILAR: Readonly<Record<string, string>> = {
  "‘": "'",
  "’": "'",
  "“": '"',
  "”": '"',
  "–": "-",
  "—": "-",
  "…": "...",
  "×": "x",
  "\n": " ",
  "\t": " ",
};

/** The same text in letters that the font has, as far as it can be: without accents, with plain quotes and dashes. */
export function plainLetters(text: string): string {
  const bare = text.normalize("NFD").replace(COMBINING_MARKS, "");
  return Array.from(bare, (letter) => SIMILAR[letter] ?? letter).join("");
}
