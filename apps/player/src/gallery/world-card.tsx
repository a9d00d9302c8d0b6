import type { WorldSummary } from "@dreamloop/client";
import { useState, type ReactNode } from "react";
import { Dialog } from "../parts/dialog.tsx";
import { Icon } from "../parts/icons.tsx";
import { Markdown } from "../parts/markdown.tsx";
import { PictureField } from "../picture/picture-field.tsx";
import { worldHash } from "../route.ts";
import { Poster } from "./poster.tsx";

/** One world of the gallery. */
export function WorldCard({ world }: { readonly world: WorldSummary }): ReactNode {
  const [isReading, setReading] = useState(false);
  const facts = [
    world.width === undefined || world.height === undefined ? undefined : `${world.width} × ${world.height}`,
    world.framesPerSecond === undefined ? undefined : `${world.framesPerSecond} frames/s`,
    world.promptVocabulary === undefined ? undefined : `${world.promptVocabulary.length} prompt words`,
  ].filter((fact) => fact !== undefined);
  return (
    <li className="card">
      <a className="card-link" href={worldHash(world.id)}>
        <span className="card-picture">
          <Poster world={world} />
        </span>
        <span className="card-title">{world.title}</span>
        <span className="card-text">{world.description}</span>
      </a>
      <PictureField world={world} />
      <div className="card-foot">
        <ul className="facts" aria-label="Facts">
          {facts.map((fact) => (
            <li key={fact}>{fact}</li>
          ))}
          <li className={world.loaded ? "fact-ready" : undefined}>{world.loaded ? "Ready" : "Loads on start"}</li>
        </ul>
        {world.modelCard === undefined ? null : (
          <button type="button" className="button is-quiet" onClick={() => setReading(true)}>
            <Icon name="info" /> Model card
            <span className="visually-hidden"> of {world.title}</span>
          </button>
        )}
      </div>
      {isReading && world.modelCard !== undefined ? (
        <Dialog title={`${world.title}: model card`} onClose={() => setReading(false)}>
          <Markdown text={world.modelCard} />
        </Dialog>
      ) : null}
    </li>
  );
}
