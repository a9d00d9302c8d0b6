import type { DeviceContext } from "./device-context.ts";
import type { PadReading } from "../../input/input-state.ts";
import { VIRTUAL_PAD_INDEX } from "../../input/virtual-pad.ts";
import { isWheel, wheelMappingFor, WheelReader, type WheelMapping } from "./wheel-mapping.ts";

/** A gamepad or a wheel came or went. */
export interface GamepadNews {
  /** The browser's name of it. */
  readonly id: string;
  /** What it is. */
  readonly kind: "gamepad" | "wheel";
  /** Whether it is there now. */
  readonly connected: boolean;
}

/** How gamepads are watched. */
export interface GamepadOptions {
  /** Hears of gamepads that come and go. */
  onNews(news: GamepadNews): void;
  /** Where a wheel has its axes. */
  readonly wheelMapping?: WheelMapping;
}

/** Movements of an axis below this are noise of a resting stick. */
const REST_LEVEL = 0.06;

/** Reads gamepads before every frame of the screen while one is connected. */
export function watchGamepads(context: DeviceContext, page: Document, options: GamepadOptions): () => void {
  const view = page.defaultView;
  const known = new Map<number, { readonly id: string; readonly wheel: WheelReader | undefined }>();
  let frame: number | undefined;

  const forget = (index: number): void => {
    const pad = known.get(index);
    if (pad === undefined) return;
    known.delete(index);
    const { input } = context.session;
    context.changed(pad.wheel === undefined ? input.setPad(index, undefined) : input.setWheel(undefined));
    options.onNews({ id: pad.id, kind: pad.wheel === undefined ? "gamepad" : "wheel", connected: false });
  };
  const poll = (): void => {
    frame = undefined;
    const pads = (view?.navigator.getGamepads() ?? []).filter((pad) => pad !== null && pad.index < VIRTUAL_PAD_INDEX);
    for (const index of [...known.keys()]) if (!pads.some((pad) => pad?.index === index)) forget(index);
    for (const pad of pads) if (pad !== null) read(pad);
    if (known.size > 0) frame = requestAnimationFrame(poll);
  };
  const read = (pad: Gamepad): void => {
    let device = known.get(pad.index);
    if (device === undefined) {
      const wheel = isWheel(pad.id)
        ? new WheelReader(options.wheelMapping ?? wheelMappingFor(pad.axes.length))
        : undefined;
      known.set(pad.index, (device = { id: pad.id, wheel }));
      options.onNews({ id: pad.id, kind: wheel === undefined ? "gamepad" : "wheel", connected: true });
    }
    const reading = readingOf(pad, device.wheel === undefined);
    const isUsed =
      reading.buttons.some((value) => value >= 0.5) || reading.axes.some((value) => Math.abs(value) >= 0.5);
    // A resting pad takes no focus; one that is moved does, as a key would.
    if (!context.session.input.focused && !(isUsed && isPageActive(page) && context.claim())) return;
    const { input } = context.session;
    context.changed(
      device.wheel === undefined ? input.setPad(pad.index, reading) : input.setWheel(device.wheel.read(reading)),
    );
  };
  const start = (): void => {
    frame ??= requestAnimationFrame(poll);
  };
  view?.addEventListener("gamepadconnected", start);
  view?.addEventListener("gamepaddisconnected", start);
  start();
  return () => {
    if (frame !== undefined) cancelAnimationFrame(frame);
    view?.removeEventListener("gamepadconnected", start);
    view?.removeEventListener("gamepaddisconnected", start);
    for (const index of [...known.keys()]) forget(index);
  };
}

function isPageActive(page: Document): boolean {
  return page.visibilityState === "visible" && page.hasFocus();
}

function readingOf(pad: Gamepad, hasDeadZone: boolean): PadReading {
  const axes = pad.axes.slice(0, 16).map((value) => {
    const rounded = Math.round(Math.min(1, Math.max(-1, value)) * 1000) / 1000;
    return hasDeadZone && Math.abs(rounded) < REST_LEVEL ? 0 : rounded;
  });
  const buttons = pad.buttons
    .slice(0, 64)
    .map(({ value }) => Math.round(Math.min(1, Math.max(0, value)) * 1000) / 1000);
  return { axes, buttons };
}
