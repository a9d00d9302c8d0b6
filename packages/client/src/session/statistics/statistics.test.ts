import type { FrameMetadata, SessionStatsMessage } from "@dreamloop/protocol";
import { describe, expect, test } from "vitest";
import { FrameMatcher } from "../../present/stage.ts";
import { clientStatsOf, PlayStatistics, RateMeter } from "./play-statistics.ts";
import { judgeQuality, MIN_JUDGED_INPUTS, WARM_UP_MILLISECONDS, type QualityFacts } from "./quality.ts";
import { Samples } from "./samples.ts";

function frame(change: Partial<FrameMetadata> = {}): FrameMetadata {
  return {
    type: "frame",
    rtpTimestamp: 0,
    frameIndex: 0,
    generation: 0,
    stepIndex: 0,
    frameInStep: 0,
    serverMilliseconds: 1,
    modelMilliseconds: 1,
    encodeMilliseconds: 1,
    keyFrame: false,
    ...change,
  };
}

const serverStats: SessionStatsMessage = {
  type: "stats",
  generatedFramesPerSecond: 30,
  encodedFramesPerSecond: 30,
  modelMilliseconds: 4,
  encodeMilliseconds: 3,
  underrunCount: 0,
  drops: { overdue: 2 },
  targetBitrateBitsPerSecond: 1e6,
  codec: "h264",
  encoder: "node-webcodecs",
  transport: "webrtc",
  viewerCount: 1,
};

const facts = {
  transport: "webrtc",
  clientDrops: { overdue: 1, superseded: 4 },
  targetFramesPerSecond: 30,
  isRunning: true,
} as const;

describe("input to photon", () => {
  test("runs from sending an input to presenting the first frame that has seen it, also when frames or inputs were lost", () => {
    const statistics = new PlayStatistics();
    const sent = (sequence: number, sentAtMilliseconds: number, isNews = true): void =>
      statistics.inputSent({ epoch: 1, sequence, sentAtMilliseconds, isNews });
    const shown = (inputSequence: number, presentedAtMilliseconds: number): void => {
      const metadata = frame({ inputSequence, inputEpoch: 1 });
      statistics.framePresented({ metadata, presentedAtMilliseconds, width: 1, height: 1 });
    };
    sent(0, 1);
    shown(0, 50);
    sent(1, 100);
    sent(2, 110);
    sent(3, 120, false);
    sent(4, 150);
    shown(0, 130);
    shown(3, 160);
    shown(3, 190);
    shown(4, 230);
    expect(statistics.read({ ...facts, now: 240 }).inputToPhotonSamples).toEqual([60, 50, 80]);
    expect(statistics.read({ ...facts, now: 240 }).inputToPhoton).toEqual({ p50: 60, p95: 80, count: 3 });
  });

  test("numbers of another epoch are not taken for those of this one", () => {
    const statistics = new PlayStatistics();
    statistics.framePresented({ presentedAtMilliseconds: 90, width: 1, height: 1 });
    statistics.inputSent({ epoch: 2, sequence: 5, sentAtMilliseconds: 100, isNews: true });
    const metadata = frame({ inputSequence: 9, inputEpoch: 1 });
    statistics.framePresented({ metadata, presentedAtMilliseconds: 120, width: 1, height: 1 });
    expect(statistics.read({ ...facts, now: 130 }).inputToPhoton).toBeUndefined();
  });
});

