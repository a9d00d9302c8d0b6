import { FakeClock } from "@dreamloop/testing";
import { describe, expect, it } from "vitest";
import { NoticeReporter } from "./notice-reporter.ts";
import type { ServerNotice } from "./server-notice.ts";

const failed = (worldId: string): ServerNotice => ({
  type: "session_failed",
  worldId,
  session: "abcd",
  phase: "run",
  error: new Error("kaboom"),
});
const refused = (origin: string): ServerNotice => ({ type: "origin_refused", origin });

function desk() {
  const clock = new FakeClock();
  const told: ServerNotice[] = [];
  return { clock, told, desk: new NoticeReporter(clock, (notice) => told.push(notice)) };
}

describe("what the operator of a server is told", () => {
  it("is one line for each refused origin, however often it asks", () => {
    const { desk: notices, told } = desk();
    for (let time = 0; time < 50; time += 1) notices.note(refused("http://localhost:5173"));
    notices.note(refused("HTTP://LOCALHOST:5173"));
    notices.note(refused("http://127.0.0.1:5173"));
    expect(told).toEqual([refused("http://localhost:5173"), refused("http://127.0.0.1:5173")]);
  });

  it("never holds what a foreign page wrote into its origin", () => {
    const { desk: notices, told } = desk();
    for (const origin of ["http://a\u001b[2J", "http://a b", "javascript:1", `http://${"a".repeat(300)}`]) {
      notices.note(refused(origin));
    }
    expect(told).toEqual([]);
  });

  it("is bounded for a world that fails again and again, and for all together", async () => {
    const { desk: notices, told, clock } = desk();
    for (let time = 0; time < 10; time += 1) notices.note(failed("one"));
    expect(told).toHaveLength(3);
    await clock.advance(20);
    notices.note(failed("one"));
    notices.note(failed("one"));
    expect(told).toHaveLength(4);
    for (let world = 0; world < 100; world += 1) notices.note(failed(`world-${world}`));
    expect(told.length).toBeLessThanOrEqual(14);
  });
});
