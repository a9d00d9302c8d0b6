import { eventCatalogue, userInputEvent, type UserInputEvent } from "@dreamloop/core";
import { InputTracker } from "@dreamloop/core/internal";
import { readInputMessage, type DeviceState } from "@dreamloop/protocol";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { InputState } from "./input-state.ts";

const catalogue = eventCatalogue();

/** What a server makes of the states of one message. */
function deliver(tracker: InputTracker, states: readonly DeviceState[]): readonly UserInputEvent[] {
  return states.flatMap(({ eventType, payload }) => {
    const event = userInputEvent({ timestampSeconds: 0, eventType, payload: payload as never });
    return tracker.resolve(catalogue.read(event));
  });
}

const CODES = ["KeyW", "KeyA", "Space"] as const;
const step = fc.oneof(
  fc.record({ do: fc.constant("down" as const), code: fc.constantFrom(...CODES) }),
  fc.record({ do: fc.constant("up" as const), code: fc.constantFrom(...CODES) }),
  fc.record({ do: fc.constant("move" as const), x: fc.integer({ min: -50, max: 50 }).map((value) => value / 4) }),
  fc.record({ do: fc.constant("release" as const) }),
  fc.record({ do: fc.constant("focus" as const) }),
);

describe("InputState", () => {
  test("A1: whatever subset of messages is lost, the next one brings the server to the client's state, with every tap and delta", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(step, fc.boolean()), { maxLength: 60 }), (steps) => {
        const client = new InputState();
        const server = new InputTracker();
        let moved = 0;
        let presses = 0;
        let movedThere = 0;
        let pressesThere = 0;
        const take = (events: readonly UserInputEvent[]): void => {
          for (const { eventType, payload } of events) {
            if (eventType === "mouse_move") movedThere += payload.deltaX as number;
            if (eventType === "key_down") pressesThere += (payload.presses as number | undefined) ?? 1;
          }
        };
        let sequence = 0;
        for (const [each, isLost] of steps) {
          if (each.do === "down") {
            const wasHeld = client.heldKeys.includes(each.code);
            if (client.keyDown(each.code) && !wasHeld) presses += 1;
          } else if (each.do === "up") client.keyUp(each.code);
          else if (each.do === "move") {
            if (client.moveMouse(each.x, 0)) moved += each.x;
          } else if (each.do === "release") client.release("blur");
          else client.focus();
          sequence += 1;
          if (!isLost) take(deliver(server, client.states(7, sequence)));
        }
        take(deliver(server, client.states(7, sequence + 1)));
        expect(server.snapshot().heldCodes).toEqual([...client.heldKeys]);
        expect(movedThere).toBeCloseTo(moved, 9);
        expect(pressesThere).toBe(presses);
      }),
    );
  });

  test("every message of any state passes the server's schema", () => {
    const state = new InputState();
    state.keyDown("KeyW");
    state.buttonDown(2);
    state.moveMouse(1.5, -2);
    state.turnWheel(0, 120);
    state.setPad(0, { axes: [0.5, -1], buttons: [0, 1] });
    state.setWheel({ steer: -0.25, throttle: 1, brake: 0, clutch: 0, buttons: [1] });
    state.setAxis("steer", 0.5);
    state.setActions(["jump"]);
    state.setPad(3, { axes: [], buttons: [] });
    state.setPad(3, undefined);
    const message = { type: "input", version: 1, sequence: 4, epoch: 2, states: state.states(2, 4) };
    const read = readInputMessage(JSON.parse(JSON.stringify(message)));
    expect(read.states.map(({ eventType }) => eventType)).toEqual([
      "focus",
      "keys_state",
      "mouse_state",
      "gamepad_state",
      "wheel_state",
      "gamepad_state",
      "action_set",
      "axis_set",
    ]);
    expect(read.states[3]?.payload).toMatchObject({ index: 0, axes: [0.5, -1], pressCounts: [0, 1] });
  });

  test("A2: a release empties everything that is held, gamepads and wheels too, and ignores input until the focus comes back", () => {
    const client = new InputState();
    const server = new InputTracker();
    client.keyDown("KeyW");
    client.buttonDown(0);
    client.setPad(0, { axes: [1, 0], buttons: [1] });
    client.setAxis("steer", 1);
    client.setActions(["jump"]);
    deliver(server, client.states(1, 1));
    expect(server.anythingHeld).toBe(true);
    client.release("pointer_lock");
    expect(client.anythingHeld).toBe(false);
    expect(client.keyDown("KeyA")).toBe(false);
    deliver(server, client.states(1, 2));
    expect(server.anythingHeld).toBe(false);
    expect(server.focused).toBe(false);
    client.focus();
    client.keyDown("KeyA");
    deliver(server, client.states(1, 3));
    expect(server.snapshot().heldCodes).toEqual(["KeyA"]);
  });

  test("a new epoch counts from 0 and restores what is held without a press", () => {
    const client = new InputState();
    client.keyDown("KeyW");
    const server = new InputTracker();
    deliver(server, client.states(1, 1));
    client.beginEpoch();
    const events = deliver(server, client.states(2, 1));
    expect(events).toEqual([]);
    expect(server.isKeyHeld("KeyW")).toBe(true);
  });

  test("a key and an on-screen button of the same code are one press, released by the last of them", () => {
    const state = new InputState();
    state.keyDown("KeyW");
    state.keyDown("KeyW", "touch");
    expect(state.states(1, 1)[1]?.payload).toMatchObject({ pressCounts: { KeyW: 1 } });
    state.keyUp("KeyW");
    expect(state.heldKeys).toEqual(["KeyW"]);
    state.keyUp("KeyW", "touch");
    expect(state.heldKeys).toEqual([]);
  });

  test("the version rises with changes only", () => {
    const state = new InputState();
    const { version } = state;
    state.keyUp("KeyW");
    state.moveMouse(0, 0);
    state.setPad(0, undefined);
    state.focus();
    expect(state.version).toBe(version);
    state.keyDown("KeyW");
    state.keyDown("KeyW");
    expect(state.version).toBe(version + 1);
  });
});
