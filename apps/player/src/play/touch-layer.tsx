import { mountTouchControls, type ControlLayout, type InputCapture, type PlaySession } from "@dreamloop/client";
import { useEffect, useRef, type ReactNode } from "react";

/** Stick and buttons for fingers. */
export function TouchLayer(props: {
  readonly session: PlaySession;
  readonly capture: InputCapture;
  readonly layout: ControlLayout;
}): ReactNode {
  const { session, capture, layout } = props;
  const container = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (container.current === null) return undefined;
    const controls = mountTouchControls(session, capture, container.current);
    return () => controls.close();
  }, [session, capture, layout]);
  return <div ref={container} className="touch-layer" />;
}
