import type { Recording } from "@dreamloop/client";
import type { ReactNode } from "react";
import { Icon } from "../../parts/icons.tsx";

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
    <ul className="recordings">
      {recordings.map((recording, index) => (
        <li key={recording.recordingId}>
          <span>
            <strong>Recording {recordings.length - index}</strong>
            <small>
              {recording.frameCount} frames, {size(recording.videoBytes)}
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
              download={`dreamloop-${recording.recordingId}.trace`}
            >
              <Icon name="download" /> Trace
            </a>
          )}
        </li>
      ))}
    </ul>
  );
}

function size(bytes: number): string {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
