import { DreamloopError, ERROR_CODES } from "../../foundation/dreamloop-error.ts";
import { frameRgb8 } from "../../model/frame-pixels.ts";
import type { StepResult } from "../../model/step-result.ts";
import type { OutputTarget } from "../../drivers/output-target.ts";
import { finite, withDefault } from "../../foundation/validate/reader.ts";
import type { TraceTolerance } from "../format/trace-records.ts";
import type { ReplayOptions } from "./replay-options.ts";
import { replayTrace } from "./replay-trace.ts";

/** How a tolerance is measured. */
export interface MeasureToleranceOptions extends Pick<
  ReplayOptions,
  | "trace"
  | "adapter"
  | "frameHasher"
  | "clock"
  | "runtime"
  | "payloads"
  | "mapping"
  | "canonicalizer"
  | "environment"
  | "waits"
  | "signal"
> {
  /** Steps of the trace to run, 1 to 10,000; default 16. */
  readonly stepLimit?: number;
  /** Runs to compare with the first, 1 to 100; default 2. */
  readonly comparedRuns?: number;
  /** Memory for the frames of the first run in bytes; default 512 MiB. */
  readonly maxBytes?: number;
}

const DEFAULT_STEPS = 16;
const DEFAULT_RUNS = 2;
const DEFAULT_BYTES = 512 * 1024 * 1024;

/**
 * Runs the beginning of a trace several times on this machine and measures how far its frames are apart: the tolerance for a world that
 * does not promise exactness. Add it to the trace with `toleranceText`. Throws `limit_exceeded` when the frames of the first run take
 * more than `maxBytes`, and what `replayTrace` throws.
 */
export async function measureTolerance(options: MeasureToleranceOptions): Promise<TraceTolerance> {
  const place = "MeasureToleranceOptions";
  const count = (max: number): ReturnType<typeof finite> => finite({ integer: true, min: 1, max });
  const stepLimit = withDefault(count(10_000), DEFAULT_STEPS)(options.stepLimit, `${place}.stepLimit`);
  const comparedRuns = withDefault(count(100), DEFAULT_RUNS)(options.comparedRuns, `${place}.comparedRuns`);
  const maxBytes = withDefault(count(Number.MAX_SAFE_INTEGER), DEFAULT_BYTES)(options.maxBytes, `${place}.maxBytes`);
  const { maxBytes: _maxBytes, comparedRuns: _comparedRuns, ...replay } = options;
  const frames: Uint8Array[] = [];
  const differences = new FrameDifferences();
  let usedBytes = 0;
  let stepCount = 0;
  for (let run = 0; run <= comparedRuns; run += 1) {
    let next = 0;
    const target = frameTarget((pixels) => {
      if (run > 0) differences.add(frames[next] ?? new Uint8Array(), pixels);
      else {
        usedBytes += pixels.byteLength;
        if (usedBytes > maxBytes) throw memoryError(maxBytes);
        frames.push(pixels.slice());
      }
      next += 1;
    });
    const report = await replayTrace({
      ...replay,
      stepLimit,
      outputs: [target],
      onDifference: "continue",
      allowVersionMismatch: true,
    });
    ({ stepCount } = report);
  }
  const environment = options.environment ?? {};
  return { comparedRuns, stepCount, frameCount: frames.length, ...differences.summary(), environment };
}

class FrameDifferences {
  #max = 0;
  #sum = 0;
  #values = 0;
  #minPsnrDecibels = Infinity;

  add(first: Uint8Array, second: Uint8Array): void {
    let squares = 0;
    for (let index = 0; index < second.length; index += 1) {
      const difference = Math.abs((first[index] ?? 0) - second[index]);
      if (difference > this.#max) this.#max = difference;
      this.#sum += difference;
      squares += difference * difference;
    }
    this.#values += second.length;
    if (squares === 0) return;
    const psnrDecibels = 10 * Math.log10((255 * 255 * second.length) / squares);
    this.#minPsnrDecibels = Math.min(this.#minPsnrDecibels, psnrDecibels);
  }

  summary(): Pick<TraceTolerance, "maxDifference" | "meanDifference" | "minPsnrDecibels"> {
    const meanDifference = this.#values === 0 ? 0 : this.#sum / this.#values;
    const psnr = this.#minPsnrDecibels === Infinity ? {} : { minPsnrDecibels: this.#minPsnrDecibels };
    return { maxDifference: this.#max, meanDifference, ...psnr };
  }
}

function frameTarget(take: (pixels: Uint8Array) => void): OutputTarget {
  return {
    open: () => undefined,
    write: ({ output }: StepResult) => {
      for (let index = 0; index < (output?.frameCount ?? 0); index += 1) {
        if (output !== undefined) take(frameRgb8(output, index));
      }
    },
    close: () => [],
  };
}

function memoryError(maxBytes: number): DreamloopError {
  return new DreamloopError(
    ERROR_CODES.limitExceeded,
    `measureTolerance: the frames of the first run take more than ${maxBytes} bytes; measure fewer steps or allow more`,
  );
}
