import { useEffect, useState, type RefObject } from "react";

/** Whether pointer and focus have left the controls alone for so long that they may step back. */
export function useIdle(root: RefObject<HTMLElement | null>, idleMilliseconds: number): boolean {
  const [isIdle, setIdle] = useState(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stir = (): void => {
      setIdle(false);
      clearTimeout(timer);
      timer = setTimeout(() => {
        // Whoever has a control in focus is about to use it.
        const focused = document.activeElement;
        const isBusy = focused !== null && focused.closest("button, input, a, textarea, dialog") !== null;
        if (isBusy) stir();
        else setIdle(true);
      }, idleMilliseconds);
    };
    const element = root.current;
    stir();
    for (const name of ["pointermove", "pointerdown", "focusin"]) element?.addEventListener(name, stir);
    return () => {
      clearTimeout(timer);
      for (const name of ["pointermove", "pointerdown", "focusin"]) element?.removeEventListener(name, stir);
    };
  }, [root, idleMilliseconds]);
  return isIdle;
}
