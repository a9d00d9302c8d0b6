import fc from "fast-check";
import { expect, test } from "vitest";
import { PendingInput, timeWindow, type UserInputEvent, type UserInputEventInput } from "../index.ts";
import { InputTracker } from "./input-tracker.ts";
import { splitControl } from "./split-control.ts";
import { ExactSum } from "./held/exact-sum.ts";

const CODES = ["KeyW", "KeyA", "KeyS", "KeyD", "Space", "ShiftLeft"];
const BUTTONS = [0, 1, 2];

/** What a person does between two messages. */
type Deed =
  | { readonly kind: "down" | "up" | "tap"; readonly code: string }
  | { readonly kind: "button"; readonly button: number; readonly pressed: boolean }
  | { readonly kind: "move" | "scroll"; readonly x: number; readonly y: number };

const pixels = fc.oneof(
  fc.integer({ min: -300, max: 300 }),
  fc.double({ min: -50, max: 50, noNaN: true }),
  fc.constantFrom(0.1, 0.25, -0.1),
);
const deed: fc.Arbitrary<Deed> = fc.oneof(
  fc.record({ kind: fc.constantFrom("down", "up", "tap"), code: fc.constantFrom(...CODES) }),
  fc.record({ kind: fc.constant("button"), button: fc.constantFrom(...BUTTONS), pressed: fc.boolean() }),
  fc.record({ kind: fc.constantFrom("move", "scroll"), x: pixels, y: pixels }),
);

/** A client that sends all of its state with every message, as the protocol demands. */
class SimulatedClient {
  readonly codes = new Set<string>();
  readonly buttons = new Set<number>();
  readonly counts: Record<string, number> = {};
  readonly buttonCounts: Record<string, number> = {};
  readonly totals = [0, 0, 0, 0];
  epoch = 1;
  sequence = 0;

  does(what: Deed): void {
    if ("x" in what) {
      const first = what.kind === "move" ? 0 : 2;
      this.totals[first] = this.totals[first] + what.x;
      this.totals[first + 1] = this.totals[first + 1] + what.y;
    } else if ("button" in what) {
      if (what.pressed && !this.buttons.has(what.button)) {
        this.buttonCounts[what.button] = (this.buttonCounts[what.button] ?? 0) + 1;
      }
      if (what.pressed) this.buttons.add(what.button);
      else this.buttons.delete(what.button);
    } else {
      if (what.kind !== "up" && !this.codes.has(what.code)) {
        this.counts[what.code] = (this.counts[what.code] ?? 0) + 1;
        this.codes.add(what.code);
      }
      if (what.kind !== "down") this.codes.delete(what.code);
    }
  }

  message(timestampSeconds: number): { readonly events: readonly UserInputEventInput[]; readonly sequence: number } {
    this.sequence += 1;
    const numbers = { epoch: this.epoch, sequence: this.sequence };
    const [totalX, totalY, wheelX, wheelY] = this.totals;
    const keys = { codes: [...this.codes], pressCounts: { ...this.counts }, ...numbers };
    const mouse = {
      totalX,
      totalY,
      wheelX,
      wheelY,
      buttons: [...this.buttons],
      pressCounts: { ...this.buttonCounts },
      ...numbers,
    };
    return {
      events: [
        { timestampSeconds, eventType: "keys_state", payload: keys },
        { timestampSeconds, eventType: "mouse_state", payload: mouse },
      ],
      sequence: this.sequence,
    };
  }
}

/** What converters learn: held codes, presses by code, codes visible in the window, sums of movement. */
class Observer {
  readonly held = new Set<string>();
  readonly presses: Record<string, number> = {};
  readonly sums = [new ExactSum(), new ExactSum(), new ExactSum(), new ExactSum()];
  visible = new Set<string>();
  /** The largest movement that was told: one rounding is half a unit in its last place. */
  largest = 0;

  /** Fresh converters after a reset hold nothing. */
  reset(): void {
    this.held.clear();
  }

  sees(events: readonly UserInputEvent[]): void {
    this.visible = new Set();
    for (const { eventType, payload } of events) {
      if (eventType === "mouse_move" || eventType === "mouse_wheel") {
        const first = eventType === "mouse_move" ? 0 : 2;
        this.largest = Math.max(this.largest, Math.abs(payload.deltaX as number), Math.abs(payload.deltaY as number));
        this.sums[first]?.add(payload.deltaX as number);
        this.sums[first + 1]?.add(payload.deltaY as number);
        continue;
      }
      if (eventType !== "key_down" && eventType !== "key_up" && eventType !== "mouse_button") continue;
      const code = eventType === "mouse_button" ? String(payload.button) : (payload.code as string);
      const isDown = eventType === "mouse_button" ? payload.pressed === true : eventType === "key_down";
      if (!isDown) this.held.delete(code);
      else {
        const presses = (payload.presses as number | undefined) ?? 1;
        this.presses[code] = (this.presses[code] ?? 0) + presses;
        if (presses > 0) this.visible.add(code);
        this.held.add(code);
      }
    }
    for (const code of this.held) this.visible.add(code);
  }
}

