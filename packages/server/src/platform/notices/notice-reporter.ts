import type { Clock } from "@dreamloop/core";
import { RateTable } from "../limits/rate-table.ts";
import { TokenBucket } from "../limits/token-bucket.ts";
import type { ServerNotice } from "./server-notice.ts";

/** An origin is told of once in so many seconds. */
const ORIGIN_SECONDS = 3600;
/** Failed sessions of one world that are told of at once, and seconds for each further one. */
const FAILURES = { burst: 3, seconds: 20 };
/** Notices of any kind that are told at once, and seconds for each further one. */
const ALL = { burst: 12, seconds: 10 };

/** Origins that are plain enough to be printed. */
const PRINTABLE_ORIGIN = /^(?:https?:\/\/[\w.:[\]-]{1,200}|null)$/i;

/** Tells whoever runs the server what happens, however often clients bring it about: notices of one kind and all of them are bounded. */
export class NoticeReporter {
  readonly #clock: Clock;
  readonly #tell: ((notice: ServerNotice) => void) | undefined;
  readonly #origins = new RateTable({ perSecond: 1 / ORIGIN_SECONDS, burst: 1 });
  readonly #failures = new RateTable({ perSecond: 1 / FAILURES.seconds, burst: FAILURES.burst });
  readonly #all = new TokenBucket({ perSecond: 1 / ALL.seconds, burst: ALL.burst });

  /** Tells nothing where there is nobody to tell. */
  constructor(clock: Clock, tell: ((notice: ServerNotice) => void) | undefined) {
    this.#clock = clock;
    this.#tell = tell;
  }

  /** Tells of something, unless the like was told too often lately. */
  note(notice: ServerNotice): void {
    if (this.#tell === undefined) return;
    if (notice.type === "origin_refused" && !PRINTABLE_ORIGIN.test(notice.origin)) return;
    const nowSeconds = this.#clock.nowSeconds();
    const isNews =
      notice.type === "origin_refused"
        ? this.#origins.take(notice.origin.toLowerCase(), nowSeconds)
        : this.#failures.take(notice.type === "server_fault" ? " server" : notice.worldId, nowSeconds);
    if (isNews && this.#all.take(nowSeconds)) this.#tell(notice);
  }
}
