import type { FrameCodec } from "@dreamloop/protocol";
import type { SessionRole } from "../../platform/security/session-token.ts";
import type { TransportSession } from "./outlet.ts";

/** Who asks a `ServerTransport` for a session. */
export interface TransportViewer {
  /** The session; `connect` adds the viewer to it. */
  readonly session: TransportSession;
  /** What the token of the request allows. */
  readonly role: SessionRole;
  /** What this server encodes. */
  readonly codecs: readonly FrameCodec[];
}

/** A further way for frames to reach viewers over HTTP, at `/api/sessions/ID/transports/NAME`; see `DreamloopServerOptions.transports`. */
export interface ServerTransport {
  /** Its name in the path: letters, digits and hyphens. */
  readonly name: string;
  /**
   * Answers a request whose rate, Host, Origin and session token were checked; its `signal` fires when the client goes away. What it throws becomes the
   * answer, as for every other route.
   */
  answer(request: Request, viewer: TransportViewer): Response | Promise<Response>;
}
