import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { DreamloopError, ERROR_CODES, type Clock } from "@dreamloop/core";
import type { RecordingFacts } from "@dreamloop/protocol";
import type { RecordedVideo } from "../media/media-messages.ts";
import { newSecret } from "../platform/security/secrets.ts";
import type { RecordingStore } from "./recording-store.ts";
import { SessionTrace, type TraceView } from "./session-trace.ts";

/** A finished recording. */
export interface StoredRecording {
  /** What clients see of it. */
  readonly facts: RecordingFacts;
  /** The video; absent when no frame was recorded. */
  readonly videoFile?: string;
  /** The trace of the session up to its end; absent when none was kept. */
  readonly trace?: TraceView;
}

/** The limits of the recordings of one session. */
export interface RecordingLimits {
  /** Recordings that are kept. */
  readonly count: number;
  /** Bytes of the session's trace with its arrays; a larger one is given up. */
  readonly traceBytes: number;
}

/** The recordings of one session and the trace of its run. No name in it comes from a client. */
export class SessionRecordings {
  /** The trace of the run. */
  readonly trace: SessionTrace;
  readonly #folder: string;
  readonly #sessionId: string;
  readonly #limits: RecordingLimits;
  readonly #clock: Clock;
  readonly #stored: StoredRecording[] = [];
  #active: { readonly recordingId: string; readonly folder: string; readonly startSeconds: number } | undefined;

  private constructor(options: {
    readonly folder: string;
    readonly sessionId: string;
    readonly limits: RecordingLimits;
    readonly clock: Clock;
    readonly trace: SessionTrace;
  }) {
    this.#folder = options.folder;
    this.#sessionId = options.sessionId;
    this.#limits = options.limits;
    this.#clock = options.clock;
    this.trace = options.trace;
  }

  /** Makes the session's folder and begins its trace. */
  static async open(options: {
    readonly store: RecordingStore;
    readonly sessionId: string;
    readonly limits: RecordingLimits;
    readonly clock: Clock;
  }): Promise<SessionRecordings> {
    const { store, sessionId, limits, clock } = options;
    const folder = await store.sessionFolder();
    const trace = await SessionTrace.open(folder, { bytes: limits.traceBytes });
    return new SessionRecordings({ folder, sessionId, limits, clock, trace });
  }

  /** What can be fetched. */
  get facts(): readonly RecordingFacts[] {
    return this.#stored.map(({ facts }) => facts);
  }

  /** Seconds that the recording under way has lasted; absent when there is none. */
  get activeSeconds(): number | undefined {
    return this.#active === undefined ? undefined : this.#clock.nowSeconds() - this.#active.startSeconds;
  }

  /** Begins a recording; gives its id and the file for the video. */
  async begin(): Promise<{ readonly recordingId: string; readonly videoFile: string }> {
    if (this.#active !== undefined)
      throw new DreamloopError(ERROR_CODES.invalidState, "record_start: a recording is under way; stop it first");
    const recordingId = newSecret();
    const folder = join(this.#folder, recordingId);
    this.#active = { recordingId, folder, startSeconds: this.#clock.nowSeconds() };
    await mkdir(folder, { mode: 0o700 });
    return { recordingId, videoFile: join(folder, "video.mp4") };
  }

  /** Forgets a recording that could not begin. */
  async abandon(): Promise<void> {
    const active = this.#active;
    this.#active = undefined;
    if (active !== undefined) await rm(active.folder, { recursive: true, force: true });
  }

  /** Bytes of the video under way, as far as they are on the disk. */
  async activeBytes(): Promise<number> {
    if (this.#active === undefined) return 0;
    // The file grows under a name of its own until it is complete.
    const { folder } = this.#active;
    const names = await readdir(folder).catch(() => []);
    const sizes = await Promise.all(names.map((name) => stat(join(folder, name)).catch(() => ({ size: 0 }))));
    return sizes.reduce((sum, { size }) => sum + size, 0);
  }

  /** Completes a recording of a world's rate: its video is closed, and the trace of the session up to now belongs to it. */
  async finish(video: RecordedVideo, framesPerSecond: number): Promise<RecordingFacts> {
    const active = this.#active;
    if (active === undefined)
      throw new DreamloopError(ERROR_CODES.invalidState, "record_stop: no recording is under way; start one first");
    this.#active = undefined;
    const { recordingId, folder } = active;
    const trace = await this.trace.view();
    const path = `/api/sessions/${this.#sessionId}/recordings/${recordingId}`;
    const facts: RecordingFacts = {
      recordingId,
      ...(video.frameCount === 0 ? {} : { videoPath: `${path}/video.mp4` }),
      ...(trace === undefined ? {} : { tracePath: `${path}/${trace.addresses.size === 0 ? "run.trace" : "run.tar"}` }),
      frameCount: video.frameCount,
      droppedFrames: video.droppedFrames,
      videoBytes: video.bytes,
      // What was left out has left a gap.
      videoSeconds: video.frameCount === 0 ? 0 : (video.frameCount + video.droppedFrames) / framesPerSecond,
    };
    this.#stored.push({
      facts,
      ...(video.frameCount === 0 ? {} : { videoFile: join(folder, "video.mp4") }),
      ...(trace === undefined ? {} : { trace }),
    });
    if (this.#stored.length > this.#limits.count) {
      const oldest = this.#stored.shift();
      if (oldest !== undefined)
        await rm(join(this.#folder, oldest.facts.recordingId), { recursive: true, force: true });
    }
    return facts;
  }

  /** A finished recording by its id. */
  find(recordingId: string): StoredRecording | undefined {
    return this.#stored.find(({ facts }) => facts.recordingId === recordingId);
  }

  /** Deletes everything of the session. */
  async close(): Promise<void> {
    await this.trace.close();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
