/** A page that came from an origin that may not use the server. */
export interface OriginRefusedNotice {
  /** What this is. */
  readonly type: "origin_refused";
  /** The page's origin, such as `http://localhost:5173`. */
  readonly origin: string;
}

/** A session that ended by a fault of its world, its worker or its encoder. */
export interface SessionFailedNotice {
  /** What this is. */
  readonly type: "session_failed";
  /** The session's world. */
  readonly worldId: string;
  /** The beginning of the session's id, enough to tell sessions apart. */
  readonly session: string;
  /** Whether its world could not be loaded, or it failed while it ran. */
  readonly phase: "load" | "run";
  /** What went wrong, with its causes and their stacks. */
  readonly error: unknown;
}

/** A fault of the server itself that nothing else caught; the session or connection that it belongs to was ended. */
export interface ServerFaultNotice {
  /** What this is. */
  readonly type: "server_fault";
  /** What went wrong, with its stack. */
  readonly error: unknown;
}

/** Something that whoever runs a server should know, as long as nobody can bring it about too often; see `DreamloopServerOptions.onNotice`. */
export type ServerNotice = OriginRefusedNotice | SessionFailedNotice | ServerFaultNotice;
