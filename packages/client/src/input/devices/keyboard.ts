import type { DeviceContext } from "../capture.ts";
import { isForWorld } from "../key-filter.ts";

/** Watches the keyboard of a page; `codeOf` says which code of the world a physical one stands for. */
export function watchKeyboard(
  context: DeviceContext,
  page: Document,
  codeOf: (code: string) => string,
  remapped: () => ReadonlySet<string>,
): () => void {
  const { session, layout } = context;
  const known = (): ReadonlySet<string> =>
    layout.keyCodes.size === 0 ? layout.keyCodes : new Set([...layout.keyCodes, ...remapped()]);
  const onDown = (event: KeyboardEvent): void => {
    if (!isForWorld(factsOf(event), known())) return;
    if (session.state === "closed" || event.defaultPrevented) return;
    if (event.repeat) {
      event.preventDefault();
      return;
    }
    if (!context.claim()) return;
    event.preventDefault();
    context.changed(session.input.keyDown(codeOf(event.code)));
  };
  const onUp = (event: KeyboardEvent): void => {
    context.changed(session.input.keyUp(codeOf(event.code)));
    // While Meta is down, macOS tells of no other key that goes up.
    if (event.code.startsWith("Meta")) {
      for (const code of session.input.heldKeys) context.changed(session.input.keyUp(code));
    }
  };
  page.addEventListener("keydown", onDown);
  page.addEventListener("keyup", onUp);
  return () => {
    page.removeEventListener("keydown", onDown);
    page.removeEventListener("keyup", onUp);
  };
}

function factsOf(event: KeyboardEvent): Parameters<typeof isForWorld>[0] {
  const target = event.target as HTMLElement | null;
  const targetName = target?.tagName ?? "";
  return {
    code: event.code,
    repeat: event.repeat,
    isCommand: event.ctrlKey || event.metaKey || event.altKey,
    targetName,
    isEditing:
      targetName === "INPUT" ||
      targetName === "TEXTAREA" ||
      targetName === "SELECT" ||
      target?.isContentEditable === true,
  };
}
