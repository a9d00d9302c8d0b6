/** Version of the messages; raised when a field changes its meaning. A server refuses clients of another version, naming both. */
export const PROTOCOL_VERSION = 1;

/** Limits on what a client may send; the schemas enforce them. */
export const PROTOCOL_LIMITS = {
  /** Bytes of one message on the input channel. */
  inputMessageBytes: 16_384,
  /** Bytes of one message on the control channel, uploads apart. */
  controlMessageBytes: 65_536,
  /** UTF-16 units of a prompt. */
  promptLength: 2000,
  /** States of devices in one input message. */
  statesPerMessage: 16,
  /** Input messages a second that are looked at; the newest state supersedes what is beyond. */
  inputMessagesPerSecond: 250,
  /** Requests a second on the control channel. */
  requestsPerSecond: 30,
  /** Requests of one client that may be unanswered. */
  openRequests: 16,
  /** UTF-16 units of a session description (SDP). */
  sdpLength: 100_000,
  /** UTF-16 units of an ICE candidate. */
  candidateLength: 2000,
  /** ICE candidates of one session. */
  candidates: 64,
  /** Bytes of the body of an HTTP request. */
  httpBodyBytes: 131_072,
  /** UTF-16 units of a world's id. */
  worldIdLength: 200,
  /** UTF-16 units of a token or secret. */
  tokenLength: 1024,
  /** Pictures that a session is started with. */
  images: 8,
  /** Bytes of the header of a binary frame message. */
  frameHeaderBytes: 4096,
  /** UTF-16 units of the name of a moment. */
  momentNameLength: 200,
  /** Pixels of a side that a client may ask for. */
  sidePixels: 4096,
} as const;

/** The client sends its input state at least this often while anything is held, in seconds. */
export const HELD_STATE_INTERVAL_SECONDS = 0.1;
