import { errorToRecord } from "@dreamloop/core";
import type { ControlResponse } from "@dreamloop/protocol";

/** What a socket is told that is not let in, before it is closed: the whole error, for which the reason of a close has no room. */
export function refusalOf(error: unknown): ControlResponse {
  return { type: "response", id: 0, ok: false, error: errorToRecord(error) };
}
