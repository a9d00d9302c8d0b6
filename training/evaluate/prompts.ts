import type { Condition } from "../render/looks.ts";

const TIME_PHRASES = ["on a bright day", "at sunset", "at night"] as const;
const WEATHER_PHRASES = ["a clear road", "a rainy road", "a snowy road", "a foggy road"] as const;

/**
 * A prompt in plain words for a condition.
 *
 * @param condition Time of day and weather.
 * @returns For example "a snowy road at sunset".
 */
export function promptOf(condition: Condition): string {
  return `${WEATHER_PHRASES[condition.weather]} ${TIME_PHRASES[condition.time]}`;
}
