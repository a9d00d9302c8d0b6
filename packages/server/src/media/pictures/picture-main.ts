import { errorToRecord } from "@dreamloop/core/internal";
import { cleanPicture } from "@dreamloop/outputs";
import type { FromPictureProcess, ToPictureProcess } from "./picture-messages.ts";

/** How often the memory is looked at, in milliseconds. */
const MEMORY_CHECK_MILLISECONDS = 20;

// The process that decodes pictures: one at a time, until its parent is gone. It ends itself when it needs more memory than it was given.
const maxBytes = Number(process.argv[2]);
setInterval(() => {
  if (process.memoryUsage.rss() > maxBytes) process.kill(process.pid, "SIGKILL");
}, MEMORY_CHECK_MILLISECONDS).unref();
process.on("disconnect", () => process.exit());
// Stop signals of the terminal are the parent's business.
process.on("SIGINT", () => undefined);
process.on("SIGTERM", () => undefined);
process.on("SIGHUP", () => undefined);
process.on("message", ({ bytes, options }: ToPictureProcess) => {
  cleanPicture(bytes, options).then(
    (picture) => answer({ ok: true, picture }),
    (error: unknown) => answer({ ok: false, error: errorToRecord(error) }),
  );
});

function answer(message: FromPictureProcess): void {
  process.send?.(message);
}
