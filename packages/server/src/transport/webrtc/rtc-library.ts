import type { RtcConfig } from "node-datachannel";
import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import { isLoopback } from "../../platform/security/access-rules.ts";
import type { IceServerEntry } from "@dreamloop/protocol";
import { nativeIceServers } from "./ice-settings.ts";

/** The native library's interface. */
export type RtcModule = typeof import("node-datachannel");

/** How connections find their way. */
export interface RtcSettings {
  /** The address that HTTP is bound to; UDP binds there too. */
  readonly host: string;
  /** Helpers that peers may use. */
  readonly iceServers: () => readonly IceServerEntry[];
  /** `relay`: only over TURN. */
  readonly iceTransportPolicy: "all" | "relay";
  /** UDP ports to use, both included; default any. */
  readonly udpPorts?: { readonly first: number; readonly last: number };
}

/** Bytes of the largest message that a data channel takes. */
const MAX_MESSAGE_BYTES = 131_072;

/** Loads the library; throws `unavailable` where there is no build of it for this platform. */
export async function loadRtc(): Promise<RtcModule> {
  try {
    return await import("node-datachannel");
  } catch (cause) {
    throw new DreamloopError(
      ERROR_CODES.unavailable,
      "WebRTC: the node-datachannel package could not be loaded on this platform; clients use the WebSocket",
      { cause },
    );
  }
}

/** The configuration of a connection. */
export function rtcConfig(settings: RtcSettings): RtcConfig {
  const { host, iceServers, iceTransportPolicy, udpPorts } = settings;
  const bindAddress = host === "localhost" ? "127.0.0.1" : host;
  const isWide = host === "0.0.0.0" || host === "::";
  return {
    iceServers: isLoopback(host) && iceTransportPolicy !== "relay" ? [] : nativeIceServers(iceServers()),
    ...(isWide ? {} : { bindAddress }),
    iceTransportPolicy,
    disableAutoNegotiation: true,
    maxMessageSize: MAX_MESSAGE_BYTES,
    ...(udpPorts === undefined ? {} : { portRangeBegin: udpPorts.first, portRangeEnd: udpPorts.last }),
  };
}
