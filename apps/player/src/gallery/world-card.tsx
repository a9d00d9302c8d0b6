import type { WorldSummary } from "@dreamloop/client";
import { useState, type ReactNode } from "react";
import { worldHash } from "../address/route.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Icon } from "../parts/icons.tsx";
import { Markdown } from "../parts/markdown.tsx";
import { PictureField } from "../picture/picture-field.tsx";
import { worldText } from "../text/names.ts";
import { useText } from "../text/text-provider.tsx";
import { isInstrument } from "./instrument-worlds.ts";
import { Poster } from "./poster.tsx";

/** One world of the gallery. The whole card leads to it, by the link behind its button. */
export function WorldCard({ world }: { readonly world: WorldSummary }): ReactNode {
  const text = useText();
  const [isReading, setReading] = useState(false);
  const { title, width, height, framesPerSecond, promptVocabulary } = world;
  const facts = [
    width === undefined || height === undefined ? undefined : text.gallery.size(width, height),
    framesPerSecond === undefined ? undefined : text.gallery.rate(framesPerSecond),
    promptVocabulary === undefined ? undefined : text.gallery.promptWords(promptVocabulary.length),
  ].filter((fact) => fact !== undefined);
  return (
    <li className={isInstrument(world.id) ? "card is-instrument" : "card"}>
      <div className="card-picture">
        <Poster world={world} />
      </div>
      <h2 className="card-title">
        {title}
        {isInstrument(world.id) ? <span className="card-badge">{text.gallery.instrument}</span> : null}
      </h2>
      <p className="card-text">{worldText(world.description, text)}</p>
      <ul className="facts" aria-label={text.gallery.facts}>
        {facts.map((fact) => (
          <li key={fact}>{fact}</li>
        ))}
        <li className={world.loaded ? "fact-ready" : undefined}>
          {world.loaded ? text.gallery.ready : text.gallery.loadsFirst}
        </li>
      </ul>
      <PictureField world={world} />
      <div className="card-foot">
        <a
          className="button is-primary card-play"
          href={worldHash(world.id)}
          aria-label={text.gallery.playWorld(title)}
        >
          <Icon name="play" /> {text.gallery.play}
        </a>
        {world.modelCard === undefined ? null : (
          <button
            type="button"
            className="button is-quiet"
            aria-label={text.gallery.modelCardOf(title)}
            onClick={() => setReading(true)}
          >
            <Icon name="info" /> {text.gallery.modelCard}
          </button>
        )}
      </div>
      {isReading && world.modelCard !== undefined ? (
        <Dialog title={text.gallery.modelCardOf(title)} onClose={() => setReading(false)}>
          <Markdown text={world.modelCard} />
        </Dialog>
      ) : null}
    </li>
  );
}
