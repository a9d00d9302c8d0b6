import { codeLabel, type ControlLayout, type LegendEntry } from "@dreamloop/client";
import { useEffect, useState, type ReactNode } from "react";
import { Keys } from "../key-hints.tsx";
import { pageKeyNames } from "../page-keys.ts";
import { keyCodesOf, keysFor, withKey, type Remap } from "../../preferences/remap.ts";

/** What the list takes. */
export interface KeyListProps {
  /** The world's controls. */
  readonly layout: ControlLayout;
  /** Keys that were chosen. */
  readonly remap: Remap;
  /** Other keys. */
  readonly onRemap: (remap: Remap) => void;
}

/** All keys, each of which can be chosen anew. */
export function KeyList({ layout, remap, onRemap }: KeyListProps): ReactNode {
  const [waiting, setWaiting] = useState<LegendEntry | undefined>();
  useEffect(() => {
    if (waiting === undefined) return undefined;
    const onKey = (event: KeyboardEvent): void => {
      event.preventDefault();
      event.stopPropagation();
      if (event.code !== "Escape" && event.code !== "Tab") onRemap(withKey(remap, waiting, event.code));
      setWaiting(undefined);
    };
    window.addEventListener("keydown", onKey, { capture: true });
    return () => window.removeEventListener("keydown", onKey, { capture: true });
  }, [waiting, remap, onRemap]);
  const entries = layout.keyboard.filter((entry) => keyCodesOf(entry).length > 0);
  if (entries.length === 0) return <p>This world has no keys.</p>;
  return (
    <section className="menu-part">
      <h3>Keys</h3>
      <ul className="keys">
        {entries.map((entry) => (
          <li key={entry.label}>
            <span>{entry.label}</span>
            <span className="keys-now">
              {keysFor(entry, remap).map((code) => (
                <kbd key={code}>{codeLabel(code)}</kbd>
              ))}
            </span>
            <button
              type="button"
              className="button is-small"
              aria-pressed={waiting === entry}
              onClick={() => setWaiting(waiting === entry ? undefined : entry)}
            >
              {waiting === entry ? "Press a key…" : "Change"}
              <span className="visually-hidden"> {entry.label}</span>
            </button>
          </li>
        ))}
      </ul>
      <button type="button" className="button" disabled={Object.keys(remap).length === 0} onClick={() => onRemap({})}>
        Back to the usual keys
      </button>
      <h3>Of the page</h3>
      <dl className="page-keys">
        <div>
          <dt>Menu: frees the mouse and pauses</dt>
          <dd>
            <kbd>Esc</kbd>
          </dd>
        </div>
        <div>
          <dt>Prompt</dt>
          <dd>
            <Keys names={pageKeyNames("prompt", layout, remap)} />
          </dd>
        </div>
        <div>
          <dt>Pause</dt>
          <dd>
            <Keys names={pageKeyNames("pause", layout, remap)} />
          </dd>
        </div>
        <div>
          <dt>Numbers</dt>
          <dd>
            <Keys names={pageKeyNames("numbers", layout, remap)} />
          </dd>
        </div>
      </dl>
    </section>
  );
}
