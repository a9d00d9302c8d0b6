import { DreamloopError, ERROR_CODES, type Clock } from "@dreamloop/core";
import type { CreateSessionRequest } from "@dreamloop/protocol";
import { SessionPictures } from "../../session/session-pictures.ts";
import { newSecret } from "../../platform/security/secrets.ts";
import { Deadline } from "../../platform/limits/deadline.ts";
import { busy } from "../../platform/limits/busy.ts";

/** What `PendingUploads` hold at most. */
export interface PendingUploadLimits {
  /** Bytes of all pictures together. */
  readonly totalBytes: number;
  /** Pictures of one identity. */
  readonly perIdentity: number;
  /** Seconds after which a picture is forgotten. */
  readonly seconds: number;
}

interface Upload {
  readonly identity: string;
  readonly png: Uint8Array;
  readonly deadline: Deadline;
}

/**
 * Pictures that wait for the session that starts from them: in memory, under random names, each for whoever uploaded it, for a while. Nothing
 * of a client becomes a name here.
 */
export class PendingUploads {
  readonly #clock: Clock;
  readonly #limits: PendingUploadLimits;
  readonly #uploads = new Map<string, Upload>();
  #bytes = 0;

  /** Empty at first. */
  constructor(clock: Clock, limits: PendingUploadLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Pictures that wait. */
  get count(): number {
    return this.#uploads.size;
  }

  /** Bytes of all of them. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Throws `busy` (retryable) when an identity has as many as it may, others that are `underWay` included. */
  check(identity: string, underWay = 0): void {
    const own = [...this.#uploads.values()].filter((upload) => upload.identity === identity).length + underWay;
    if (own < this.#limits.perIdentity) return;
    throw busy(`${own} of your pictures wait for a session, which is the limit`);
  }

  /** Keeps a picture; gives its name. Throws `busy` when there is no room for it. */
  add(identity: string, png: Uint8Array): string {
    this.check(identity);
    const { totalBytes, seconds } = this.#limits;
    if (this.#bytes + png.byteLength > totalBytes) throw busy("there is no room for further pictures");
    const id = newSecret();
    const deadline = new Deadline(this.#clock);
    this.#uploads.set(id, { identity, png, deadline });
    this.#bytes += png.byteLength;
    deadline.set(seconds, () => void this.remove(id));
    return id;
  }

  /** A picture of an identity; throws `not_found`, the same for one that is another's, has expired, was used or never was. */
  find(id: string, identity: string): Uint8Array {
    const upload = this.#uploads.get(id);
    if (upload?.identity === identity) return upload.png;
    throw new DreamloopError(
      ERROR_CODES.notFound,
      "there is no such picture: it was used already, has expired, or is not yours; upload it again",
    );
  }

  /** Lets go of a picture; whether there was one. */
  remove(id: string): boolean {
    const upload = this.#uploads.get(id);
    if (upload === undefined) return false;
    this.#uploads.delete(id);
    this.#bytes -= upload.png.byteLength;
    upload.deadline.clear();
    return true;
  }

  /** The pictures that a request for a session names; absent: none. Throws `not_found` for those that are not there for this identity. */
  picturesOf({ images = {} }: Pick<CreateSessionRequest, "images">, identity: string): SessionPictures | undefined {
    const pictures = Object.entries(images).map(([name, id]) => [name, this.find(id, identity)] as const);
    return pictures.length === 0 ? undefined : new SessionPictures(new Map(pictures));
  }

  /** A session has taken the pictures of its request: they are good for no other. */
  forgetPicturesOf({ images = {} }: Pick<CreateSessionRequest, "images">): void {
    for (const id of Object.values(images)) this.remove(id);
  }

  /** Lets go of everything. */
  clear(): void {
    for (const id of [...this.#uploads.keys()]) this.remove(id);
  }
}
