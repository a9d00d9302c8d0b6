import type { GamepadNews } from "@dreamloop/client";
import { useCallback, useEffect, useRef, useState } from "react";

/** What a person may have in hand. */
export type Device = "keyboard" | "touch" | "gamepad" | "wheel";

/** What a person has in hand. */
export interface DeviceInHand {
  /** The device. */
  readonly device: Device;
  /** The browser's name of the gamepad or wheel. */
  readonly gamepadId: string | undefined;
  /** To be called with gamepads and wheels that come and go. */
  readonly noteGamepad: (news: GamepadNews) => void;
}

/** Which device is in hand: the one that was used last, at first what the machine looks like. `onNews` hears of gamepads that come and go. */
export function useDevice(onNews: (news: GamepadNews) => void): DeviceInHand {
  const [device, setDevice] = useState<Device>(() =>
    window.matchMedia("(pointer: coarse) and (hover: none)").matches ? "touch" : "keyboard",
  );
  const [gamepadId, setGamepadId] = useState<string | undefined>();
  const newest = useRef(onNews);
  useEffect(() => {
    newest.current = onNews;
  });
  const noteGamepad = useCallback((news: GamepadNews) => {
    const { id, kind, connected } = news;
    setGamepadId(connected ? id : undefined);
    setDevice(connected ? kind : "keyboard");
    newest.current(news);
  }, []);
  useEffect(() => {
    const onPointer = (event: PointerEvent): void => {
      if (event.pointerType === "touch") setDevice("touch");
    };
    const onKey = (): void => setDevice((before) => (before === "touch" ? before : "keyboard"));
    window.addEventListener("pointerdown", onPointer);
    window.addEventListener("keydown", onKey);
    return () => {
      window.removeEventListener("pointerdown", onPointer);
      window.removeEventListener("keydown", onKey);
    };
  }, []);
  return { device, gamepadId, noteGamepad };
}

/** The name of a gamepad or wheel without what browsers put behind it; `undefined` where nothing is left. */
export function padName(id: string | undefined): string | undefined {
  const name = id?.replace(/\s*\(.*\)\s*$/, "").trim();
  return name === "" ? undefined : name;
}
