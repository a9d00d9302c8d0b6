/** Forms of a noun by number; a language has the forms that its rules name, `other` always. `#` is the number. */
export type Forms = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string };

/** How a language writes what has numbers in it. */
export interface Wording {
  /** A number with its noun in the right form. */
  readonly count: (value: number, forms: Forms) => string;
  /** A number, with so many digits behind the point; default none. */
  readonly number: (value: number, digits?: number) => string;
  /** Things of which each will do. */
  readonly either: (items: readonly string[]) => string;
  /** Words, each in quotation marks. */
  readonly quoted: (words: readonly string[]) => string;
  /** The length of a video. */
  readonly duration: (seconds: number) => string;
  /** The size of a file. */
  readonly fileSize: (bytes: number) => string;
}

/** Words of a prompt that are named at most, and letters of each. */
const MAX_NAMED_WORDS = 8;
const MAX_WORD_LETTERS = 40;

/** The wording of a language, by the browser's own rules for it. */
export function wordingOf(language: string, quotes: readonly [string, string]): Wording {
  const plurals = new Intl.PluralRules(language);
  const number = (value: number, digits = 0): string =>
    new Intl.NumberFormat(language, { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(value);
  const list = (type: "conjunction" | "disjunction", items: readonly string[]): string =>
    new Intl.ListFormat(language, { type }).format(items);
  return {
    number,
    count: (value, forms) => (forms[plurals.select(value)] ?? forms.other).replace("#", number(value)),
    either: (items) => list("disjunction", items),
    quoted: (words) => {
      const shown = words.slice(0, MAX_NAMED_WORDS).map((word) => {
        const letters = [...word];
        const text = letters.length > MAX_WORD_LETTERS ? `${letters.slice(0, MAX_WORD_LETTERS).join("")}…` : word;
        return `${quotes[0]}${text}${quotes[1]}`;
      });
      const rest = words.length - shown.length;
      return list("conjunction", rest === 0 ? shown : [...shown, `+${number(rest)}`]);
    },
    duration: (seconds) => {
      if (seconds < 9.95) return `${number(seconds, 1)} s`;
      const whole = Math.round(seconds);
      return whole < 60 ? `${number(whole)} s` : `${clockTime(whole)} min`;
    },
    fileSize: (bytes) => (bytes < 1e6 ? `${number(Math.ceil(bytes / 1e3))} kB` : `${number(bytes / 1e6, 1)} MB`),
  };
}

/** Minutes and seconds, as on a clock. */
export function clockTime(seconds: number): string {
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
