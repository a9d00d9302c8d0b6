import { DreamloopError, ERROR_CODES, isDreamloopError } from "@dreamloop/core";
import type { CreateSessionRequest, SessionAnswer, UploadLimits } from "@dreamloop/protocol";
import type { HttpApi } from "../wire/http-api.ts";
import type { ConnectOptions } from "./play-options.ts";

/** What a session is started with. */
export interface SessionOrder extends Pick<
  ConnectOptions,
  "world" | "preset" | "size" | "moment" | "images" | "signal"
> {
  /** Seed of the rollout; absent: the server draws one. */
  readonly seed?: number | undefined;
  /** The first prompt; absent: the world's own. */
  readonly prompt?: string | undefined;
}

/**
 * Starts a session, with its pictures uploaded first. What was uploaded for a session that does not come about is let go of. Rejects with
 * what the server says; with `limit_exceeded` or `invalid_value` for what need not be sent to be refused.
 */
export async function createSession(api: HttpApi, order: SessionOrder): Promise<SessionAnswer> {
  const { world, preset, seed, prompt, size, moment, images = {}, signal } = order;
  if (moment !== undefined && typeof moment !== "string") return api.createFromMoment(moment, signal);
  const request: CreateSessionRequest = {
    world,
    ...(preset === undefined ? {} : { preset }),
    ...(seed === undefined ? {} : { seed }),
    ...(prompt === undefined ? {} : { prompt }),
    ...(size === undefined ? {} : { size }),
    ...(moment === undefined ? {} : { moment }),
  };
  const pictures = Object.entries(images);
  if (pictures.length === 0) return api.create(request, signal);
  const limits = await api.uploadLimits(signal);
  for (const [name, picture] of pictures) checkPicture(name, picture, limits);
  const uploads: Record<string, string> = {};
  try {
    // One after the other: a server takes few at a time of one address.
    for (const [name, picture] of pictures) uploads[name] = await upload(api, name, picture, signal);
    return await api.create({ ...request, images: uploads }, signal);
  } catch (error) {
    for (const uploadId of Object.values(uploads)) void api.removeUpload(uploadId).catch(() => undefined);
    throw error;
  }
}

function checkPicture(name: string, picture: unknown, limits: UploadLimits | undefined): void {
  if (!(picture instanceof Blob)) {
    throw new DreamloopError(ERROR_CODES.invalidValue, `images.${name}: expected a File or Blob with a picture`);
  }
  if (limits === undefined) {
    throw new DreamloopError(ERROR_CODES.unavailable, `images.${name}: this server takes no pictures; leave it out`);
  }
  if (picture.size <= limits.maxBytes) return;
  const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
  throw new DreamloopError(
    ERROR_CODES.limitExceeded,
    `images.${name}: the picture has ${megabytes(picture.size)}, at most ${megabytes(limits.maxBytes)} are taken; scale it down`,
    { details: { image: name } },
  );
}

/** Uploads a picture; a refusal says which one it was. */
async function upload(api: HttpApi, name: string, picture: Blob, signal: AbortSignal | undefined): Promise<string> {
  try {
    return await api.upload(picture, signal);
  } catch (error) {
    if (!isDreamloopError(error)) throw error;
    const { code, message, retryable, details } = error;
    throw new DreamloopError(code, `images.${name}: ${message}`, {
      retryable,
      details: { ...details, image: name },
      cause: error,
    });
  }
}
