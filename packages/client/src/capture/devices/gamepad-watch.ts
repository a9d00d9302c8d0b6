import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import { padAtRest, wheelAtRest, type PadReading } from "../../input/input-state.ts";
import { VIRTUAL_PAD_INDEX } from "../../input/virtual-pad.ts";
import type { DeviceContext } from "./device-context.ts";
import { PadLearner, PadMapper, padMappingFor, type PadMapping, type PadSource } from "./pad-mapping.ts";
import { PadRest } from "./pad-rest.ts";
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

/** A device came or went whose controls nobody knows: it is not read until `setPadMapping` says what they are. */
export interface UnknownPadNews {
  /** The browser's name of it, under which a mapping is kept. */
  readonly id: string;
  /** The browser's number of it, for `learnPadControl`. */
  readonly index: number;
  /** Whether it is there now. */
  readonly connected: boolean;
}

/** How gamepads are watched. */
export interface GamepadOptions {
  /** Hears of gamepads that come and go. */
  onNews(news: GamepadNews): void;
  /** Hears of devices that cannot be read. */
  onUnknown(news: UnknownPadNews): void;
  /** Start was pressed, and the world has no use for it. */
  onMenu(): void;
  /** Where a wheel has its axes. */
  readonly wheelMapping?: WheelMapping;
  /** What counts as rest, 0 to 0.9. */
  deadZone(): number;
  /** What the person has bound, by the browser's name of the gamepad. */
  mappingOf(id: string): PadMapping | undefined;
}

/** Watched gamepads. */
export interface GamepadDevices {
  /** Where sticks and triggers are now is their rest. */
  calibrate(): void;
  /** Mappings have changed: all gamepads are looked at anew. */
  remap(): void;
  /** Resolves with the raw control that the person moves next. */
  learn(index: number, signal: AbortSignal | undefined): Promise<PadSource>;
  /** Watches no more. */
  close(this: void): void;
}

/** The button of the standard mapping that opens menus. */
const START_BUTTON = 9;
/** From here on a control counts as used. */
const USED_LEVEL = 0.5;

interface KnownPad {
  readonly id: string;
  readonly kind: "gamepad" | "wheel" | "unknown";
  readonly rest: PadRest;
  readonly mapper: PadMapper | undefined;
  readonly wheel: WheelReader | undefined;
  before: PadReading | undefined;
}

interface Lesson {
  readonly index: number;
  learner: PadLearner | undefined;
  readonly done: (source: PadSource) => void;
  readonly fail: (error: Error) => void;
}

