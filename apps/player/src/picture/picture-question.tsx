import type { WorldSummary } from "@dreamloop/client";
import { usePlay } from "@dreamloop/client/react";
import type { ReactNode } from "react";
import { StageCard } from "../parts/stage-card.tsx";
import { sentence } from "../text/error-text.ts";
import { useText } from "../text/text-provider.tsx";
import { PictureField } from "./picture-field.tsx";
import { useStartPicture } from "./start-pictures.tsx";

/** Codes with which a server refuses a picture for good. */
const REFUSALS: ReadonlySet<string> = new Set(["invalid_value", "limit_exceeded", "not_found"]);

/** Asks for the picture without which a world cannot start. */
export function PictureNeeded({
  world,
  canLeave,
}: {
  /** The world. */
  readonly world: WorldSummary;
  /** Whether there is a gallery. */
  readonly canLeave: boolean;
}): ReactNode {
  const text = useText();
  return (
    <div className="stage">
      <h1 className="visually-hidden">{world.title}</h1>
      <StageCard title={text.picture.neededTitle(world.title)} canLeave={canLeave}>
        <p>{text.picture.neededText}</p>
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

/** Takes the place of the stage when the server refuses the picture that was chosen: says why, and offers to start without it. */
export function PictureRefusal({ world, canLeave, canStartWithout, children }: PictureRefusalProps): ReactNode {
  const text = useText();
  const { error } = usePlay();
  const { picture, choose } = useStartPicture(world);
  if (picture === undefined || error === undefined || error.retryable || !REFUSALS.has(error.code)) return children;
  const label = canStartWithout ? text.picture.startWithoutIt : text.picture.another;
  return (
    <div className="stage">
      <StageCard
        title={text.picture.refusedTitle}
        isError
        action={{ label, onAction: () => choose(undefined) }}
        canLeave={canLeave}
        details={refusalText(error.message)}
      >
        <p>{text.picture.refusedText}</p>
      </StageCard>
    </div>
  );
}

/** The server's reason as a sentence, without the names that only programs care for. */
export function refusalText(message: string): string {
  return sentence(message.replace(/^images(\.[^:]*)?: (picture: )?/, ""));
}
