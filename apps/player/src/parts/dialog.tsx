import { useEffect, useRef, type ReactNode } from "react";
import { Icon } from "./icons.tsx";

/** What a dialog takes. */
export interface DialogProps {
  /** Its heading. */
  readonly title: string;
  /** Called when the user closes it, by button, Escape or a click beside it. */
  readonly onClose: () => void;
  /** What is in it. */
  readonly children: ReactNode;
  /** Class beside `dialog`. */
  readonly className?: string;
}

/** A modal dialog: keeps the focus inside and gives it back. It begins with what has `data-focus-first`, else with its close button. */
export function Dialog({ title, onClose, children, className }: DialogProps): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = dialog.current;
    const before = document.activeElement;
    if (element !== null && !element.open) {
      element.showModal();
      element.querySelector<HTMLElement>("[data-focus-first]")?.focus();
    }
    return () => {
      element?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      className={className === undefined ? "dialog" : `dialog ${className}`}
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      <div className="dialog-body">
        <header className="dialog-head">
          <h2>{title}</h2>
          <button type="button" className="button is-icon" onClick={onClose} aria-label="Close">
            <Icon name="close" />
          </button>
        </header>
        {/* Long texts are scrolled with the keyboard; the menu scrolls inside of its own parts. */}
        <div className="dialog-content" tabIndex={className === undefined ? 0 : undefined}>
          {children}
        </div>
      </div>
    </dialog>
  );
}
