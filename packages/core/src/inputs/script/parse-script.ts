import { DreamloopError, ERROR_CODES, isDreamloopError } from "../../foundation/dreamloop-error.ts";
import { refuse } from "../../foundation/validate/reader.ts";
import { eventCatalogue, type EventCatalogue } from "../event-catalogue.ts";
import type { UserInputEvent } from "../user-input-event.ts";
import { SCRIPT_COMMANDS, type EmitEvent, type ScriptTime } from "./commands.ts";
import { LineReader, toMicrosecond } from "./line-reader.ts";

/** Greatest length of a script in UTF-16 units. */
export const MAX_SCRIPT_LENGTH = 1_000_000;
/** Greatest number of events that a script may make. */
export const MAX_SCRIPT_EVENTS = 100_000;
/** The source of events from a script. */
export const SCRIPT_SOURCE = "script";

/** What a script says. */
export interface Script {
  /** Its events, in non-decreasing time. */
  readonly events: readonly UserInputEvent[];
  /** Where it ends, in seconds, if it says so. */
  readonly endSeconds?: number;
}

/** What `parseScript` takes beside the text. */
export interface ParseScriptOptions {
  /** The types of events; default the core's own. */
  readonly catalogue?: EventCatalogue;
}

interface ScriptEvent {
  readonly event: UserInputEvent;
  readonly rank: number;
}

const COMMAND_NAMES = Object.keys(SCRIPT_COMMANDS);
const LINE_STARTS = ["at", "from", "end"];

class ScriptParser {
  readonly #catalogue: EventCatalogue;
  readonly #events: ScriptEvent[] = [];
  #previousSeconds = 0;
  #end: { readonly seconds: number; readonly line: LineReader } | undefined;

  constructor(catalogue: EventCatalogue) {
    this.#catalogue = catalogue;
  }

  readLine(text: string, lineNumber: number): void {
    const line = new LineReader(text, lineNumber);
    if (line.atEnd) return;
    if (line.startsWithPlus) {
      return this.#command(line, { startSeconds: this.#previousSeconds + line.seconds("how much later", true) });
    }
    const start = line.keyword(LINE_STARTS, "at, from, end or a time that begins with +");
    if (start === "at") return this.#command(line, { startSeconds: line.seconds("the time") });
    if (start === "from") return this.#stretch(line);
    if (this.#end !== undefined) line.refuseBecause("the script has said where it ends already");
    const seconds = line.seconds("the time at which the script ends");
    line.finish("the end");
    this.#end = { seconds, line };
  }

  result(): Script {
    const events = [...this.#events]
      .sort((left, right) => left.event.timestampSeconds - right.event.timestampSeconds || left.rank - right.rank)
      .map(({ event }) => event);
    if (this.#end === undefined) return Object.freeze({ events: Object.freeze(events) });
    const { seconds, line } = this.#end;
    const last = events[events.length - 1]?.timestampSeconds;
    if (last !== undefined && last >= seconds) {
      line.refuseBecause(`the script ends at ${seconds} s, but something happens at ${last} s; let it end later`);
    }
    return Object.freeze({ events: Object.freeze(events), endSeconds: seconds });
  }

  #stretch(line: LineReader): void {
    const startSeconds = line.seconds("the time at which it begins");
    const joint = line.keyword(["to", "for"], "to and a time, or for and a duration");
    const given = line.seconds(joint === "to" ? "the time at which it ends" : "how long");
    const endSeconds = joint === "to" ? given : toMicrosecond(startSeconds + given);
    if (endSeconds <= startSeconds) line.refuse(`an end after ${startSeconds} s`, `${endSeconds} s`);
    if (!line.takeWord("every")) return this.#command(line, { startSeconds, endSeconds });
    const everySeconds = line.seconds("how much later each time");
    if (everySeconds <= 0) line.refuse("a time above 0", `${everySeconds} s`);
    this.#repeated(line, { startSeconds, endSeconds }, everySeconds);
  }

  /** The same instant again and again: the line is read once for each. */
  #repeated(line: LineReader, { startSeconds, endSeconds = startSeconds }: ScriptTime, everySeconds: number): void {
    const count = Math.ceil((endSeconds - startSeconds) / everySeconds - 1e-9);
    if (count > MAX_SCRIPT_EVENTS) line.refuse(`at most ${MAX_SCRIPT_EVENTS} repetitions`, String(count));
    for (let index = 1; index < count; index += 1) {
      this.#command(line.copy(), { startSeconds: toMicrosecond(startSeconds + index * everySeconds) });
    }
    this.#command(line, { startSeconds });
    this.#previousSeconds = endSeconds;
  }

  #command(line: LineReader, time: ScriptTime): void {
    const name = line.keyword(COMMAND_NAMES, `a command (${COMMAND_NAMES.join(", ")})`);
    const command = SCRIPT_COMMANDS[name];
    if (time.endSeconds !== undefined && command.times === "instant") {
      line.refuse(
        "a command that lasts (hold, axis, actions, mouse, scroll), or every TIME before the command",
        JSON.stringify(name),
      );
    }
    this.#previousSeconds = toMicrosecond(time.endSeconds ?? time.startSeconds);
    command.run(line, time, this.#emitter(line));
    line.finish(command.usage);
  }

  #emitter(line: LineReader): EmitEvent {
    return (seconds, eventType, payload, ends) => {
      if (this.#events.length >= MAX_SCRIPT_EVENTS)
        line.refuseBecause(`a script may make at most ${MAX_SCRIPT_EVENTS} events`);
      const timestampSeconds = toMicrosecond(seconds);
      const input = {
        timestampSeconds,
        eventType,
        payload: payload as Readonly<Record<string, unknown>>,
        source: SCRIPT_SOURCE,
      };
      try {
        this.#events.push({ event: this.#catalogue.read(input), rank: ends === undefined ? 1 : 0 });
      } catch (error) {
        if (!isDreamloopError(error)) throw error;
        line.refuseBecause(error.message);
      }
    };
  }
}

/**
 * Reads a script: one line for each thing that happens, such as `at 1.5 s press KeyW` or `from 2 s to 4 s hold KeyA`; `docs/scripts.md`
 * describes the language. Gives its events for `eventListSource`. The first fault is refused with `trace_invalid`: the message names line and
 * column, what was found, what is allowed and the nearest word; `details` holds `line` and `column`.
 */
export function parseScript(text: string, options: ParseScriptOptions = {}): Script {
  if (typeof text !== "string") refuse("parseScript.text", "a string", text);
  if (text.length > MAX_SCRIPT_LENGTH) {
    throw new DreamloopError(
      ERROR_CODES.limitExceeded,
      `parseScript.text: ${text.length} characters, at most ${MAX_SCRIPT_LENGTH} are allowed; split the script`,
    );
  }
  const parser = new ScriptParser(options.catalogue ?? eventCatalogue());
  const lines = text.replace(/^\uFEFF/, "").split(/\r\n|\n|\r/);
  for (const [index, line] of lines.entries()) parser.readLine(line, index + 1);
  return parser.result();
}
