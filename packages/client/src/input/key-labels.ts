/** What the keys of the person's own keyboard are labelled with, by code. */
export type KeyLabels = ReadonlyMap<string, string>;

/** Key labels that are watched. */
export interface KeyLabelWatch {
  /** What is known so far: everything where the browser tells the layout, else what was typed. */
  readonly labels: KeyLabels;
  /** Watches no more. Idempotent. */
  close(): void;
}

/** The part of a browser that tells the keyboard's layout. */
interface LayoutTeller extends EventTarget {
  getLayoutMap(): Promise<ReadonlyMap<string, string>>;
}

/** Codes of keys that carry a character, which differs by layout. */
const WRITING_KEY =
  /^(Key[A-Z]|Digit\d|Backquote|Minus|Equal|Bracket(Left|Right)|Backslash|Semicolon|Quote|Comma|Period|Slash|Intl\w+)$/;

/**
 * Learns the labels of the person's keyboard: from the browser where it tells the layout (Chromium, on secure pages), else from each key that is typed. `onChange` is
 * called with new labels, not before this has returned; a layout that the person changes is read again with the next focus.
 */
export function watchKeyLabels(onChange: (labels: KeyLabels) => void, page: Document = document): KeyLabelWatch {
  const view = page.defaultView;
  const teller = (view?.navigator as { readonly keyboard?: LayoutTeller } | undefined)?.keyboard;
  let labels: ReadonlyMap<string, string> = new Map();
  let isClosed = false;
  const learn = (more: Iterable<readonly [string, string]>): void => {
    const next = new Map(labels);
    for (const [code, character] of more) next.set(code, character.toUpperCase());
    const isSame = next.size === labels.size && [...next].every(([code, label]) => labels.get(code) === label);
    if (isClosed || isSame) return;
    labels = next;
    onChange(labels);
  };
  const ask = (): void => {
    // A page inside of a frame may not ask; what is typed tells it then.
    teller?.getLayoutMap().then(learn, () => undefined);
  };
  const onKey = (event: KeyboardEvent): void => {
    const { code, key } = event;
    const isPlain = !event.shiftKey && !event.altKey && !event.ctrlKey && !event.metaKey && !event.isComposing;
    if (isPlain && WRITING_KEY.test(code) && [...key].length === 1) learn([[code, key]]);
  };
  ask();
  page.addEventListener("keydown", onKey, { capture: true });
  view?.addEventListener("focus", ask);
  teller?.addEventListener?.("layoutchange", ask);
  return {
    get labels() {
      return labels;
    },
    close: () => {
      isClosed = true;
      page.removeEventListener("keydown", onKey, { capture: true });
      view?.removeEventListener("focus", ask);
      teller?.removeEventListener?.("layoutchange", ask);
    },
  };
}
