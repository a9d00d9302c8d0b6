import { FakeClock } from "@dreamloop/testing";
import { describe, expect, test } from "vitest";
import { MemoryHost, type MemoryHostOptions } from "../fixtures/memory-host.ts";
import { progressLine } from "./progress-display.ts";
import { ProgressMeter } from "./progress-display.ts";
import { stylesFor } from "./styles.ts";
import { Terminal } from "./terminal.ts";

const PLAIN = stylesFor(new MemoryHost().stdout, {});

describe("ProgressMeter", () => {
  test("says nothing before two points in time", () => {
    const meter = new ProgressMeter();
    expect(meter.perSecond).toBeUndefined();
    meter.note(0, 5);
    expect(meter.perSecond).toBeUndefined();
    expect(meter.secondsLeft(10)).toBeUndefined();
    meter.note(5, 6);
    expect(meter.perSecond).toBe(5);
    expect(meter.secondsLeft(10)).toBe(1);
  });

  test("forgets a slow start after three seconds", () => {
    const meter = new ProgressMeter();
    meter.note(0, 0);
    meter.note(1, 10);
    for (let tick = 1; tick <= 40; tick += 1) meter.note(1 + tick * 10, 10 + tick / 10);
    expect(meter.perSecond).toBeCloseTo(100, 6);
  });

  test("keeps few points of a fast loop, and the newest always", () => {
    const meter = new ProgressMeter();
    for (let step = 0; step <= 10_000; step += 1) meter.note(step, step / 10_000);
    expect(meter.perSecond).toBeCloseTo(10_000, 3);
    expect(meter.secondsLeft(20_000)).toBeCloseTo(1, 6);
  });

  test("a stand-still has no end", () => {
    const meter = new ProgressMeter();
    meter.note(3, 0);
    meter.note(3, 1);
    expect(meter.perSecond).toBe(0);
    expect(meter.secondsLeft(10)).toBeUndefined();
  });
});

describe("progressLine", () => {
  const facts = { label: "probe", unit: "frames", done: 75, total: 300, perSecond: 50, secondsLeft: 4.5 };

  test("shows a bar, counts, rate and time left", () => {
    expect(progressLine(facts, 100, PLAIN)).toBe(
      `probe  ${"━".repeat(6)}${"─".repeat(18)}  75/300 frames  50 frames/s  4.5 s left`,
    );
  });

  test("never fills the terminal's width, whatever it is", () => {
    for (let columns = 0; columns <= 120; columns += 1) {
      expect(progressLine(facts, columns, PLAIN).length).toBeLessThanOrEqual(Math.max(0, columns - 1));
    }
  });

  test("without a total there is neither bar nor time left", () => {
    expect(progressLine({ label: "probe", unit: "frames", done: 75 }, 100, PLAIN)).toBe("probe  75 frames");
  });

  test("at the end nothing is left", () => {
    expect(progressLine({ ...facts, done: 300, secondsLeft: 0 }, 60, PLAIN)).not.toContain("left");
  });
});

async function terminalAt(options: MemoryHostOptions = {}) {
  const clock = new FakeClock();
  const host = new MemoryHost({ clock, ...options });
  return { clock, host, terminal: new Terminal(host) };
}

describe("Terminal", () => {
  test("on a terminal one line is drawn over, ten times a second at most, and removed before anything else", async () => {
    const { clock, host, terminal } = await terminalAt({ terminal: true, env: { NO_COLOR: "1" } });
    const progress = terminal.startProgress("probe", "frames");
    progress?.update(0, 200);
    for (let step = 1; step <= 100; step += 1) {
      await clock.advance(0.01);
      progress?.update(step, 200);
    }
    const lines = host.err.split("\r\u001b[2K").slice(1);
    expect(lines.length).toBeGreaterThanOrEqual(9);
    expect(lines.length).toBeLessThanOrEqual(10);
    expect(lines.at(-1)).toMatch(/^probe {2}.* 1\d\d frames\/s|^probe {2}.*100 frames\/s/);
    terminal.note("hello");
    expect(host.err.endsWith("\r\u001b[2Khello\n")).toBe(true);
    terminal.endProgress();
    expect(host.err.endsWith("hello\n")).toBe(true);
  });

  test("in a pipe there is a plain line every ten seconds", async () => {
    const { clock, host, terminal } = await terminalAt();
    const progress = terminal.startProgress("probe", "frames");
    progress?.stage("loading");
    progress?.update(0, 1000);
    for (let step = 1; step <= 250; step += 1) {
      await clock.advance(0.1);
      progress?.update(step, 1000);
    }
    expect(host.err.split("\n")).toEqual([
      expect.stringMatching(/^probe: (100|101)\/1,000 frames {2}10 frames\/s {2}1:30 min left$/),
      expect.stringMatching(/^probe: 20[0-2]\/1,000 frames {2}10 frames\/s {2}1:20 min left$/),
      "",
    ]);
    expect(host.err).not.toContain("\u001b");
  });

  test("NO_COLOR, a dumb terminal and a pipe get no escape sequences for colour", () => {
    for (const options of [{ terminal: true, env: { NO_COLOR: "1" } }, { terminal: true, env: { TERM: "dumb" } }, {}]) {
      const host = new MemoryHost(options);
      new Terminal(host).warn("odd");
      expect(host.err).toBe("warning: odd\n");
    }
    const host = new MemoryHost({ terminal: true });
    new Terminal(host).warn("odd");
    expect(host.err).toContain("\u001b[33mwarning\u001b[39m: odd");
  });

  test("quiet leaves results and errors", () => {
    const host = new MemoryHost();
    const terminal = new Terminal(host);
    terminal.setMode({ quiet: true });
    terminal.note("note");
    terminal.warn("odd");
    expect(terminal.startProgress("probe", "frames")).toBeUndefined();
    terminal.result("done");
    terminal.error(new Error("broken"), 1);
    expect(host.out).toBe("done\n");
    expect(host.err).toContain("broken");
    expect(host.err).not.toMatch(/note|odd/);
  });

  test("with --json standard output holds the document alone", () => {
    const host = new MemoryHost();
    const terminal = new Terminal(host);
    terminal.setMode({ json: true });
    terminal.note("note");
    terminal.result("done");
    terminal.document({ type: "x" });
    expect(JSON.parse(host.out)).toEqual({ type: "x" });
    expect(host.err).toBe("");
  });

  test("when frames go to standard output, results go to standard error", () => {
    const host = new MemoryHost();
    const terminal = new Terminal(host);
    terminal.setMode({ stdoutTaken: true });
    terminal.result("done");
    expect(host.out).toBe("");
    expect(host.err).toBe("done\n");
  });
});
