import type { Clock } from "@dreamloop/core";
import type { OutputStream } from "../program/cli-host.ts";
import { ProgressMeter } from "./progress-meter.ts";
import { progressLine, progressText } from "./progress-line.ts";
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
