import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { FakeClock, RecordingTarget, type ConformanceCase } from "@dreamloop/testing";
import { eventListSource, runBatch, type ModelAdapter } from "@dreamloop/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FakeEnvironment } from "../test-support/fake-environment.ts";
import { InputSender } from "../input/input-sender.ts";
import { InputState } from "../input/input-state.ts";

const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));
const NAMES = ["fader.ts", "winch.ts", "harbour.ts", "winch-cases.ts"] as const;

interface FaderModule {
  connectFader(session: object, fader: EventTarget): () => void;
}

/** The modules of docs/extending/input-device.md, as a person writes them from the page. */
let folder: string;
let fader: FaderModule;
let harbour: ModelAdapter;
let winchCases: readonly ConformanceCase[];

async function load(name: (typeof NAMES)[number]): Promise<Record<string, unknown>> {
  return (await import(/* @vite-ignore */ pathToFileURL(join(folder, name)).href)) as Record<string, unknown>;
}

beforeAll(async () => {
  const page = readFileSync(join(ROOT, "docs/extending/input-device.md"), "utf8");
  const blocks = [...page.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, text]) => text ?? "");
  expect(blocks).toHaveLength(NAMES.length);
  mkdirSync(join(ROOT, ".cache"), { recursive: true });
  folder = mkdtempSync(join(ROOT, ".cache", "input-device-"));
  for (const [index, name] of NAMES.entries()) {
    // Within the repository the packages go by their own names.
    const text = blocks[index].replaceAll(
      /from "dreamloop(\/\w+)?"/g,
      (_, door?: string) => `from "@dreamloop${door ?? "/core"}"`,
    );
    writeFileSync(join(folder, name), text);
  }
  fader = (await load("fader.ts")) as unknown as FaderModule;
  harbour = (await load("harbour.ts")).default as ModelAdapter;
  winchCases = (await load("winch-cases.ts")).winchCases as readonly ConformanceCase[];
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Frames of the harbour world for these events. */
async function play(events: Parameters<typeof eventListSource>[0]["events"]): Promise<readonly number[]> {
  const target = new RecordingTarget();
  await runBatch({
    adapter: harbour,
    source: eventListSource({ events, endSeconds: 0.5 }),
    outputs: [target],
    clock: new FakeClock(),
    checkFrames: false,
  });
  return target.results.map(({ pixels }) => pixels[0] ?? -1);
}

describe("docs/extending/input-device.md, followed to the letter", () => {
  test("the converter passes the conformance suite that the page shows", async () => {
    expect(winchCases.length).toBeGreaterThan(3);
    for (const { run } of winchCases) await run();
  });

  test("a fader that is moved live moves the world: what the page sends is what the converter reads", async () => {
    const environment = new FakeEnvironment();
    const input = new InputState();
    const sender = new InputSender(environment, input, () => undefined);
    const sent: { readonly states: readonly { readonly eventType: string; readonly payload: object }[] }[] = [];
    sender.connect(
      { isReliable: true, sendInput: (text) => void sent.push(JSON.parse(text) as (typeof sent)[number]) },
      1,
    );
    const port = new EventTarget();
    const move = async (value: number): Promise<void> => {
      port.dispatchEvent(Object.assign(new Event("midimessage"), { data: Uint8Array.of(0xb0, 7, value) }));
      await environment.advance(10);
    };
    const session = { input, inputChanged: () => sender.changed(), on: () => () => undefined };
    const release = fader.connectFader(session, port);
    await move(127);
    await move(0);
    await move(64);
    release();
    await environment.advance(10);
    const axes = sent.map(({ states }) => states.find(({ eventType }) => eventType === "axis_set")?.payload);
    const changes = axes.filter((payload, index) => JSON.stringify(payload) !== JSON.stringify(axes[index - 1]));
    expect(changes).toEqual([
      { name: "pull", value: 1 },
      { name: "pull", value: 0 },
      { name: "pull", value: 64 / 127 },
      { name: "pull", value: 0 },
    ]);
    const events = changes.map((payload, index) => {
      return { timestampSeconds: index / 10, eventType: "axis_set", payload: payload as Record<string, unknown> };
    });
    expect(await play(events)).toEqual([255, 0, 129, 0, 0]);
  });

  test("a loss of focus releases it", async () => {
    const events = [
      { timestampSeconds: 0, eventType: "axis_set", payload: { name: "pull", value: 1 } },
      { timestampSeconds: 0.25, eventType: "focus", payload: { focused: false } },
    ];
    expect(await play(events)).toEqual([255, 255, 0, 0, 0]);
  });

  test("the converter is the one that the world uses", () => {
    const names = (harbour.converters ?? []).map(({ name }) => name);
    expect(names).toContain("fader_winch");
  });
});
