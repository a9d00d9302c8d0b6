import type { SessionAnswer } from "@dreamloop/protocol";
import type { InputState } from "../input/input-state.ts";
import type { Link, LinkHandlers } from "../link/link.ts";
import type { HttpApi } from "../wire/http-api.ts";
import type { Emitter } from "./emitter.ts";
import type { ClientEnvironment } from "../browser/client-environment.ts";
import type { ConnectOptions } from "./play-options.ts";
import type { PictureFallback } from "./picture-fallback.ts";
import type { PlaySession } from "./play-session.ts";
import type { PlayEvents } from "./session-events.ts";

/** What a session is made from. */
export interface PlaySessionParts {
  /** What was asked for. */
  readonly options: ConnectOptions;
  /** The HTTP side of the server. */
  readonly api: HttpApi;
  /** The browser. */
  readonly environment: ClientEnvironment;
  /** Which ways of bringing pictures are left. */
  readonly fallback: PictureFallback;
  /** Input that is shared with another session; absent: the session has its own. */
  readonly input?: InputState;
  /** Connects to a session that was forked from this one. */
  openFork(grant: SessionAnswer, changes: Partial<ConnectOptions>, input: InputState | undefined): Promise<PlaySession>;
  /** Opens the best link for a grant. */
  openLink(grant: SessionAnswer, handlers: LinkHandlers, signal: AbortSignal): Promise<Link>;
}

/** What a connection works with beside the parts of its session. */
export interface ConnectionParts extends PlaySessionParts {
  /** What is held on the client's devices. */
  readonly input: InputState;
  /** Who is told. */
  readonly events: Emitter<PlayEvents>;
  /** The prompt that a session which has to be made anew starts with. */
  currentPrompt(): string | undefined;
}
