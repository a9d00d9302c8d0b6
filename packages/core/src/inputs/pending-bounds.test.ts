import { describe, expect, test } from "vitest";
import { PendingInput, timeWindow, type UserInputs } from "../index.ts";

const at = (
  timestampSeconds: number,
  eventType: string,
  payload: Record<string, unknown> = {},
): { timestampSeconds: number; eventType: string; payload: Record<string, unknown> } => ({
  timestampSeconds,
  eventType,
  payload,
});
const drain = (input: PendingInput, startSeconds: number, endSeconds: number): UserInputs =>
  input.drain(timeWindow({ startSeconds, endSeconds }));

describe("A5: bounds", () => {
  test("beyond sixty-four edges each key keeps its held state and all its presses in at most two edges", () => {
    const input = new PendingInput();
    input.push([at(0, "key_down", { code: "Held" }), at(0, "key_down", { code: "Gone" })]);
    drain(input, 0, 0.1);
    const events: ReturnType<typeof at>[] = [];
    for (let index = 0; index < 200; index += 1) {
      for (const code of ["Held", "Gone"]) events.push(at(0.2, "key_up", { code }), at(0.2, "key_down", { code }));
      events.push(at(0.2, "key_down", { code: "Tap" }), at(0.2, "key_up", { code: "Tap" }));
    }
    events.push(at(0.3, "key_up", { code: "Gone" }));
    for (const event of events) input.push([event]);
    expect(input.pendingCount).toBeLessThanOrEqual(6 + 64);
    const inputs = drain(input, 0.1, 1);
    const presses = (code: string): number =>
      inputs.events
        .filter((event) => event.eventType === "key_down" && event.payload.code === code)
        .reduce((sum, event) => sum + ((event.payload.presses as number | undefined) ?? 1), 0);
    expect(["Held", "Gone", "Tap"].map(presses)).toEqual([200, 200, 200]);
    expect(inputs.snapshot.heldCodes).toEqual(["Held"]);
    expect(input.counters.folds).toBeGreaterThan(10);
  });

  test("a flood of every kind stays bounded, and after the releases everything is neutral", () => {
    const input = new PendingInput();
    let most = 0;
    for (let index = 0; index < 5_000; index += 1) {
      const time = index / 5e3;
      const code = `K${(index * 7919) % 300}`;
      input.push([
        at(time, index % 3 === 2 ? "key_up" : "key_down", { code }),
        at(time, "mouse_move", { deltaX: 1, deltaY: 0.5 }),
        at(time, "touch", { id: index % 90, phase: index % 2 === 0 ? "start" : "end", x: 0, y: 0 }),
        at(time, "axis_set", { name: `a${index % 500}`, value: (index % 3) / 2 }),
        at(time, "action_set", { actions: [`b${index % 40}`] }),
        at(time, "text_event", { id: `t${index}`, state: "start" }),
        at(time, "gamepad_state", { connected: true, index: index % 8, axes: [1], buttons: [index % 2] }),
        at(time, "prompt_set", { prompt: `p${index}` }),
        at(time, index % 100 === 0 ? "reset" : index % 2 === 0 ? "pause" : "resume", {}),
      ]);
      most = Math.max(most, input.pendingCount);
    }
    expect(most).toBeLessThan(1200);
    const releases: ReturnType<typeof at>[] = [];
    for (let index = 0; index < 300; index += 1) releases.push(at(2, "key_up", { code: `K${index}` }));
    for (let id = 0; id < 90; id += 1) releases.push(at(2, "touch", { id, phase: "end", x: 0, y: 0 }));
    for (let index = 0; index < 500; index += 1) releases.push(at(2, "axis_set", { name: `a${index}`, value: 0 }));
    for (let index = 0; index < 8; index += 1)
      releases.push(at(2, "gamepad_state", { connected: true, index, axes: [0], buttons: [0] }));
    input.push([...releases, at(2, "action_set", { actions: [] })]);
    expect(input.anythingHeld).toBe(false);
    const inputs = drain(input, 0, 3);
    expect(inputs.events.length).toBeLessThan(1200);
    const { gamepads, ...rest } = inputs.snapshot;
    expect(rest).toEqual({ heldCodes: [], heldButtons: [] });
    expect(
      (gamepads as { axes: number[]; buttons: number[] }[]).every((pad) => pad.axes[0] === 0 && pad.buttons[0] === 0),
    ).toBe(true);
    expect(inputs.events.filter((event) => event.eventType === "reset").map((event) => event.payload.count)).toEqual([
      50,
    ]);
    expect(inputs.events.filter((event) => event.eventType === "prompt_set").at(-1)?.payload.prompt).toBe("p4999");
    expect(input.counters.dropped).toBeGreaterThan(0);
  });

  test("a flood cannot put off what waits: everything folded stands at the time of the oldest", () => {
    const input = new PendingInput();
    for (let index = 0; index < 1000; index += 1) {
      input.push([at(1 + index / 100, index % 2 === 0 ? "key_down" : "key_up", { code: "KeyW" })]);
    }
    const inputs = drain(input, 1, 1.001);
    expect(inputs.events.length).toBeGreaterThan(0);
    expect(inputs.events.every((event) => event.timestampSeconds === 1)).toBe(true);
  });

  test("resets that wait become one, with their count and the last seed that was given", () => {
    const input = new PendingInput();
    for (let index = 0; index < 500; index += 1) input.push([at(0, "reset", index < 400 ? { seed: index } : {})]);
    const resets = drain(input, 0, 1).events.filter((event) => event.eventType === "reset");
    expect(resets.length).toBeLessThanOrEqual(65);
    expect(resets.reduce((sum, { payload }) => sum + ((payload.count as number | undefined) ?? 1), 0)).toBe(500);
    expect(resets.findLast(({ payload }) => payload.seed !== undefined)?.payload.seed).toBe(399);
  });

  test("pause, resume and close survive a flood", () => {
    const input = new PendingInput();
    for (let index = 0; index < 101; index += 1) input.push([at(0, index % 2 === 0 ? "pause" : "resume")]);
    input.push([at(0, "close")]);
    for (let index = 0; index < 100; index += 1) input.push([at(0, "key_down", { code: `K${index}` })]);
    const control = drain(input, 0, 1).events.map((event) => event.eventType);
    expect(control.filter((type) => type === "pause" || type === "resume").at(-1)).toBe("pause");
    expect(control.filter((type) => type === "close")).toHaveLength(1);
  });
});
