import type { SessionFacts } from "@dreamloop/protocol";
import type { LiveSession } from "./live-session.ts";

/** Everything that clients may know of a session. */
export function sessionFacts(session: LiveSession): SessionFacts {
  const { id, order, status, run, stats, connections } = session;
  const { type: _type, ...state } = status.message();
  return {
    ...state,
    sessionId: id,
    world: order.world.id,
    ...(run === undefined ? {} : { description: run.description, runtimeFacts: run.runtimeFacts }),
    ...(stats === undefined ? {} : { stats }),
    viewerCount: [...connections].filter(({ isReady }) => isReady).length,
    recordings: run?.recordings?.facts ?? [],
  };
}
