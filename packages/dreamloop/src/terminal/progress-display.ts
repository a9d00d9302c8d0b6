import type { Clock } from "@dreamloop/core";
import type { OutputStream } from "../program/cli-host.ts";
import { formatDuration, formatRate } from "./format.ts";
import type { Styles } from "./styles.ts";

/** Least time between two drawings on a terminal, in seconds. */
const DRAW_SECONDS = 0.1;
/** Time between two lines where there is no terminal, in seconds. */
const LINE_SECONDS = 10;
const DEFAULT_COLUMNS = 80;
const CLEAR_LINE = "\r\u001b[2K";

/** What a progress display is made from. */
export interface ProgressDisplayOptions {
  /** Where it is drawn. */
  readonly stream: OutputStream;
  /** Whether that is a terminal; if not, there is a plain line every 10 seconds. */
  readonly terminal: boolean;
  /** Emphasis. */
  readonly styles: Styles;
  /** The clock. */
  readonly clock: Clock;
  /** What is being done. */
  readonly label: string;
  /** What is counted, in the plural. */
  readonly unit: string;
}

/** Shows how far something is: one line that is drawn over on a terminal, a plain line now and then elsewhere. */
export class ProgressDisplay {
  readonly #options: ProgressDisplayOptions;
  readonly #meter = new ProgressMeter();
  #lastSeconds: number;
  #drawn = false;

  /** Shows nothing yet. */
  constructor(options: ProgressDisplayOptions) {
    this.#options = options;
    this.#lastSeconds = options.clock.nowSeconds();
  }

  /** Shows what is going on before there is anything to count. */
  stage(text: string): void {
    if (!this.#options.terminal) return;
    this.#draw(`${this.#options.label}  ${text}`.slice(0, this.#columns - 1));
  }

  /** Notes how far it is; draws when it is time. The rate counts from the first call: what came before was not the work itself. */
  update(done: number, total: number | undefined): void {
    const { clock, terminal, label, unit, styles, stream } = this.#options;
    const now = clock.nowSeconds();
    this.#meter.note(done, now);
    if (now - this.#lastSeconds < (terminal ? DRAW_SECONDS : LINE_SECONDS)) return;
    this.#lastSeconds = now;
    const perSecond = this.#meter.perSecond;
    const secondsLeft = total === undefined ? undefined : this.#meter.secondsLeft(total);
    const facts = {
      label,
      unit,
      done,
      ...(total === undefined ? {} : { total }),
      ...(perSecond === undefined ? {} : { perSecond }),
      ...(secondsLeft === undefined ? {} : { secondsLeft }),
    };
    if (terminal) this.#draw(progressLine(facts, this.#columns, styles));
    else stream.write(`${label}: ${progressText(facts)}\n`);
  }

  /** Removes the line, so that something else can be written; the next update draws it again. */
  clear(): void {
    if (this.#drawn) this.#options.stream.write(CLEAR_LINE);
    this.#drawn = false;
  }

  get #columns(): number {
    return this.#options.stream.columns ?? DEFAULT_COLUMNS;
  }

  #draw(line: string): void {
    this.#options.stream.write(`${CLEAR_LINE}${line}`);
    this.#drawn = true;
  }
}

/** What a progress line says. */
interface ProgressFacts {
  /** What is being done, such as the world's name. */
  readonly label: string;
  /** What is counted, in the plural: `frames`. */
  readonly unit: string;
  /** How many there are. */
  readonly done: number;
  /** How many there will be; absent when unknown. */
  readonly total?: number;
  /** How many a second. */
  readonly perSecond?: number;
  /** Seconds until the end. */
  readonly secondsLeft?: number;
}

const BAR_WIDTH = 24;
const NARROWEST_BAR = 8;

/** The part of a progress line that people read: counts, rate, time left. */
function progressText(facts: ProgressFacts): string {
  const { done, total, unit, perSecond, secondsLeft } = facts;
  const count =
    total === undefined
      ? done.toLocaleString("en-US")
      : `${done.toLocaleString("en-US")}/${total.toLocaleString("en-US")}`;
  const parts = [`${count} ${unit}`];
  if (perSecond !== undefined) parts.push(`${formatRate(perSecond)} ${unit}/s`);
  if (secondsLeft !== undefined && (total ?? 0) > done) parts.push(`${formatDuration(secondsLeft)} left`);
  return parts.join("  ");
}

/** One line for a terminal of `columns` characters; never longer, so that it can be drawn over. */
export function progressLine(facts: ProgressFacts, columns: number, styles: Styles): string {
  const text = progressText(facts);
  const room = Math.max(0, columns - 1);
  const plain = `${facts.label}  ${text}`;
  if (plain.length > room) return text.slice(0, room);
  const barWidth = Math.min(BAR_WIDTH, room - plain.length - 2);
  if (facts.total === undefined || facts.total === 0 || barWidth < NARROWEST_BAR) return plain;
  const filled = Math.round(barWidth * Math.min(1, facts.done / facts.total));
  const bar = "━".repeat(filled) + styles.dim("─".repeat(barWidth - filled));
  return `${facts.label}  ${bar}  ${text}`;
}

/** Seconds that the rate looks back. */
const WINDOW_SECONDS = 3;
/** Least time between two kept points, so that fast loops keep few. */
const POINT_SECONDS = 0.05;

interface Point {
  readonly seconds: number;
  readonly done: number;
}

/** Turns counts and times into a rate and the time left; for displays only. */
export class ProgressMeter {
  readonly #points: Point[] = [];

  /** Notes that `done` was reached at `nowSeconds`; both never go back. */
  note(done: number, nowSeconds: number): void {
    const last = this.#points.at(-1);
    if (last !== undefined && this.#points.length > 1 && nowSeconds - last.seconds < POINT_SECONDS) this.#points.pop();
    this.#points.push({ seconds: nowSeconds, done });
    while (this.#points.length > 2 && nowSeconds - this.#points[1].seconds >= WINDOW_SECONDS) {
      this.#points.shift();
    }
  }

  /** Units a second over the last seconds; `undefined` as long as nothing can be said. */
  get perSecond(): number | undefined {
    const first = this.#points[0];
    const last = this.#points.at(-1);
    if (first === undefined || last === undefined || last.seconds <= first.seconds) return undefined;
    return (last.done - first.done) / (last.seconds - first.seconds);
  }

  /** Seconds until `total` is reached at the present rate; `undefined` as long as nothing can be said. */
  secondsLeft(total: number): number | undefined {
    const rate = this.perSecond;
    const done = this.#points.at(-1)?.done ?? 0;
    return rate === undefined || rate <= 0 ? undefined : Math.max(0, total - done) / rate;
  }
}
