import type { ProbeControls } from "../controls.ts";
import { probeLayout, type ProbeLayout, type StripLayout } from "../layout.ts";
import type { ProbeState } from "../state.ts";
import { promptHash } from "../strip/check-codes.ts";
import { encodeStrip } from "../strip/strip-code.ts";
import { actionBits, type ProbeStripValues } from "../strip/strip-values.ts";
import { paintGauges, paintLamps, paintStageParts, paintValues } from "./dynamic-parts.ts";
import { PALETTE } from "./palette.ts";
import type { RgbPicture } from "./raster.ts";
import { paintStaticParts } from "./static-parts.ts";

/** What the strip of a frame says, given the state at that frame and the controls of its step. */
export function stripValuesOf(state: ProbeState, controls: ProbeControls): ProbeStripValues {
  return {
    frameIndex: state.frameIndex,
    stepIndex: state.stepIndex,
    generation: state.generation,
    heldBits: actionBits(controls.actions.held),
    pressedBits: actionBits(pressedNames(controls)),
    pressCount: state.pressCount,
    lookSumX: state.lookSumX,
    lookSumY: state.lookSumY,
    ...(controls.inputSequence === undefined ? {} : { inputSequence: controls.inputSequence }),
    ...(controls.hasCommand ? { driverCommand: controls.command } : {}),
    ...(state.prompt === null ? {} : { promptHash: promptHash(state.prompt) }),
  };
}

function pressedNames(controls: ProbeControls): readonly string[] {
  return Object.entries(controls.actions.pressed).flatMap(([name, count]) => (count > 0 ? [name] : []));
}

/** Paints frames of one size; what never changes is painted once and copied. Holds no state of any session. */
export class FramePainter {
  readonly #layout: ProbeLayout;
  readonly #background: Uint8Array;

  /** `caption` stands at the right of the title line. */
  constructor(width: number, height: number, caption: string) {
    this.#layout = probeLayout(width, height);
    this.#background = new Uint8Array(width * height * 3);
    paintStaticParts({ width, height, data: this.#background }, this.#layout, caption);
  }

  /** Paints one frame of packed 8-bit RGB over whatever `data` holds. */
  paint(data: Uint8Array, state: ProbeState, controls: ProbeControls): void {
    data.set(this.#background);
    const layout = this.#layout;
    const picture = { width: layout.width, height: layout.height, data };
    const values = stripValuesOf(state, controls);
    paintStageParts(picture, layout, state, values.heldBits);
    paintValues(picture, layout, state, controls.inputSequence);
    paintLamps(picture, layout, values.heldBits, values.pressedBits);
    paintGauges(picture, layout, controls);
    if (layout.strip !== undefined) paintStrip(picture, layout.strip, encodeStrip(values));
  }
}

/** Paints the cells of a strip; its light margin is there already. */
function paintStrip(picture: RgbPicture, strip: StripLayout, bits: Uint8Array): void {
  const { columns, rows, cellPixels } = strip;
  const { data, width } = picture;
  const left = strip.x + cellPixels;
  const lineBytes = columns * cellPixels * 3;
  for (let row = 0; row < rows; row += 1) {
    const start = ((strip.y + (row + 1) * cellPixels) * width + left) * 3;
    let at = start;
    for (let column = 0; column < columns; column += 1) {
      const [red, green, blue] = bits[row * columns + column] === 1 ? PALETTE.light : PALETTE.dark;
      for (let pixel = 0; pixel < cellPixels; pixel += 1, at += 3) {
        data[at] = red;
        data[at + 1] = green;
        data[at + 2] = blue;
      }
    }
    for (let line = 1; line < cellPixels; line += 1)
      data.copyWithin(start + line * width * 3, start, start + lineBytes);
  }
}