/** Reads gamepads before every frame of the screen while one is connected. */
export function watchGamepads(context: DeviceContext, page: Document, options: GamepadOptions): GamepadDevices {
  const view = page.defaultView;
  const known = new Map<number, KnownPad>();
  const lessons = new Set<Lesson>();
  let frame: number | undefined;

  const forget = (index: number): void => {
    const pad = known.get(index);
    if (pad === undefined) return;
    known.delete(index);
    const { input } = context.session;
    if (pad.kind === "unknown") {
      options.onUnknown({ id: pad.id, index, connected: false });
      return;
    }
    context.changed(pad.kind === "wheel" ? input.setWheel(undefined) : input.setPad(index, undefined));
    options.onNews({ id: pad.id, kind: pad.kind, connected: false });
  };
  const meet = (pad: Gamepad): KnownPad => {
    const { id, index, mapping } = pad;
    const rest = new PadRest({ deadZone: () => options.deadZone() });
    const bound = options.mappingOf(id);
    const facts = { id, mapping, axisCount: pad.axes.length, buttonCount: pad.buttons.length };
    const isSteering = bound === undefined && isWheel(id);
    const found = isSteering ? undefined : (bound ?? padMappingFor(facts));
    const kind = isSteering ? "wheel" : found === undefined ? "unknown" : "gamepad";
    const wheel = isSteering ? new WheelReader(options.wheelMapping ?? wheelMappingFor(pad.axes.length)) : undefined;
    const mapper = found === undefined || found === "standard" ? undefined : new PadMapper(found);
    const met: KnownPad = { id, kind, rest, mapper, wheel, before: undefined };
    known.set(index, met);
    if (kind === "unknown") options.onUnknown({ id, index, connected: true });
    else options.onNews({ id, kind, connected: true });
    return met;
  };
  const poll = (): void => {
    frame = undefined;
    const pads = (view?.navigator.getGamepads() ?? []).filter((pad) => pad !== null && pad.index < VIRTUAL_PAD_INDEX);
    for (const [index, { id }] of [...known]) {
      if (!pads.some((pad) => pad?.index === index && pad.id === id)) forget(index);
    }
    for (const pad of pads) if (pad !== null) read(pad);
    for (const lesson of [...lessons]) if (!pads.some((pad) => pad?.index === lesson.index)) lesson.fail(gone());
    if (known.size > 0) frame = view?.requestAnimationFrame(poll);
  };
  const read = (pad: Gamepad): void => {
    const device = known.get(pad.index) ?? meet(pad);
    const raw = rawReading(pad);
    for (const lesson of [...lessons]) if (lesson.index === pad.index) teach(lesson, raw);
    if (device.kind === "unknown") return;
    const reading =
      device.wheel === undefined ? device.rest.read(device.mapper === undefined ? raw : device.mapper.map(raw)) : raw;
    const { before } = device;
    device.before = reading;
    const { input } = context.session;
    const isOurs = context.standing !== "none" && lessons.size === 0;
    const isHere = isOurs && isPageActive(page);
    if (isHere && device.wheel === undefined && isPressed(START_BUTTON, reading, before) && !usesStart(context)) {
      options.onMenu();
    }
    // A resting pad takes no focus; one that is moved does, as a key would.
    if (isHere && !input.focused && isUse(reading, before)) context.claim();
    // What another stage is played with, this one sees at rest.
    if (device.wheel === undefined) {
      context.changed(input.setPad(pad.index, isOurs ? reading : padAtRest(reading)));
    } else {
      const wheel = device.wheel.read(raw);
      context.changed(input.setWheel(isOurs ? wheel : wheelAtRest(wheel)));
    }
  };
  const teach = (lesson: Lesson, raw: PadReading): void => {
    if (lesson.learner === undefined) {
      lesson.learner = new PadLearner(raw);
      return;
    }
    const source = lesson.learner.read(raw);
    if (source !== undefined) lesson.done(source);
  };
  const start = (): void => {
    frame ??= view?.requestAnimationFrame(poll);
  };
  view?.addEventListener("gamepadconnected", start);
  view?.addEventListener("gamepaddisconnected", start);
  start();
  return {
    calibrate: () => {
      for (const { rest } of known.values()) rest.calibrate();
    },
    remap: () => {
      for (const index of [...known.keys()]) forget(index);
      start();
    },
    learn: (index, signal) =>
      new Promise((resolve, reject) => {
        const end = (): void => {
          lessons.delete(lesson);
          signal?.removeEventListener("abort", abort);
        };
        const lesson: Lesson = {
          index,
          learner: undefined,
          done: (source) => {
            end();
            resolve(source);
          },
          fail: (error) => {
            end();
            reject(error);
          },
        };
        const abort = (): void => lesson.fail(signal?.reason as Error);
        if (signal?.aborted === true) {
          abort();
          return;
        }
        signal?.addEventListener("abort", abort, { once: true });
        lessons.add(lesson);
        start();
      }),
    close: () => {
      if (frame !== undefined) view?.cancelAnimationFrame(frame);
      view?.removeEventListener("gamepadconnected", start);
      view?.removeEventListener("gamepaddisconnected", start);
      for (const lesson of [...lessons]) {
        lesson.fail(new DreamloopError(ERROR_CODES.closed, "learnPadControl: the capture was closed"));
      }
      for (const index of [...known.keys()]) forget(index);
    },
  };
}

function gone(): DreamloopError {
  return new DreamloopError(ERROR_CODES.notFound, "learnPadControl: no gamepad of this number is connected");
}

function isPageActive(page: Document): boolean {
  return page.visibilityState === "visible" && page.hasFocus();
}

function usesStart({ layout }: DeviceContext): boolean {
  return layout.gamepad.some(({ codes }) => codes.includes(`Button${START_BUTTON}`));
}

function isPressed(button: number, now: PadReading, before: PadReading | undefined): boolean {
  return before !== undefined && (now.buttons[button] ?? 0) >= USED_LEVEL && (before.buttons[button] ?? 0) < USED_LEVEL;
}

/** Whether something was moved since the last reading; what is held, or stuck, is not. */
function isUse(now: PadReading, before: PadReading | undefined): boolean {
  if (before === undefined) return false;
  const isMoved = (value: number, index: number): boolean =>
    Math.abs(value) >= USED_LEVEL && Math.abs(before.axes[index] ?? 0) < USED_LEVEL;
  return now.axes.some(isMoved) || now.buttons.some((_, button) => isPressed(button, now, before));
}

function rawReading(pad: Gamepad): PadReading {
  const rounded = (value: number, least: number): number =>
    Math.round(Math.min(1, Math.max(least, value)) * 1000) / 1000;
  return {
    axes: pad.axes.slice(0, 16).map((value) => rounded(value, -1)),
    buttons: pad.buttons.slice(0, 64).map(({ value }) => rounded(value, 0)),
  };
}
