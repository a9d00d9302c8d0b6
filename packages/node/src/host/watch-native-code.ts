import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import type { ThreadMarks } from "./thread-marks.ts";

/** Marks this thread when the first native add-on is loaded into it, and loads none once its end has begun; see `ThreadMarks`. */
export function watchNativeCode(marks: ThreadMarks): void {
  const open = process.dlopen.bind(process);
  process.dlopen = (...given) => {
    if (!marks.noteNativeCode()) throw new DreamloopError(ERROR_CODES.cancelled, "the thread is being ended");
    open(...given);
  };
}
