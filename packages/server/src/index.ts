// The server
export { DreamloopServer } from "./app/dreamloop-server.ts";
export type { DreamloopServerOptions } from "./app/dreamloop-server.ts";
export {
  MIN_TOKEN_LENGTH,
  SERVER_CONFIG_READERS,
  SERVER_DEFAULTS,
  serverConfig,
} from "./platform/config/server-config.ts";
export type { ServerConfig, ServerConfigInput } from "./platform/config/server-config.ts";
export type { ServedWorld } from "./worlds/served-world.ts";
export type {
  OriginRefusedNotice,
  ServerFaultNotice,
  ServerNotice,
  SessionFailedNotice,
} from "./platform/notices/server-notice.ts";
export type { Inlet, Outlet, TransportSession } from "./transport/outlet/outlet.ts";
export type { ReceiverFeedback } from "./transport/outlet/receiver-feedback.ts";
export type { ServerTransport, TransportViewer } from "./transport/outlet/server-transport.ts";
export type { MediaFrame } from "./media/media-messages.ts";
export type { SessionRole } from "./platform/security/session-token.ts";
export { worldPoster } from "./worlds/world-poster.ts";
export type { WorldPoster } from "./worlds/world-poster.ts";
