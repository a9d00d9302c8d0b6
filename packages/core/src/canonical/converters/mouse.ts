import { DreamloopError, ERROR_CODES } from "../../foundation/dreamloop-error.ts";
import { CONTROL_DEVICES, deviceConverter, type DeviceConverter } from "../device-converter.ts";
import { LOOK_DELTA } from "../modalities.ts";
import { payloadNumber } from "./payload.ts";
import { checkOptions } from "./bindings.ts";

/** Priority of the mouse for looking around: above a stick's, so that none of its movement is lost. */
export const MOUSE_PRIORITY = 20;

/** How the mouse converter may be changed. */
export interface MouseLookOptions {
  /** Its name within a canonicaliser; default `mouse_look_delta`. */
  readonly name?: string;
  /** Higher wins among converters of `look_delta`; default `MOUSE_PRIORITY`. */
  readonly priority?: number;
}

/**
 * Makes the converter of `mouse_move` and `mouse_wheel` to `look_delta`: movements of a window are summed, within one rounding of the
 * exact sum. A window without any is idle.
 */
export function mouseToLookDelta(options: MouseLookOptions = {}): DeviceConverter<null> {
  checkOptions(options, "MouseLookOptions", ["name", "priority"]);
  return deviceConverter<null>({
    name: options.name ?? "mouse_look_delta",
    priority: options.priority ?? MOUSE_PRIORITY,
    consumes: ["mouse_move"],
    produces: LOOK_DELTA,
    controls: [{ label: "Look around", device: CONTROL_DEVICES.mouse, bindings: ["MouseMove"], touch: "look" }],
    createState: () => null,
    convert(inputs, _window, state) {
      let sums: { readonly x: CompensatedSum; readonly y: CompensatedSum; readonly wheel: CompensatedSum } | undefined;
      for (const event of inputs.events) {
        if (event.eventType !== "mouse_move" && event.eventType !== "mouse_wheel") continue;
        sums ??= { x: new CompensatedSum(), y: new CompensatedSum(), wheel: new CompensatedSum() };
        const deltaY = payloadNumber(event, "deltaY");
        if (event.eventType === "mouse_wheel") sums.wheel.add(deltaY);
        else {
          sums.x.add(payloadNumber(event, "deltaX"));
          sums.y.add(deltaY);
        }
      }
      if (sums === undefined) return { value: undefined, state };
      const value = { deltaX: sums.x.value, deltaY: sums.y.value, wheel: sums.wheel.value };
      for (const [field, sum] of Object.entries(value)) {
        if (Number.isFinite(sum)) continue;
        throw new DreamloopError(ERROR_CODES.invalidValue, `look_delta.${field}: the sum of the movements is ${sum}`);
      }
      return { value, state };
    },
  });
}

/** A sum that carries the rounding error of each addition along (Neumaier, 1974), so that the order and number of summands do not show. */
class CompensatedSum {
  #sum = 0;
  #error = 0;

  /** Adds one summand. */
  add(value: number): void {
    const sum = this.#sum + value;
    this.#error += Math.abs(this.#sum) >= Math.abs(value) ? this.#sum - sum + value : value - sum + this.#sum;
    this.#sum = sum;
  }

  /** The sum so far. */
  get value(): number {
    return this.#sum + this.#error;
  }
}
