import type { TransportChoice } from "@dreamloop/client";
import { DreamloopProvider } from "@dreamloop/client/react";
import type { ReactNode } from "react";
import { serverUrl } from "../address/server-url.ts";
import type { Worlds } from "../gallery/use-worlds.ts";
import { usePageTitle } from "../parts/use-page-title.ts";
import { PictureNeeded, PictureRefusal } from "../picture/picture-question.tsx";
import { useStartPicture } from "../picture/start-pictures.tsx";
import { useText } from "../text/text-provider.tsx";
import { KeyNames } from "./controls/key-names.tsx";
import { Waiting } from "./overlay.tsx";
import { PlayStage } from "./play-stage.tsx";

/** What the page of a world takes. */
export interface PlayPageProps {
  /** Identifier of the world. */
  readonly world: string;
  /** The server's worlds. */
  readonly worlds: Worlds;
  /** The server's access token. */
  readonly accessToken: string | undefined;
  /** Which transport to use. */
  readonly transport: TransportChoice;
  /** Whether there is a gallery to go back to. */
  readonly canLeave: boolean;
  /** A moment to start from: a file, or the name of one that the server holds ready. */
  readonly moment?: Blob | string;
}

/** A world that is played. */
export function PlayPage({ world, worlds, accessToken, transport, canLeave, moment }: PlayPageProps): ReactNode {
  const text = useText();
  const { picture, turn } = useStartPicture(world);
  const summary = worlds.state === "ready" ? worlds.worlds.find(({ id }) => id === world) : undefined;
  const title = summary?.title ?? world;
  usePageTitle(text.common.titleOfWorld(title));
  // What a world needs is known before a session is started, so that none is started in vain.
  if (worlds.state === "loading") {
    return (
      <div className="stage">
        <Waiting title={text.play.connecting} />
      </div>
    );
  }
  const needsPicture = summary?.initialFields.some(({ image, required }) => image !== undefined && required) === true;
  if (moment === undefined && summary !== undefined && needsPicture && picture === undefined) {
    return <PictureNeeded world={summary} canLeave={canLeave} />;
  }
  // Another picture is another session: the turn is its key.
  return (
    <DreamloopProvider
      key={turn}
      url={serverUrl(window.location)}
      world={world}
      transport={transport}
      {...(accessToken === undefined ? {} : { accessToken })}
      {...(moment === undefined ? {} : { moment })}
      {...(picture === undefined || moment !== undefined ? {} : { images: { [picture.field]: picture.file } })}
    >
      <PictureRefusal world={world} canLeave={canLeave} canStartWithout={!needsPicture}>
        <KeyNames>
          <PlayStage world={world} title={title} canLeave={canLeave} hasChosenTransport={transport === "auto"} />
        </KeyNames>
      </PictureRefusal>
    </DreamloopProvider>
  );
}
