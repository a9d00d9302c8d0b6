import type { ControlLayout, LegendEntry } from "@dreamloop/client";
import { useEffect, useState, type ReactNode } from "react";
import { MAX_DEAD_ZONE, usePreferences } from "../../preferences/preferences.tsx";
import type { Messages } from "../../text/messages.ts";
import { controlName } from "../../text/names.ts";
import { useText } from "../../text/text-provider.tsx";
import { Keys } from "../controls/key-hints.tsx";
import { useKeyName, type KeyNamer } from "../controls/key-names.tsx";
import { pageActionOf, pageKeyNames } from "../controls/page-keys.ts";
import { keyCodesOf, keysFor, keyTakenFrom, withKey, type Remap } from "../controls/remap.ts";

/** What the part takes. */
export interface ControlsTabProps {
  /** The world's controls. */
  readonly layout: ControlLayout;
  /** Keys that were chosen. */
  readonly remap: Remap;
  /** Other keys. */
  readonly onRemap: (remap: Remap) => void;
  /** The browser's name of the gamepad that is connected. */
  readonly gamepadId: string | undefined;
  /** Takes where the sticks are now for their rest. */
  readonly onCalibrate: () => void;
}

/** All keys, each of which can be chosen anew, and how far a stick moves before it counts. */
export function ControlsTab(props: ControlsTabProps): ReactNode {
  return (
    <>
      <WorldKeys {...props} />
      <PadSettings {...props} />
      <PageKeys {...props} />
    </>
  );
}

function WorldKeys({ layout, remap, onRemap }: ControlsTabProps): ReactNode {
  const text = useText();
  const keyName = useKeyName();
  const [waiting, setWaiting] = useState<LegendEntry | undefined>();
  const [news, setNews] = useState("");
  useEffect(() => {
    if (waiting === undefined) return undefined;
    const onKey = (event: KeyboardEvent): void => {
      event.preventDefault();
      event.stopPropagation();
      setWaiting(undefined);
      if (event.code === "Escape" || event.code === "Tab") return;
      setNews(newsOf({ layout, remap, text, keyName }, waiting, event));
      onRemap(withKey(remap, waiting, event.code));
    };
    window.addEventListener("keydown", onKey, { capture: true });
    return () => window.removeEventListener("keydown", onKey, { capture: true });
  }, [waiting, layout, remap, onRemap, text, keyName]);
  const entries = layout.keyboard.filter((entry) => keyCodesOf(entry).length > 0);
  if (entries.length === 0) return <p>{text.menu.noKeys}</p>;
  return (
    <section className="menu-part">
      <h3>{text.menu.keys}</h3>
      <p className="key-news" role="status">
        {news}
      </p>
      <ul className="keys">
        {entries.map((entry) => (
          <li key={entry.label}>
            <span>{controlName(entry.label, text)}</span>
            <span className="keys-now">
              {keysFor(entry, remap).map((code) => (
                <kbd key={code}>{keyName(code)}</kbd>
              ))}
            </span>
            <button
              type="button"
              className="button is-small"
              aria-pressed={waiting === entry}
              onClick={() => setWaiting(waiting === entry ? undefined : entry)}
            >
              {waiting === entry ? text.menu.pressKey : text.menu.change}
              <span className="visually-hidden">{text.menu.changeOf(controlName(entry.label, text))}</span>
            </button>
          </li>
        ))}
      </ul>
      <button
        type="button"
        className="button"
        disabled={Object.keys(remap).length === 0}
        onClick={() => {
          setNews("");
          onRemap({});
        }}
      >
        {text.menu.usualKeys}
      </button>
    </section>
  );
}

/** What a new choice means for other controls and for the page's own keys. */
function newsOf(
  facts: {
    readonly layout: ControlLayout;
    readonly remap: Remap;
    readonly text: Messages;
    readonly keyName: KeyNamer;
  },
  entry: LegendEntry,
  pressed: KeyboardEvent,
): string {
  const { layout, remap, text } = facts;
  const physical = pressed.code;
  const [key, taker] = [facts.keyName(physical), controlName(entry.label, text)];
  const taken = keyTakenFrom(layout.keyboard, remap, { entry, physical });
  if (taken !== undefined) {
    const loser = controlName(taken.loser.label, text);
    return taken.hasOthers ? text.menu.keyTaken(key, taker, loser) : text.menu.keyTakenLast(key, taker, loser);
  }
  const action = remap[physical] === undefined && !layout.keyCodes.has(physical) ? pageActionOf(pressed) : undefined;
  if (action === undefined) return text.menu.keySet(key, taker);
  const names = { prompt: text.prompt.label, numbers: text.bar.numbers, pause: text.menu.keyPause };
  return text.menu.keyTaken(key, taker, names[action]);
}

function PadSettings({ gamepadId, onCalibrate }: ControlsTabProps): ReactNode {
  const { menu } = useText();
  const [{ deadZone }, changePreferences] = usePreferences();
  return (
    <section className="menu-part">
      <h3>{menu.gamepad}</h3>
      <label className="slider">
        <span>{menu.deadZone}</span>
        <input
          type="range"
          min={0}
          max={MAX_DEAD_ZONE}
          step={0.01}
          value={deadZone}
          aria-valuetext={menu.percent(deadZone)}
          onChange={(event) => changePreferences({ deadZone: Number(event.target.value) })}
        />
        <output>{menu.percent(deadZone)}</output>
      </label>
      <p className="hint">{menu.deadZoneHint}</p>
      {gamepadId === undefined ? null : (
        <>
          <p className="hint">{menu.padHint}</p>
          <button type="button" className="button" onClick={onCalibrate}>
            {menu.calibrate}
          </button>
          <p className="hint">{menu.calibrateHint}</p>
        </>
      )}
    </section>
  );
}

function PageKeys({ layout, remap }: ControlsTabProps): ReactNode {
  const text = useText();
  const keyName = useKeyName();
  const facts = { layout, remap, keyName };
  const rows = [
    { name: text.menu.keyMenu, keys: [text.controls.keys.Esc] },
    { name: text.prompt.label, keys: pageKeyNames("prompt", facts) },
    { name: text.menu.keyPause, keys: pageKeyNames("pause", facts) },
    { name: text.bar.numbers, keys: pageKeyNames("numbers", facts) },
  ];
  return (
    <section className="menu-part">
      <h3>{text.menu.pageKeys}</h3>
      <dl className="page-keys">
        {rows
          .filter(({ keys }) => keys.length > 0)
          .map(({ name, keys }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <Keys names={keys} />
              </dd>
            </div>
          ))}
      </dl>
    </section>
  );
}