describe("the verdict on a session", () => {
  /** A session of 30 frames a second from time 0 on, each frame showing an input that was sent `delay` before. */
  function played(untilMilliseconds: number, delay: (now: number) => number): PlayStatistics {
    const statistics = new PlayStatistics();
    statistics.serverStats(serverStats);
    let sequence = 0;
    for (let now = 0; now <= untilMilliseconds; now += 100 / 3) {
      statistics.frameReceived(frame(), now);
      const size = { width: 1, height: 1 };
      const metadata = frame({ inputSequence: sequence, inputEpoch: 1 });
      statistics.framePresented({ metadata, presentedAtMilliseconds: now, ...size });
      sequence += 1;
      statistics.inputSent({ epoch: 1, sequence, sentAtMilliseconds: now + 100 / 3 - delay(now), isNews: true });
    }
    return statistics;
  }
  const verdict = (statistics: PlayStatistics, now: number): unknown => statistics.read({ ...facts, now }).quality;

  test("is none while everything warms up, and what was slow then is not held against it later", () => {
    const slowAtFirst = (now: number): number => (now < 3_800 ? 900 : 40);
    expect(verdict(played(3_000, slowAtFirst), 3_000)).toEqual({ level: "unknown" });
    const later = played(6_000, slowAtFirst);
    expect(later.read({ ...facts, now: 6_000 }).inputToPhoton?.p95).toBeGreaterThan(800);
    expect(verdict(later, 6_000)).toEqual({ level: "good" });
  });

  test("is that of the inputs once enough of them were slow", () => {
    expect(
      verdict(
        played(4_500, () => 900),
        4_500,
      ),
    ).toEqual({ level: "good" });
    expect(
      verdict(
        played(6_000, () => 900),
        6_000,
      ),
    ).toEqual({ level: "poor", cause: "input" });
  });

  test("begins anew after an interruption", () => {
    const statistics = played(9_000, () => 900);
    statistics.interrupted();
    expect(verdict(statistics, 9_010)).toEqual({ level: "unknown" });
  });
});

test("PlayStatistics: drops of both sides add up by reason; what the server is told counts only those here", () => {
  const statistics = new PlayStatistics();
  statistics.serverStats(serverStats);
  statistics.echoReceived(100, 130);
  const stats = statistics.read({ ...facts, now: 131 });
  expect(stats.drops).toEqual({ overdue: 3, superseded: 4 });
  expect(stats.roundTripMilliseconds).toBe(30);
  expect(clientStatsOf(stats, facts.clientDrops)).toEqual({ presentedFrames: 0, droppedFrames: 5 });
});

describe("what PlayStatistics tells is measured", () => {
  const size = { width: 1, height: 1 };

  test("a number that nobody has measured is absent, not 0", () => {
    const statistics = new PlayStatistics();
    const empty = statistics.read({ ...facts, now: 100 });
    for (const name of [
      "generatedFramesPerSecond",
      "frameMilliseconds",
      "encodedFramesPerSecond",
      "receivedFramesPerSecond",
      "presentedFramesPerSecond",
      "modelMilliseconds",
      "encodeMilliseconds",
      "roundTripMilliseconds",
      "inputToPhoton",
    ]) {
      expect(empty).not.toHaveProperty(name);
    }
    statistics.serverStats({ ...serverStats, modelMilliseconds: 0, encodeMilliseconds: 0 });
    const early = statistics.read({ ...facts, now: 100 });
    expect(early).not.toHaveProperty("modelMilliseconds");
    expect(early).not.toHaveProperty("encodeMilliseconds");
  });

  test("while session time stands still nothing has a rate", () => {
    const statistics = new PlayStatistics();
    statistics.serverStats(serverStats);
    const paused = statistics.read({ ...facts, now: 100, isRunning: false });
    expect(paused).not.toHaveProperty("generatedFramesPerSecond");
    expect(paused).not.toHaveProperty("frameMilliseconds");
    expect(statistics.read({ ...facts, now: 100, isRunning: true })).toHaveProperty("generatedFramesPerSecond");
  });

  test("never more frames are presented than are made, and a frame takes the wall time from one to the next", () => {
    const statistics = new PlayStatistics();
    statistics.serverStats({ ...serverStats, generatedFramesPerSecond: 24.8 });
    for (let time = 0; time <= 1000; time += 40) statistics.framePresented({ presentedAtMilliseconds: time, ...size });
    const stats = statistics.read({ ...facts, now: 1001, isRunning: true });
    expect(stats.presentedFramesPerSecond).toBe(24.8);
    expect(stats.frameMilliseconds).toBeCloseTo(40.3, 1);
  });
});

