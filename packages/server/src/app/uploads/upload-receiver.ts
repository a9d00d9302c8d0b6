import { DreamloopError, ERROR_CODES, isDreamloopError, type Clock } from "@dreamloop/core";
import { PICTURE_FAULTS, type CleanPicture, type PictureFault } from "@dreamloop/outputs";
import type { UploadAnswer } from "@dreamloop/protocol";
import { PictureDecoder } from "../../media/pictures/picture-decoder.ts";
import type { ServerConfig } from "../../platform/config/server-config.ts";
import { readBytes } from "../../platform/http/read-body.ts";
import { RateTable } from "../../platform/limits/rate-table.ts";
import { busy } from "../../platform/limits/busy.ts";
import { PendingUploads } from "./pending-uploads.ts";

/** Uploads that may arrive at a time. */
const MAX_UNDER_WAY = 4;
/** Of these, those of one identity, so that a slow one does not hold up all others. */
const MAX_UNDER_WAY_PER_IDENTITY = 2;
/** Greatest side of a picture that is kept: as large as worlds are, so that nothing is seen of the loss. */
const MAX_KEPT_SIDE = 2048;

/** Status of each reason for which a picture is refused. */
const STATUS: Readonly<Record<PictureFault, number>> = {
  [PICTURE_FAULTS.type]: 415,
  [PICTURE_FAULTS.animated]: 415,
  [PICTURE_FAULTS.pixels]: 413,
  [PICTURE_FAULTS.damaged]: 400,
};

/** The settings of uploads. */
export type UploadConfig = Pick<
  ServerConfig,
  "uploadBytes" | "uploadPixels" | "uploadSeconds" | "uploadTotalBytes" | "maxUploadsPerIdentity" | "uploadsPerMinute"
>;

/**
 * Takes pictures in: bounded while they arrive, known by their content, their pixels counted before they are decoded, decoded in a process
 * that can be ended, and written anew before they are kept.
 */
export class UploadReceiver {
  /** Pictures that wait for a session. */
  readonly pending: PendingUploads;
  readonly #clock: Clock;
  readonly #config: UploadConfig;
  readonly #rates: RateTable;
  readonly #underWay = new Map<symbol, string>();
  readonly #decoder = new PictureDecoder();
  #isClosed = false;

  /** Nothing is held at first. */
  constructor(clock: Clock, config: UploadConfig) {
    const { uploadsPerMinute, uploadTotalBytes, maxUploadsPerIdentity, uploadSeconds } = config;
    this.#clock = clock;
    this.#config = config;
    this.#rates = new RateTable({ perSecond: uploadsPerMinute / 60, burst: uploadsPerMinute });
    this.pending = new PendingUploads(clock, {
      totalBytes: uploadTotalBytes,
      perIdentity: maxUploadsPerIdentity,
      seconds: uploadSeconds,
    });
  }

  /** Uploads that are arriving or being decoded. */
  get underWay(): number {
    return this.#underWay.size;
  }

  /** Reads, checks and keeps the picture in the body of a request. Throws `busy`, `limit_exceeded`, `invalid_value` or `cancelled`, and keeps nothing then. */
  async receive(request: Request, identity: string): Promise<UploadAnswer> {
    const upload = this.#admit(identity);
    try {
      const bytes = await readBytes(request, { maxBytes: this.#config.uploadBytes, what: "the picture" });
      const { png, width, height } = await this.#clean(bytes);
      if (this.#isClosed) throw closing();
      this.#underWay.delete(upload);
      const uploadId = this.pending.add(identity, png);
      return { uploadId, width, height, expiresSeconds: this.#config.uploadSeconds };
    } finally {
      this.#underWay.delete(upload);
    }
  }

  /** Takes nothing in any more and lets go of everything; idempotent. */
  close(): void {
    this.#isClosed = true;
    this.#decoder.close();
    this.pending.clear();
  }

  #admit(identity: string): symbol {
    if (this.#isClosed) throw closing();
    if (!this.#rates.take(identity, this.#clock.nowSeconds())) {
      throw new DreamloopError(ERROR_CODES.limitExceeded, "too many pictures were uploaded lately; wait a minute", {
        retryable: true,
        details: { retryAfterSeconds: 60 },
      });
    }
    const own = [...this.#underWay.values()].filter((each) => each === identity).length;
    this.pending.check(identity, own);
    if (own >= MAX_UNDER_WAY_PER_IDENTITY) throw busy(`${own} of your pictures are being uploaded`, 1);
    if (this.#underWay.size >= MAX_UNDER_WAY) throw busy("other pictures are being uploaded", 1);
    const upload = Symbol(identity);
    this.#underWay.set(upload, identity);
    return upload;
  }

  async #clean(bytes: Uint8Array): Promise<CleanPicture> {
    try {
      return await this.#decoder.clean(bytes, { maxPixels: this.#config.uploadPixels, maxSide: MAX_KEPT_SIDE });
    } catch (error) {
      if (!isDreamloopError(error)) throw error;
      const { reason } = error.details;
      const status = Object.entries(STATUS).find(([fault]) => fault === reason)?.[1];
      if (status === undefined) throw error;
      throw new DreamloopError(error.code, `picture: ${error.message}`, { details: { reason, status } });
    }
  }
}

function closing(): DreamloopError {
  return new DreamloopError(ERROR_CODES.busy, "the server is closing", { retryable: true });
}
