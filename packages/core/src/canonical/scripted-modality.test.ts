import { describe, expect, it } from "vitest";
import { InputCanonicalizer } from "./input-canonicalizer.ts";
import { userInputs } from "../inputs/user-inputs.ts";
import { timeWindow } from "../foundation/time/time-window.ts";
import { DRIVER_COMMAND, type DriverCommand } from "./modalities.ts";
import { modality } from "./modality.ts";
import { scriptedModality } from "./scripted-modality.ts";
import { keyboardToDriverCommand } from "./converters/keyboard.ts";

const PULL = modality<{ pull: number }>({ name: "pull", neutral: { pull: 0 } });
const go = (throttle: number): DriverCommand => ({ throttle, brake: 0, steer: 0, reverse: false, stop: false });

function valueIn(converter: ReturnType<typeof scriptedModality>, startSeconds: number, endSeconds: number): unknown {
  return converter.convert(userInputs(), timeWindow({ startSeconds, endSeconds }), null).value;
}

describe("scriptedModality", () => {
  const script = scriptedModality({
    modality: PULL,
    timeline: [
      { startSeconds: 1, value: { pull: 1 } },
      { startSeconds: 2, value: { pull: 2 } },
      { startSeconds: 2, value: { pull: 3 } },
      { startSeconds: 4, value: null },
    ],
  });

  it.each([
    [0, 1, undefined],
    [0, 1.001, { pull: 1 }],
    [1, 1, undefined],
    [1.5, 2, { pull: 1 }],
    [1.5, 2.5, { pull: 3 }],
    [3, 4, { pull: 3 }],
    [3, 9, undefined],
    [50, 51, undefined],
  ])("in the window from %d to %d it gives the entry that began last before the end: %o", (start, end, expected) => {
    expect(valueIn(script, start, end)).toEqual(expected);
  });

  it("needs no device and beats those that are there, until it hands over", () => {
    const timeline = [
      { startSeconds: 0, value: go(0.5) },
      { startSeconds: 1, value: null },
    ];
    const canonicalizer = new InputCanonicalizer({
      converters: [keyboardToDriverCommand(), scriptedModality({ modality: DRIVER_COMMAND, timeline })],
    });
    const throttle = (source: { eventTypes?: string[] }, startSeconds: number): unknown => {
      const events = source.eventTypes
        ? [{ timestampSeconds: startSeconds, eventType: "key_down", payload: { code: "KeyW" } }]
        : [];
      const window = { startSeconds, endSeconds: startSeconds + 1 };
      return canonicalizer.canonicalize({ events }, window, source, canonicalizer.createState()).canonical.values
        .driver_command?.throttle;
    };
    expect(throttle({}, 0)).toBe(0.5);
    expect(throttle({ eventTypes: ["key_down", "key_up"] }, 0)).toBe(0.5);
    expect(throttle({ eventTypes: ["key_down", "key_up"] }, 1)).toBe(1);
    expect(throttle({}, 1)).toBe(0);
  });

  it("gives the same as a walk through the timeline, for long timelines", () => {
    const timeline = Array.from({ length: 1000 }, (_, index) => ({ startSeconds: index / 7, value: { pull: index } }));
    const long = scriptedModality({ modality: PULL, timeline });
    for (let index = 0; index < 300; index += 1) {
      const end = (index * 37) % 150;
      const last = timeline.filter(({ startSeconds }) => startSeconds < end).at(-1)?.value;
      expect(valueIn(long, 0, end)).toEqual(last);
    }
  });

  it("refuses times that go back or are negative, values without a field, unknown keys and modalities that are none", () => {
    const make = (timeline: unknown, extra = {}): (() => unknown) => {
      return () => scriptedModality({ modality: PULL, timeline, ...extra } as never);
    };
    const entry = { startSeconds: 1, value: { pull: 1 } };
    expect(make([entry, { ...entry, startSeconds: 0.5 }])).toThrow(/timeline\[1\]\.startSeconds: .*sorted.*0\.5/);
    expect(make([{ ...entry, startSeconds: -1 }])).toThrow(/timeline\[0\]\.startSeconds/);
    expect(make([{ ...entry, value: {} }])).toThrow(/lacks "pull"/);
    expect(make([{ startSeconds: 1 }])).toThrow(/CanonicalInputs\.values\.pull/);
    expect(make([{ ...entry, valeu: 1 }])).toThrow(/timeline\[0\]\.valeu/);
    expect(make("now")).toThrow(/timeline: expected a list/);
    expect(make([], { modality: "pull" })).toThrow(/CanonicalModality.*ScriptedModalityOptions\.modality/);
    expect(make([], { loop: true })).toThrow(/ScriptedModalityOptions\.loop/);
    expect(() => scriptedModality(undefined as never)).toThrow(/ScriptedModalityOptions/);
  });
});
