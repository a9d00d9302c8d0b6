import type { LegendEntry } from "@dreamloop/client";

/** Which physical key stands for which of the world's codes. */
export type Remap = Readonly<Record<string, string>>;

/** Codes of an entry that are keys, since mouse buttons cannot be chosen. */
export function keyCodesOf(entry: LegendEntry): readonly string[] {
  return entry.codes.filter((code) => !code.startsWith("Mouse"));
}

/** The physical keys that do an entry under a remap: its own ones unless they do something else now, and the chosen ones. */
export function keysFor(entry: LegendEntry, remap: Remap): readonly string[] {
  const own = keyCodesOf(entry);
  const chosen = Object.entries(remap)
    .filter(([physical, code]) => own.includes(code) && !own.includes(physical))
    .map(([physical]) => physical);
  return [...chosen, ...own.filter((code) => remap[code] === undefined || own.includes(remap[code]))];
}

/** A remap in which a physical key does an entry; a key that did so by choice before does no more. */
export function withKey(remap: Remap, entry: LegendEntry, physical: string): Remap {
  const own = keyCodesOf(entry);
  const [code] = own;
  if (code === undefined) return remap;
  const others = Object.entries(remap).filter(([key, target]) => key !== physical && !own.includes(target));
  const kept = Object.fromEntries(others);
  return own.includes(physical) ? kept : { ...kept, [physical]: code };
}

/** What a key did before it was chosen for something else. */
export interface TakenKey {
  /** The entry that it did. */
  readonly loser: LegendEntry;
  /** Whether the entry has another key still. */
  readonly hasOthers: boolean;
}

/** From which entry a key is taken when it is chosen for another one; `undefined` when nobody loses it. */
export function keyTakenFrom(
  entries: readonly LegendEntry[],
  before: Remap,
  choice: { readonly entry: LegendEntry; readonly physical: string },
): TakenKey | undefined {
  const { entry, physical } = choice;
  const loser = entries.find((each) => each.label !== entry.label && keysFor(each, before).includes(physical));
  if (loser === undefined) return undefined;
  return { loser, hasOthers: keysFor(loser, withKey(before, entry, physical)).length > 0 };
}
