import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { inspectTrace } from "./inspect-trace.ts";
import { readTrace } from "./read-trace.ts";
import { TraceTally } from "./trace-tally.ts";
import { recordGoldenTrace } from "./golden/golden-run.ts";

const hasher = {
  digest: (parts: readonly Uint8Array[]) => {
    const hash = createHash("sha256");
    for (const part of parts) hash.update(part);
    return hash.digest("hex");
  },
};

describe("the tally of a trace", () => {
  test("ends a copy that was made after any step, so that it is complete and says that the run went on", async () => {
    const text = await recordGoldenTrace(hasher);
    const lines = text.split(/(?<=\n)/);
    const whole = lines.findIndex((line) => line.startsWith('{"type":"footer"'));
    let copies = 0;
    for (let end = 1; end <= whole; end += 1) {
      // A copy is made between writes, which hold whole steps.
      if (end > 1 && !/^{"type":"(step|pause)"/.test(lines[end - 1] ?? "")) continue;
      const tally = new TraceTally();
      const copy = lines.slice(0, end).join("");
      tally.take(copy);
      const trace = await readTrace([Buffer.from(copy + tally.footer)]);
      expect(trace).toMatchObject({
        complete: true,
        droppedLines: 0,
        footer: { outcome: "closed", stillRunning: true },
      });
      copies += 1;
    }
    expect(copies).toBeGreaterThan(5);
    const cut = await readTrace([Buffer.from(lines.slice(0, whole).join(""))]);
    expect(cut).toMatchObject({ complete: false });
  });

  test("counts what comes in several pieces, and frames as the run's own end does", async () => {
    const text = await recordGoldenTrace(hasher);
    const lines = text.split(/(?<=\n)/);
    const whole = lines.findIndex((line) => line.startsWith('{"type":"footer"'));
    const tally = new TraceTally();
    for (const line of lines.slice(0, whole)) tally.take(line);
    const { stillRunning, outcome: _outcome, ...counts } = JSON.parse(tally.footer) as Record<string, unknown>;
    expect(stillRunning).toBe(true);
    expect(JSON.parse(lines[whole] ?? "")).toMatchObject(counts);
    const copy = await inspectTrace([Buffer.from(lines.slice(0, whole).join("") + tally.footer)]);
    expect(copy).toMatchObject({ complete: true, stillRunning: true, outcome: "closed" });
    tally.take(lines[whole] ?? "");
    expect(tally.footer).toBe("");
  });
});
