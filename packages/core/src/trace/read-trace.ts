import { DreamloopError, ERROR_CODES, isDreamloopError } from "../foundation/dreamloop-error.ts";
import { TraceAssembler, type TraceItem } from "./format/trace-assembler.ts";
import { readTraceRecord } from "./format/read-records.ts";
import { traceLines, type TraceChunks, type TraceLine } from "./format/trace-lines.ts";
import {
  DEFAULT_TRACE_LIMITS,
  type TraceFooter,
  type TraceFork,
  type TraceHeader,
  type TraceLimits,
  type TracePause,
  type TraceReset,
  type TraceStep,
  type TraceTolerance,
} from "./format/trace-records.ts";

/** How a trace is read. */
export interface ReadTraceOptions {
  /** Bounds of what is accepted; default `DEFAULT_TRACE_LIMITS`. */
  readonly limits?: Partial<TraceLimits>;
}

/** How a trace ended. */
export interface TraceEnd {
  /** Whether the footer is there, so that the run ended by itself; without it the trace was cut off. */
  readonly complete: boolean;
  /** Lines in the trace, a cut one included. */
  readonly lineCount: number;
  /** Lines after the last whole step that could not be used: a cut one and those whose step is missing. */
  readonly droppedLines: number;
}

/** A trace in memory, up to its last whole step. */
export interface Trace extends TraceEnd {
  /** What was known at the start. */
  readonly header: TraceHeader;
  /** Every whole step with its events, resets and update. */
  readonly steps: readonly TraceStep[];
  /** Pauses and their ends. */
  readonly pauses: readonly TracePause[];
  /** Sessions that were begun from moments of this one. */
  readonly forks: readonly TraceFork[];
  /** Resets after the last step. */
  readonly trailingResets: readonly TraceReset[];
  /** How the run ended; absent: the trace was cut off. */
  readonly footer?: TraceFooter;
  /** The newest measured tolerance, if one was added. */
  readonly tolerance?: TraceTolerance;
}

/**
 * Reads a trace step by step. A trace that was cut off, also in the middle of a line or of a letter, is read up to its last whole step. Throws
 * `trace_invalid` naming the line of everything else that cannot be read: a line that is no JSON, an unknown kind of line, a wrong value,
 * an order that no run can have made, an unknown format version, a trace without a whole header.
 */
export async function* traceItems(
  chunks: TraceChunks,
  options: ReadTraceOptions = {},
): AsyncGenerator<TraceItem, TraceEnd, void> {
  const limits = { ...DEFAULT_TRACE_LIMITS, ...options.limits };
  const assembler = new TraceAssembler(limits);
  let lineCount = 0;
  let cutLines = 0;
  for await (const line of traceLines(chunks, limits.lineBytes)) {
    lineCount = line.number;
    const parsed = parseLine(line);
    if (parsed === BLANK) continue;
    if (parsed === CUT) cutLines = 1;
    else {
      const item = atLine(line.number, () => assembler.take(readTraceRecord(parsed)));
      if (item !== undefined) yield item;
    }
  }
  if (!assembler.hasHeader) {
    throw new DreamloopError(
      ERROR_CODES.traceInvalid,
      `trace line 1: expected a whole header line, found ${lineCount === 0 ? "an empty file" : "one that is cut off"}; nothing of this run was kept`,
      { details: { line: 1 } },
    );
  }
  return { complete: assembler.hasFooter, lineCount, droppedLines: assembler.pendingLines + cutLines };
}

/** Reads a whole trace into memory. Throws what `traceItems` throws. */
export async function readTrace(chunks: TraceChunks, options: ReadTraceOptions = {}): Promise<Trace> {
  const steps: TraceStep[] = [];
  const pauses: TracePause[] = [];
  const forks: TraceFork[] = [];
  let trailingResets: readonly TraceReset[] = [];
  let header: TraceHeader | undefined;
  let footer: TraceFooter | undefined;
  let tolerance: TraceTolerance | undefined;
  const items = traceItems(chunks, options);
  let next = await items.next();
  for (; next.done !== true; next = await items.next()) {
    const item = next.value;
    switch (item.kind) {
      case "header":
        header = item.header;
        break;
      case "step":
        steps.push(item.step);
        break;
      case "pause":
        pauses.push(item.pause);
        break;
      case "fork":
        forks.push(item.fork);
        break;
      case "footer":
        ({ footer, trailingResets } = item);
        break;
      case "tolerance":
        tolerance = item.tolerance;
        break;
    }
  }
  return {
    header: header as TraceHeader,
    steps,
    pauses,
    forks,
    trailingResets,
    ...(footer === undefined ? {} : { footer }),
    ...(tolerance === undefined ? {} : { tolerance }),
    ...next.value,
  };
}

const CUT = Symbol("cut");
const BLANK = Symbol("blank");

/** The JSON of a line. No beginning of a mapping is JSON itself, so an unended line that can be parsed is whole. */
function parseLine({ number, bytes, ended }: TraceLine): unknown {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return text.trim() === "" ? BLANK : (JSON.parse(text) as unknown);
  } catch (error) {
    if (!ended) return CUT;
    const message = error instanceof Error ? error.message : String(error);
    throw lineError(number, `expected one JSON value, found other text (${message})`, error);
  }
}

function atLine<T>(number: number, take: () => T): T {
  try {
    return take();
  } catch (error) {
    // Readers that go into a value one call for each level run out of stack when it is nested without end.
    const message = isDreamloopError(error) ? error.message : `a value that cannot be read (${String(error)})`;
    throw lineError(number, message, error);
  }
}

function lineError(line: number, message: string, cause: unknown): DreamloopError {
  return new DreamloopError(ERROR_CODES.traceInvalid, `trace line ${line}: ${message}`, { cause, details: { line } });
}
