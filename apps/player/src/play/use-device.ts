import type { GamepadNews } from "@dreamloop/client";
import { useCallback, useEffect, useState } from "react";

/** What a person has in hand. */
export type Device = "keyboard" | "touch" | "gamepad";

/** Which device is in hand: the one that was used last, at first what the machine looks like. */
export function useDevice(): {
  readonly device: Device;
  readonly gamepadName: string | undefined;
  readonly noteGamepad: (news: GamepadNews) => void;
} {
  const [device, setDevice] = useState<Device>(() =>
    window.matchMedia("(pointer: coarse) and (hover: none)").matches ? "touch" : "keyboard",
  );
  const [gamepadName, setGamepadName] = useState<string | undefined>();
  const noteGamepad = useCallback(({ id, connected }: GamepadNews) => {
    setGamepadName(connected ? id.replace(/\s*\(.*\)\s*$/, "") : undefined);
    setDevice(connected ? "gamepad" : "keyboard");
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
  return { device, gamepadName, noteGamepad };
}
