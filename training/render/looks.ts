/** Times of day that the renderer knows. */
export const TIMES_OF_DAY = ["day", "sunset", "night"] as const;

/** Weathers that the renderer knows. */
export const WEATHERS = ["clear", "rain", "snow", "fog"] as const;

/** A time of day and a weather, chosen independently. */
export interface Condition {
  /** Index into `TIMES_OF_DAY`. */
  readonly time: number;
  /** Index into `WEATHERS`. */
  readonly weather: number;
}

/**
 * Everything that a condition decides about a picture, as plain numbers in a fixed order, so that a change of condition is
 * a slide from one list to another. Colours are display-encoded, 0..1.
 */
export type Look = Float64Array;

/** Where each quantity starts in a `Look`; colours take three places. */
export const LookField = {
  /** Colour of the sky overhead. */
  zenith: 0,
  /** Colour of the sky at the horizon. */
  horizon: 3,
  /** Colour added around the sun. */
  glow: 6,
  /** Colour of lit clouds. */
  cloud: 9,
  /** Direct light. */
  sun: 12,
  /** Light from everywhere. */
  ambient: 15,
  /** Colour that distance fades to. */
  fog: 18,
  /** Extinction per metre. */
  fogDensity: 21,
  /** Opacity of clouds, 0..1. */
  cloudAmount: 22,
  /** Depth of shadows, 0..1. */
  shadow: 23,
  /** Wetness of the road, 0..1. */
  wet: 24,
  /** Snow cover, 0..1. */
  snow: 25,
  /** Artificial light, 0..1. */
  lamps: 26,
  /** Brightness of the sun's or moon's disc, 0..1. */
  disc: 27,
  /** Tangent of the elevation of the disc. */
  discHeight: 28,
} as const;

/** Length of a `Look`. */
export const LOOK_LENGTH = 29;

type Triple = readonly [number, number, number];

interface TimeLook {
  readonly zenith: Triple;
  readonly horizon: Triple;
  readonly glow: Triple;
  readonly cloud: Triple;
  readonly sun: Triple;
  readonly ambient: Triple;
  readonly lamps: number;
  readonly disc: number;
  readonly discHeight: number;
  readonly grey: Triple;
}

const TIME_LOOKS: readonly TimeLook[] = [
  {
    zenith: [0.22, 0.47, 0.86],
    horizon: [0.7, 0.84, 0.97],
    glow: [0.3, 0.26, 0.16],
    cloud: [0.98, 0.98, 1],
    sun: [0.72, 0.68, 0.58],
    ambient: [0.44, 0.48, 0.55],
    lamps: 0,
    disc: 1,
    discHeight: 0.33,
    grey: [0.68, 0.72, 0.76],
  },
  {
    zenith: [0.24, 0.24, 0.5],
    horizon: [0.98, 0.62, 0.38],
    glow: [0.6, 0.34, 0.08],
    cloud: [1, 0.56, 0.45],
    sun: [0.78, 0.42, 0.2],
    ambient: [0.4, 0.32, 0.4],
    lamps: 0.45,
    disc: 1,
    discHeight: 0.1,
    grey: [0.62, 0.5, 0.5],
  },
  {
    zenith: [0.035, 0.05, 0.14],
    horizon: [0.13, 0.17, 0.31],
    glow: [0.06, 0.07, 0.1],
    cloud: [0.17, 0.2, 0.29],
    sun: [0.07, 0.085, 0.13],
    ambient: [0.15, 0.175, 0.27],
    lamps: 1,
    disc: 0.75,
    discHeight: 0.33,
    grey: [0.14, 0.155, 0.21],
  },
];

/**
 * The look of a condition.
 *
 * @param condition Time of day and weather.
 * @returns A new list of numbers.
 */
export function lookOf(condition: Condition): Look {
  const time = TIME_LOOKS[condition.time];
  const weather = WEATHERS[condition.weather];
  const overcast = weather === "clear" ? 0 : weather === "fog" ? 0.92 : 0.8;
  const look = new Float64Array(LOOK_LENGTH);
  const set = (field: number, colour: Triple, grey: Triple, share: number, gain = 1): void => {
    for (let channel = 0; channel < 3; channel++) {
      look[field + channel] = (colour[channel] + (grey[channel] - colour[channel]) * share) * gain;
    }
  };
  const dim = weather === "rain" ? 0.78 : weather === "snow" ? 1.06 : 1;
  set(LookField.zenith, time.zenith, time.grey, overcast, dim * (weather === "rain" ? 0.8 : 1));
  set(LookField.horizon, time.horizon, time.grey, overcast * 0.8, dim);
  set(LookField.glow, time.glow, [0, 0, 0], overcast * 0.9);
  set(LookField.cloud, time.cloud, time.grey, overcast * 0.8, weather === "clear" ? 1 : 0.86);
  set(LookField.sun, time.sun, [0, 0, 0], overcast * 0.92);
  const even = condition.time === 2 ? 0.02 : 0.28;
  set(LookField.ambient, time.ambient, time.grey, overcast * 0.45, dim);
  for (let channel = 0; channel < 3; channel++) look[LookField.ambient + channel] += even * overcast;
  set(LookField.fog, time.horizon, time.grey, overcast, dim);
  look[LookField.fogDensity] = { clear: 0.0016, rain: 0.007, snow: 0.009, fog: 0.034 }[weather];
  look[LookField.cloudAmount] = { clear: 0.75, rain: 0.8, snow: 0.45, fog: 0.1 }[weather];
  look[LookField.shadow] = 1 - overcast;
  look[LookField.wet] = weather === "rain" ? 1 : weather === "fog" ? 0.15 : 0;
  look[LookField.snow] = weather === "snow" ? 1 : 0;
  look[LookField.lamps] = Math.min(1, time.lamps + (weather === "fog" || weather === "rain" ? 0.25 : 0));
  look[LookField.disc] = time.disc * (1 - overcast);
  look[LookField.discHeight] = time.discHeight;
  return look;
}

/**
 * Slides a look towards another.
 *
 * @param look The look; it is changed.
 * @param goal Where it goes.
 * @param share How much of the way, 0..1.
 */
export function slideLook(look: Look, goal: Look, share: number): void {
  for (let index = 0; index < LOOK_LENGTH; index++) look[index] += (goal[index] - look[index]) * share;
}
