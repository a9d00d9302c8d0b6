import type { ReactNode } from "react";
import { useText } from "../text/text-provider.tsx";

/** What the card takes. */
export interface StageCardProps {
  /** In a few words. */
  readonly title: string;
  /** Whether something went wrong, which screen readers say at once. */
  readonly isError?: boolean;
  /** What the user can do, as a button; absent: nothing. */
  readonly action?: { readonly label: string; readonly onAction: () => void } | undefined;
  /** Whether there is a gallery to go to. */
  readonly canLeave: boolean;
  /** What programs say about it, to be opened. */
  readonly details?: string | undefined;
  /** Whether that is open at first. */
  readonly detailsOpen?: boolean | undefined;
  /** The explanation. */
  readonly children?: ReactNode;
}

/** What lies over the picture when the world cannot run by itself: why, and what to do. */
export function StageCard(props: StageCardProps): ReactNode {
  const { title, isError = false, action, canLeave, details, detailsOpen, children } = props;
  const text = useText();
  return (
    <div className={isError ? "overlay is-error" : "overlay"} role={isError ? "alert" : "status"}>
      <p className="overlay-title">{title}</p>
      {children}
      {details === undefined ? null : (
        <details className="overlay-details" open={detailsOpen}>
          <summary>{text.common.details}</summary>
          <p>{details}</p>
        </details>
      )}
      <div className="overlay-actions">
        {action === undefined ? null : (
          <button type="button" className="button is-primary" onClick={action.onAction}>
            {action.label}
          </button>
        )}
        {canLeave ? (
          <a className="button" href="#/">
            {text.common.allWorlds}
          </a>
        ) : null}
      </div>
    </div>
  );
}
