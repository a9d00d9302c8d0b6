import type { Recording } from "@dreamloop/client";
import type { ReactNode } from "react";
import { Icon } from "../../parts/icons.tsx";
import { useText } from "../../text/text-provider.tsx";
import { fileName } from "../recording/recording-clock.ts";
import type { KeptRecording } from "../recording/use-recorder.ts";

/** What the part takes. */
export interface RecordingsTabProps {
  /** Identifier of the world. */
  readonly world: string;
  /** Finished recordings, the newest first. */
  readonly recordings: readonly KeptRecording[];
}

/** Finished recordings with their files. */
export function RecordingsTab({ world, recordings }: RecordingsTabProps): ReactNode {
  const { recordings: text } = useText();
  if (recordings.length === 0) {
    return (
      <section className="menu-part">
        <h3>{text.noneTitle}</h3>
        <p className="hint">{text.noneText}</p>
      </section>
    );
  }
  return (
    <section className="menu-part">
      <ul className="recordings">
        {recordings.map((kept, index) => (
          <RecordingItem
            key={kept.recording.recordingId}
            world={world}
            kept={kept}
            number={recordings.length - index}
          />
        ))}
      </ul>
      <p className="hint">{text.keepHint}</p>
      <p className="hint">{text.speedHint}</p>
      <p className="hint">{text.replayHint("dreamloop replay")}</p>
    </section>
  );
}

function RecordingItem(props: {
  readonly world: string;
  readonly kept: KeptRecording;
  readonly number: number;
}): ReactNode {
  const { recordings: text } = useText();
  const { world, number } = props;
  const { recording, seed, endedAt } = props.kept;
  const { videoSeconds, frameCount, videoBytes, droppedFrames, videoUrl, traceUrl } = recording;
  const nameOf = (extension: string): string => fileName({ world, seed, endedAt, extension });
  return (
    <li>
      <span>
        <strong>{text.name(number)}</strong>
        <small>
          {text.facts(videoSeconds, frameCount, videoBytes)}
          {droppedFrames > 0 ? text.leftOut(droppedFrames) : ""}
        </small>
      </span>
      {videoUrl === undefined ? null : (
        <a className="button is-small" href={videoUrl} download={nameOf("mp4")}>
          <Icon name="download" /> {text.video}
        </a>
      )}
      {traceUrl === undefined ? null : (
        <a
          className="button is-small"
          href={traceUrl}
          download={nameOf(isArchive(recording) ? "tar" : "trace")}
          title={text.traceHint}
        >
          <Icon name="download" /> {text.trace}
        </a>
      )}
    </li>
  );
}

/** A trace with large arrays comes as an archive. */
function isArchive({ tracePath }: Recording): boolean {
  return tracePath?.endsWith(".tar") === true;
}