const sorted = (values: Iterable<string | number>): string[] => [...values].map(String).sort();

interface Turn {
  readonly deeds: readonly Deed[];
  readonly fate: "arrives" | "lost" | "twice" | "late";
  readonly drains: boolean;
  readonly reloads: boolean;
}

const turns: fc.Arbitrary<Turn[]> = fc.array(
  fc.record({
    deeds: fc.array(deed, { maxLength: 6 }),
    fate: fc.constantFrom("arrives", "lost", "lost", "twice", "late"),
    drains: fc.boolean(),
    reloads: fc.integer({ min: 0, max: 19 }).map((roll) => roll === 0),
  }),
  { minLength: 1, maxLength: 40 },
);

test("A1: whatever messages are lost, doubled or late, after the next one the server knows all state, every tap and every movement", () => {
  fc.assert(
    fc.property(turns, (given) => {
      const client = new SimulatedClient();
      const input = new PendingInput();
      const observer = new Observer();
      const expectedPresses: Record<string, number> = {};
      const expectedSums = [new ExactSum(), new ExactSum(), new ExactSum(), new ExactSum()];
      const late: ReturnType<SimulatedClient["message"]>[] = [];
      let now = 0;
      let drained = 0;
      let newest = 0;
      let farthest = 1;
      const drain = (): void => {
        const inputs = input.drain(timeWindow({ startSeconds: drained, endSeconds: now + 0.001 }));
        drained = now + 0.001;
        observer.sees(inputs.events);
        expect(inputs.metadata.inputSequence ?? 0).toBe(newest);
        expect(inputs.snapshot.heldCodes).toHaveLength(
          sorted(observer.held).filter((code) => CODES.includes(code)).length,
        );
      };
      const bookEpoch = (): void => {
        for (const [code, count] of Object.entries({ ...client.counts, ...client.buttonCounts })) {
          expectedPresses[code] = (expectedPresses[code] ?? 0) + count;
        }
        for (const [index, total] of client.totals.entries()) expectedSums[index]?.add(total);
      };
      for (const turn of [...given, { deeds: [], fate: "arrives", drains: true, reloads: false } as Turn]) {
        now += 0.01;
        for (const what of turn.deeds) client.does(what);
        farthest = Math.max(farthest, ...client.totals.map(Math.abs));
        const message = client.message(now);
        const deliver = (what: typeof message): void => {
          input.push(what.events, { sequence: what.sequence, epoch: client.epoch });
          newest = Math.max(newest, what.sequence);
        };
        if (turn.fate === "late") late.push(message);
        if (turn.fate === "arrives" || turn.fate === "twice") {
          deliver(message);
          if (turn.fate === "twice") deliver(message);
          for (const old of late.splice(0)) deliver(old);
          const isKnown = input.anythingHeld === client.codes.size + client.buttons.size > 0;
          expect(isKnown).toBe(true);
        }
        if (turn.drains) drain();
        // A page that is loaded again counts from 0; its last message before has arrived.
        if (turn.reloads && turn.fate === "arrives") {
          drain();
          bookEpoch();
          const { epoch } = client;
          Object.assign(client, new SimulatedClient(), { epoch: epoch + 1 });
          late.length = 0;
          newest = 0;
          now += 0.01;
          deliver(client.message(now));
        }
      }
      bookEpoch();
      expect(sorted(observer.held)).toEqual(sorted([...client.codes, ...client.buttons]));
      const counted = Object.fromEntries(Object.entries(observer.presses).filter(([, count]) => count > 0));
      expect(counted).toEqual(expectedPresses);
      for (const [index, sum] of observer.sums.entries()) {
        const expected = expectedSums[index].take();
        // A difference of two totals is rounded once, and is at most twice the larger of them.
        expect(Math.abs(sum.take() - expected)).toBeLessThanOrEqual(2 * farthest * Number.EPSILON);
      }
    }),
    { numRuns: 300 },
  );
});

/** Taps of distinct keys at random times; each begins and ends inside one step. */
const taps = fc.array(
  fc.record({
    step: fc.nat(19),
    from: fc.double({ min: 0, max: 0.49, noNaN: true }),
    for: fc.double({ min: 0, max: 0.49, noNaN: true }),
  }),
  { minLength: 1, maxLength: 25 },
);
const STEP_SECONDS = 0.1;

interface Edge {
  readonly at: number;
  readonly code: string;
  readonly down: boolean;
}

function edgesOf(given: readonly { step: number; from: number; for: number }[]): Edge[] {
  return given
    .flatMap(({ step, from, for: length }, index) => [
      { at: (step + from) * STEP_SECONDS, code: `Tap${index}`, down: true },
      { at: (step + from + length) * STEP_SECONDS, code: `Tap${index}`, down: false },
    ])
    .sort((left, right) => left.at - right.at);
}

/** The step whose window an edge falls into. */
function stepOf(edge: Edge): number {
  let step = 0;
  while (edge.at >= (step + 1) * STEP_SECONDS) step += 1;
  return step;
}

