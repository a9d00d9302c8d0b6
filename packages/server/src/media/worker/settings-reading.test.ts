import type { VideoEncoderSettings } from "@dreamloop/outputs";
import { describe, expect, it } from "vitest";
import { SettingsReading } from "./settings-reading.ts";

const SETTINGS: VideoEncoderSettings = {
  backend: "test",
  implementation: "none",
  isHardware: false,
  codec: "h264",
  codecString: "avc1.42c014",
  width: 64,
  height: 48,
  codedWidth: 64,
  codedHeight: 48,
  bitrateBitsPerSecond: 1_000_000,
  keyFrameIntervalFrames: 300,
  latency: "realtime",
  speed: "realtime",
  lookAheadFrames: 0,
  bFrames: 0,
  range: "limited",
};

describe("what holds in an encoder", () => {
  it("D4: is told once, as soon as the encoder was seen to hold nothing back", () => {
    const reading = new SettingsReading();
    // The second picture was handed in before the first frame came out, since starting takes a while.
    expect(reading.note(SETTINGS, 1)).toBeUndefined();
    expect(reading.note(SETTINGS, 0)).toMatchObject({ lookAheadFrames: 0, bFrames: 0 });
    for (let frame = 0; frame < 50; frame += 1) expect(reading.note(SETTINGS, frame % 2)).toBeUndefined();
  });

  it("D4: an encoder that always holds pictures back is found out, whatever it says of itself", () => {
    const reading = new SettingsReading();
    const told = Array.from({ length: 20 }, (_, frame) => reading.note(SETTINGS, frame === 3 ? 2 : 3));
    expect(told.filter((each) => each !== undefined)).toMatchObject([{ lookAheadFrames: 2 }]);
  });

  it("D4: frames out of order are told when they come", () => {
    const reading = new SettingsReading();
    reading.note(SETTINGS, 0);
    expect(reading.note({ ...SETTINGS, bFrames: 1 }, 0)).toMatchObject({ bFrames: 1 });
    expect(reading.note({ ...SETTINGS, bFrames: 1 }, 0)).toBeUndefined();
  });
});
