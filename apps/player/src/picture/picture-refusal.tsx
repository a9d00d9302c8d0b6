import { usePlay } from "@dreamloop/client/react";
import type { ReactNode } from "react";
import { refusalText } from "./picture-kind.ts";
import { useStartPicture } from "./start-pictures.tsx";

/** Codes with which a server refuses a picture for good. */
const REFUSALS: ReadonlySet<string> = new Set(["invalid_value", "limit_exceeded", "not_found"]);

/** What the refusal takes. */
export interface PictureRefusalProps {
  /** Identifier of the world. */
  readonly world: string;
  /** Whether there is a gallery. */
  readonly canLeave: boolean;
  /** The stage. */
  readonly children: ReactNode;
}

/** What takes the place of the stage when the server refuses the picture that was chosen: the reason, and the way on without it. */
export function PictureRefusal({ world, canLeave, children }: PictureRefusalProps): ReactNode {
  const { error } = usePlay();
  const { picture, choose } = useStartPicture(world);
  if (picture === undefined || error === undefined || error.retryable || !REFUSALS.has(error.code)) return children;
  return (
    <div className="stage">
      <div className="overlay is-error" role="alert">
        <p className="overlay-title">The picture cannot be used</p>
        <p>{refusalText(error.message)}</p>
        <div className="overlay-actions">
          <button type="button" className="button is-primary" onClick={() => choose(undefined)}>
            Start without it
          </button>
          {canLeave ? (
            <a className="button" href="#/">
              All worlds
            </a>
          ) : null}
        </div>
      </div>
    </div>
  );
}
