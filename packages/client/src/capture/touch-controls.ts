import type { PlaySession } from "../session/play-session.ts";
import type { ControlTarget, StickTargets } from "../input/control-layout.ts";
import type { InputCapture } from "./capture-input.ts";
import { VIRTUAL_PAD_INDEX, VirtualPad } from "../input/virtual-pad.ts";

/** On-screen controls on a page; whoever mounted them closes them. */
export interface TouchControls {
  /** Whether the world has any. */
  readonly isEmpty: boolean;
  /** Takes them away and releases what they hold. Idempotent. */
  close(): void;
}

/** Above this number of buttons their row is marked, so that the page can make them smaller. */
const MANY_BUTTONS = 5;
/** Who holds what on-screen controls hold. */
const HOLDER = "touch";
const DIRECTIONS = ["up", "down", "left", "right"] as const;

/**
 * Puts the stick and the buttons that the world declares into a container: elements of the classes `dreamloop-stick`, `dreamloop-knob`,
 * `dreamloop-stick-label` (one for each direction, `data-direction` says which), `dreamloop-buttons` (`is-many` when there are more than five) and
 * `dreamloop-button`, which the page styles. Where the world knows gamepads, they act with any strength; else as keys.
 */
export function mountTouchControls(session: PlaySession, capture: InputCapture, container: HTMLElement): TouchControls {
  const page = container.ownerDocument;
  const pad = new VirtualPad();
  const held = new Set<ControlTarget>();
  const { stick, buttons } = capture.layout;
  const apply = (target: ControlTarget | undefined, level: number): void => {
    if (target === undefined) return;
    const { input } = session;
    if (target.padCode !== undefined) {
      if (pad.set(target.padCode, level)) input.setPad(VIRTUAL_PAD_INDEX, pad.reading());
      return;
    }
    const isOn = isKeyOn(level, held.has(target));
    if (isOn === held.has(target) || target.code === undefined) return;
    if (isOn) held.add(target);
    else held.delete(target);
    const button = mouseButtonOf(target.code);
    if (button === undefined) {
      if (isOn) input.keyDown(target.code, HOLDER);
      else input.keyUp(target.code, HOLDER);
    } else if (isOn) input.buttonDown(button, HOLDER);
    else input.buttonUp(button, HOLDER);
  };
  const change = (edit: () => void): void => {
    session.input.focus();
    edit();
    session.inputChanged();
  };

  const elements: HTMLElement[] = [];
  if (stick !== undefined) {
    elements.push(
      makeStick(page, stick, (levels) =>
        change(() => {
          for (const direction of DIRECTIONS) apply(stick[direction], levels[direction]);
        }),
      ),
    );
  }
  const row = page.createElement("div");
  row.className = buttons.length > MANY_BUTTONS ? "dreamloop-buttons is-many" : "dreamloop-buttons";
  for (const target of buttons) row.append(makeButton(page, target, (level) => change(() => apply(target, level))));
  if (buttons.length > 0) elements.push(row);
  container.append(...elements);
  const stopState = session.on("state", (state) => {
    if (state === "reconnecting") release();
  });
  const release = (): void => {
    pad.release();
    held.clear();
  };
  let isClosed = false;
  return {
    isEmpty: elements.length === 0,
    close: () => {
      if (isClosed) return;
      isClosed = true;
      stopState();
      for (const element of elements) element.remove();
      for (const target of [...held]) apply(target, 0);
      session.input.setPad(VIRTUAL_PAD_INDEX, undefined);
      session.inputChanged();
    },
  };
}

function mouseButtonOf(code: string): number | undefined {
  const named = ["MouseLeft", "MouseMiddle", "MouseRight", "MouseBack", "MouseForward"].indexOf(code);
  if (named >= 0) return named;
  const numbered = /^Mouse(\d+)$/.exec(code);
  return numbered === null ? undefined : Number(numbered[1]);
}

/** The name of a stick for those who do not see its labels. */
export function stickName(targets: StickTargets): string {
  const told = DIRECTIONS.flatMap((direction) => {
    const label = targets[direction]?.label;
    return label === undefined ? [] : `${direction}: ${label}`;
  });
  return `Stick, ${told.join(", ")}`;
}

