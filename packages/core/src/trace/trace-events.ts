import { userInputEvent, type UserInputEvent } from "../inputs/user-input-event.ts";
import type { FrameHasher } from "../rollout/run-observer.ts";
import type { Mapping } from "../foundation/validate/reader.ts";
import type { Trace } from "./read-trace.ts";
import { PayloadReader } from "./value/payload-reader.ts";
import type { PayloadStore } from "../snapshot/content/payload-store.ts";
import { resolveValue } from "./value/resolve-value.ts";

/** How the events of a trace are read. */
export interface TraceEventsOptions {
  /** Proves content that is read. */
  readonly hasher: FrameHasher;
  /** Where content is kept that does not stand in the trace. */
  readonly payloads?: PayloadStore;
}

/** What a person did in a recorded run. */
export interface RecordedEvents {
  /** All events of all steps, control events included, in non-decreasing time. */
  readonly events: readonly UserInputEvent[];
  /** The end of the last window, in seconds. */
  readonly endSeconds: number;
}

/**
 * The events of a trace, to be played in another run (`eventListSource`), of another world for instance. A replay, which repeats the
 * very same run, is `replayTrace`. Throws `replay_refused` when content is missing and `trace_invalid` when it is damaged.
 */
export async function traceEvents(trace: Trace, options: TraceEventsOptions): Promise<RecordedEvents> {
  const payloads = new PayloadReader(options.payloads, options.hasher);
  const events: UserInputEvent[] = [];
  for (const step of trace.steps) {
    for (const { payload, ...event } of step.events) {
      const place = `${event.eventType} in step ${step.stepNumber}`;
      events.push(userInputEvent({ ...event, payload: (await resolveValue(payload, place, payloads)) as Mapping }));
    }
  }
  return { events: Object.freeze(events), endSeconds: trace.steps.at(-1)?.window.endSeconds ?? 0 };
}
