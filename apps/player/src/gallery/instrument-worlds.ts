/** Worlds that measure and are not there for the fun of it. */
const INSTRUMENTS: ReadonlySet<string> = new Set(["probe"]);

/** Whether a world is an instrument. */
export function isInstrument(id: string): boolean {
  return INSTRUMENTS.has(id);
}

/** Worlds in the server's order, instruments last. */
export function inOrder<World extends { readonly id: string }>(worlds: readonly World[]): readonly World[] {
  return [...worlds].sort((left, right) => Number(isInstrument(left.id)) - Number(isInstrument(right.id)));
}