function makeStick(page: Document, targets: StickTargets, onLevels: (levels: StickLevels) => void): HTMLElement {
  const base = page.createElement("div");
  base.className = "dreamloop-stick";
  base.style.touchAction = "none";
  base.setAttribute("role", "img");
  base.setAttribute("aria-label", stickName(targets));
  const knob = page.createElement("div");
  knob.className = "dreamloop-knob";
  base.append(knob);
  for (const direction of DIRECTIONS) {
    const target = targets[direction];
    if (target === undefined) continue;
    const label = page.createElement("span");
    label.className = "dreamloop-stick-label";
    label.dataset.direction = direction;
    label.textContent = target.label;
    label.style.pointerEvents = "none";
    base.append(label);
  }
  let pointer: number | undefined;
  const place = (x: number, y: number): void => {
    knob.style.transform = `translate(${x}px, ${y}px)`;
  };
  const read = (event: PointerEvent): void => {
    const { left, top, width, height } = base.getBoundingClientRect();
    const radius = width / 2;
    const position = stickPosition(event.clientX - left - width / 2, event.clientY - top - height / 2, radius);
    place(position.x * radius * 0.6, position.y * radius * 0.6);
    onLevels(stickLevels(position));
  };
  const end = (event: PointerEvent): void => {
    if (event.pointerId !== pointer) return;
    pointer = undefined;
    base.classList.remove("is-held");
    place(0, 0);
    onLevels(stickLevels({ x: 0, y: 0 }));
  };
  base.addEventListener("pointerdown", (event) => {
    if (pointer !== undefined) return;
    event.preventDefault();
    pointer = event.pointerId;
    base.setPointerCapture(event.pointerId);
    base.classList.add("is-held");
    read(event);
  });
  base.addEventListener("pointermove", (event) => {
    if (event.pointerId === pointer) read(event);
  });
  for (const name of ["pointerup", "pointercancel", "lostpointercapture"] as const) base.addEventListener(name, end);
  return base;
}

function makeButton(page: Document, target: ControlTarget, onLevel: (level: number) => void): HTMLElement {
  const button = page.createElement("button");
  button.type = "button";
  button.className = "dreamloop-button";
  button.textContent = target.label;
  button.style.touchAction = "none";
  const set = (isHeld: boolean): void => {
    button.classList.toggle("is-held", isHeld);
    onLevel(isHeld ? 1 : 0);
  };
  button.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    button.setPointerCapture(event.pointerId);
    set(true);
  });
  for (const name of ["pointerup", "pointercancel"] as const) button.addEventListener(name, () => set(false));
  button.addEventListener("contextmenu", (event) => event.preventDefault());
  return button;
}

/** Where an on-screen stick stands, −1 to 1 each; y down positive. */
export interface StickPosition {
  /** Left to right. */
  readonly x: number;
  /** Top to bottom. */
  readonly y: number;
}

/** How far each direction of a stick is pushed, 0 to 1. */
export interface StickLevels {
  /** Upwards. */
  readonly up: number;
  /** Downwards. */
  readonly down: number;
  /** To the left. */
  readonly left: number;
  /** To the right. */
  readonly right: number;
}

/** Pushes up to this share of the radius count as rest. */
const DEAD_ZONE = 0.12;
/** From this level on a key is held; below the lower one it is let go of, so that a trembling finger does not type. */
const KEY_ON = 0.45;
const KEY_OFF = 0.3;

/** The position of a stick whose knob was dragged from its centre; a longer drag than the radius counts as the radius. */
export function stickPosition(deltaX: number, deltaY: number, radius: number): StickPosition {
  const length = Math.hypot(deltaX, deltaY);
  if (radius <= 0 || length <= radius * DEAD_ZONE) return { x: 0, y: 0 };
  const pushed = (Math.min(length, radius) / radius - DEAD_ZONE) / (1 - DEAD_ZONE);
  return { x: (deltaX / length) * pushed, y: (deltaY / length) * pushed };
}

/** How far each direction is pushed; two decimals, so that nothing is sent for less. */
export function stickLevels({ x, y }: StickPosition): StickLevels {
  const level = (value: number): number => Math.round(Math.max(0, value) * 100) / 100;
  return { up: level(-y), down: level(y), left: level(-x), right: level(x) };
}

/** Whether a key stands for this push, given whether it does already. */
export function isKeyOn(level: number, wasOn: boolean): boolean {
  return level >= (wasOn ? KEY_OFF : KEY_ON);
}
