import type { StageStanding } from "./key-owner.ts";

/** A stage of a page. */
export interface PageStage {
  /** The element over the picture. */
  readonly element: HTMLElement;
  /** Whether the whole page belongs to it, so that nothing but another stage takes its keys. */
  readonly ownsPage: boolean;
  /** Its turn is over: what it holds has to be let go of. */
  leave(): void;
}

/** Elements on which a click means the element, so that it says nothing about which stage is played. */
const CONTROLS = "a[href],button,input,select,textarea,label,summary,option,[role],[contenteditable],[tabindex]";

/**
 * The stages of one page, and which of them the person plays: the one clicked on or focused last. Until then it is the only one there is. A click on
 * the page beside it gives keys back to a page that can scroll, and so does scrolling the stage out of sight.
 */
export class PageStages {
  readonly #page: Document;
  readonly #stages = new Set<PageStage>();
  #addressed: PageStage | undefined;
  #isTurnedAway = false;

  /** For one page; `stagesOf` gives the one that all captures of a page share. */
  constructor(page: Document) {
    this.#page = page;
  }

  /** Adds a stage; the result takes it away again. */
  add(stage: PageStage): () => void {
    if (this.#stages.size === 0) {
      this.#page.addEventListener("pointerdown", this.#onPointer, { capture: true });
      this.#page.addEventListener("focusin", this.#onFocus, { capture: true });
    }
    this.#stages.add(stage);
    return () => {
      this.#stages.delete(stage);
      if (this.#addressed === stage) this.#addressed = undefined;
      if (this.#stages.size > 0) return;
      this.#page.removeEventListener("pointerdown", this.#onPointer, { capture: true });
      this.#page.removeEventListener("focusin", this.#onFocus, { capture: true });
      this.#isTurnedAway = false;
    };
  }

  /** The person plays this stage from now on. */
  address(stage: PageStage): void {
    this.#isTurnedAway = false;
    if (this.#addressed === stage) return;
    const before = this.#addressed;
    this.#addressed = stage;
    // Before anybody had chosen, any of them may hold something.
    for (const other of before === undefined ? this.#stages : [before]) if (other !== stage) other.leave();
  }

  /** Whether the person has chosen this stage by a click, by the focus or by playing; one that the whole page belongs to need not be chosen. */
  isAddressed(stage: PageStage): boolean {
    if (stage.ownsPage) return this.standing(stage) === "addressed";
    return this.#addressed === stage && !this.#isTurnedAway;
  }

  /** Whether keys go to a stage. */
  standing(stage: PageStage): StageStanding {
    if (this.#addressed !== undefined && this.#addressed !== stage) return "none";
    if (stage.ownsPage) return "addressed";
    if (this.#isTurnedAway || !isInSight(stage.element)) return "none";
    if (this.#addressed === stage) return "addressed";
    if (this.#stages.size > 1) return "none";
    return canScroll(this.#page) ? "open" : "addressed";
  }

  readonly #onPointer = (event: PointerEvent): void => {
    const path = event.composedPath();
    const stage =
      [...this.#stages].find(({ element }) => path.includes(element)) ??
      [...this.#stages].find(({ element }) => isInside(element, event));
    if (stage !== undefined) {
      this.address(stage);
      return;
    }
    const isControl = path.some((target) => isElement(target) && target.matches(CONTROLS));
    if (isControl || !canScroll(this.#page)) return;
    this.#isTurnedAway = true;
    if (this.#addressed !== undefined) this.#addressed.leave();
    else for (const each of this.#stages) each.leave();
  };

  readonly #onFocus = (event: FocusEvent): void => {
    const path = event.composedPath();
    const stage = [...this.#stages].find(({ element }) => path.includes(element));
    if (stage !== undefined) this.address(stage);
  };
}

const PAGES = new WeakMap<Document, PageStages>();

/** The stages of a page. */
export function stagesOf(page: Document): PageStages {
  let stages = PAGES.get(page);
  if (stages === undefined) PAGES.set(page, (stages = new PageStages(page)));
  return stages;
}

function isElement(target: EventTarget): target is Element {
  return typeof (target as Element).matches === "function";
}

function isInside(element: HTMLElement, { clientX, clientY }: PointerEvent): boolean {
  const { left, right, top, bottom } = element.getBoundingClientRect();
  return clientX >= left && clientX < right && clientY >= top && clientY < bottom;
}

function isInSight(element: HTMLElement): boolean {
  const view = element.ownerDocument.defaultView;
  const { left, right, top, bottom, width, height } = element.getBoundingClientRect();
  // An element without a size says nothing of where its picture is.
  if (view === null || width === 0 || height === 0) return true;
  return bottom > 0 && right > 0 && top < view.innerHeight && left < view.innerWidth;
}

function canScroll(page: Document): boolean {
  const root = page.scrollingElement;
  const view = page.defaultView;
  if (root === null || view === null) return false;
  const { overflowY } = view.getComputedStyle(root);
  return overflowY !== "hidden" && overflowY !== "clip" && root.scrollHeight > root.clientHeight + 1;
}
