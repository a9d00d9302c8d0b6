import { finite, listOf, mapping, refuse, type Mapping, type Reader } from "../foundation/validate/reader.ts";
import { made, refuseUnknownKeys } from "../foundation/validate/record.ts";
import { canonicalModality, type CanonicalModalityInput } from "./canonical-inputs.ts";
import { deviceConverter, type DeviceConverter } from "./device-converter.ts";
import { checkOptions } from "./converters/bindings.ts";
import { readModalityValue, type ModalityOf } from "./modality.ts";

/** Priority of a scripted modality: it beats everything that ships. */
export const SCRIPT_PRIORITY = 100;

/** One entry of a timeline. */
export interface ScriptEntry<Value extends object = Mapping> {
  /** From when on, in seconds of session time; at least 0. */
  readonly startSeconds: number;
  /** The value, held until the next entry; `null` hands over to the devices. */
  readonly value: Value | null;
}

/** What `scriptedModality` takes. */
export interface ScriptedModalityOptions<Value extends object = Mapping> {
  /** What the values are. */
  readonly modality: ModalityOf<Value>;
  /** The values in time, in non-decreasing order of their starts. */
  readonly timeline: readonly ScriptEntry<Value>[];
  /** Its name within a canonicaliser; default `scripted_` and the modality's name. */
  readonly name?: string;
  /** Higher wins among converters of the same modality; default `SCRIPT_PRIORITY`. */
  readonly priority?: number;
}

/**
 * Makes a converter that needs no device: a timeline of canonical values, for benchmarks and tests. An entry applies to every window that
 * ends after its start, until the next entry does; before the first there is no value. Refuses times that go back, and values that lack a
 * field of the modality or lie outside of its ranges.
 */
export function scriptedModality<Value extends object>(options: ScriptedModalityOptions<Value>): DeviceConverter<null> {
  checkOptions(options, "ScriptedModalityOptions", ["modality", "timeline", "name", "priority"]);
  const produces = made((value) => canonicalModality(value as CanonicalModalityInput))(
    options.modality,
    "ScriptedModalityOptions.modality",
  );
  const start = finite({ min: 0 });
  const readEntry: Reader<ScriptEntry> = (value, path) => {
    const entry = mapping(value, path);
    refuseUnknownKeys(entry, ["startSeconds", "value"], path);
    const startSeconds = start(entry.startSeconds, `${path}.startSeconds`);
    return {
      startSeconds,
      value: entry.value === null ? null : readModalityValue(produces, entry.value, `${path}.value`),
    };
  };
  const timeline = listOf(readEntry)(options.timeline, "ScriptedModalityOptions.timeline");
  timeline.forEach(({ startSeconds }, index) => {
    const before = timeline[index - 1]?.startSeconds ?? 0;
    if (startSeconds >= before) return;
    const path = `ScriptedModalityOptions.timeline[${index}].startSeconds`;
    refuse(path, `at least ${before}, as entries are sorted by time`, startSeconds);
  });
  return deviceConverter<null>({
    name: options.name ?? `scripted_${produces.name}`,
    priority: options.priority ?? SCRIPT_PRIORITY,
    consumes: [],
    produces,
    createState: () => null,
    convert(_inputs, window, state) {
      return { value: valueBefore(timeline, window.endSeconds) ?? undefined, state };
    },
  });
}

/** The value of the last entry that starts before `endSeconds`, by bisection. */
function valueBefore(timeline: readonly ScriptEntry[], endSeconds: number): Mapping | null | undefined {
  let low = 0;
  let high = timeline.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (timeline[middle].startSeconds < endSeconds) low = middle + 1;
    else high = middle;
  }
  return timeline[low - 1]?.value;
}
