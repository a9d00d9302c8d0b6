import { codeLabel, type ControlLayout, type LegendEntry } from "@dreamloop/client";
import type { ReactNode } from "react";
import { keysFor, type Remap } from "../preferences/remap.ts";
import { Keys } from "./key-hints.tsx";
import type { DeviceInHand } from "./use-device.ts";

/** What the legend takes. */
export interface LegendProps {
  /** The world's controls. */
  readonly layout: ControlLayout;
  /** The device in hand. */
  readonly inHand: Pick<DeviceInHand, "device" | "gamepadId">;
  /** Keys that were chosen. */
  readonly remap: Remap;
  /** Names of the keys that lead to the prompt; none where there is none. */
  readonly promptKeys: readonly string[];
}

/** What does what on the device in hand, and how to get at prompt and menu. */
export function Legend({ layout, inHand, remap, promptKeys }: LegendProps): ReactNode {
  const { device, gamepadId } = inHand;
  if (device === "touch") return null;
  const entries = device === "keyboard" ? keyboardEntries(layout, remap) : layout[device];
  const shown = entries.filter(({ codes }) => codes.length > 0);
  // A world that is loading has told neither its controls nor whether there is a prompt.
  if (shown.length === 0 && promptKeys.length === 0) return null;
  const options = { device, ...(gamepadId === undefined ? {} : { gamepadId }) };
  const name = gamepadId?.replace(/\s*\(.*\)\s*$/, "") ?? "";
  return (
    <section className="legend" aria-label={device === "keyboard" || name === "" ? "Controls" : `Controls of ${name}`}>
      {/* Worlds with many controls make it scroll, which must work from the keyboard too. */}
      <dl className="legend-world" tabIndex={0}>
        {shown.map(({ label, codes }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>
              {codes.slice(0, 2).map((code) => (
                <kbd key={code}>{codeLabel(code, options)}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
      <dl className="legend-page">
        {promptKeys.length === 0 ? null : (
          <div>
            <dt>Prompt</dt>
            <dd>
              <Keys names={promptKeys} />
            </dd>
          </div>
        )}
        <div>
          <dt>Menu, pause</dt>
          <dd>
            <kbd>Esc</kbd>
          </dd>
        </div>
      </dl>
    </section>
  );
}

function keyboardEntries(layout: ControlLayout, remap: Remap): readonly LegendEntry[] {
  return layout.keyboard.map((entry) => {
    const mouse = entry.codes.filter((code) => code.startsWith("Mouse"));
    return { label: entry.label, codes: [...keysFor(entry, remap), ...mouse] };
  });
}
