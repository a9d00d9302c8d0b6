import { createHash } from "node:crypto";
import { fakeWorld, FakeClock } from "@dreamloop/testing";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { runBatch } from "../drivers/batch-driver.ts";
import { eventListSource } from "../inputs/event-list-source.ts";
import { toleranceText } from "./format/write-records.ts";
import { inspectTrace } from "./inspect-trace.ts";
import { readTrace, type Trace } from "./read-trace.ts";
import { TraceEncoder } from "./trace-encoder.ts";

const hasher = {
  digest: (parts: readonly Uint8Array[]) => createHash("sha256").update(Buffer.concat(parts)).digest("hex"),
};

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const parse = (text: string, limits = {}): Promise<Trace> => readTrace([encode(text)], { limits });

let text = "";
let lines: readonly string[] = [];

beforeAll(async () => {
  await runBatch({
    adapter: fakeWorld({ stepCount: Infinity }).adapter,
    clock: new FakeClock(),
    frameHasher: hasher,
    stepLimit: 5,
    source: eventListSource({
      events: [
        { timestampSeconds: 0.1, eventType: "action_set", payload: { actions: ["go"] } },
        { timestampSeconds: 0.2, eventType: "prompt_set", payload: { prompt: "Schnee – 雪 ❄" } },
        { timestampSeconds: 1.1, eventType: "reset", payload: { seed: 4 } },
        { timestampSeconds: 1.2, eventType: "action_set", payload: { actions: [] } },
      ],
    }),
    observers: [new TraceEncoder({ sink: { write: (more) => void (text += more) }, hasher })],
  });
  lines = text.trimEnd().split("\n");
});

/** The trace with one line changed. */
const changed = (index: number, change: (line: Record<string, unknown>) => unknown): string =>
  lines
    .map((line, at) => (at === index ? JSON.stringify(change(JSON.parse(line) as Record<string, unknown>)) : line))
    .join("\n") + "\n";

const lineOf = (type: string): number => lines.findIndex((line) => line.startsWith(`{"type":"${type}"`));

describe("readTrace", () => {
  test("gives header, steps with their events, resets and updates, and the footer", async () => {
    const trace = await parse(text);
    expect(trace).toMatchObject({ complete: true, droppedLines: 0, lineCount: lines.length });
    expect(trace.header).toMatchObject({ worldId: "fake", exactness: { promised: true } });
    expect(trace.steps.map((step) => [step.stepNumber, step.generation, step.stepIndex])).toEqual([
      [0, 0, 0],
      [1, 0, 1],
      [2, 1, 0],
      [3, 1, 1],
      [4, 1, 2],
    ]);
    expect(trace.steps[0]?.events.map(({ eventType }) => eventType)).toEqual(["action_set", "prompt_set"]);
    expect(trace.steps[0]?.update?.values.json).toEqual({ prompt: "Schnee – 雪 ❄" });
    expect(trace.steps[2]).toMatchObject({ resets: [{ generation: 1, seed: 4 }], events: { length: 2 } });
    expect(trace.steps[4]?.window.contains(2.4)).toBe(true);
    expect(trace.footer).toMatchObject({ outcome: "completed", stepCount: 5, frameCount: 5, eventCount: 4 });
  });

  test("a trace that is cut off at any byte is read up to its last whole step (property)", async () => {
    const bytes = encode(text);
    const headerEnd = encode(lines[0] ?? "").byteLength;
    const wholeSteps = (end: number): number => {
      // A step is whole with its last letter; the line feed after it may be missing.
      let seen = -1;
      return lines.filter((line) => {
        seen += encode(line).byteLength + 1;
        return line.startsWith('{"type":"step"') && seen <= end;
      }).length;
    };
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: bytes.byteLength }), async (end) => {
        const read = readTrace([bytes.subarray(0, end)]);
        if (end < headerEnd) {
          await expect(read).rejects.toMatchObject({ code: "trace_invalid", details: { line: 1 } });
          return;
        }
        const trace = await read;
        expect(trace.steps).toHaveLength(wholeSteps(end));
        expect(trace.complete).toBe(end >= bytes.byteLength - 1);
        if (trace.complete) expect(trace.droppedLines).toBe(0);
      }),
      { numRuns: 400 },
    );
  });

  test("the pieces in which the bytes come make no difference (property)", async () => {
    const bytes = encode(text);
    const whole = await parse(text);
    const sizes = fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(sizes, async (pieces) => {
        const reused = new Uint8Array(900);
        async function* chunks(): AsyncGenerator<Uint8Array> {
          for (let offset = 0, turn = 0; offset < bytes.byteLength; turn += 1) {
            const piece = bytes.subarray(offset, offset + (pieces[turn % pieces.length] ?? 1));
            reused.set(piece);
            yield reused.subarray(0, piece.byteLength);
            offset += piece.byteLength;
          }
        }
        expect(JSON.stringify(await readTrace(chunks()))).toBe(JSON.stringify(whole));
      }),
      { numRuns: 50 },
    );
  });

  test("lines without a step after them are counted as dropped", async () => {
    const cut = [...lines.slice(0, lineOf("reset") + 2), '{"type":"ev'].join("\n");
    expect(await parse(cut)).toMatchObject({ complete: false, droppedLines: 3, steps: { length: 2 } });
    expect(await parse(lines.slice(0, lineOf("reset") + 2).join("\n") + "\n")).toMatchObject({ droppedLines: 2 });
  });

  test("blank lines, line ends of other systems and fields of newer versions are passed over", async () => {
    const windows = lines.join("\r\n\r\n") + "\r\n";
    expect((await parse(windows)).steps).toHaveLength(5);
    const newer = await parse(changed(lineOf("step"), (line) => ({ ...line, mood: "good" })));
    expect(newer.steps[0]).not.toHaveProperty("mood");
  });

  test("a measured tolerance may be added after the footer", async () => {
    const measured = { comparedRuns: 2, stepCount: 3, frameCount: 3, maxDifference: 2, meanDifference: 0.1 };
    const tolerance = { ...measured, minPsnrDecibels: 50, environment: { cpuModel: "A" } };
    expect((await parse(text + toleranceText(tolerance))).tolerance).toEqual(tolerance);
    await expect(parse(text + (lines[lineOf("step")] ?? ""))).rejects.toThrow(/only tolerances may follow the footer/);
  });
});

