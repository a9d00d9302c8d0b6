import { parseScript } from "@dreamloop/core";
import { countOf, formatDuration } from "../terminal/format.ts";
import { line, type Inspection } from "./inspection.ts";

/** Says what a script does; throws `trace_invalid` naming line and column of its first fault. */
export function inspectScript(text: string): Inspection {
  const { events, endSeconds } = parseScript(text);
  const counts = new Map<string, number>();
  for (const { eventType } of events) counts.set(eventType, (counts.get(eventType) ?? 0) + 1);
  const lastSeconds = events.at(-1)?.timestampSeconds ?? 0;
  const eventTypes = Object.fromEntries(counts);
  return {
    kind: "script",
    facts: { eventCount: events.length, eventTypes, lastSeconds, ...(endSeconds === undefined ? {} : { endSeconds }) },
    lines: [
      ...line("length", formatDuration(endSeconds ?? lastSeconds)),
      ...line(
        "events",
        `${countOf(events.length, "event")}: ${[...counts].map(([type, count]) => `${count} ${type}`).join(", ")}`,
      ),
    ],
  };
}
