import type { DreamloopError } from "@dreamloop/core";
import type { SharedFrames } from "../carriers/shared-frames.ts";
import type { LoadReply } from "../protocol/message-schemas.ts";
import type { ProtocolClient } from "./protocol-client.ts";

/** Who asks a world and gets its answers: one connection, or several that are asked as one. */
export type WorldClient = Pick<ProtocolClient, "failure" | "request" | "notify" | "fail">;

/** A loaded world at the other end of a carrier. Who connected it closes it. */
export interface ConnectedWorld {
  /** Requests and their answers. */
  readonly client: WorldClient;
  /** What it said when it was loaded. */
  readonly loaded: LoadReply;
  /** Where its frames lie; absent: they come with the answers. */
  readonly frames?: SharedFrames;
  /** Further facts for traces, such as how frames travel. */
  readonly facts: Readonly<Record<string, string>>;
  /** Resolves with the reason when it is gone without having been closed. */
  readonly failed: Promise<DreamloopError>;
  /** Why the world must be loaded anew before another session starts, such as a changed file; absent: it need not. */
  staleness?(): string | undefined;
  /** Fails it because a request has not been answered in time, and says where it hangs if that can be found out. */
  hang(what: string): void;
  /** Ends it and everything that it started; idempotent. */
  close(): Promise<void>;
}
