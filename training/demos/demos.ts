import type { DriverCommand } from "@dreamloop/core";
import { LANE_CENTRE_METRES, type DriveState, type DriveWorld } from "@dreamloop/worlds/drive";
import { follow } from "../render/drivers.ts";

/** A change of the prompt in a demo. */
export interface DemoPrompt {
  /** When. */
  readonly seconds: number;
  /** The new prompt. */
  readonly text: string;
}

/** A drive that is shown. */
export interface Demo {
  /** Name of the script, without its ending. */
  readonly name: string;
  /** What is to be seen, for the head of the script. */
  readonly about: readonly string[];
  /** Seed of the road. */
  readonly seed: number;
  /** The prompt at the start. */
  readonly prompt: string;
  /** How long; absent: until the car has gone round. */
  readonly seconds?: number;
  /** Changes of the prompt. */
  readonly prompts: readonly DemoPrompt[];
  /** The driver. */
  drive(world: DriveWorld, state: DriveState, seconds: number): DriverCommand;
}

/** How far off the road the car goes, in metres to the right of the centre line. */
const MEADOW_METRES = 6.6;

/** The demos. */
export const DEMOS: readonly Demo[] = [
  {
    name: "drive-lap",
    about: ["Once round the road on a clear day, in traffic."],
    seed: 11,
    prompt: "a clear day",
    prompts: [],
    drive: (world, state) => follow(world, state, -LANE_CENTRE_METRES, 19, 0, true),
  },
  {
    name: "drive-slalom",
    about: ["From one side of the road to the other and back, at sunset."],
    seed: 26,
    prompt: "a clear road at sunset",
    seconds: 20,
    prompts: [],
    drive: (world, state, seconds) => follow(world, state, 2.4 * Math.sin((2 * Math.PI * seconds) / 4.5), 13, 0, true),
  },
  {
    name: "drive-weather",
    about: ["Through the times of the day and all kinds of weather."],
    seed: 24,
    prompt: "a clear day",
    seconds: 40,
    prompts: [
      { seconds: 8, text: "heavy rain in the afternoon" },
      { seconds: 16, text: "a foggy morning" },
      { seconds: 24, text: "a snowy road at sunset" },
      { seconds: 32, text: "clear night" },
    ],
    drive: (world, state) => follow(world, state, -LANE_CENTRE_METRES, 14, 0, true),
  },
  {
    name: "drive-offroad",
    about: ["Off the road, over the meadow, and back onto the asphalt."],
    seed: 24,
    prompt: "a foggy morning",
    seconds: 18,
    prompts: [],
    drive: (world, state, seconds) =>
      follow(world, state, seconds > 3 && seconds < 11 ? -MEADOW_METRES : -LANE_CENTRE_METRES, 12, 0, true),
  },
];
