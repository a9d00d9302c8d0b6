import type { english } from "./english.ts";

/** The shape of a catalogue without the words that English has in it. */
type Wider<Part> = Part extends string
  ? string
  : Part extends (...values: infer Values) => string
    ? (...values: Values) => string
    : { readonly [Key in keyof Part]: Wider<Part[Key]> };

/** Everything that the page says, in one language. A catalogue that lacks something does not compile. */
export type Messages = Wider<typeof english>;

/** Looks a name up that comes from elsewhere, such as a reason or a world's word; `undefined` when the catalogue does not have it. */
export function lookUp<Value>(entries: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(entries, name) ? entries[name] : undefined;
}
