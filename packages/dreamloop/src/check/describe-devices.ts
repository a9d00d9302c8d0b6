import type { DeviceState } from "@dreamloop/onnx/node";

/** What worlds in ONNX can run on here, one line for each device: its name for `--set device=`, and why it is not there. */
export function describeDevices(devices: readonly DeviceState[]): readonly string[] {
  return devices.map(({ device, isThere, reason = "" }) =>
    isThere ? `device ${device}: is here` : `device ${device}: is not here: ${reason}`,
  );
}
