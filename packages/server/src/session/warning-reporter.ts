import type { RunWarning } from "@dreamloop/core";
import { FRAME_WARNINGS } from "@dreamloop/core/internal";
import type { NoticeMessage } from "@dreamloop/protocol";
import type { SessionLog } from "./session-log.ts";

/** What is odd about pictures concerns whoever made the world: players see for themselves what a picture looks like. */
const FOR_AUTHORS: ReadonlySet<string> = new Set(Object.values(FRAME_WARNINGS));

/** Where the warnings of a session go. */
export interface WarningReceivers {
  /** Gets the first, the tenth, the hundredth, … of each kind, so that no kind fills it. */
  readonly log: Pick<SessionLog, "note">;
  /** Those who play and watch, who hear of all that is not the business of the world's author alone. */
  readonly audience: { notify(message: NoticeMessage): void };
}

/** Counts the warnings of a session and passes them on. */
export class WarningReporter {
  readonly #counts = new Map<string, number>();

  /** Takes a warning. */
  take({ kind, message, details }: RunWarning, { log, audience }: WarningReceivers): void {
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    if (/^10*$/.test(String(count))) log.note("warning", { kind, message, count });
    if (FOR_AUTHORS.has(kind)) return;
    audience.notify({ type: "notice", kind, message, ...(details === undefined ? {} : { details }) });
  }
}
