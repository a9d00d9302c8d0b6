import type { TransportChoice } from "@dreamloop/client";
import { DreamloopProvider } from "@dreamloop/client/react";
import type { ReactNode } from "react";
import { PlayStage } from "./play-stage.tsx";

/** What the page of a world takes. */
export interface PlayPageProps {
  /** Identifier of the world. */
  readonly world: string;
  /** The server's access token. */
  readonly accessToken: string | undefined;
  /** Which transport to use. */
  readonly transport: TransportChoice;
  /** Whether there is a gallery to go back to. */
  readonly canLeave: boolean;
}

/** A world that is played. */
export function PlayPage({ world, accessToken, transport, canLeave }: PlayPageProps): ReactNode {
  return (
    <DreamloopProvider world={world} transport={transport} {...(accessToken === undefined ? {} : { accessToken })}>
      <PlayStage world={world} canLeave={canLeave} />
    </DreamloopProvider>
  );
}
