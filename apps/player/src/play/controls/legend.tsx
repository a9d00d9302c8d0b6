import type { ControlLayout, LegendEntry } from "@dreamloop/client";
import type { ReactNode } from "react";
import { controlName } from "../../text/names.ts";
import { useText } from "../../text/text-provider.tsx";
import { Keys } from "./key-hints.tsx";
import { useKeyName } from "./key-names.tsx";
import { keysFor, type Remap } from "./remap.ts";
import { padName, type DeviceInHand } from "./use-device.ts";

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
  const text = useText();
  const keyName = useKeyName();
  const { device, gamepadId } = inHand;
  if (device === "touch") return null;
  const entries = device === "keyboard" ? keyboardEntries(layout, remap) : layout[device];
  const shown = entries.filter(({ codes }) => codes.length > 0);
  // A world that is still loading has named neither its controls nor whether there is a prompt.
  if (shown.length === 0 && promptKeys.length === 0) return null;
  const options = { device, ...(gamepadId === undefined ? {} : { gamepadId }) };
  const name = padName(gamepadId);
  return (
    <section
      className="legend"
      aria-label={device === "keyboard" || name === undefined ? text.controls.legend : text.controls.legendOf(name)}
    >
      {/* Worlds with many controls make it scroll, which must work from the keyboard too. */}
      <dl className="legend-world" tabIndex={0}>
        {shown.map(({ label, codes }) => (
          <div key={label}>
            <dt>{controlName(label, text)}</dt>
            <dd>
              {codes.slice(0, 2).map((code) => (
                <kbd key={code}>{keyName(code, options)}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
      <dl className="legend-page">
        {promptKeys.length === 0 ? null : (
          <div>
            <dt>{text.prompt.label}</dt>
            <dd>
              <Keys names={promptKeys} />
            </dd>
          </div>
        )}
        <div>
          <dt>{text.controls.menuAndPause}</dt>
          <dd>
            <kbd>{text.controls.keys.Esc}</kbd>
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
