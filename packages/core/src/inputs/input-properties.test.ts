import fc from "fast-check";
import { expect, test } from "vitest";
import {
  eventCatalogue,
  eventListSource,
  PendingInput,
  timeWindow,
  type UserInputEvent,
  type UserInputEventInput,
} from "../index.ts";
import { InputTracker } from "./input-tracker.ts";
import type { InputTrackerState } from "./held/tracker-state.ts";
import { ExactSum } from "./held/exact-sum.ts";

const catalogue = eventCatalogue();

const code = fc.integer({ min: 0, max: 39 }).map((index) => `K${index}`);
const unit = fc.integer({ min: 0, max: 4 }).map((quarter) => quarter / 4);
const signed = fc.integer({ min: -4, max: 4 }).map((quarter) => quarter / 4);
const buttons = fc.array(fc.constantFrom(0, 0.3, 1), { minLength: 3, maxLength: 3 });
const numbers = { epoch: fc.integer({ min: 0, max: 2 }), sequence: fc.option(fc.nat(30), { nil: undefined }) };
const pointer = fc.record({
  id: fc.nat(40),
  phase: fc.constantFrom("start", "move", "end", "cancel"),
  x: unit,
  y: unit,
});

/** Any event at all, also what no honest client would send. */
const anyEvent: fc.Arbitrary<{ eventType: string; payload: object }> = fc.oneof(
  { weight: 6, arbitrary: kind("key_down", fc.record({ code, presses: fc.option(fc.nat(3), { nil: undefined }) })) },
  { weight: 6, arbitrary: kind("key_up", fc.record({ code })) },
  {
    weight: 4,
    arbitrary: kind(
      "keys_state",
      fc.record({
        codes: fc.array(code, { maxLength: 40 }),
        pressCounts: fc.dictionary(code, fc.nat(9), { maxKeys: 12 }),
        ...numbers,
      }),
    ),
  },
  { weight: 3, arbitrary: kind("mouse_button", fc.record({ button: fc.nat(3), pressed: fc.boolean() })) },
  {
    weight: 3,
    arbitrary: kind(
      "mouse_state",
      fc.record({
        totalX: fc.double({ min: -1e4, max: 1e4, noNaN: true }),
        totalY: fc.double({ min: -1e4, max: 1e4, noNaN: true }),
        buttons: fc.array(fc.nat(3), { maxLength: 4 }),
        pressCounts: fc.dictionary(fc.nat(3).map(String), fc.nat(9)),
        ...numbers,
      }),
    ),
  },
  kind("mouse_move", fc.record({ deltaX: fc.double({ min: -99, max: 99, noNaN: true }), deltaY: signed })),
  kind("pointer", pointer),
  kind("touch", pointer),
  kind(
    "gamepad_state",
    fc.record({
      connected: fc.constantFrom(true, true, true, false),
      index: fc.nat(2),
      axes: fc.tuple(signed),
      buttons,
    }),
  ),
  kind(
    "gamepad_state",
    fc.record({
      connected: fc.constant(true),
      buttons,
      pressCounts: fc.array(fc.nat(5), { minLength: 3, maxLength: 3 }),
      ...numbers,
    }),
  ),
  kind(
    "wheel_state",
    fc.record({ connected: fc.constant(true), steer: signed, throttle: unit, brake: unit, clutch: unit, buttons }),
  ),
  kind("axis_set", fc.record({ name: fc.integer({ min: 0, max: 70 }).map((index) => `a${index}`), value: signed })),
  kind("action_set", fc.record({ actions: fc.subarray(["jump", "fire", "duck"]) })),
  kind("focus", fc.record({ focused: fc.boolean() })),
  kind("prompt_set", fc.record({ prompt: fc.constantFrom("rain", "snow") })),
);

function kind(eventType: string, payload: fc.Arbitrary<object>): fc.Arbitrary<{ eventType: string; payload: object }> {
  return payload.map((value) => ({
    eventType,
    payload: Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined)),
  }));
}

const stamped = (events: readonly { eventType: string; payload: object }[]): UserInputEventInput[] =>
  events.map(({ eventType, payload }, index) => ({
    timestampSeconds: index / 1000,
    eventType,
    payload: payload as Record<string, unknown>,
  }));

const anyEvents = (maxLength: number): fc.Arbitrary<UserInputEventInput[]> =>
  fc.array(anyEvent, { maxLength, size: "max" }).map(stamped);

test("what one tracker has resolved passes another of the same history as the very same events, and is valid", () => {
  fc.assert(
    fc.property(anyEvents(80), (events) => {
      const first = new InputTracker();
      const second = new InputTracker();
      for (const input of events) {
        for (const resolved of first.resolve(catalogue.read(input))) {
          const passed = second.resolve(resolved);
          expect(passed).toHaveLength(1);
          expect(passed[0]).toBe(resolved);
          catalogue.read({ ...resolved });
        }
      }
      expect(second.snapshot()).toEqual(first.snapshot());
      expect((first.snapshot().heldCodes as string[]).length).toBeLessThanOrEqual(32);
    }),
    { numRuns: 300 },
  );
});

