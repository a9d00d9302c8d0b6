import type { ReactNode } from "react";
import { Dialog } from "../../parts/dialog.tsx";
import { useText } from "../../text/text-provider.tsx";

/** Asks before a running recording is lost. */
export function LeaveQuestion(props: {
  /** Stays. */
  readonly onStay: () => void;
  /** Ends the recording, so that it can be fetched, and stays. */
  readonly onSave: () => void;
  /** Leaves. */
  readonly onLeave: () => void;
}): ReactNode {
  const { recordings } = useText();
  return (
    <Dialog title={recordings.leaveTitle} className="question" onClose={props.onStay}>
      <p>{recordings.leaveText}</p>
      <div className="question-actions">
        <button type="button" className="button" onClick={props.onLeave}>
          {recordings.leaveAnyway}
        </button>
        <button type="button" className="button" onClick={props.onStay}>
          {recordings.stay}
        </button>
        <button type="button" className="button is-primary" data-focus-first onClick={props.onSave}>
          {recordings.saveFirst}
        </button>
      </div>
    </Dialog>
  );
}
