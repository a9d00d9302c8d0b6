import { useEffect, useState, type ReactNode } from "react";
import { timeText } from "../../text/time-text.ts";

/** A moment file that was dropped, and how many were before. */
export interface DroppedMoment {
  /** The file. */
  readonly file: File;
  /** Which one it is, so that the same file opens again. */
  readonly turn: number;
}

/** Takes moment files that are dropped anywhere on the page, and shows that it would. */
export function MomentDrop({ onMoment }: { readonly onMoment: (moment: DroppedMoment) => void }): ReactNode {
  const [isOver, setOver] = useState(false);
  const text = timeText(document.documentElement.lang || navigator.language);
  useEffect(() => {
    let turn = 0;
    let depth = 0;
    const holdsFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") === true;
    const onEnter = (event: DragEvent): void => {
      if (!holdsFiles(event)) return;
      depth += 1;
      setOver(true);
    };
    const onLeave = (event: DragEvent): void => {
      if (!holdsFiles(event)) return;
      depth = Math.max(0, depth - 1);
      if (depth === 0) setOver(false);
    };
    const onOver = (event: DragEvent): void => {
      if (holdsFiles(event)) event.preventDefault();
    };
    const onDrop = (event: DragEvent): void => {
      depth = 0;
      setOver(false);
      const file = [...(event.dataTransfer?.files ?? [])].find(({ name }) => name.toLowerCase().endsWith(".dream"));
      if (file === undefined) return;
      event.preventDefault();
      turn += 1;
      onMoment({ file, turn });
    };
    window.addEventListener("dragenter", onEnter);
    window.addEventListener("dragleave", onLeave);
    window.addEventListener("dragover", onOver);
    window.addEventListener("drop", onDrop);
    return () => {
      window.removeEventListener("dragenter", onEnter);
      window.removeEventListener("dragleave", onLeave);
      window.removeEventListener("dragover", onOver);
      window.removeEventListener("drop", onDrop);
    };
  }, [onMoment]);
  return isOver ? <p className="moment-drop">{text.dropMoment}</p> : null;
}
