import type { Clock } from "@dreamloop/core";
import type { ServerConfig } from "../config/server-config.ts";
import type { MediaHost } from "../media/media-host.ts";
import type { ServerMetrics } from "../metrics/server-metrics.ts";
import type { NoticeDesk } from "../notices/notice-desk.ts";
import type { AccessRules } from "../security/access-rules.ts";
import type { RateTable } from "../security/rate-table.ts";
import type { TokenSigner } from "../security/session-token.ts";
import type { SessionRegistry } from "../sessions/session-registry.ts";
import type { UploadDesk } from "../uploads/upload-desk.ts";
import type { RtcModule } from "../webrtc/rtc-library.ts";
import type { ServedWorld } from "../worlds/served-world.ts";
import type { WorldShelf } from "../worlds/world-shelf.ts";
import type { PlayerFile } from "./player-files.ts";
import type { RequestIdentities } from "./request-identity.ts";

/** Everything that the handlers of requests work with. */
export interface ServerContext {
  /** The clock of the server. */
  readonly clock: Clock;
  /** How it runs. */
  readonly config: ServerConfig;
  /** The worlds that are offered. */
  readonly worlds: readonly ServedWorld[];
  /** Where they are loaded. */
  readonly shelf: WorldShelf;
  /** Where frames are encoded. */
  readonly media: MediaHost;
  /** The sessions. */
  readonly registry: SessionRegistry;
  /** The counters. */
  readonly metrics: ServerMetrics;
  /** Tells whoever runs the server what happens. */
  readonly notices: NoticeDesk;
  /** Who is let in. */
  readonly access: AccessRules;
  /** Who asks, for all limits. */
  readonly identities: RequestIdentities;
  /** How often each address may ask, for a WebSocket too. */
  readonly rates: RateTable;
  /** Pictures that sessions start from. */
  readonly uploads: UploadDesk;
  /** Makes and reads session tokens. */
  readonly tokens: TokenSigner;
  /** The WebRTC library; absent where it cannot be loaded. */
  readonly rtc: RtcModule | undefined;
  /** The files of the player page. */
  readonly player: ReadonlyMap<string, PlayerFile>;
}
