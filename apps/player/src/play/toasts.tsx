import type { ReactNode } from "react";
import { createPortal } from "react-dom";
import { useTopDialog } from "../parts/dialog.tsx";
import { Icon } from "../parts/icons.tsx";
import { useText } from "../text/text-provider.tsx";
import type { Toast } from "./use-announcements.ts";

/** Messages that stay for a while, in front of everything, also of an open dialog; screen readers hear them elsewhere. */
export function Toasts(props: {
  readonly toasts: readonly Toast[];
  readonly onDismiss: (id: number) => void;
}): ReactNode {
  const text = useText();
  const dialog = useTopDialog();
  const list = (
    <div className="toasts">
      {props.toasts.map(({ id, message }) => (
        <div key={id} className="toast">
          <span>{message}</span>
          <button
            type="button"
            className="button is-icon"
            aria-label={text.common.dismiss}
            onClick={() => props.onDismiss(id)}
          >
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  );
  // A modal dialog covers and disables all that is not inside of it.
  return dialog === undefined ? list : createPortal(list, dialog);
}
