import type { Recording } from "@dreamloop/client";
import type { ReactNode } from "react";
import { Icon } from "../../parts/icons.tsx";
import { videoLength } from "../recording-clock.ts";

/** Finished recordings with their files. */
export function RecordingList({ recordings }: { readonly recordings: readonly Recording[] }): ReactNode {
  if (recordings.length === 0) {
    return (
      <section className="menu-part">
        <h3>No recordings yet</h3>
        <p className="hint">
          Record gives an MP4 and, where it can be kept, an exact trace from which the run can be repeated frame by
          frame.
        </p>
      </section>
    );
  }
  return (
    <section className="menu-part">
      <ul className="recordings">
        {recordings.map((recording, index) => (
          <li key={recording.recordingId}>
            <span>
              <strong>Recording {recordings.length - index}</strong>
              <small>
                {videoLength(recording.videoSeconds)}, {recording.frameCount} frames, {size(recording.videoBytes)}
                {recording.droppedFrames > 0 ? `, ${recording.droppedFrames} left out` : ""}
              </small>
            </span>
            {recording.videoUrl === undefined ? null : (
              <a
                className="button is-small"
                href={recording.videoUrl}
                download={`dreamloop-${recording.recordingId}.mp4`}
              >
                <Icon name="download" /> MP4
              </a>
            )}
            {recording.traceUrl === undefined ? null : (
              <a
                className="button is-small"
                href={recording.traceUrl}
                download={`dreamloop-${recording.recordingId}.${isArchive(recording) ? "tar" : "trace"}`}
                title="The whole session up to the end of this recording, for dreamloop replay"
              >
                <Icon name="download" /> Session trace
              </a>
            )}
          </li>
        ))}
      </ul>
      <p className="hint">
        Videos play at the world&rsquo;s own speed, so they are shorter than the clock on the wall where it ran slowly.
        A session trace holds the whole session, from its start to the end of that recording:{" "}
        <code>dreamloop replay</code> runs it again, frame by frame.
      </p>
    </section>
  );
}

/** A trace with arrays that stand in no line comes as an archive. */
function isArchive({ tracePath }: Recording): boolean {
  return tracePath?.endsWith(".tar") === true;
}

function size(bytes: number): string {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
