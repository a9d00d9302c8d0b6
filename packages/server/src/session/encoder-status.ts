import type { HardwarePreference, VideoEncoderSettings } from "@dreamloop/outputs";
import type { EncoderStatus } from "@dreamloop/protocol";

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