describe("what cannot be read is refused with the number of its line", () => {
  const refused = async (broken: string, line: number, message: RegExp, limits = {}): Promise<void> => {
    await expect(parse(broken, limits)).rejects.toMatchObject({
      code: "trace_invalid",
      details: { line },
      message: expect.stringMatching(message) as string,
    });
  };

  test("an empty file, and one that is something else", async () => {
    await refused("", 1, /an empty file/);
    await refused("{\n}\n", 1, /^trace line 1: expected one JSON value/);
    await refused(
      '{"type":"header","format":"other"}\n',
      1,
      /^trace line 1: header\.format: expected "dreamloop-trace"/,
    );
    await refused("[1]\n", 1, /^trace line 1: trace: expected a mapping/);
  });

  test("G5: another format version, naming what can read it", async () => {
    const newer = changed(0, (line) => ({ ...line, formatVersion: 3, dreamloopVersion: "9.1.0", seed: "unreadable" }));
    await refused(newer, 1, /formatVersion: expected 1 to 2, found 3; read it with .*9\.1\.0/);
  });

  test("text that is no JSON, broken letters, an unknown kind of line", async () => {
    await refused(
      [...lines.slice(0, 2), "nonsense", ...lines.slice(2)].join("\n"),
      3,
      /^trace line 3: expected one JSON/,
    );
    const bytes = encode(text);
    const letter = bytes.indexOf(0xe2, (lines[0]?.length ?? 0) + 1);
    bytes[letter + 1] = 0xff;
    await expect(readTrace([bytes])).rejects.toMatchObject({ code: "trace_invalid", details: { line: 3 } });
    await refused(
      changed(1, (line) => ({ ...line, type: "evnet" })),
      2,
      /type: expected one of header, event/,
    );
    await refused(
      changed(1, (line) => ({ ...line, type: "toString" })),
      2,
      /type: expected one of header, event/,
    );
  });

  test("a line that is nested without end", async () => {
    const nested = `${"[".repeat(60_000)}${"]".repeat(60_000)}`;
    await refused(changed(0, (line) => line).replace('"engine":"fake"', `"engine":${nested}`), 1, /^trace line 1: /);
  });

  test.each([
    ["header", { seed: -1 }, /header\.seed: expected an integer at least 0/],
    ["header", { config: { modelId: "fake", prompt: "x" } }, /InferenceConfig\.prompt .*unknown key/],
    ["header", { description: { worldId: "fake" } }, /SessionDescription\.width/],
    ["header", { exactness: undefined }, /header\.exactness/],
    ["event", { timestampSeconds: -1 }, /event\.timestampSeconds/],
    ["event", { eventType: "" }, /event\.eventType/],
    ["event", { payload: [1] }, /event\.payload: expected a mapping/],
    ["event", { timestampSeconds: 0.3 }, /event\.timestampSeconds: expected at least 0\.3, found 0\.2/],
    ["reset", { generation: 2 }, /reset\.generation: expected 1, found 2/],
    ["reset", { stepNumber: 1 }, /reset\.stepNumber: expected 2, found 1/],
    ["update", { stepNumber: 4 }, /update\.stepNumber: expected 0, found 4/],
    ["step", { stepNumber: 3 }, /step\.stepNumber: expected 0, found 3/],
    ["step", { eventCount: 1 }, /step\.eventCount: expected 2, found 1/],
    ["step", { generation: 1 }, /step\.generation: expected 0, found 1/],
    ["step", { stepIndex: 1 }, /step\.stepIndex: expected 0, found 1/],
    ["step", { window: { startSeconds: 2, endSeconds: 1 } }, /TimeWindow\.endSeconds/],
    ["step", { frameHashes: [] }, /step\.frameHashes \(its length\): expected 1, found 0/],
    ["step", { frameHashes: ["xyz"] }, /step\.frameHashes\[0\]: expected 64 hexadecimal digits/],
    ["step", { modelInputs: "sha256:xyz" }, /step\.modelInputs: expected sha256/],
    ["footer", { stepCount: 6 }, /footer\.stepCount: expected 5, found 6/],
    ["footer", { eventCount: 3 }, /footer\.eventCount: expected 4, found 3/],
    ["footer", { resetCount: 0 }, /footer\.resetCount: expected 1, found 0/],
    ["footer", { outcome: "vanished" }, /footer\.outcome: expected one of completed/],
  ])("a %s line with %j", async (type, fields, message) => {
    const at = lineOf(type);
    const broken = changed(at, (line) => ({ ...line, ...fields }));
    const reported = "timestampSeconds" in fields && fields.timestampSeconds === 0.3 ? at + 2 : at + 1;
    await refused(broken, reported, message);
  });

  test("lines that are missing, doubled or out of order", async () => {
    const without = (index: number): string => lines.filter((_, at) => at !== index).join("\n");
    await refused(without(0), 1, /the header has to be the first line/);
    await refused(without(lineOf("step")), lineOf("step") + 1, /step\.stepNumber: expected 0, found 1/);
    await refused(without(lineOf("event")), lineOf("step"), /step\.eventCount: expected 1, found 2/);
    await refused([lines[0], ...lines].join("\n"), 2, /a header stands in the first line only/);
    const last = lines.length - 1;
    await refused([...lines.slice(0, last), lines[1], lines[last]].join("\n"), last + 2, /without their step/);
  });

  test("I2: lines, steps and events beyond the limits, without holding them all", async () => {
    await refused(text, 1, /expected at most 100 bytes/, { lineBytes: 100 });
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) yield new Uint8Array(1024).fill(32);
    }
    await expect(readTrace(endless())).rejects.toMatchObject({ code: "trace_invalid", details: { line: 1 } });
    await refused(text, lines.length - 1, /expected at most 4 steps/, { steps: 4 });
    await refused(text, 3, /expected at most 1 events in one step/, { eventsPerStep: 1 });
  });
});

describe("inspectTrace", () => {
  test("says what a trace holds", async () => {
    expect(await inspectTrace([encode(text)])).toMatchObject({
      header: { worldId: "fake" },
      complete: true,
      outcome: "completed",
      stepCount: 5,
      generatedFrames: 5,
      deliveredFrames: 5,
      discardedSteps: 0,
      hashedFrames: 5,
      eventCount: 4,
      eventTypes: { action_set: 2, prompt_set: 1, reset: 1 },
      resetCount: 1,
      updateCount: 1,
      pauseCount: 0,
      changes: [
        { kind: "update", stepNumber: 0, timestampSeconds: 0, detail: "prompt" },
        { kind: "reset", stepNumber: 2, timestampSeconds: 1, detail: "seed 4" },
      ],
      sessionSeconds: 2.5,
      inputSequence: 4,
    });
  });

  test("says what is left of one that was cut off", async () => {
    const summary = await inspectTrace([encode(text.slice(0, -200))]);
    expect(summary).toMatchObject({ complete: false, stepCount: 4, droppedLines: 1 });
    expect(summary.outcome).toBeUndefined();
    expect(summary.deliveredFrames).toBeUndefined();
  });
});
