import type { ReactNode } from "react";
import { errorText } from "../parts/error-text.ts";
import { Mark } from "../parts/icons.tsx";
import type { Worlds } from "./use-worlds.ts";
import { WorldCard } from "./world-card.tsx";

/** All worlds of the server. */
export function Gallery({ worlds }: { readonly worlds: Worlds }): ReactNode {
  return (
    <div className="gallery">
      <header className="gallery-head">
        <p className="brand">
          <Mark /> Dreamloop
        </p>
        <h1>Choose a world</h1>
        <p className="lead">Every picture is made while you watch, from what you do. Pick one and take the wheel.</p>
      </header>
      <main className="gallery-worlds">
        <WorldList worlds={worlds} />
      </main>
    </div>
  );
}

function WorldList({ worlds }: { readonly worlds: Worlds }): ReactNode {
  if (worlds.state === "loading") {
    return (
      <div className="cards" aria-busy="true" aria-label="Looking for worlds">
        <div className="card is-placeholder" />
        <div className="card is-placeholder" />
      </div>
    );
  }
  if (worlds.state === "failed") {
    const { title, message } = errorText(worlds.error);
    return (
      <section className="notice-panel" role="alert">
        <h2>{title}</h2>
        <p>{message}</p>
        <button type="button" className="button is-primary" onClick={worlds.retry}>
          Try again
        </button>
      </section>
    );
  }
  if (worlds.worlds.length === 0) {
    return (
      <section className="notice-panel">
        <h2>No worlds yet</h2>
        <p>This server has nothing to play. Start it with a world bundle, or put one into its worlds folder.</p>
      </section>
    );
  }
  return (
    <ul className="cards">
      {worlds.worlds.map((world) => (
        <WorldCard key={world.id} world={world} />
      ))}
    </ul>
  );
}
