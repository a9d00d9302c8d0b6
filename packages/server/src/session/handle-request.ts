import type { Clock, UserInputEventInput } from "@dreamloop/core";
import { SESSION_STATES, type ControlRequest, type SessionState } from "@dreamloop/protocol";
import type { ServerMetrics } from "../platform/server-metrics.ts";
import type { Connection } from "../viewers/connection.ts";
import type { EndReason } from "./session-end.ts";
import type { SessionRun } from "./session-run.ts";
import type { SessionStatus } from "./session-status.ts";

/** What requests need of their session. */
export interface ControlledSession {
  /** Stamps events: the clock of the process. */
  readonly stampClock: Clock;
  /** What it is doing. */
  readonly status: SessionStatus;
  /** What it holds while it runs; throws `invalid_state` before and after. */
  readonly running: SessionRun;
  /** Changes the state and tells everybody. */
  setState(state: SessionState, changes?: { readonly generation?: number; readonly seed?: number }): void;
  /** Ends it. */
  close(reason: EndReason): Promise<void>;
}

/** What a request works with. */
export interface RequestContext {
  /** The session that it is about. */
  readonly session: ControlledSession;
  /** Who asked. */
  readonly connection: Connection;
  /** Takes what players measure. */
  readonly metrics: Pick<ServerMetrics, "inputToPhoton">;
}

/** Does what a client asked for over the control channel; resolves with the result, rejects with what went wrong. */
export async function handleRequest(
  { session, connection, metrics }: RequestContext,
  request: ControlRequest,
): Promise<Readonly<Record<string, unknown>>> {
  const push = (eventType: string, payload: UserInputEventInput["payload"] = {}): void =>
    session.running.hosted.push([
      { timestampSeconds: session.stampClock.nowSeconds(), eventType, payload, source: "browser" },
    ]);
  switch (request.method) {
    case "prompt":
      push("prompt_set", { ...request.params });
      return {};
    case "text_event":
      push("text_event", { id: request.params.id, state: request.params.state });
      return {};
    case "reset": {
      const { seed } = request.params;
      const generation = await session.running.hosted.reset(seed === undefined ? {} : { seed });
      session.setState(session.status.state, { generation, ...(seed === undefined ? {} : { seed }) });
      return { generation };
    }
    case "rewind": {
      const answer = await session.running.hosted.rewind(request.params);
      session.setState(session.status.state, { generation: answer.generation });
      return { ...answer };
    }
    case "history": {
      const facts = await session.running.hosted.history();
      return facts === undefined ? { available: false, generations: [] } : { ...facts };
    }
    case "pause":
      push("pause");
      session.setState(SESSION_STATES.paused);
      return {};
    case "resume":
      push("resume");
      session.setState(SESSION_STATES.running);
      return {};
    case "step":
      session.running.hosted.stepOnce();
      return {};
    case "record_start":
      return { recordingId: await session.running.startRecording() };
    case "record_stop":
      return { ...(await session.running.stopRecording()) };
    case "key_frame":
      connection.wantKeyFrame();
      return {};
    case "candidates":
      connection.outlet.addCandidates?.(request.params.candidates);
      return {};
    case "client_stats": {
      const { inputToPhotonSeconds } = request.params;
      if (inputToPhotonSeconds !== undefined) metrics.inputToPhoton.observe(inputToPhotonSeconds);
      return {};
    }
    case "close":
      // The answer goes out before the connection does.
      setImmediate(() => {
        if (connection.role === "player") void session.close("asked");
        else connection.close();
      });
      return {};
  }
}
