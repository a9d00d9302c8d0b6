import { getEnvironmentData, setEnvironmentData } from "node:worker_threads";

/** The name under which engines find the memory; see `DeviceLock` in `@dreamloop/onnx`, which has the same name. */
const NAME = "dreamloop.device-lock";

/** Gives the threads that are started from now on memory for a lock on devices whose libraries support one thread at a time. */
export function shareDeviceLock(): void {
  if (!(getEnvironmentData(NAME) instanceof SharedArrayBuffer)) {
    setEnvironmentData(NAME, new SharedArrayBuffer(4));
  }
}
