import { codeLabel, type ControlLayout } from "@dreamloop/client";
import type { ReactNode } from "react";
import { keysFor, type Remap } from "../preferences/remap.ts";
import type { Device } from "./use-device.ts";

/** What the legend takes. */
export interface LegendProps {
  /** The world's controls. */
  readonly layout: ControlLayout;
  /** The device in hand. */
  readonly device: Device;
  /** Name of the gamepad. */
  readonly gamepadName: string | undefined;
  /** Keys that were chosen. */
  readonly remap: Remap;
}

/** What does what on the device in hand. */
export function Legend({ layout, device, gamepadName, remap }: LegendProps): ReactNode {
  if (device === "touch") return null;
  const entries =
    device === "gamepad"
      ? layout.gamepad
      : layout.keyboard.map((entry) => {
          const mouse = entry.codes.filter((code) => code.startsWith("Mouse"));
          return { label: entry.label, codes: [...keysFor(entry, remap), ...mouse] };
        });
  const shown = entries.filter(({ codes }) => codes.length > 0);
  if (shown.length === 0) return null;
  return (
    <section
      className="legend"
      // Worlds with many controls make it scroll, which must work from the keyboard too.
      tabIndex={0}
      aria-label={device === "gamepad" ? `Controls of ${gamepadName ?? "the gamepad"}` : "Controls"}
    >
      <dl>
        {shown.map(({ label, codes }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>
              {codes.slice(0, 2).map((code) => (
                <kbd key={code}>{codeLabel(code)}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
