import { createHash } from "node:crypto";
import { FakeClock, fakeWorld } from "@dreamloop/testing";
import { createProbeWorld } from "@dreamloop/worlds";
import { describe, expect, test } from "vitest";
import {
  eventListSource,
  MemoryPayloadStore,
  runBatch,
  type ModelAdapter,
  type SessionState,
  type UserInputEventInput,
} from "../index.ts";
import { packState, readPackedState, unpackState } from "./pack-state.ts";
import type { Boundary, DriverHistory } from "./driver-history.ts";
import type { LeadEntry } from "./session-state.ts";

const hasher = {
  digest: (parts: readonly Uint8Array[]) => createHash("sha256").update(Buffer.concat(parts)).digest("hex"),
};

const EVENTS: readonly UserInputEventInput[] = [
  { timestampSeconds: 0.2, eventType: "key_down", payload: { code: "KeyE" } },
  { timestampSeconds: 0.9, eventType: "mouse_move", payload: { deltaX: 3, deltaY: 1 } },
  { timestampSeconds: 1.2, eventType: "prompt_set", payload: { prompt: "rain" } },
  { timestampSeconds: 1.5, eventType: "reset", payload: { seed: 9 } },
  { timestampSeconds: 1.9, eventType: "key_up", payload: { code: "KeyE" } },
  { timestampSeconds: 2.3, eventType: "key_down", payload: { code: "KeyW" } },
];

/** Keeps the state at every boundary. */
class EveryBoundary implements DriverHistory {
  readonly states: SessionState[] = [];

  async begin({ takeState }: Boundary): Promise<void> {
    this.states.push(await takeState());
  }

  async add({ type }: LeadEntry, { takeState }: Boundary): Promise<void> {
    // The boundary of a reset is passed within the turn of its step.
    if (type === "step") this.states.push(await takeState());
  }

  rewound = (): Promise<void> => Promise.reject(new Error("nothing is rewound here"));
  has = (): boolean => false;
  stateAt = (): Promise<SessionState> => Promise.reject(new Error("nothing is asked for here"));
  close(): void {}
}

async function run(
  adapter: ModelAdapter,
  options: {
    readonly from?: { readonly state: SessionState; readonly seed?: number };
    readonly stepLimit: number;
    readonly history?: DriverHistory;
  },
): Promise<readonly string[]> {
  const hashes: string[] = [];
  await runBatch({
    adapter,
    clock: new FakeClock(),
    source: eventListSource({ events: EVENTS }),
    frameHasher: hasher,
    observers: [{ stepCommitted: ({ frameHashes = [] }) => void hashes.push(frameHashes.join()) }],
    ...(options.from === undefined ? { seed: 3 } : {}),
    ...options,
  });
  return hashes;
}

const worlds: readonly (readonly [string, () => ModelAdapter])[] = [
  ["the probe", () => createProbeWorld()],
  ["a world that finalises its steps", () => fakeWorld({ stepCount: Infinity, finalizes: true }).adapter],
];

describe("a run that goes on from a moment", () => {
  test.each(worlds)("O1: of %s equals the uninterrupted run at every step, packed and unpacked", async (_, make) => {
    const history = new EveryBoundary();
    const steps = 40;
    const whole = await run(make(), { stepLimit: steps, history });
    expect(history.states).toHaveLength(steps + 1);
    for (const [index, state] of history.states.entries()) {
      if (index === steps) continue;
      const place = { store: new MemoryPayloadStore(), hasher };
      const packed = readPackedState(JSON.parse(JSON.stringify(await packState(state, place))), "packed");
      const from = { state: await unpackState(packed, place) };
      expect(await run(make(), { from, stepLimit: steps - index })).toEqual(whole.slice(index));
    }
  });

  test("O1: another seed gives another future from the same moment, the same one each time", async () => {
    const history = new EveryBoundary();
    const { adapter } = fakeWorld({ stepCount: Infinity });
    const whole = await run(adapter, { stepLimit: 12, history });
    const state = history.states[6];
    const other = await run(adapter, { from: { state, seed: 77 }, stepLimit: 6 });
    expect(other).not.toEqual(whole.slice(6));
    expect(await run(adapter, { from: { state, seed: 77 }, stepLimit: 6 })).toEqual(other);
  });

  test("refuses initial inputs and a seed beside a moment, which brings its own", async () => {
    const history = new EveryBoundary();
    await run(createProbeWorld(), { stepLimit: 2, history });
    const options = { adapter: createProbeWorld(), clock: new FakeClock(), stepLimit: 1 };
    const from = { state: history.states[1] };
    await expect(runBatch({ ...options, from, seed: 1 })).rejects.toMatchObject({ code: "invalid_value" });
    await expect(runBatch({ ...options, from, initialInputs: {} })).rejects.toMatchObject({ code: "invalid_value" });
  });
});