describe("RateMeter", () => {
  test("gives events a second, and falls to 0 when they stop", () => {
    const meter = new RateMeter();
    for (let time = 0; time <= 1000; time += 50) meter.add(time);
    expect(meter.perSecond(1001)).toBeCloseTo(20, 5);
    expect(meter.perSecond(2000)).toBeCloseTo(10, 5);
    expect(meter.perSecond(9000)).toBe(0);
  });
});

test("Samples: percentiles by nearest rank of those that are young enough", () => {
  const samples = new Samples({ capacity: 100, maxAgeMilliseconds: 1000 });
  for (let value = 1; value <= 100; value += 1) samples.add(0, value);
  expect(samples.percentiles(10)).toEqual({ p50: 50, p95: 95, count: 100 });
  expect(samples.percentiles(2000)).toBeUndefined();
});

describe("FrameMatcher", () => {
  test("matches by RTP timestamp modulo 2^32 and forgets older ones", () => {
    const matcher = new FrameMatcher();
    for (const rtpTimestamp of [2 ** 32 - 3000, 0, 3000])
      matcher.add(frame({ rtpTimestamp, frameIndex: rtpTimestamp }));
    expect(matcher.take(2 ** 32)?.frameIndex).toBe(0);
    expect(matcher.take(2 ** 32 - 3000)).toBeUndefined();
    expect(matcher.take(3000)?.frameIndex).toBe(3000);
    expect(matcher.take(3000)).toBeUndefined();
  });

  test("keeps a bounded number", () => {
    const matcher = new FrameMatcher();
    for (let index = 0; index < 1000; index += 1) matcher.add(frame({ rtpTimestamp: index }));
    expect(matcher.take(1)).toBeUndefined();
    expect(matcher.take(999)).toBeDefined();
  });
});

describe("judgeQuality", () => {
  const good: QualityFacts = {
    targetFramesPerSecond: 30,
    generatedFramesPerSecond: 30,
    encodedFramesPerSecond: 30,
    receivedFramesPerSecond: 30,
    presentedFramesPerSecond: 29,
    isRunning: true,
    settledMilliseconds: WARM_UP_MILLISECONDS,
  };

  test.each([
    ["good", undefined, {}],
    ["unknown", undefined, { isRunning: false }],
    ["unknown", undefined, { settledMilliseconds: WARM_UP_MILLISECONDS - 1, generatedFramesPerSecond: 1 }],
    ["good", undefined, { inputToPhoton: { p50: 900, p95: 2000, count: MIN_JUDGED_INPUTS - 1 } }],
    [
      "poor",
      "model",
      {
        generatedFramesPerSecond: 10,
        encodedFramesPerSecond: 10,
        receivedFramesPerSecond: 10,
        presentedFramesPerSecond: 10,
      },
    ],
    ["fair", "encode", { encodedFramesPerSecond: 24, receivedFramesPerSecond: 24, presentedFramesPerSecond: 24 }],
    ["poor", "network", { receivedFramesPerSecond: 12, presentedFramesPerSecond: 12 }],
    ["fair", "decode", { presentedFramesPerSecond: 22 }],
    ["poor", "input", { inputToPhoton: { p50: 300, p95: 600, count: MIN_JUDGED_INPUTS }, roundTripMilliseconds: 20 }],
    [
      "fair",
      "network",
      { inputToPhoton: { p50: 200, p95: 300, count: MIN_JUDGED_INPUTS }, roundTripMilliseconds: 180 },
    ],
  ] as const)("%s because of %s", (level, cause, change) => {
    expect(judgeQuality({ ...good, ...change })).toEqual(cause === undefined ? { level } : { level, cause });
  });
});
