import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { userInputSchema } from "../inputs/user-input-schema.ts";
import type { UserInputEventInput } from "../inputs/user-input-event.ts";
import type { CanonicalInputs } from "./canonical-inputs.ts";
import type { Actions, LookDelta } from "./modalities.ts";
import { defaultCanonicalizer } from "../adapter/default-canonicalizer.ts";

const SOURCE = userInputSchema({
  eventTypes: [
    "key_down",
    "key_up",
    "mouse_move",
    "mouse_wheel",
    "mouse_button",
    "gamepad_state",
    "axis_set",
    "prompt_set",
    "focus",
  ],
});
const END_SECONDS = 8;

const code = fc.constantFrom("KeyW", "KeyA", "KeyD", "Space", "KeyE", "F9");
const delta = fc.integer({ min: -4000, max: 4000 }).map((value) => value / 8);
const unit = fc.constantFrom(0, 0.03, 0.4, 1);

const payloads: Readonly<Record<string, fc.Arbitrary<Record<string, unknown>>>> = {
  key_down: fc.record({ code, presses: fc.constantFrom(0, 1, 3) }, { requiredKeys: ["code"] }),
  key_up: fc.record({ code }),
  mouse_move: fc.record({ deltaX: delta, deltaY: delta }),
  mouse_wheel: fc.record({ deltaX: delta, deltaY: delta }),
  mouse_button: fc.record({ button: fc.constantFrom(0, 2), pressed: fc.boolean() }),
  gamepad_state: fc.record({
    connected: fc.boolean(),
    axes: fc.array(unit, { maxLength: 4 }),
    buttons: fc.array(unit, { maxLength: 9 }),
  }),
  axis_set: fc.record({ name: fc.constantFrom("steer", "throttle", "moveUp"), value: unit }),
  prompt_set: fc.record({ prompt: fc.string() }),
  focus: fc.record({ focused: fc.boolean() }),
};

const event: fc.Arbitrary<UserInputEventInput> = fc
  .tuple(fc.constantFrom(...Object.keys(payloads)), fc.integer({ min: 0, max: 799 }))
  .chain(([eventType, hundredths]) =>
    payloads[eventType].map((payload) => {
      return { timestampSeconds: hundredths / 100, eventType, payload };
    }),
  );
const timeline = fc
  .array(event, { maxLength: 60 })
  .map((events) => events.sort((one, other) => one.timestampSeconds - other.timestampSeconds));
const cuts = fc
  .uniqueArray(fc.integer({ min: 1, max: 799 }), { maxLength: 6 })
  .map((values) => values.sort((a, b) => a - b));

/** The canonical values of windows that tile the timeline at `cutHundredths`, and the state at the end. */
function play(
  events: readonly UserInputEventInput[],
  cutHundredths: readonly number[],
): { readonly steps: readonly CanonicalInputs[]; readonly state: unknown } {
  const canonicalizer = defaultCanonicalizer();
  let state = canonicalizer.createState();
  const bounds = [0, ...cutHundredths.map((cut) => cut / 100), END_SECONDS];
  const steps = bounds.slice(1).map((endSeconds, index) => {
    const window = { startSeconds: bounds[index], endSeconds };
    const result = canonicalizer.canonicalize({ events }, window, SOURCE, state);
    state = result.state;
    return result.canonical;
  });
  return { steps, state };
}

function sum(steps: readonly CanonicalInputs[], field: keyof LookDelta): number {
  return steps.reduce((total, { values, metadata }) => {
    const { look_delta: source } = metadata.canonicalSources as Record<string, string>;
    return total + (source === "mouse_look_delta" ? (values.look_delta as unknown as LookDelta)[field] : 0);
  }, 0);
}

describe("canonicalize over any timeline", () => {
  it("A4: gives the same movement and the same state however the timeline is cut into windows", () => {
    fc.assert(
      fc.property(timeline, cuts, (events, where) => {
        const whole = play(events, []);
        const parts = play(events, where);
        for (const field of ["deltaX", "deltaY", "wheel"] as const) {
          expect(sum(parts.steps, field)).toBe(sum(whole.steps, field));
        }
        expect(parts.state).toEqual(whole.state);
      }),
    );
  });

  it("A3: shows every press of keys and buttons in exactly one window, however the timeline is cut", () => {
    const keyboardOnly = timeline.map((events) => events.filter(({ eventType }) => !eventType.startsWith("gamepad")));
    fc.assert(
      fc.property(keyboardOnly, cuts, (events, where) => {
        const presses = (steps: readonly CanonicalInputs[]): Record<string, number> => {
          const total: Record<string, number> = {};
          for (const { values } of steps) {
            const { pressed, held } = values.actions as unknown as Actions;
            for (const [action, count] of Object.entries(pressed)) {
              expect(held).toContain(action);
              total[action] = (total[action] ?? 0) + count;
            }
          }
          return total;
        };
        expect(presses(play(events, where).steps)).toEqual(presses(play(events, []).steps));
      }),
    );
  });

  it("A3: never loses a tap, wherever the windows are cut", () => {
    const instant = fc.integer({ min: 0, max: 799 });
    fc.assert(
      fc.property(instant, instant, cuts, (one, other, where) => {
        const [press, release] = one < other ? [one, other] : [other, one];
        const events = [
          { timestampSeconds: press / 100, eventType: "key_down", payload: { code: "Space" } },
          { timestampSeconds: release / 100, eventType: "key_up", payload: { code: "Space" } },
        ];
        const stops = play(events, where).steps.map(({ values }) => values.driver_command?.stop);
        const ends = [...where, 100 * END_SECONDS];
        const expected = ends.map((end, index) => {
          const start = ends[index - 1] ?? 0;
          return press < end && (press >= start || release >= end);
        });
        expect(stops).toEqual(expected);
      }),
    );
  });

  it("gives the same result for the same windows, and stays within the bounds of each modality", () => {
    fc.assert(
      fc.property(timeline, cuts, (events, where) => {
        const once = play(events, where);
        expect(play(events, where)).toEqual(once);
        expect(JSON.parse(JSON.stringify(once.state))).toEqual(once.state);
        for (const { values } of once.steps) {
          const { throttle, brake, steer } = values.driver_command as Record<string, number>;
          expect(throttle).toBeGreaterThanOrEqual(0);
          expect(throttle).toBeLessThanOrEqual(1);
          expect(brake).toBeGreaterThanOrEqual(0);
          expect(brake).toBeLessThanOrEqual(1);
          for (const axis of [steer, ...Object.values(values.camera_motion as Record<string, number>)]) {
            expect(Math.abs(axis)).toBeLessThanOrEqual(1);
          }
        }
      }),
    );
  });

  it("shows a prompt in the one window in which it arrived, the newest counting", () => {
    fc.assert(
      fc.property(timeline, cuts, (events, where) => {
        const bounds = [0, ...where, 100 * END_SECONDS];
        const expected = bounds.slice(1).map((end, index) => {
          const start = bounds[index];
          const inside = events.filter(({ eventType, timestampSeconds }) => {
            return eventType === "prompt_set" && timestampSeconds >= start / 100 && timestampSeconds < end / 100;
          });
          return inside.at(-1)?.payload?.prompt;
        });
        expect(play(events, where).steps.map(({ values }) => values.conditioning?.prompt)).toEqual(expected);
      }),
    );
  });
});
