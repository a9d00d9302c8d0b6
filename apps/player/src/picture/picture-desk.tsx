import type { WorldSummary } from "@dreamloop/client";
import { usePlay } from "@dreamloop/client/react";
import type { ReactNode } from "react";
import { StageCard } from "../parts/stage-card.tsx";
import { PictureField } from "./picture-field.tsx";
import { refusalText } from "./picture-kind.ts";
import { useStartPicture } from "./start-pictures.tsx";

/** Codes with which a server refuses a picture for good. */
const REFUSALS: ReadonlySet<string> = new Set(["invalid_value", "limit_exceeded", "not_found"]);

/** What is asked for before a world that cannot start without a picture: one. */
export function PictureNeeded({
  world,
  canLeave,
}: {
  /** The world. */
  readonly world: WorldSummary;
  /** Whether there is a gallery. */
  readonly canLeave: boolean;
}): ReactNode {
  return (
    <div className="stage">
      <h1 className="visually-hidden">{world.title}</h1>
      <StageCard title={`${world.title} starts from a picture`} canLeave={canLeave}>
        <p>Choose one, or drop it on the field. The world goes on from what it shows.</p>
        <PictureField world={world} />
      </StageCard>
    </div>
  );
}

/** What the refusal takes. */
export interface PictureRefusalProps {
  /** Identifier of the world. */
  readonly world: string;
  /** Whether there is a gallery. */
  readonly canLeave: boolean;
  /** Whether the world can do without a picture. */
  readonly canStartWithout: boolean;
  /** The stage. */
  readonly children: ReactNode;
}

/** What takes the place of the stage when the server refuses the picture that was chosen: the reason, and the way on without it. */
export function PictureRefusal({ world, canLeave, canStartWithout, children }: PictureRefusalProps): ReactNode {
  const { error } = usePlay();
  const { picture, choose } = useStartPicture(world);
  if (picture === undefined || error === undefined || error.retryable || !REFUSALS.has(error.code)) return children;
  const label = canStartWithout ? "Start without it" : "Choose another one";
  return (
    <div className="stage">
      <StageCard
        title="The picture cannot be used"
        isError
        action={{ label, onAction: () => choose(undefined) }}
        canLeave={canLeave}
      >
        <p>{refusalText(error.message)}</p>
      </StageCard>
    </div>
  );
}
