import type { Clock } from "@dreamloop/core";
import type { ServerConfig } from "../platform/config/server-config.ts";
import type { MediaHost } from "../media/media-host.ts";
import type { ServerMetrics } from "../platform/server-metrics.ts";
import type { NoticeReporter } from "../platform/notices/notice-reporter.ts";
import type { AccessRules } from "../platform/security/access-rules.ts";
import type { RateTable } from "../platform/limits/rate-table.ts";
import type { TokenSigner } from "../platform/security/session-token.ts";
import type { SessionRegistry } from "../session/session-registry.ts";
import type { UploadReceiver } from "./uploads/upload-receiver.ts";
import type { RtcModule } from "../transport/webrtc/rtc-library.ts";
import type { ServedWorld } from "../worlds/served-world.ts";
import type { WorldPool } from "../worlds/world-pool.ts";
import type { PlayerFile } from "./player-files.ts";
import type { RequestIdentities } from "../platform/http/request-identity.ts";

/** Everything that the handlers of requests work with. */
export interface ServerContext {
  /** The clock of the server. */
  readonly clock: Clock;
  /** How it runs. */
  readonly config: ServerConfig;
  /** The worlds that are offered. */
  readonly worlds: readonly ServedWorld[];
  /** Where they are loaded. */
  readonly shelf: WorldPool;
  /** Where frames are encoded. */
  readonly media: MediaHost;
  /** The sessions. */
  readonly registry: SessionRegistry;
  /** The counters. */
  readonly metrics: ServerMetrics;
  /** Tells whoever runs the server what happens. */
  readonly notices: NoticeReporter;
  /** Who is let in. */
  readonly access: AccessRules;
  /** Who asks, for all limits. */
  readonly identities: RequestIdentities;
  /** How often each address may ask, for a WebSocket too. */
  readonly rates: RateTable;
  /** Pictures that sessions start from. */
  readonly uploads: UploadReceiver;
  /** Makes and reads session tokens. */
  readonly tokens: TokenSigner;
  /** The WebRTC library; absent where it cannot be loaded. */
  readonly rtc: RtcModule | undefined;
  /** The files of the player page. */
  readonly player: ReadonlyMap<string, PlayerFile>;
}
