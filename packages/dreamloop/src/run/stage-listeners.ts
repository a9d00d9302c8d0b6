import type { StageListener } from "@dreamloop/core";

/** Several stage listeners as one; `undefined` without any, so that the loop reads no clock for them. */
export function stageListeners(listeners: readonly StageListener[]): StageListener | undefined {
  if (listeners.length < 2) return listeners[0];
  return {
    stage: (stage, stepNumber, startSeconds, endSeconds) => {
      for (const listener of listeners) listener.stage(stage, stepNumber, startSeconds, endSeconds);
    },
  };
}
