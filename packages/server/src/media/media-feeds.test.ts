import { describe, expect, it } from "vitest";
import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import { MediaFeeds } from "./media-feeds.ts";
import type { FromMedia, MediaFrame } from "./media-messages.ts";

/** Feeds with one that is open, and what it heard. */
function oneOpen() {
  const feeds = new MediaFeeds();
  const heard: string[] = [];
  const note = (what: string) => () => void heard.push(what);
  const closed = feeds.open(1, {
    onFrame: note("frame"),
    onStats: note("stats"),
    onEncoder: note("encoder"),
    onFault: ({ code }) => void heard.push(code),
  });
  void closed.then(note("closed"));
  return { feeds, heard, closed };
}

const frame: FromMedia = { type: "frame", mediaId: 1, frame: {} as MediaFrame };

describe("MediaFeeds", () => {
  it("C7: hands on frames until the worker says that the media are closed; one that follows is a fault and counted", async () => {
    const { feeds, heard, closed } = oneOpen();
    feeds.take(frame);
    feeds.take({ type: "closed", mediaId: 1 });
    await closed;
    expect(heard).toEqual(["frame", "closed"]);
    expect(feeds).toMatchObject({ count: 0, lateFrames: 0 });
    feeds.take(frame);
    expect(heard).toEqual(["frame", "closed"]);
    expect(feeds.lateFrames).toBe(1);
  });

  it("C7: what else comes for media that are closed is passed over, and other media hear nothing of it", () => {
    const { feeds, heard } = oneOpen();
    const error = { code: ERROR_CODES.encoderFailed, message: "x", retryable: false, details: {} };
    feeds.take({ type: "fault", mediaId: 2, error });
    feeds.take({ type: "closed", mediaId: 2 });
    expect(heard).toEqual([]);
    expect(feeds).toMatchObject({ count: 1, lateFrames: 0 });
  });

  it("tells all media when there is no worker any more", async () => {
    const { feeds, heard, closed } = oneOpen();
    feeds.closeAll(new DreamloopError(ERROR_CODES.workerFailed, "the media worker failed"));
    await closed;
    expect(heard).toEqual(["worker_failed", "closed"]);
    expect(feeds.count).toBe(0);
  });
});
