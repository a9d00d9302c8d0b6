import type { LineReader } from "./line-reader.ts";
import { MOUSE_BUTTON_NAMES } from "../catalogue/mouse-events.ts";

/** When a command happens. */
export interface ScriptTime {
  /** Its time, or the beginning of its stretch, in seconds. */
  readonly startSeconds: number;
  /** The end of its stretch, in seconds; absent: it happens at an instant. */
  readonly endSeconds?: number;
}

/** Takes one event of a command. `ends` marks what ends a stretch: at the same instant it comes before what begins. */
export type EmitEvent = (seconds: number, eventType: string, payload: object, ends?: "ends") => void;

/** One command of the script language. */
export interface ScriptCommand {
  /** How it is written. */
  readonly usage: string;
  /** Whether it may stand at an instant, over a stretch, or both. */
  readonly times: "instant" | "stretch" | "both";
  /** Reads the rest of the line and emits its events. */
  run(line: LineReader, time: ScriptTime, emit: EmitEvent): void;
}

/** How long `tap` holds a key when no duration is given, in seconds. */
export const TAP_SECONDS = 0.1;
/** A movement over a stretch is told in so many parts a second. */
const MOVEMENTS_PER_SECOND = 60;

const LETTERS = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"].map((letter) => `Key${letter}`);
const DIGITS = [..."0123456789"];
const FUNCTION_KEYS = Array.from({ length: 24 }, (_, index) => `F${index + 1}`);
const SIDES = ["Alt", "Control", "Meta", "Shift"].flatMap((name) => [`${name}Left`, `${name}Right`]);
const NUMPAD = ["Add", "Subtract", "Multiply", "Divide", "Decimal", "Comma", "Enter", "Equal"].map(
  (name) => `Numpad${name}`,
);
const OTHERS =
  "ArrowDown ArrowLeft ArrowRight ArrowUp Backquote Backslash Backspace BracketLeft BracketRight CapsLock Comma ContextMenu " +
  "Delete End Enter Equal Escape Home Insert IntlBackslash IntlRo IntlYen Minus NumLock PageDown PageUp Pause Period " +
  "PrintScreen Quote ScrollLock Semicolon Slash Space Tab";

/** Codes of physical keys, as the UI Events KeyboardEvent code Values recommendation of W3C names them. */
export const KEY_CODES: readonly string[] = Object.freeze([
  ...LETTERS,
  ...DIGITS.map((digit) => `Digit${digit}`),
  ...DIGITS.map((digit) => `Numpad${digit}`),
  ...FUNCTION_KEYS,
  ...SIDES,
  ...NUMPAD,
  ...OTHERS.split(" "),
]);

const HOLDABLE = [...KEY_CODES, ...MOUSE_BUTTON_NAMES];
const WHAT_TO_HOLD = "the code of a key, such as KeyW or ArrowLeft, or of a mouse button, such as MouseLeft";

function instant(usage: string, run: ScriptCommand["run"]): ScriptCommand {
  return { usage, times: "instant", run };
}

function withoutArguments(name: string, eventType: string, payload: object = {}): ScriptCommand {
  return instant(name, (_line, { startSeconds }, emit) => emit(startSeconds, eventType, payload));
}

/** One or more codes up to the end of the line or the word `for`. */
function readCodes(line: LineReader): string[] {
  const codes = [line.nameOf(HOLDABLE, WHAT_TO_HOLD)];
  while (!line.atEnd && !line.nextIs("for")) codes.push(line.nameOf(HOLDABLE, WHAT_TO_HOLD));
  return codes;
}

function emitEdge(emit: EmitEvent, seconds: number, code: string, down: boolean): void {
  const button = MOUSE_BUTTON_NAMES.indexOf(code);
  const ends = down ? undefined : "ends";
  if (button < 0) emit(seconds, down ? "key_down" : "key_up", { code }, ends);
  else emit(seconds, "mouse_button", { button, pressed: down }, ends);
}

function holdCodes(line: LineReader, time: ScriptTime, emit: EmitEvent, defaultSeconds: number | undefined): void {
  const codes = readCodes(line);
  let { endSeconds } = time;
  if (endSeconds === undefined) {
    if (line.takeWord("for")) endSeconds = time.startSeconds + line.seconds("how long");
    else if (defaultSeconds !== undefined) endSeconds = time.startSeconds + defaultSeconds;
    else return line.refuseBecause("hold needs to know how long: write from … to … before it or for … behind it");
  }
  for (const code of codes) emitEdge(emit, time.startSeconds, code, true);
  for (const code of codes) emitEdge(emit, endSeconds, code, false);
}

