import type { GamepadNews } from "@dreamloop/client";
import { useCallback, useEffect, useState } from "react";

/** What a person may have in hand. */
export type Device = "keyboard" | "touch" | "gamepad" | "wheel";

/** What a person has in hand. */
export interface DeviceInHand {
  /** The device. */
  readonly device: Device;
  /** The browser's name of the gamepad or wheel. */
  readonly gamepadId: string | undefined;
  /** To be told of gamepads and wheels that come and go. */
  readonly noteGamepad: (news: GamepadNews) => void;
}

/** Which device is in hand: the one that was used last, at first what the machine looks like. */
export function useDevice(): DeviceInHand {
  const [device, setDevice] = useState<Device>(() =>
    window.matchMedia("(pointer: coarse) and (hover: none)").matches ? "touch" : "keyboard",
  );
  const [gamepadId, setGamepadId] = useState<string | undefined>();
  const noteGamepad = useCallback(({ id, kind, connected }: GamepadNews) => {
    setGamepadId(connected ? id : undefined);
    setDevice(connected ? kind : "keyboard");
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
