import { FakeClock } from "@dreamloop/testing";
import type { ServerMessage, SessionStateMessage } from "@dreamloop/protocol";
import { describe, expect, it } from "vitest";
import { ServerMetrics } from "../platform/server-metrics.ts";
import { Audience } from "./audience.ts";
import type { Outlet } from "../transport/outlet/outlet.ts";
import type { Connection } from "./connection.ts";
import { SessionLog } from "../session/session-log.ts";

const RUNNING: SessionStateMessage = { type: "state", state: "running", generation: 2, seed: 7 };

class RecordingOutlet implements Outlet {
  readonly transport = "websocket";
  readonly codec = "h264";
  readonly sent: ServerMessage[] = [];
  closed: string | undefined;

  hasRoom(): boolean {
    return true;
  }

  sendFrame(): boolean {
    return true;
  }

  sendMessage(message: ServerMessage): void {
    this.sent.push(message);
  }

  close(reason: { readonly message: string } | undefined): void {
    this.closed ??= reason?.message ?? "no reason";
  }
}

function audienceOf(maxViewers: number) {
  const clock = new FakeClock();
  const metrics = new ServerMetrics();
  const audience: Audience = new Audience({
    maxViewers,
    log: new SessionLog(clock),
    metrics,
    owner: {
      clock,
      stampClock: clock,
      pushInput: () => undefined,
      handleRequest: () => Promise.resolve({}),
      takeFeedback: () => undefined,
      requestKeyFrame: () => undefined,
      connectionReady: (connection) => void audience.ready(connection, RUNNING),
      connectionLost: (connection, reason) => void audience.remove(connection, reason),
    },
  });
  const join = (role: "player" | "viewer"): { readonly connection: Connection; readonly outlet: RecordingOutlet } => {
    const outlet = new RecordingOutlet();
    return { connection: audience.add(role, () => outlet), outlet };
  };
  return { audience, join };
}

describe("Audience", () => {
  it("C7: viewers are refused when there are too many, and never keep the player out, whether it is there or away", () => {
    const { audience, join } = audienceOf(3);
    join("viewer").connection.ready();
    join("viewer");
    expect(() => join("viewer")).toThrow(/2 viewers beside its player/);
    const player = join("player");
    player.connection.ready();
    expect(() => join("viewer")).toThrow(/limit/);
    player.connection.lost("the network is gone");
    expect(() => join("viewer")).toThrow(/limit/);
    const back = join("player");
    back.connection.ready();
    expect(audience.player).toBe(back.connection);
  });

  it("C7: of a player's connections that never come about the oldest are given up, so that there are never many", () => {
    const { audience, join } = audienceOf(2);
    const coming = Array.from({ length: 50 }, () => join("player"));
    expect(audience.connections.size).toBe(4);
    expect(coming.slice(0, 46).every(({ outlet }) => outlet.closed !== undefined)).toBe(true);
    coming[49].connection.ready();
    expect(audience.player).toBe(coming[49].connection);
  });

  it("C7: a page that another one takes the session from is told that this was the end for it, and why", () => {
    const { audience, join } = audienceOf(2);
    const first = join("player");
    first.connection.ready();
    const second = join("player");
    second.connection.ready();
    expect(audience.player).toBe(second.connection);
    expect(first.outlet.sent.at(-1)).toEqual({
      ...RUNNING,
      state: "closed",
      reason: { code: "closed", message: "another page took over", retryable: false, details: {} },
    });
    expect(first.outlet.closed).toBe("another page took over");
    expect(second.outlet.closed).toBeUndefined();
  });

  it("C7: a connection that was begun before the present one and comes about after it does not take the session over", () => {
    const { audience, join } = audienceOf(2);
    const slow = join("player");
    const present = join("player");
    present.connection.ready();
    slow.connection.ready();
    expect(audience.player).toBe(present.connection);
    expect(slow.outlet.closed).toBe("another page took over");
    expect(present.outlet.closed).toBeUndefined();
    expect(audience.connections.size).toBe(1);
  });
});
