import { fork, type ChildProcess } from "node:child_process";
import { createRequire } from "node:module";
import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import { errorFromRecord } from "@dreamloop/core/internal";
import { PICTURE_FAULTS, type CleanPicture, type CleanPictureOptions } from "@dreamloop/outputs";
import { listenForErrors } from "../../platform/faults/listen-for-errors.ts";
import type { FromPictureProcess, ToPictureProcess } from "./picture-messages.ts";

/** The limits of a `PictureDecoder`. */
export interface PictureDecoderLimits {
  /** Seconds for one picture, header and pixels; default 10. */
  readonly seconds?: number;
  /** Memory of a process; default 1 GiB. */
  readonly processBytes?: number;
  /** Processes at a time, so that a slow picture does not hold up all others; default 2. */
  readonly processes?: number;
  /** Seconds after which a process without work ends; default 30. */
  readonly idleSeconds?: number;
}

interface Job extends ToPictureProcess {
  readonly resolve: (picture: CleanPicture) => void;
  readonly reject: (error: DreamloopError) => void;
}

/**
 * Decodes pictures of strangers and writes them anew, in processes of its own: a picture that takes too long or too much memory ends its process, and
 * nothing else. Processes start with the first picture. Whoever made it closes it.
 */
export class PictureDecoder {
  readonly #limits: Required<PictureDecoderLimits>;
  readonly #waiting: Job[] = [];
  readonly #idle = new Map<ChildProcess, NodeJS.Timeout>();
  readonly #processes = new Set<ChildProcess>();
  #isClosed = false;

  /** Starts nothing yet. */
  constructor(limits: PictureDecoderLimits = {}) {
    this.#limits = { seconds: 10, processBytes: 2 ** 30, processes: 2, idleSeconds: 30, ...limits };
  }

  /** Processes that run. */
  get processCount(): number {
    return this.#processes.size;
  }

  /** Writes a picture anew. Throws as `cleanPicture` does, `limit_exceeded` for one that takes too long or too much memory, `closed` after the end. */
  clean(bytes: Uint8Array, options: CleanPictureOptions): Promise<CleanPicture> {
    if (this.#isClosed) return Promise.reject(closed());
    return new Promise((resolve, reject) => {
      this.#waiting.push({ bytes, options, resolve, reject });
      this.#next();
    });
  }

  /** Ends all processes; pictures that wait or are being decoded are given up. Idempotent. */
  close(): void {
    this.#isClosed = true;
    for (const job of this.#waiting.splice(0)) job.reject(closed());
    for (const child of this.#processes) child.kill("SIGKILL");
  }

  #next(): void {
    const [child] = [...this.#idle.keys()];
    const canStart = this.#processes.size < this.#limits.processes;
    if (child === undefined && !canStart) return;
    const job = this.#waiting.shift();
    if (job === undefined) return;
    this.#run(child ?? this.#start(), job);
  }

  #run(child: ChildProcess, job: Job): void {
    clearTimeout(this.#idle.get(child));
    this.#idle.delete(child);
    child.ref();
    const { seconds } = this.#limits;
    const timer = setTimeout(() => child.kill("SIGKILL"), seconds * 1000);
    const settle = (): void => {
      clearTimeout(timer);
      child.off("message", take);
      child.off("exit", ended);
    };
    const take = (message: FromPictureProcess): void => {
      settle();
      this.#rest(child);
      if (message.ok) job.resolve(message.picture);
      else job.reject(errorFromRecord(message.error));
    };
    const ended = (): void => {
      settle();
      job.reject(this.#isClosed ? closed() : tooMuch(seconds));
    };
    child.on("message", take);
    child.once("exit", ended);
    child.send({ bytes: job.bytes, options: job.options } satisfies ToPictureProcess);
  }

  /** It waits for the next picture for a while, without keeping this process alive. */
  #rest(child: ChildProcess): void {
    child.unref();
    child.channel?.unref();
    const timer = setTimeout(() => child.kill("SIGKILL"), this.#limits.idleSeconds * 1000);
    timer.unref();
    this.#idle.set(child, timer);
    this.#next();
  }

  #start(): ChildProcess {
    const program = createRequire(import.meta.url).resolve("@dreamloop/server/picture-process");
    const child = listenForErrors(
      fork(program, [String(this.#limits.processBytes)], {
        serialization: "advanced",
        execArgv: [],
        stdio: ["ignore", "ignore", "ignore", "ipc"],
      }),
    );
    this.#processes.add(child);
    child.once("exit", () => {
      clearTimeout(this.#idle.get(child));
      this.#idle.delete(child);
      this.#processes.delete(child);
      this.#next();
    });
    return child;
  }
}

function tooMuch(seconds: number): DreamloopError {
  return new DreamloopError(
    ERROR_CODES.limitExceeded,
    `the picture takes more than ${seconds} s or too much memory to decode; save it anew as a plain PNG or JPEG`,
    { details: { reason: PICTURE_FAULTS.damaged } },
  );
}

function closed(): DreamloopError {
  return new DreamloopError(ERROR_CODES.busy, "the server is closing", { retryable: true });
}