test("a tracker that was saved as JSON anywhere goes on in the same way", () => {
  fc.assert(
    fc.property(anyEvents(40), fc.nat(40), (events, cut) => {
      const whole = new InputTracker();
      let restored = new InputTracker();
      for (const [index, input] of events.entries()) {
        if (index === cut)
          restored = new InputTracker(JSON.parse(JSON.stringify(restored.save())) as InputTrackerState);
        const event = catalogue.read(input);
        expect(restored.resolve(event)).toEqual(whole.resolve(event));
      }
      expect(restored.save()).toEqual(JSON.parse(JSON.stringify(whole.save())));
    }),
    { numRuns: 200 },
  );
});

test("A2: whatever was held, loss of focus leaves nothing held, and the held events bring a fresh tracker to any state", () => {
  fc.assert(
    fc.property(anyEvents(40), (events) => {
      const tracker = new InputTracker();
      for (const input of events) tracker.resolve(catalogue.read(input));
      const fresh = new InputTracker();
      for (const held of tracker.heldEvents(1)) expect(fresh.resolve(held)).toEqual([held]);
      const { focused: _theirs, ...expected } = tracker.snapshot();
      const { focused: _ours, ...reached } = fresh.snapshot();
      expect(reached).toEqual(expected);
      tracker.releaseAll(1);
      expect(tracker.anythingHeld).toBe(false);
      expect(tracker.snapshot()).toMatchObject({ heldCodes: [], heldButtons: [] });
      for (const field of ["pointers", "touches", "axes", "actions"]) expect(tracker.snapshot()[field]).toBeUndefined();
    }),
    { numRuns: 200 },
  );
});

/** What converters would hold, how often each key was pressed, and the movement that was told. */
function summary(events: readonly UserInputEvent[]): {
  presses: Record<string, number>;
  pressed: string[];
  x: ExactSum;
} {
  const presses: Record<string, number> = {};
  const pressed = new Set<string>();
  const x = new ExactSum();
  for (const { eventType, payload } of events) {
    if (eventType === "key_down" || (eventType === "mouse_button" && payload.pressed === true)) {
      const name = `${eventType} ${String(payload.code ?? payload.button)}`;
      presses[name] = (presses[name] ?? 0) + ((payload.presses as number | undefined) ?? 1);
    }
    if (eventType === "mouse_move") x.add(payload.deltaX as number);
    if (!Array.isArray(payload.pressed)) continue;
    for (const name of payload.pressed) pressed.add(JSON.stringify([eventType, payload.index ?? 0, name]));
  }
  return {
    presses: Object.fromEntries(Object.entries(presses).filter(([, count]) => count > 0)),
    pressed: [...pressed].sort(),
    x,
  };
}

test("A5: folded or not, what is drained tells the same held state, presses and movement as all events one by one", () => {
  fc.assert(
    fc.property(anyEvents(400), fc.array(fc.nat(400), { maxLength: 3 }), (events, drains) => {
      const input = new PendingInput({ holdTimeoutSeconds: Infinity });
      const consumer = new InputTracker();
      const drained: UserInputEvent[] = [];
      let start = 0;
      const drain = (end: number): void => {
        const inputs = input.drain(timeWindow({ startSeconds: start, endSeconds: end }));
        start = end;
        for (const event of inputs.events) {
          const passed = consumer.resolve(event);
          expect(passed).toHaveLength(1);
          expect(passed[0]).toBe(event);
        }
        expect(canonical(consumer.snapshot())).toEqual(canonical(inputs.snapshot));
        drained.push(...inputs.events);
      };
      for (const [index, event] of events.entries()) {
        input.push([event]);
        // Windows end a little before the newest event, so that some always wait.
        if (drains.includes(index)) drain(Math.max(start, index / 1000 - 0.005));
      }
      drain(1);
      const reference = eventListSource({ events });
      const all = reference.read(timeWindow({ startSeconds: 0, endSeconds: 1 }));
      expect(canonical(consumer.snapshot())).toEqual(canonical(all.snapshot));
      expect(consumer.counters.limitReleases).toBe(0);
      const [ours, theirs] = [summary(drained), summary(all.events)];
      if (input.counters.dropped === 0) expect(ours.presses).toEqual(theirs.presses);
      expect(ours.pressed).toEqual(theirs.pressed);
      expect(Math.abs(ours.x.take() - theirs.x.take())).toBeLessThan(1e-10);
    }),
    { numRuns: 60 },
  );
});

/** A snapshot in a form in which neither the order of pressing nor the order of fields matters. */
function canonical(snapshot: Readonly<Record<string, unknown>>): unknown {
  return Object.fromEntries(
    Object.entries(snapshot).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map((entry) => JSON.stringify(sortedFields(entry))).sort() : sortedFields(value),
    ]),
  );
}

function sortedFields(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)));
}