/** Movement at once, or in equal parts that add up to it. */
function move(eventType: string, line: LineReader, time: ScriptTime, emit: EmitEvent): void {
  const deltaX = line.number("the movement to the right in pixels");
  const deltaY = line.number("the movement downwards in pixels");
  const { startSeconds, endSeconds } = time;
  if (endSeconds === undefined) return emit(startSeconds, eventType, { deltaX, deltaY });
  const parts = Math.max(1, Math.ceil((endSeconds - startSeconds) * MOVEMENTS_PER_SECOND));
  for (let part = 0; part < parts; part += 1) {
    const share = (total: number): number => (total * (part + 1)) / parts - (total * part) / parts;
    const seconds = startSeconds + ((endSeconds - startSeconds) * part) / parts;
    emit(seconds, eventType, { deltaX: share(deltaX), deltaY: share(deltaY) });
  }
}

/** The commands by name. */
export const SCRIPT_COMMANDS: Readonly<Record<string, ScriptCommand>> = Object.freeze({
  press: instant("press CODE…", (line, { startSeconds }, emit) => {
    for (const code of readCodes(line)) emitEdge(emit, startSeconds, code, true);
  }),
  release: instant("release CODE…", (line, { startSeconds }, emit) => {
    for (const code of readCodes(line)) emitEdge(emit, startSeconds, code, false);
  }),
  tap: instant("tap CODE… [for TIME]", (line, time, emit) => holdCodes(line, time, emit, TAP_SECONDS)),
  hold: {
    usage: "hold CODE… [for TIME]",
    times: "both",
    run: (line, time, emit) => holdCodes(line, time, emit, undefined),
  },
  axis: {
    usage: "axis NAME VALUE",
    times: "both",
    run: (line, { startSeconds, endSeconds }, emit) => {
      const name = line.name("the name of the axis, such as steer");
      emit(startSeconds, "axis_set", { name, value: line.number("its value from -1 to 1") });
      if (endSeconds !== undefined) emit(endSeconds, "axis_set", { name, value: 0 }, "ends");
    },
  },
  actions: {
    usage: "actions NAME… | actions none",
    times: "both",
    run: (line, { startSeconds, endSeconds }, emit) => {
      const actions: string[] = [];
      if (!line.takeWord("none")) actions.push(line.name("the name of an action, or none"));
      while (!line.atEnd) actions.push(line.name("the name of an action"));
      emit(startSeconds, "action_set", { actions });
      if (endSeconds !== undefined) emit(endSeconds, "action_set", { actions: [] }, "ends");
    },
  },
  mouse: { usage: "mouse RIGHT DOWN", times: "both", run: (line, time, emit) => move("mouse_move", line, time, emit) },
  scroll: {
    usage: "scroll RIGHT DOWN",
    times: "both",
    run: (line, time, emit) => move("mouse_wheel", line, time, emit),
  },
  prompt: instant('prompt "TEXT" [without "TEXT"]', (line, { startSeconds }, emit) => {
    const prompt = line.quoted("the prompt");
    const negativePrompt = line.takeWord("without") ? { negativePrompt: line.quoted("what it should not show") } : {};
    emit(startSeconds, "prompt_set", { prompt, ...negativePrompt });
  }),
  image: instant('image "NAME"', (line, { startSeconds }, emit) => {
    emit(startSeconds, "image_set", { image: line.quoted("the name of the image") });
  }),
  text: instant("text ID STATE", (line, { startSeconds }, emit) => {
    emit(startSeconds, "text_event", { id: line.name("the id of the text event"), state: line.name("its state") });
  }),
  focus: withoutArguments("focus", "focus", { focused: true }),
  blur: withoutArguments("blur", "focus", { focused: false, reason: "blur" }),
  reset: instant("reset [seed NUMBER]", (line, { startSeconds }, emit) => {
    emit(startSeconds, "reset", line.takeWord("seed") ? { seed: line.number("the seed, a whole number") } : {});
  }),
  pause: withoutArguments("pause", "pause"),
  resume: withoutArguments("resume", "resume"),
  close: withoutArguments("close", "close"),
  event: instant("event TYPE {JSON}", (line, { startSeconds }, emit) => {
    const eventType = line.name("the type of the event, such as gamepad_state");
    const payload = line.atEnd ? {} : line.jsonObject("the payload as a JSON object");
    emit(startSeconds, eventType, payload as object);
  }),
});
