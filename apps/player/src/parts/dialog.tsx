import {
  createContext,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
  type MouseEvent,
  type ReactNode,
} from "react";
import { useText } from "../text/text-provider.tsx";
import { Icon } from "./icons.tsx";

interface OpenDialogs {
  readonly top: HTMLDialogElement | undefined;
  readonly enter: (dialog: HTMLDialogElement) => () => void;
}

const OpenDialogsContext = createContext<OpenDialogs>({ top: undefined, enter: () => () => undefined });

/** Knows which dialogs are open, so that messages can be shown in front of them. */
export function DialogHost({ children }: { readonly children: ReactNode }): ReactNode {
  const [open, setOpen] = useState<readonly HTMLDialogElement[]>([]);
  const value = useMemo<OpenDialogs>(() => {
    return {
      top: open.at(-1),
      enter: (dialog) => {
        setOpen((before) => [...before, dialog]);
        return () => setOpen((before) => before.filter((each) => each !== dialog));
      },
    };
  }, [open]);
  return <OpenDialogsContext.Provider value={value}>{children}</OpenDialogsContext.Provider>;
}

/** The dialog in front; `undefined` while none is open. Everything outside of it is covered and cannot be used. */
export function useTopDialog(): HTMLDialogElement | undefined {
  return useContext(OpenDialogsContext).top;
}

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
  const text = useText();
  const dialog = useRef<HTMLDialogElement>(null);
  const { enter } = useContext(OpenDialogsContext);
  const enterOnce = useRef(enter);
  useEffect(() => {
    const element = dialog.current;
    const before = document.activeElement;
    if (element === null) return undefined;
    if (!element.open) {
      element.showModal();
      element.querySelector<HTMLElement>("[data-focus-first]")?.focus();
    }
    const leave = enterOnce.current(element);
    return () => {
      leave();
      element.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
  }, []);
  const onClick = (event: MouseEvent): void => {
    if (event.target === dialog.current) onClose();
  };
  return (
    <dialog
      ref={dialog}
      className={className === undefined ? "dialog" : `dialog ${className}`}
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={onClick}
    >
      <div className="dialog-body">
        <header className="dialog-head">
          <h2>{title}</h2>
          <button type="button" className="button is-icon" onClick={onClose} aria-label={text.common.close}>
            <Icon name="close" />
          </button>
        </header>
        {/* Long texts are scrolled with the keyboard; the menu scrolls inside its own parts. */}
        <div className="dialog-content" tabIndex={className === undefined ? 0 : undefined}>
          {children}
        </div>
      </div>
    </dialog>
  );
}
