import { FakeClock } from "@dreamloop/testing";
import { PendingInput, timeWindow, type UserInputEventInput } from "@dreamloop/core";
import { PROTOCOL_LIMITS } from "@dreamloop/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { InputGate } from "./input-gate.ts";
import { messageNumber, splitMessageNumber } from "./message-number.ts";

function message(sequence: number, changes: Readonly<Record<string, unknown>> = {}): string {
  const payload = { codes: [], pressCounts: { KeyW: sequence }, epoch: 99 };
  const states = [{ eventType: "keys_state", payload }];
  return JSON.stringify({ type: "input", version: 1, sequence, epoch: 3, states, ...changes });
}

function gateOn(clock: FakeClock) {
  const pushed: { readonly events: readonly UserInputEventInput[]; readonly number: number }[] = [];
  const echoes: number[] = [];
  const gate = new InputGate({
    clock,
    stampClock: clock,
    epoch: 3,
    push: (events, number) => pushed.push({ events, number }),
    echo: ({ sequence }) => echoes.push(sequence),
  });
  return { gate, pushed, echoes };
}

describe("the input of a connection", () => {
  it("A8: is stamped at arrival, echoed when asked, and counts in the epoch of its connection", () => {
    const clock = new FakeClock({ startSeconds: 5 });
    const { gate, pushed, echoes } = gateOn(clock);
    gate.take(message(1, { sentAtMilliseconds: 1 }));
    expect(echoes).toEqual([1]);
    expect(pushed[0]?.number).toBe(messageNumber(3, 1));
    expect(pushed[0]?.events[0]).toMatchObject({ timestampSeconds: 5, payload: { epoch: 3, sequence: 1 } });
    expect(splitMessageNumber(pushed[0]?.number ?? 0)).toEqual({ epoch: 3, sequence: 1 });
  });

  it("A5: beyond the rate the newest message waits and is passed on, so that a release is never lost", async () => {
    const clock = new FakeClock();
    const { gate, pushed } = gateOn(clock);
    for (let sequence = 1; sequence <= 1000; sequence += 1) gate.take(message(sequence));
    expect(pushed.length).toBeLessThan(60);
    await clock.advance(0.1);
    expect(splitMessageNumber(pushed.at(-1)?.number ?? 0).sequence).toBe(1000);
    expect(gate.counters.accepted + gate.counters.superseded).toBe(1000);
  });

  it("M5: passes at most the rate in the long run", async () => {
    const clock = new FakeClock();
    const { gate, pushed } = gateOn(clock);
    for (let tick = 0; tick < 1000; tick += 1) {
      gate.take(message(tick + 1));
      await clock.advance(0.001);
    }
    expect(pushed.length).toBeLessThan(PROTOCOL_LIMITS.inputMessagesPerSecond + 60);
  });

  it("refuses and counts other epochs, other versions, and whatever is no message; what comes after the end too", () => {
    const { gate, pushed } = gateOn(new FakeClock());
    for (const text of [message(1, { epoch: 2 }), message(1, { version: 2 }), "", "{", "null", "x".repeat(20_000)]) {
      expect(gate.take(text)).toBe(false);
    }
    gate.close();
    gate.take(message(1));
    expect(pushed).toEqual([]);
    expect(gate.counters.refused).toBe(7);
  });

  it("A1: whatever subset of messages is lost, the next one gives every tap and the held keys", () => {
    const trace = fc.array(
      fc.record({ code: fc.constantFrom("KeyW", "KeyA", "Space"), down: fc.boolean(), lost: fc.boolean() }),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(trace, (steps) => {
        const clock = new FakeClock({ startSeconds: 1 });
        const input = new PendingInput();
        const gate = new InputGate({
          clock,
          stampClock: clock,
          epoch: 1,
          push: (events, number) => input.push(events, { sequence: number }),
          echo: () => undefined,
        });
        const held = new Set<string>();
        const counts: Record<string, number> = {};
        const send = (sequence: number): void => {
          const payload = { codes: [...held], pressCounts: counts, epoch: 1 };
          const states = [{ eventType: "keys_state", payload }];
          gate.take(JSON.stringify({ type: "input", version: 1, sequence, epoch: 1, states }));
        };
        send(1);
        for (const [index, { code, down, lost }] of steps.entries()) {
          if (down && !held.has(code)) counts[code] = (counts[code] ?? 0) + 1;
          if (down) held.add(code);
          else held.delete(code);
          if (!lost) send(index + 2);
        }
        send(steps.length + 2);
        const { events } = input.drain(timeWindow({ startSeconds: 0, endSeconds: 2 }));
        const presses: Record<string, number> = {};
        const end = new Set<string>();
        for (const { eventType, payload } of events) {
          const code = payload.code as string;
          if (eventType === "key_up") end.delete(code);
          if (eventType !== "key_down") continue;
          presses[code] = (presses[code] ?? 0) + ((payload.presses as number | undefined) ?? 1);
          end.add(code);
        }
        expect(presses).toEqual(counts);
        expect([...end].sort()).toEqual([...held].sort());
      }),
      { numRuns: 100 },
    );
  });
});
