import {
  eventListSource,
  runBatch,
  throwIfCancelled,
  type ModelInputs,
  type RunStart,
  type SessionDescription,
  type UserInputEventInput,
} from "@dreamloop/core";
import { sha256FrameHasher } from "@dreamloop/node";
import { adapterConformance, changedWorld, sessionConformance, type ConformanceCase } from "@dreamloop/testing";
import type { CliContext } from "../program/cli-command.ts";
import { checkConfig, type AdapterUnderCheck } from "./check-adapter.ts";
import { checkItem, type CheckItem } from "./check-result.ts";

/** What a sample run shows, as it is called among the checks. */
export const RUN_CHECK = "it loads and runs, and its frames are sound";

/** Steps of a sample run. */
const SAMPLE_STEPS = 8;

/** Somebody accelerates, taps a key and looks around: enough for most worlds to show that they listen. */
const SAMPLE_EVENTS: readonly UserInputEventInput[] = [
  { timestampSeconds: 0, eventType: "key_down", payload: { code: "KeyW", key: "w" } },
  { timestampSeconds: 0.05, eventType: "key_down", payload: { code: "KeyA", key: "a" } },
  { timestampSeconds: 0.1, eventType: "mouse_move", payload: { deltaX: 40, deltaY: -10 } },
  { timestampSeconds: 0.15, eventType: "key_up", payload: { code: "KeyA", key: "a" } },
];

/** Steps of each case of the suites. */
const SUITE_STEPS = 5;

/** What a sample run showed. */
interface Sample {
  readonly description: SessionDescription;
  /** Initial inputs after mapping. */
  readonly initial: ModelInputs;
  /** What each step was told. */
  readonly inputs: readonly ModelInputs[];
  readonly hashes: readonly string[];
  /** Whether the runtime takes several sessions at a time. */
  readonly interleaves: boolean;
  /** Whether its sessions have snapshots. */
  readonly snapshots: boolean;
}

/** Runs a world for a few steps, again to compare, and then through the conformance suites that every adapter has to pass. */
export async function checkSessions(
  context: CliContext,
  subject: AdapterUnderCheck,
  options: { readonly suites: boolean },
): Promise<readonly CheckItem[]> {
  let first: Sample | undefined;
  const runs = await checkItem(RUN_CHECK, async () => {
    first = await sampleRun(context, subject);
  });
  const { signal } = context.interruption;
  throwIfCancelled(signal, "the check");
  if (first === undefined) return [runs];
  const sample = first;
  const again = "G3: the same inputs and seed give the same frames";
  if (!sample.description.deterministic) {
    const message = "it does not say that it is deterministic";
    return [runs, { name: again, outcome: "skipped", message }];
  }
  const repeats = await checkItem(again, async () => compare(sample, await sampleRun(context, subject)));
  if (!options.suites || repeats.outcome === "failed") return [runs, repeats];
  return [runs, repeats, ...(await runSuites(context, suitesFor(subject, sample)))];
}

async function sampleRun(context: CliContext, subject: AdapterUnderCheck): Promise<Sample> {
  const { host, interruption } = context;
  const inputs: ModelInputs[] = [];
  const hashes: string[] = [];
  let start: RunStart | undefined;
  let interleaves = false;
  let snapshots = false;
  await runBatch({
    adapter: changedWorld(subject.world.adapter, {
      runtime: (runtime) => {
        interleaves = (runtime.maxSessions ?? 1) > 1;
        return {};
      },
      session: (session) => {
        snapshots = session.snapshot !== undefined && session.restore !== undefined;
        return {};
      },
    }),
    config: checkConfig(subject),
    candidateIndex: subject.settings.candidate,
    initialInputs: { initial: subject.initial },
    seed: subject.settings.seed,
    clock: host.clock,
    signal: interruption.signal,
    source: eventListSource({ events: SAMPLE_EVENTS }),
    stepLimit: SAMPLE_STEPS,
    frameHasher: sha256FrameHasher,
    observers: [
      {
        runStarted: (known) => void (start = known),
        stepCommitted: (record) => {
          inputs.push(record.modelInputs);
          hashes.push(...(record.frameHashes ?? []));
        },
      },
    ],
  });
  if (hashes.length === 0) throw new Error("expected frames within the first steps, found none");
  const { description, initialInputs } = start as unknown as RunStart;
  return { description, initial: initialInputs, inputs, hashes, interleaves, snapshots };
}

function compare(first: Sample, second: Sample): void {
  const index = first.hashes.findIndex((hash, frame) => second.hashes[frame] !== hash);
  if (index >= 0) throw new Error(`expected the same frames, found another frame ${index}`);
}

function suitesFor(subject: AdapterUnderCheck, sample: Sample): readonly ConformanceCase[] {
  const { adapter } = subject.world;
  const { modelId: _, ...config } = checkConfig(subject);
  const { inputs, initial, interleaves, snapshots } = sample;
  const suite = {
    adapter,
    config,
    initial,
    stepInputs: (index: number) => ({ step: inputs[index % inputs.length]?.step ?? {} }),
    stepCount: Math.min(SUITE_STEPS, inputs.length),
    seed: subject.settings.seed,
  };
  return [...adapterConformance(suite), ...sessionConformance({ ...suite, interleaves, snapshots })];
}

async function runSuites(context: CliContext, cases: readonly ConformanceCase[]): Promise<readonly CheckItem[]> {
  const { terminal, interruption } = context;
  const progress = terminal.startProgress("check", "promises");
  const items: CheckItem[] = [];
  for (const { name, run } of cases) {
    throwIfCancelled(interruption.signal, "the check");
    items.push(await checkItem(name, run));
    progress?.update(items.length, cases.length);
  }
  terminal.endProgress();
  return items;
}
