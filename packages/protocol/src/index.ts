export { readCandidate, readControlRequest } from "./control-message.ts";
export type {
  ClientStats,
  ControlMethod,
  ControlRequest,
  ControlRequests,
  ControlResponse,
  IceCandidate,
} from "./control-message.ts";
export { SOCKET_CODECS } from "./http-api.ts";
export type {
  CreateSessionRequest,
  ErrorAnswer,
  IceServer,
  RecordingAnswer,
  SessionGrant,
  SessionInfo,
  SocketCodec,
  SocketHello,
  SocketWelcome,
  WorldsAnswer,
  WorldSummary,
} from "./http-api.ts";
export { readInputMessage, STATE_EVENTS } from "./input-message.ts";
export type { DeviceState, InputMessage, StateEventType } from "./input-message.ts";
export { HELD_STATE_INTERVAL_SECONDS, PROTOCOL_LIMITS, PROTOCOL_VERSION } from "./limits.ts";
export { SESSION_STATES } from "./server-message.ts";
export type {
  FrameMetadata,
  InputEchoMessage,
  NoticeMessage,
  ServerMessage,
  SessionState,
  SessionStateMessage,
  SessionStatsMessage,
} from "./server-message.ts";
