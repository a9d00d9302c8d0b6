import { DreamloopError, ERROR_CODES, type LoadProgress } from "@dreamloop/core";
import type { z } from "zod";
import type { Carrier } from "../carriers/carrier.ts";
import { PROTOCOL_VERSIONS } from "../protocol/limits.ts";
import type { RawMessage } from "../protocol/message-reader.ts";
import { fromWorldSchema, type FromWorld, type ToWorld } from "../protocol/message-schemas.ts";
import { asDreamloopError, worldError } from "./world-error.ts";

/** A line that the world's side wrote. */
export interface WorldLog {
  /** How much it matters. */
  readonly level: "info" | "warning";
  /** The line. */
  readonly text: string;
}

/** What `ProtocolClient` takes. */
export interface ProtocolClientOptions {
  /** The way to the world; closed with the client. */
  readonly carrier: Carrier;
  /** How errors name the world. */
  readonly label: string;
  /** Gets the lines that the world logs. */
  readonly onLog?: (line: WorldLog) => void;
  /** Seconds of silence after which a world that answers no heartbeat has failed; default `HEARTBEAT_LIMIT_SECONDS`. */
  readonly heartbeatLimitSeconds?: number;
  /** Finds out why the connection was closed, where something knows better; what is asked waits for it. */
  readonly explainClose?: () => Promise<DreamloopError | undefined>;
  /** Called once, with the reason, when no more requests can be made. */
  readonly onFailure?: (error: DreamloopError) => void;
}

/** Seconds between heartbeats. */
export const HEARTBEAT_SECONDS = 5;

/** Seconds of silence after which a world has failed, unless told otherwise. */
export const HEARTBEAT_LIMIT_SECONDS = 60;

/** The answer to a request. */
export interface Reply<Value> {
  /** What was answered, checked. */
  readonly value: Value;
  /** The bytes that came with it. */
  readonly payload: Uint8Array<ArrayBuffer>;
}

/** A request without its id, and what belongs to it. */
export interface RequestOptions<Schema extends z.ZodType> {
  /** What is asked for. */
  readonly message: WithoutId<ToWorld>;
  /** Bytes that go with it. */
  readonly payload?: Uint8Array;
  /** What the answer must be. */
  readonly reply: Schema;
  /** Seconds after which an unanswered request fails; every wait has an end. */
  readonly deadlineSeconds: number;
  /** Tells the world that the answer is not wanted any longer; it still has to come. */
  readonly signal?: AbortSignal;
  /** Told how far the work is; a report prolongs the wait. */
  readonly onProgress?: (progress: LoadProgress) => void;
  /** Called instead of failing when the deadline has passed; what it throws or gives becomes the failure. */
  readonly onDeadline?: () => void;
}

/** A message that is answered, before it has an id. */
type WithoutId<Message> = Message extends { readonly id: number } ? Omit<Message, "id"> : never;

interface Pending {
  readonly settle: (message: Extract<FromWorld, { type: "result" }>, payload: Uint8Array<ArrayBuffer>) => void;
  readonly fail: (error: DreamloopError) => void;
  readonly progress: (progress: LoadProgress) => void;
}

/** The driver's side of the session protocol: requests and their answers over any carrier. Who made it closes it. */
export class ProtocolClient {
  readonly #options: ProtocolClientOptions;
  readonly #pending = new Map<number, Pending>();
  readonly #hello: Promise<Extract<FromWorld, { type: "hello" }>>;
  #takeHello: (hello: Extract<FromWorld, { type: "hello" }>) => void = () => undefined;
  #refuseHello: (error: DreamloopError) => void = () => undefined;
  #lastId = 0;
  #isSilent = false;
  #silentSeconds = 0;
  #heartbeat: NodeJS.Timeout | undefined;
  #failure: DreamloopError | undefined;

