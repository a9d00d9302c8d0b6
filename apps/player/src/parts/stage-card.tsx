import type { ReactNode } from "react";

/** What the card takes. */
export interface StageCardProps {
  /** In a few words. */
  readonly title: string;
  /** Whether something went wrong; default false. */
  readonly isError?: boolean;
  /** The way on, as a button with words. */
  readonly action?: { readonly label: string; readonly onAction: () => void } | undefined;
  /** Whether there is a gallery to go back to. */
  readonly canLeave: boolean;
  /** What was wrong, or is asked for. */
  readonly children: ReactNode;
}

/** What lies over the picture when the world cannot go on by itself: why, and the ways on. */
export function StageCard({ title, isError = false, action, canLeave, children }: StageCardProps): ReactNode {
  return (
    <div className={isError ? "overlay is-error" : "overlay"} role={isError ? "alert" : "status"}>
      <p className="overlay-title">{title}</p>
      {children}
      <div className="overlay-actions">
        {action === undefined ? null : (
          <button type="button" className="button is-primary" onClick={action.onAction}>
            {action.label}
          </button>
        )}
        {canLeave ? (
          <a className="button" href="#/">
            All worlds
          </a>
        ) : null}
      </div>
    </div>
  );
}
