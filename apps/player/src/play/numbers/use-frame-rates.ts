import type { PlaySession, PlayState } from "@dreamloop/client";
import { usePlayEvent } from "@dreamloop/client/react";
import { useEffect, useRef, useState } from "react";
import { FrameRateMeter, type FrameRates } from "./frame-rates.ts";

/** The rates of the frames that are shown, new once a second; `undefined` while there is nothing to measure. */
export function useFrameRates(session: PlaySession, state: PlayState | undefined): FrameRates | undefined {
  const meter = useRef(new FrameRateMeter());
  const [rates, setRates] = useState<FrameRates | undefined>();
  useEffect(() => {
    meter.current.clear();
    setRates(undefined);
  }, [session, state]);
  usePlayEvent(session, "frame", ({ metadata, presentedAtMilliseconds }) => {
    if (metadata !== undefined) meter.current.see(metadata.frameIndex, presentedAtMilliseconds);
  });
  usePlayEvent(session, "stats", () =>
    setRates(state === "running" ? meter.current.read(performance.now()) : undefined),
  );
  return rates;
}
