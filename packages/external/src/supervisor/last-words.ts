import { DreamloopError, ERROR_CODES, type ErrorCode } from "@dreamloop/core";
import { isPlainObject } from "@dreamloop/core/internal";
import { WorldTraceback } from "../backend/world-error.ts";

/** How a process ended. */
export interface ProcessEnd {
  /** Its exit code; null when a signal ended it. */
  readonly code: number | null;
  /** The signal that ended it. */
  readonly signal: NodeJS.Signals | null;
}

/** The mark of the line with which a worker says what its interpreter lacks. */
const REFUSAL_MARK = "dreamloop-refusal ";

const CRASHES: readonly string[] = ["SIGSEGV", "SIGBUS", "SIGILL", "SIGABRT", "SIGFPE"];

/** Lines of a stack that are kept. */
const STACK_LINES = 60;

/** What became of a worker that ended without having been asked to; the cause holds its last traceback or lines. */
export function endError(label: string, { code, signal }: ProcessEnd, lines: readonly string[]): DreamloopError {
  const refusal = refusalIn(lines);
  if (refusal !== undefined) return refusal;
  const words = stackIn(lines) ?? lines.slice(-20).join("\n");
  const message = `${label}: its process ${describeEnd(code, signal)}`;
  return new DreamloopError(ERROR_CODES.workerFailed, message, {
    retryable: true,
    details: { ...(code === null ? {} : { exitCode: code }), ...(signal === null ? {} : { signal }) },
    ...(words === "" ? {} : { cause: new WorldTraceback(words) }),
  });
}

function describeEnd(code: number | null, signal: NodeJS.Signals | null): string {
  if (signal === "SIGKILL") {
    return "was killed (SIGKILL): the system does that when memory runs out; use a smaller model, fewer sessions or a machine with more memory";
  }
  if (signal !== null && CRASHES.includes(signal)) {
    return `crashed in native code (${signal}); the cause shows where Python was, and a library that it uses is at fault`;
  }
  if (signal !== null) return `was ended from outside (${signal})`;
  return `ended by itself with exit code ${code}; a world raises errors and never exits (look for os._exit, exit and quit)`;
}

/** The stack that Python's faulthandler wrote, oldest call last. */
export function stackIn(lines: readonly string[]): string | undefined {
  const start = lines.findLastIndex((line) => /^(Fatal Python error|Traceback \(most recent call last\))/.test(line));
  if (start >= 0) return lines.slice(start, start + STACK_LINES).join("\n");
  const dump = lines.findIndex((line) => /^(Current thread|Thread) 0x/.test(line));
  return dump < 0 ? undefined : lines.slice(dump, dump + STACK_LINES).join("\n");
}

/** The innermost line of the author's code in a stack that faulthandler wrote: the first that is neither Python's own nor a package's. */
export function placeInStack(lines: readonly string[], isAuthors: (file: string) => boolean): string | undefined {
  for (const line of lines) {
    const [, file, number, name] = /^ {2}File "(.*)", line (\d+) in (.*)$/.exec(line) ?? [];
    if (file !== undefined && isAuthors(file)) return `${file}:${number} in ${name}`;
  }
  return undefined;
}

function refusalIn(lines: readonly string[]): DreamloopError | undefined {
  const line = lines.find((each) => each.startsWith(REFUSAL_MARK));
  if (line === undefined) return undefined;
  try {
    const read: unknown = JSON.parse(line.slice(REFUSAL_MARK.length));
    if (!isPlainObject(read) || typeof read.message !== "string") return undefined;
    const known = Object.values(ERROR_CODES).find((code): code is ErrorCode => code === read.code);
    return new DreamloopError(known ?? ERROR_CODES.loadFailed, read.message);
  } catch {
    return undefined;
  }
}
