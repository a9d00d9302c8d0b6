import type { DeviceContext } from "../capture.ts";
import { isForWorld } from "../key-filter.ts";

/** Which keys mean what. */
export interface KeyboardOptions {
  /** The code of the world that a physical one stands for. */
  readonly codeOf: (code: string) => string;
  /** Whether a physical key stands for another one. */
  isTaken(code: string): boolean;
  /** Keys that the page keeps unless the world names them. */
  readonly reserved: ReadonlySet<string>;
}

/** Watches the keyboard of a page. */
export function watchKeyboard(context: DeviceContext, page: Document, options: KeyboardOptions): () => void {
  const { session } = context;
  const { codeOf, reserved } = options;
  const onDown = (event: KeyboardEvent): void => {
    if (!isForWorld(factsOf(event), { known: context.layout.keyCodes, reserved, isTaken: options.isTaken(event.code) }))
      return;
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
