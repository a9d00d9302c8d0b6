// @ts-check
import { defineWorld, exactCos, exactSin, input } from "@dreamloop/core";

const WIDTH = 192;
const HEIGHT = 108;
const NIGHT = [8, 14, 40];
const COLOURS = { fire: [255, 120, 40], ice: [90, 180, 255], gold: [255, 215, 90] };

/** A comet that you steer across the night. The whole world: what it needs, what moves it, and one step. */
export default defineWorld({
  id: "comet",
  title: "Comet",
  description: "Steer a comet across the night; its tail glows and fades.",
  video: { width: WIDTH, height: HEIGHT, framesPerSecond: 20 },
  promptVocabulary: Object.keys(COLOURS),
  inputs: {
    initial: { prompt: input.text({ default: "fire", live: true }) },
    step: { turn: input.number({ min: -1, max: 1 }), thrust: input.number({ min: -1, max: 1 }) },
  },
  controls: { drive: "driver_command" },
  map: ({ controls: { drive } }) => ({ turn: drive.steer, thrust: drive.throttle - (drive.stop ? 1 : drive.brake) }),

  start: ({ random }) => ({
    x: WIDTH * random("place").nextUniform(),
    y: HEIGHT / 2,
    heading: 0,
    speed: 40,
    sky: new Uint8Array(WIDTH * HEIGHT * 3),
  }),

  step: ({ initial, inputs, state, durationSeconds, random }) => {
    const heading = state.heading - 3 * inputs.turn * durationSeconds;
    const speed = Math.min(120, Math.max(0, state.speed + 60 * inputs.thrust * durationSeconds));
    const x = (state.x + speed * exactCos(heading) * durationSeconds + WIDTH) % WIDTH;
    const y = (state.y + speed * exactSin(heading) * durationSeconds + HEIGHT) % HEIGHT;
    const sky = state.sky.map((light, index) => Math.max(0.95 * light, NIGHT[index % 3] ?? 0));
    const star = random("stars").nextInteger(WIDTH * HEIGHT);
    sky.fill(200, 3 * star, 3 * star + 3);
    const words = Object.entries(COLOURS).find(([word]) => initial.prompt.includes(word));
    paint(sky, x, y, words?.[1] ?? [255, 255, 255]);
    return { frames: sky, state: { x, y, heading, speed, sky } };
  },
});

/** @param {Uint8Array} sky @param {number} x @param {number} y @param {readonly number[]} colour */
function paint(sky, x, y, colour) {
  for (let dy = -3; dy <= 3; dy += 1) {
    for (let dx = -3; dx <= 3; dx += 1) {
      const column = (Math.floor(x) + dx + WIDTH) % WIDTH;
      const row = (Math.floor(y) + dy + HEIGHT) % HEIGHT;
      if (dx * dx + dy * dy <= 10) sky.set(colour, 3 * (row * WIDTH + column));
    }
  }
}
