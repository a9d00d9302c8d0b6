import {
  canonicalInputs,
  defaultCanonicalizer,
  inferenceConfig,
  modelInputs,
  stepRequest,
  stepResult,
  timeWindow,
  userInputs,
  type UserInputEventInput,
} from "@dreamloop/core";
import { readMappedInputs } from "@dreamloop/core/internal";
import fc from "fast-check";
import { expect, test } from "vitest";
import { probeMapping } from "./probe-mapping.ts";
import { probeWorld } from "./probe-world.ts";
import { readProbeStrip } from "./strip/strip-reader.ts";
import { actionsOfBits } from "./strip/strip-values.ts";

const STEP_SECONDS = 0.125;
const STEPS = 8;
const SIZE = { width: 64, height: 64 };
const KEYS = { KeyW: "forward", KeyA: "left", Space: "jump", KeyE: "use" } as const;
const SOURCE = { eventTypes: ["key_down", "key_up", "mouse_move", "prompt_set", "focus"] };

type Code = keyof typeof KEYS;

interface Edge {
  readonly time: number;
  readonly code: Code;
}

const edges = fc.array(
  fc.record({
    time: fc.integer({ min: 0, max: STEPS * 125 - 1 }).map((milliseconds) => milliseconds / 1000),
    code: fc.constantFrom(...(Object.keys(KEYS) as Code[])),
  }),
  { maxLength: 24 },
);

/** What each step should show: an action counts when it is held at the end of the window or was pressed within it. */
function expectedSteps(sorted: readonly Edge[]): readonly { held: string[]; pressed: number }[] {
  const down = new Set<Code>();
  let pressed = 0;
  return Array.from({ length: STEPS }, (_, index) => {
    const active = new Set<Code>();
    for (const { time, code } of sorted) {
      if (time < index * STEP_SECONDS || time >= (index + 1) * STEP_SECONDS) continue;
      if (down.delete(code)) continue;
      down.add(code);
      active.add(code);
      pressed += 1;
    }
    return { held: [...new Set([...down, ...active])].map((code) => KEYS[code]).sort(), pressed };
  });
}

test("A3, A6: from key to pixel, a press shows in the frames of exactly the step of its window", async () => {
  const config = inferenceConfig({ modelId: "probe", runtimeOptions: { ...SIZE, framesPerStep: 2 } });
  const runtime = await probeWorld.createRuntime(config, {});
  const canonicalizer = defaultCanonicalizer(probeWorld);
  await fc.assert(
    fc.asyncProperty(edges, async (unsorted) => {
      const sorted = [...unsorted].sort((one, other) => one.time - other.time);
      const down = new Set<Code>();
      const events = sorted.map(({ time, code }): UserInputEventInput => {
        const isUp = down.delete(code);
        if (!isUp) down.add(code);
        return { timestampSeconds: time, eventType: isUp ? "key_up" : "key_down", payload: { code, key: code } };
      });
      const all = userInputs({ events });
      const session = await runtime.startSession(modelInputs(), { seed: 1 });
      let state = canonicalizer.createState();
      for (const [index, expected] of expectedSteps(sorted).entries()) {
        const window = timeWindow({ startSeconds: index * STEP_SECONDS, endSeconds: (index + 1) * STEP_SECONDS });
        const inputs = userInputs({ events: all.window(window).events, metadata: { inputSequence: index * 7 } });
        const step = canonicalizer.canonicalize(inputs, window, SOURCE, state);
        state = step.state;
        const mapped = probeMapping.mapStepInputs({
          canonical: step.canonical,
          request: stepRequest({ stepIndex: index }),
          modelInputs: modelInputs(),
          state: null,
        });
        const { inputs: stepInputs } = readMappedInputs(probeMapping, "mapStepInputs", mapped);
        const { output } = stepResult(await session.step(stepInputs, {}));
        const frameValues = SIZE.width * SIZE.height * 3;
        for (const frame of [0, 1]) {
          const data = output?.data.subarray(frame * frameValues, (frame + 1) * frameValues) ?? [];
          const strip = readProbeStrip({ data, ...SIZE });
          expect(strip).toMatchObject({
            stepIndex: index,
            inputSequence: index * 7,
            pressCount: expected.pressed,
          });
          expect([...actionsOfBits(strip?.heldBits ?? 0)].sort()).toEqual(expected.held);
        }
        output?.release?.();
      }
      await session.close();
    }),
    { numRuns: 60 },
  );
  await runtime.close();
});

test("a canonical value of every shipped modality is accepted as it comes from its neutral state", () => {
  const canonicalizer = defaultCanonicalizer(probeWorld);
  const window = timeWindow({ startSeconds: 0, endSeconds: 1 });
  const { canonical } = canonicalizer.canonicalize({}, window, SOURCE, canonicalizer.createState());
  expect(Object.keys(canonicalInputs(canonical).values)).toEqual(
    expect.arrayContaining(["actions", "driver_command", "camera_motion", "look_delta"]),
  );
});
