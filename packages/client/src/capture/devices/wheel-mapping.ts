import type { PadReading, WheelReading } from "../../input/input-state.ts";

/** Where a steering wheel that browsers show as a gamepad has its parts. Pedals rest at 1 and are fully down at −1. */
export interface WheelMapping {
  /** Axis of the wheel; −1 is left. */
  readonly steer: number;
  /** Axis of the throttle pedal. */
  readonly throttle: number;
  /** Axis of the brake pedal. */
  readonly brake: number;
  /** Axis of the clutch pedal; absent: none. */
  readonly clutch?: number;
}

/** Parts of the names under which wheels appear. */
const WHEEL_NAMES =
  /\bwheel\b|racing|\bg(25|27|29|920|923)\b|driving force|fanatec|thrustmaster t(80|128|150|248|300|500|818|mx)|\bmoza\b|simagic/i;

/** Four axes or more in the order of the common wheels: wheel, clutch, throttle, brake. */
export const DEFAULT_WHEEL_MAPPING: WheelMapping = Object.freeze({ steer: 0, throttle: 2, brake: 3, clutch: 1 });

/** Wheels with combined or fewer axes: wheel, throttle, brake. */
export const THREE_AXES_WHEEL_MAPPING: WheelMapping = Object.freeze({ steer: 0, throttle: 1, brake: 2 });

/** Whether a gamepad is a steering wheel, by the name that the browser gives it. */
export function isWheel(id: string): boolean {
  return WHEEL_NAMES.test(id);
}

/** The usual mapping of a wheel with so many axes. */
export function wheelMappingFor(axisCount: number): WheelMapping {
  return axisCount >= 4 ? DEFAULT_WHEEL_MAPPING : THREE_AXES_WHEEL_MAPPING;
}

/** Reads wheels; a pedal counts as up until it has moved, since browsers report 0 before its first report. */
export class WheelReader {
  readonly #mapping: WheelMapping;
  readonly #moved = new Set<number>();

  /** With the axes at these places. */
  constructor(mapping: WheelMapping) {
    this.#mapping = mapping;
  }

  /** What the wheel says, from its state as a gamepad. */
  read({ axes, buttons }: PadReading): WheelReading {
    const { steer, throttle, brake, clutch } = this.#mapping;
    return {
      steer: 0 - (axes[steer] ?? 0),
      throttle: this.#pedal(axes, throttle),
      brake: this.#pedal(axes, brake),
      clutch: clutch === undefined ? 0 : this.#pedal(axes, clutch),
      buttons,
    };
  }

  #pedal(axes: readonly number[], index: number): number {
    const value = axes[index] ?? 1;
    if (value !== 0) this.#moved.add(index);
    return this.#moved.has(index) ? Math.round((1 - value) * 500) / 1000 : 0;
  }
}
