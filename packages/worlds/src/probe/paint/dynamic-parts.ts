import { exactCos, exactSin, randomStream } from "@dreamloop/core";
import type { ProbeControls } from "../controls.ts";
import type { ProbeLayout, Rectangle } from "../layout.ts";
import { pointerPosition, STAGE_HEIGHT_METRES, STAGE_WIDTH_METRES } from "../motion.ts";
import type { ProbeState } from "../state.ts";
import { PALETTE } from "./palette.ts";
import { fillDisc, fillRectangle, type RgbPicture } from "./raster.ts";
import { plainLetters } from "./font.ts";
import { fitText, paintText, textWidth } from "./text.ts";

const DUST_DOTS = 32;

/** Where the values begin, as shares of their line. */
const VALUE_COLUMNS = [0, 0.29, 0.56, 0.74];

/** Paints what changes on the stage: dust, trail, pointer, object, prompt. */
export function paintStageParts(picture: RgbPicture, layout: ProbeLayout, state: ProbeState, heldBits: number): void {
  const { stage } = layout;
  const scaleX = stage.width / STAGE_WIDTH_METRES;
  const scaleY = stage.height / STAGE_HEIGHT_METRES;
  const metre = Math.min(scaleX, scaleY);
  const place = ({ x, y }: { readonly x: number; readonly y: number }): { x: number; y: number } => ({
    x: stage.x + x * scaleX,
    y: stage.y + stage.height - y * scaleY,
  });
  paintDust(picture, layout, state);
  state.trail.forEach((spot, age) => {
    const radius = Math.max(0.6, metre * (0.16 - age * 0.008));
    fillDisc(picture, stage, { ...place(spot), radius }, age < 5 ? PALETTE.dust : PALETTE.axis);
  });
  const pointer = place(pointerPosition(state.lookSumX, state.lookSumY));
  const ring = Math.max(2, metre * 0.34);
  fillDisc(picture, stage, { ...pointer, radius: ring, innerRadius: ring * 0.72 }, PALETTE.pointer);
  fillDisc(picture, stage, { ...pointer, radius: ring * 0.22 }, PALETTE.pointer);

  const radius = Math.max(1.5, metre * 0.5);
  const { heading } = state.object;
  const centre = place(state.object);
  const front = { x: centre.x + exactCos(heading) * radius * 0.5, y: centre.y - exactSin(heading) * radius * 0.5 };
  if (heldBits !== 0)
    fillDisc(picture, stage, { ...centre, radius: radius * 1.5, innerRadius: radius * 1.3 }, PALETTE.object);
  fillDisc(picture, stage, { ...centre, radius }, PALETTE.object);
  fillDisc(picture, stage, { ...front, radius: radius * 0.32 }, PALETTE.front);
  paintPrompt(picture, layout, state.prompt);
}

/** Dots whose places depend on the seed and whose brightness on seed and step, so that both show in every frame's hash. */
function paintDust(picture: RgbPicture, layout: ProbeLayout, state: ProbeState): void {
  const { stage, textDot } = layout;
  const { seed, stepIndex } = state;
  const places = randomStream({ seed, step: 0, stream: "probe.dust" });
  const twinkle = randomStream({ seed, step: stepIndex, stream: "probe.twinkle" });
  const side = Math.max(1, textDot);
  const colors = [PALETTE.grid, PALETTE.axis, PALETTE.dust, PALETTE.dust];
  for (let dot = 0; dot < DUST_DOTS; dot += 1) {
    const word = places.uint32At(dot);
    const column = Math.floor(((word >>> 16) * (stage.width - side + 1)) / 65536);
    const row = Math.floor(((word & 0xffff) * (stage.height - side + 1)) / 65536);
    const bright = (twinkle.uint32At(dot >> 4) >>> ((dot & 15) * 2)) & 3;
    const area = { x: stage.x + column, y: stage.y + row, width: side, height: side };
    fillRectangle(picture, area, colors[bright]);
  }
}

function paintPrompt(picture: RgbPicture, layout: ProbeLayout, prompt: string | null): void {
  const { stage, textDot: dot, margin } = layout;
  if (prompt === null || dot === 0) return;
  const text = fitText(plainLetters(prompt), dot, stage.width - 2 * margin);
  paintText(picture, text, { x: stage.x + margin, y: stage.y + margin, dot, color: PALETTE.prompt });
}

/** Paints the line of values: frame, step, reset, input. */
export function paintValues(
  picture: RgbPicture,
  layout: ProbeLayout,
  state: ProbeState,
  sequence: number | undefined,
): void {
  const { values, textDot: dot } = layout;
  if (values === undefined) return;
  const entries: readonly (readonly [string, string])[] = [
    ["Frame", String(state.frameIndex).padStart(6, "0")],
    ["Step", String(state.stepIndex).padStart(6, "0")],
    ["Reset", String(state.generation)],
    ["Input", sequence === undefined ? "-" : String(sequence)],
  ];
  entries.forEach(([label, value], index) => {
    const x = values.x + Math.floor(values.width * VALUE_COLUMNS[index]);
    paintText(picture, label, { x, y: values.y, dot, color: PALETTE.muted });
    paintText(picture, value, { x: x + textWidth(label, dot) + 6 * dot, y: values.y, dot, color: PALETTE.ink });
  });
}

/** Lights the lamps of held and pressed actions. */
export function paintLamps(picture: RgbPicture, layout: ProbeLayout, heldBits: number, pressedBits: number): void {
  layout.lamps.forEach((area, bit) => {
    if (((heldBits >>> bit) & 1) === 1) fillRectangle(picture, area, PALETTE.object);
    if (((pressedBits >>> bit) & 1) === 1) fillRectangle(picture, shrink(area), PALETTE.pointer);
  });
}

function shrink({ x, y, width, height }: Rectangle): Rectangle {
  const inset = Math.floor(Math.min(width, height) / 4);
  return { x: x + inset, y: y + inset, width: width - 2 * inset, height: height - 2 * inset };
}

/** Fills the gauges: throttle and brake from the left, steer from the middle, left for left. */
export function paintGauges(picture: RgbPicture, layout: ProbeLayout, { command }: ProbeControls): void {
  const [throttle, brake, steer] = layout.gauges;
  if (throttle === undefined || brake === undefined || steer === undefined) return;
  const part = (area: Rectangle, from: number, to: number): Rectangle => {
    const first = Math.round(area.width * from);
    return { x: area.x + first, y: area.y, width: Math.round(area.width * to) - first, height: area.height };
  };
  fillRectangle(picture, part(throttle, 0, command.throttle), command.reverse ? PALETTE.pointer : PALETTE.object);
  fillRectangle(picture, part(brake, 0, command.stop ? 1 : command.brake), PALETTE.ink);
  const side = 0.5 - command.steer / 2;
  fillRectangle(picture, part(steer, Math.min(0.5, side), Math.max(0.5, side)), PALETTE.object);
  fillRectangle(picture, { ...part(steer, 0.5, 0.5), width: 1 }, PALETTE.muted);
}
