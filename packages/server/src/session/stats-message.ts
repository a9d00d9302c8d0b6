import type { HardwarePreference, VideoEncoderSettings } from "@dreamloop/outputs";
import type { EncoderStatus, SessionStatsMessage } from "@dreamloop/protocol";
import { NO_ENCODER, type MediaStats } from "../media/media-messages.ts";
import type { Connection } from "../viewers/connection.ts";

/** The counters of a session as clients get them. */
export function statsMessage(
  stats: MediaStats,
  session: {
    /** The player, or whoever watches when there is none. */
    readonly main: Connection | undefined;
    /** The encoder in use, once it is known. */
    readonly encoder: EncoderStatus | undefined;
    /** Viewers, the player included. */
    readonly viewerCount: number;
    /** Frames that came too late. */
    readonly lateFrames: number;
  },
): SessionStatsMessage {
  const { main, encoder, viewerCount, lateFrames } = session;
  return {
    type: "stats",
    generatedFramesPerSecond: stats.generatedFramesPerSecond,
    encodedFramesPerSecond: stats.encodedFramesPerSecond,
    modelMilliseconds: stats.modelSeconds * 1000,
    encodeMilliseconds: stats.encodeSeconds * 1000,
    underrunCount: stats.underrunCount,
    drops: { ...stats.drops, late: lateFrames, viewer: main?.droppedFrames ?? 0 },
    targetBitrateBitsPerSecond: stats.bitrateBitsPerSecond,
    codec: main?.outlet.codec ?? "none",
    encoder: encoder?.name ?? NO_ENCODER,
    ...(encoder === undefined ? {} : { encoderSettings: encoder }),
    transport: main?.outlet.transport ?? "none",
    viewerCount,
  };
}

/** What clients are told of an encoder, from its settings as read back and what was asked of it. */
export function encoderStatus(settings: VideoEncoderSettings, hardwareAsked: HardwarePreference): EncoderStatus {
  const { backend, implementation, isHardware, codecString, speed, lookAheadFrames, bFrames } = settings;
  const { bitrateBitsPerSecond } = settings;
  return {
    name: `${backend}/${implementation}`,
    isHardware,
    hardwareAsked,
    codecString,
    speed,
    lookAheadFrames,
    bFrames,
    bitrateBitsPerSecond,
  };
}
