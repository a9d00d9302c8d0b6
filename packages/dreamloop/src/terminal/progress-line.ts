import { formatDuration, formatRate } from "./format.ts";
import type { Styles } from "./styles.ts";

/** What a progress line says. */
export interface ProgressFacts {
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
export function progressText(facts: ProgressFacts): string {
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