test("A3: a key pressed and released between two steps is visible in exactly one step", () => {
  fc.assert(
    fc.property(taps, fc.array(fc.nat(19), { maxLength: 3 }), (given, resetSteps) => {
      const edges = edgesOf(given);
      const input = new PendingInput();
      const tracker = new InputTracker();
      const observer = new Observer();
      const seenIn = new Map<string, number[]>();
      let next = 0;
      for (let step = 0; step < 21; step += 1) {
        const end = (step + 1) * STEP_SECONDS;
        for (let edge = edges[next]; edge !== undefined && edge.at < end; edge = edges[next]) {
          next += 1;
          const eventType = edge.down ? "key_down" : "key_up";
          input.push([{ timestampSeconds: edge.at, eventType, payload: { code: edge.code } }]);
        }
        // A reset at the end of the window comes after its taps, which must not be lost.
        if (resetSteps.includes(step)) input.push([{ timestampSeconds: end - 1e-9, eventType: "reset" }]);
        const inputs = input.drain(timeWindow({ startSeconds: step * STEP_SECONDS, endSeconds: end }));
        const split = splitControl(inputs, tracker);
        if (split.control.resets.length > 0) observer.reset();
        observer.sees(split.inputs.events);
        for (const code of observer.visible) seenIn.set(code, [...(seenIn.get(code) ?? []), step]);
      }
      for (const [index, { step }] of given.entries()) expect(seenIn.get(`Tap${index}`)).toEqual([step]);
    }),
    { numRuns: 1000 },
  );
});

test("A3: also with any subset of messages lost, provided a later one arrives", () => {
  fc.assert(
    fc.property(taps, fc.array(fc.boolean(), { minLength: 50, maxLength: 50 }), (given, lost) => {
      const edges = edgesOf(given);
      const client = new SimulatedClient();
      const input = new PendingInput();
      const observer = new Observer();
      const seenIn = new Map<string, number>();
      let next = 0;
      for (let step = 0; step < 22; step += 1) {
        const end = (step + 1) * STEP_SECONDS;
        for (let edge = edges[next]; edge !== undefined && edge.at < end; edge = edges[next]) {
          next += 1;
          client.does({ kind: edge.down ? "down" : "up", code: edge.code });
          const message = client.message(edge.at);
          if (lost[next - 1] !== true) input.push(message.events, { sequence: message.sequence });
        }
        if (step === 20) {
          const message = client.message(end - 0.01);
          input.push(message.events, { sequence: message.sequence });
        }
        observer.sees(input.drain(timeWindow({ startSeconds: step * STEP_SECONDS, endSeconds: end })).events);
        for (const code of observer.visible) seenIn.set(code, (seenIn.get(code) ?? 0) + 1);
      }
      for (const index of given.keys()) {
        const code = `Tap${index}`;
        expect(observer.presses[code]).toBe(1);
        // While a lost release is not made known by a later message, a key that was seen held goes on being held.
        const indexes = [...edges.keys()];
        const press = edges.findIndex((edge) => edge.code === code && edge.down);
        const release = edges.findIndex((edge) => edge.code === code && !edge.down);
        const wasSeenHeld = indexes.some((edge) => edge >= press && edge < release && lost[edge] !== true);
        const releaseKnown = indexes.find((edge) => edge >= release && lost[edge] !== true);
        const heldUntil = releaseKnown === undefined ? 20 : stepOf(edges[releaseKnown]);
        const heldSteps = heldUntil - stepOf(edges[press]);
        expect(seenIn.get(code)).toBe(wasSeenHeld ? Math.max(1, heldSteps) : 1);
      }
      expect(observer.held.size).toBe(0);
    }),
    { numRuns: 1000 },
  );
});

test("A4: the sum of movements delivered to steps is the sum sent within one rounding, equal and sub-pixel ones included", () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ x: pixels, repeats: fc.integer({ min: 1, max: 20 }), drains: fc.boolean() }), {
        maxLength: 60,
      }),
      (moves) => {
        const input = new PendingInput();
        const sent = new ExactSum();
        const observer = new Observer();
        let now = 0;
        let start = 0;
        const drain = (): void => {
          const window = timeWindow({ startSeconds: start, endSeconds: now + 0.001 });
          start = now + 0.001;
          observer.sees(input.drain(window).events);
        };
        for (const { x, repeats, drains } of moves) {
          for (let index = 0; index < repeats; index += 1) {
            now += 0.001;
            sent.add(x);
            input.push([{ timestampSeconds: now, eventType: "mouse_move", payload: { deltaX: x, deltaY: 0 } }]);
          }
          if (drains) drain();
        }
        drain();
        const total = sent.take();
        const delivered = observer.sums[0].take();
        expect(Math.abs(delivered - total)).toBeLessThanOrEqual(
          Math.max(observer.largest, Math.abs(total)) * Number.EPSILON,
        );
      },
    ),
    { numRuns: 500 },
  );
});
