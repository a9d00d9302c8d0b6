import type { DreamloopError } from "@dreamloop/core";
import { errorFromRecord } from "@dreamloop/core/internal";
import type { VideoEncoderSettings } from "@dreamloop/outputs";
import type { FromMedia, MediaFrame, MediaStats } from "./media-messages.ts";

/** What a session hears of its media. */
export interface MediaFeedEvents {
  /** Gets every encoded frame, for each codec in order; until the media are closed also those that were on their way when that was asked for. */
  readonly onFrame: (frame: MediaFrame) => void;
  /** Gets counters about once a second. */
  readonly onStats: (stats: MediaStats) => void;
  /** Told of every encoder that was started, with what holds in it. */
  readonly onEncoder: (settings: VideoEncoderSettings) => void;
  /** Told once when there will be no more frames because something failed. */
  readonly onFault: (error: DreamloopError) => void;
}

interface Feed {
  readonly events: MediaFeedEvents;
  readonly markClosed: () => void;
}

/** What the media worker says of one session. */
type FeedMessage = Extract<FromMedia, { readonly mediaId: number }>;

/** The open media of all sessions: hands on what the worker says of each. */
export class MediaFeeds {
  readonly #feeds = new Map<number, Feed>();
  #lateFrames = 0;

  /** Media that are open. */
  get count(): number {
    return this.#feeds.size;
  }

  /** Frames for media that were closed already. The worker sends none once it has said so: each is a fault. */
  get lateFrames(): number {
    return this.#lateFrames;
  }

  /** Adds the media of a session; resolves when they are closed. */
  open(mediaId: number, events: MediaFeedEvents): Promise<void> {
    return new Promise((markClosed) => this.#feeds.set(mediaId, { events, markClosed }));
  }

  /** Takes a message; everything but a frame may come for media that are closed. */
  take(message: FeedMessage): void {
    const feed = this.#feeds.get(message.mediaId);
    switch (message.type) {
      case "frame":
        if (feed === undefined) this.#lateFrames += 1;
        else feed.events.onFrame(message.frame);
        break;
      case "stats":
        feed?.events.onStats(message.stats);
        break;
      case "encoder":
        feed?.events.onEncoder(message.settings);
        break;
      case "fault":
        feed?.events.onFault(errorFromRecord(message.error));
        break;
      case "closed":
        this.#feeds.delete(message.mediaId);
        feed?.markClosed();
        break;
    }
  }

  /** There is no worker any more: all media are closed, by a fault when one is given. */
  closeAll(fault?: DreamloopError): void {
    const feeds = [...this.#feeds.values()];
    this.#feeds.clear();
    for (const { events, markClosed } of feeds) {
      markClosed();
      if (fault !== undefined) events.onFault(fault);
    }
  }
}