  /** Listens at once and says hello. */
  constructor(options: ProtocolClientOptions) {
    this.#options = options;
    this.#hello = new Promise((resolve, reject) => {
      this.#takeHello = resolve;
      this.#refuseHello = reject;
    });
    this.#hello.catch(() => undefined);
    options.carrier.listen({
      onMessage: (message) => this.#take(message),
      onClose: (error) => void this.#closed(error),
    });
    options.carrier.send({ type: "hello", protocol: [...PROTOCOL_VERSIONS] } satisfies ToWorld);
    this.#heartbeat = setInterval(() => this.#beat(), HEARTBEAT_SECONDS * 1000);
    this.#heartbeat.unref();
  }

  /** Why no more requests can be made; absent while all is well. */
  get failure(): DreamloopError | undefined {
    return this.#failure;
  }

  /** Resolves with what the other side says of itself; rejects when there is none that speaks the protocol. */
  hello(): Promise<Extract<FromWorld, { type: "hello" }>> {
    return this.#hello;
  }

  /** Asks and waits for the answer; throws what the world refused, `worker_failed` when it is gone or silent. */
  request<Schema extends z.ZodType>(options: RequestOptions<Schema>): Promise<Reply<z.output<Schema>>> {
    const { message, payload, reply, signal } = options;
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      const cancel = (): void => this.notify({ type: "cancel", id });
      const deadline = this.#deadline(message.type, options);
      const settle = (): void => {
        deadline.stop();
        signal?.removeEventListener("abort", cancel);
        this.#pending.delete(id);
      };
      const fail = (error: DreamloopError): void => {
        settle();
        reject(error);
      };
      this.#pending.set(id, {
        fail,
        settle: (answer, bytes) => {
          const read = reply.safeParse(answer.value);
          if (!read.success) {
            // What it says next cannot be trusted either.
            this.fail(this.#broken(`its answer to ${message.type} is not as it should be: ${issuesOf(read.error)}`));
            return;
          }
          settle();
          resolve({ value: read.data, payload: bytes });
        },
        progress: (progress) => {
          deadline.restart();
          options.onProgress?.(progress);
        },
      });
      signal?.addEventListener("abort", cancel, { once: true });
      try {
        this.#options.carrier.send({ ...message, id }, payload);
      } catch (error) {
        fail(asDreamloopError(error, ERROR_CODES.internal, this.#options.label));
        return;
      }
      if (signal?.aborted) cancel();
    });
  }

  /** Says what needs no answer. */
  notify(message: Extract<ToWorld, { type: "cancel" | "release" | "bye" }>): void {
    if (this.#failure === undefined) this.#options.carrier.send(message);
  }

  /** Fails everything that is asked or will be; idempotent. */
  fail(error: DreamloopError): void {
    if (this.#failure !== undefined) return;
    this.#failure = error;
    clearInterval(this.#heartbeat);
    this.#refuseHello(error);
    for (const pending of [...this.#pending.values()]) pending.fail(error);
    this.#options.carrier.close();
    this.#options.onFailure?.(error);
  }

  /** Ends the connection; what is still asked is refused as `closed`. Idempotent. */
  close(): void {
    this.fail(new DreamloopError(ERROR_CODES.closed, `${this.#options.label}: the connection was closed`));
  }

  async #closed(error: DreamloopError | undefined): Promise<void> {
    if (this.#failure !== undefined) return;
    // A broken connection says less than the end of the process behind it; bytes that are no messages say more.
    const isBroken = error === undefined || error.code === ERROR_CODES.workerFailed;
    const known = isBroken ? await this.#options.explainClose?.() : undefined;
    this.fail(
      known ??
        error ??
        new DreamloopError(ERROR_CODES.workerFailed, `${this.#options.label}: the connection was closed`, {
          retryable: true,
        }),
    );
  }

  #deadline(
    type: string,
    { deadlineSeconds, onDeadline }: Pick<RequestOptions<z.ZodType>, "deadlineSeconds" | "onDeadline">,
  ): { stop(): void; restart(): void } {
    let timer: NodeJS.Timeout;
    const late = (): void => {
      if (onDeadline !== undefined) onDeadline();
      else this.fail(this.#broken(`${type} was not answered within ${deadlineSeconds} s`));
    };
    const start = (): void => {
      timer = setTimeout(late, deadlineSeconds * 1000);
    };
    start();
    return {
      stop: () => clearTimeout(timer),
      restart: () => {
        clearTimeout(timer);
        start();
      },
    };
  }

  #beat(): void {
    if (this.#isSilent) this.#silentSeconds += HEARTBEAT_SECONDS;
    const limit = this.#options.heartbeatLimitSeconds ?? HEARTBEAT_LIMIT_SECONDS;
    if (this.#silentSeconds >= limit) {
      this.fail(this.#broken(`it has not answered a heartbeat for ${limit} s`));
      return;
    }
    this.#isSilent = true;
    this.#options.carrier.send({ type: "ping", id: 0 } satisfies ToWorld);
  }

  #take({ header, payload }: RawMessage): void {
    this.#isSilent = false;
    this.#silentSeconds = 0;
    const read = fromWorldSchema.safeParse(header);
    if (!read.success) {
      this.fail(this.#broken(`it sent a message that is not as it should be: ${issuesOf(read.error)}`));
      return;
    }
    const message = read.data;
    switch (message.type) {
      case "hello":
        this.#greet(message);
        break;
      case "result":
        this.#pending.get(message.id)?.settle(message, payload);
        break;
      case "error": {
        const error = worldError(message.error);
        // Without a request it is the other side's last word.
        if (message.id === 0) this.fail(error);
        else this.#pending.get(message.id)?.fail(error);
        break;
      }
      case "progress": {
        const { id, stage, fraction } = message;
        this.#pending.get(id)?.progress({ stage, ...(fraction === undefined ? {} : { fraction }) });
        break;
      }
      case "log":
        this.#options.onLog?.({ level: message.level, text: message.text });
        break;
      case "pong":
        break;
    }
  }

  #greet(hello: Extract<FromWorld, { type: "hello" }>): void {
    const [oldest, newest] = PROTOCOL_VERSIONS;
    if (hello.protocol >= oldest && hello.protocol <= newest) this.#takeHello(hello);
    else {
      this.fail(
        this.#broken(
          `it speaks version ${hello.protocol} of the session protocol, and this side ${oldest} to ${newest}; use the same version of Dreamloop on both sides`,
        ),
      );
    }
  }

  #broken(what: string): DreamloopError {
    return new DreamloopError(ERROR_CODES.workerFailed, `${this.#options.label}: ${what}`, { retryable: true });
  }
}

function issuesOf(error: z.ZodError): string {
  return error.issues
    .slice(0, 3)
    .map(({ path, message }) => `${path.map(String).join(".") || "it"}: ${message}`)
    .join("; ");
}
