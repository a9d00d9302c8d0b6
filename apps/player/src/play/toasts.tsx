import type { ReactNode } from "react";
import { Icon } from "../parts/icons.tsx";
import type { Toast } from "./use-announcements.ts";

/** Messages that stand for a while; screen readers hear them elsewhere. */
export function Toasts(props: {
  readonly toasts: readonly Toast[];
  readonly onDismiss: (id: number) => void;
}): ReactNode {
  return (
    <div className="toasts">
      {props.toasts.map(({ id, message }) => (
        <div key={id} className="toast">
          <span>{message}</span>
          <button type="button" className="button is-icon" aria-label="Dismiss" onClick={() => props.onDismiss(id)}>
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  );
}
