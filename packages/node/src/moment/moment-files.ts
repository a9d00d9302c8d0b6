import { randomBytes } from "node:crypto";
import { mkdir, open, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import {
  DreamloopError,
  encodeMoment,
  ERROR_CODES,
  isDreamloopError,
  openMoment,
  type MomentContent,
  type MomentFile,
} from "@dreamloop/core";
import { DEFAULT_MOMENT_LIMITS, type MomentLimits } from "@dreamloop/core/internal";
import { fileError, readErrorCode } from "../trace/file-error.ts";
import { momentTools } from "./zlib-compressor.ts";

/** Writes a moment to a file, which appears whole or not at all. Throws `output_failed` naming the path. */
export async function writeMomentFile(path: string, content: MomentContent): Promise<void> {
  await writeMomentBytes(path, await encodeMoment(content, momentTools));
}

/** Writes the bytes of a moment to a file, which appears whole or not at all. Throws `output_failed` naming the path. */
export async function writeMomentBytes(path: string, bytes: Uint8Array): Promise<void> {
  const partial = `${path}.part-${randomBytes(4).toString("hex")}`;
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(partial, bytes, { flag: "wx" });
    await rename(partial, path);
  } catch (cause) {
    await rm(partial, { force: true }).catch(() => undefined);
    throw fileError({ code: ERROR_CODES.outputFailed, action: "write the moment", path, cause });
  }
}

/** The bytes of a moment file. Throws `not_found`, `load_failed`, or `limit_exceeded` before anything is read of a file that is too large. */
export async function readMomentBytes(path: string, limits: Partial<MomentLimits> = {}): Promise<Uint8Array> {
  const most = limits.fileBytes ?? DEFAULT_MOMENT_LIMITS.fileBytes;
  try {
    const file = await open(path, "r");
    try {
      const { size } = await file.stat();
      if (size > most) {
        throw new DreamloopError(
          ERROR_CODES.limitExceeded,
          `${path} has ${size} bytes, of a moment at most ${most} are read`,
        );
      }
      return await file.readFile();
    } finally {
      await file.close();
    }
  } catch (cause) {
    throw fileError({ code: readErrorCode(cause), action: "read the moment", path, cause });
  }
}

/** Opens a moment file; throws what reading it and `openMoment` throw, naming the path. */
export async function openMomentFile(path: string, limits: Partial<MomentLimits> = {}): Promise<MomentFile> {
  const bytes = await readMomentBytes(path, limits);
  try {
    return await openMoment(bytes, momentTools, limits);
  } catch (error) {
    throw namingFile(path, error);
  }
}

function namingFile(path: string, cause: unknown): unknown {
  if (!isDreamloopError(cause)) return cause;
  return new DreamloopError(cause.code, `${path}: ${cause.message}`, { cause, details: cause.details });
}
