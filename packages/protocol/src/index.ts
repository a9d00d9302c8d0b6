export { readCandidate, readControlRequest } from "./control-message.ts";
export type {
  ClientStats,
  ControlMethod,
  ControlRequest,
  ControlRequests,
  ControlResponse,
  IceCandidate,
} from "./control-message.ts";
export { FRAME_CODECS, frameMessageHead, readFrameMessage } from "./frame-message.ts";
export type { FrameCodec, FrameHeader } from "./frame-message.ts";
export {
  readCandidates,
  readCreateSessionRequest,
  readForkSessionRequest,
  readSaveMomentRequest,
  readOffer,
  readResumeRequest,
  TRANSPORTS,
} from "./http-message.ts";
export type {
  ConfigAnswer,
  CreateSessionRequest,
  ForkSessionRequest,
  SaveMomentRequest,
  ErrorAnswer,
  IceServerEntry,
  SdpMessage,
  SessionAnswer,
  SessionFacts,
  Transport,
  UploadAnswer,
  UploadLimits,
  WorldsAnswer,
  WorldSummary,
  WorldSummaryField,
} from "./http-message.ts";
export type { RecordingFacts } from "./recording-facts.ts";
export { readInputMessage } from "./input-message.ts";
export type { DeviceState, InputMessage } from "./input-message.ts";
export { HELD_STATE_INTERVAL_SECONDS, PROTOCOL_LIMITS, PROTOCOL_VERSION } from "./limits.ts";
export { SESSION_STATES } from "./server-message.ts";
export type {
  ConnectedMessage,
  FrameMetadata,
  InputEchoMessage,
  NoticeMessage,
  ServerMessage,
  SessionState,
  SessionStateMessage,
  EncoderStatus,
  SessionStatsMessage,
  TokenMessage,
  WelcomeMessage,
} from "./server-message.ts";
export { readHelloMessage } from "./socket-message.ts";
export { STATE_EVENTS } from "./state-events.ts";
export type { StateEventType } from "./state-events.ts";
export type { HelloMessage } from "./socket-message.ts";
