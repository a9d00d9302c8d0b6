import { describe, expect, test } from "vitest";
import { FakeEnvironment } from "../test-support/fake-environment.ts";
import { InputSender, SendSchedule, type SentInput } from "./input-sender.ts";
import { InputState } from "./input-state.ts";

interface Setup {
  readonly environment: FakeEnvironment;
  readonly state: InputState;
  readonly sender: InputSender;
  readonly sent: SentInput[];
  readonly messages: { readonly sequence: number; readonly epoch: number }[];
}

function setUp(isReliable: boolean): Setup {
  const environment = new FakeEnvironment();
  const state = new InputState();
  const sent: SentInput[] = [];
  const messages: Setup["messages"] = [];
  const sender = new InputSender(environment, state, (each) => sent.push(each));
  const sendInput = (text: string): void => void messages.push(JSON.parse(text) as Setup["messages"][number]);
  sender.connect({ isReliable, sendInput }, 5);
  return { environment, state, sender, sent, messages };
}

describe("InputSender", () => {
  test("A2: while anything is held, no 100 ms pass without a message", async () => {
    const { environment, state, sender, sent } = setUp(true);
    state.keyDown("KeyW");
    sender.changed();
    await environment.advance(3000);
    const gaps = sent
      .slice(1)
      .map(({ sentAtMilliseconds }, index) => sentAtMilliseconds - sent[index].sentAtMilliseconds);
    expect(sent.length).toBeGreaterThan(30);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(100);
  });

  test("a change is sent at once when the last message is 8 ms old, else as soon as it is; none is sent more often", async () => {
    const { environment, state, sender, sent } = setUp(true);
    await environment.advance(50);
    const before = sent.length;
    for (let turn = 0; turn < 40; turn += 1) {
      state.moveMouse(1, 0);
      sender.changed();
      await environment.advance(1);
    }
    const times = sent.slice(before).map(({ sentAtMilliseconds }) => sentAtMilliseconds);
    expect(times[0]).toBe(1050);
    expect(times).toHaveLength(6);
    for (const [index, time] of times.slice(1).entries()) expect(time - times[index]).toBeGreaterThanOrEqual(8);
  });

  test("with nothing held, a reliable link falls silent and a lossy one repeats the release a few times", async () => {
    for (const [isReliable, expected] of [
      [true, 0],
      [false, 4],
    ] as const) {
      const { environment, state, sender, sent } = setUp(isReliable);
      await environment.advance(1000);
      state.keyDown("KeyW");
      sender.changed();
      await environment.advance(20);
      state.keyUp("KeyW");
      sender.changed();
      await environment.advance(8);
      const before = sent.length;
      await environment.advance(5000);
      expect(sent.length - before).toBe(expected);
      expect(sent.slice(before).every(({ isNews }) => !isNews)).toBe(true);
      expect(environment.timerCount).toBe(0);
    }
  });

  test("another link gets the whole state under its own epoch, with numbers that go on", async () => {
    const { environment, state, sender, messages } = setUp(true);
    state.keyDown("KeyW");
    await environment.advance(200);
    const last = messages[messages.length - 1];
    sender.connect({ isReliable: true, sendInput: (text) => void messages.push(JSON.parse(text) as typeof last) }, 6);
    await environment.advance(10);
    const next = messages[messages.length - 1];
    expect(next.epoch).toBe(6);
    expect(next.sequence).toBeGreaterThan(last.sequence);
    sender.close();
    await environment.advance(1000);
    expect(messages[messages.length - 1]).toBe(next);
  });
});

test("SendSchedule: nothing is due before anything has changed or is held", () => {
  const schedule = new SendSchedule({ isReliable: true });
  schedule.sent(0, 1);
  expect(schedule.nextDue({ version: 1, anythingHeld: false })).toBeUndefined();
  expect(schedule.nextDue({ version: 1, anythingHeld: true })).toBe(75);
  expect(schedule.nextDue({ version: 2, anythingHeld: false })).toBe(8);
});
