import { closeSync, existsSync, openSync, readFileSync, readSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { DreamloopError, ERROR_CODES, isDreamloopError, parseScript } from "@dreamloop/core";
import { looksLikeMoment, TRACE_FORMAT } from "@dreamloop/core/internal";
import { BUNDLE_MANIFEST } from "@dreamloop/node";
import { CHECK_LEVELS, faultLines } from "@dreamloop/onnx";
import { glanceAtBundle } from "../lookup/bundle-folder.ts";
import { WORLD_DOMAINS } from "../lookup/bundle-world.ts";
import { countOf, formatDuration, formatRate } from "../terminal/format.ts";
import { inspectJson } from "./inspect-json.ts";
import { inspectMoment } from "./inspect-moment.ts";
import { inspectTraceAt } from "./inspect-trace.ts";
import { inspectMp4, inspectY4m } from "./inspect-video.ts";
import { type Inspection, line } from "./inspection.ts";

const HEAD_BYTES = 512;
/** JSON and scripts are read whole up to this size. */
const MAX_TEXT_BYTES = 1_000_000_000;
const BENCHMARK_MANIFEST = "manifest.json";

/** Recognises a file or folder by its content, not by its name, and says what it holds. Throws `not_found` or `invalid_value`. */
export async function inspectFile(path: string, cwd: string): Promise<Inspection> {
  const full = resolve(cwd, path);
  const facts = statSync(full, { throwIfNoEntry: false });
  if (facts === undefined) throw new DreamloopError(ERROR_CODES.notFound, `${path}: there is no such file or folder`);
  if (facts.isDirectory()) return inspectFolder(path, full);
  const head = readHead(full);
  if (looksLikeMoment(head)) return inspectMoment(full);
  if (head.subarray(4, 8).toString("latin1") === "ftyp") return inspectMp4(full);
  if (head.toString("latin1").startsWith("YUV4MPEG2")) return inspectY4m(full);
  if (looksLikeTrace(head)) return inspectTraceAt(full);
  if (facts.size > MAX_TEXT_BYTES || head.includes(0)) throw unknownContent(path);
  return inspectText(path, readFileSync(full, "utf8"));
}

async function inspectFolder(path: string, full: string): Promise<Inspection> {
  if (existsSync(join(full, BUNDLE_MANIFEST))) return inspectBundle(full);
  const manifest = join(full, BENCHMARK_MANIFEST);
  if (existsSync(manifest)) return inspectText(path, readFileSync(manifest, "utf8"));
  throw new DreamloopError(
    ERROR_CODES.invalidValue,
    `${path}: the folder holds neither a ${BUNDLE_MANIFEST} nor the ${BENCHMARK_MANIFEST} of a benchmark`,
  );
}

function inspectText(path: string, text: string): Inspection {
  if (/^\s*[{[]/.test(text)) {
    const inspection = inspectJson(parseJson(path, text));
    if (inspection === undefined) throw unknownContent(path);
    return inspection;
  }
  try {
    return inspectScript(text);
  } catch (error) {
    if (!isDreamloopError(error)) throw error;
    throw new DreamloopError(error.code, `${path}: read as a script: ${error.message}`, { cause: error });
  }
}

function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new DreamloopError(ERROR_CODES.invalidValue, `${path}: not valid JSON: ${reason}`, { cause });
  }
}

function looksLikeTrace(head: Buffer): boolean {
  const text = head.toString("utf8");
  return text.startsWith("{") && text.includes(`"format":"${TRACE_FORMAT}"`);
}

function readHead(path: string): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  const file = openSync(path, "r");
  try {
    return head.subarray(0, readSync(file, head, 0, HEAD_BYTES, 0));
  } finally {
    closeSync(file);
  }
}

function unknownContent(path: string): DreamloopError {
  return new DreamloopError(
    ERROR_CODES.invalidValue,
    `${path}: expected a trace, a moment, a script, statistics, a profile, an MP4 or Y4M video, a bundle or a benchmark folder, found something else`,
  );
}

/** Says what a bundle is, and whether its manifest has faults; nothing large is read. */
async function inspectBundle(folder: string): Promise<Inspection> {
  const { checkBundle } = await import("@dreamloop/onnx/node");
  const { faults } = await checkBundle(folder, { level: CHECK_LEVELS.structure, domains: WORLD_DOMAINS });
  const glance = glanceAtBundle(folder);
  const { id = basename(folder), title, description, width, height, framesPerSecond } = glance;
  return {
    kind: "bundle",
    facts: { ...glance, faults },
    lines: [
      ...line("world", title === undefined ? id : `${id}: ${title}`),
      ...line("about", description),
      ...line("picture", width === undefined || height === undefined ? undefined : `${width}×${height}`),
      ...line("rate", framesPerSecond === undefined ? undefined : `${formatRate(framesPerSecond)} frames/s`),
      ...line("faults", faults.length === 0 ? "none in manifest and graphs" : countOf(faults.length, "fault")),
      ...faultLines(faults).flatMap((text) => line("", text)),
    ],
  };
}

/** Says what a script does; throws `trace_invalid` naming line and column of its first fault. */
function inspectScript(text: string): Inspection {
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
