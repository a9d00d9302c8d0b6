import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import { z } from "zod";
import type { WorldClient } from "../backend/connected-world.ts";
import type { Reply, RequestOptions } from "../backend/protocol-client.ts";
import { asDreamloopError } from "../backend/world-error.ts";
import type { ToWorld } from "../protocol/message-schemas.ts";
import { joinSnapshots, splitSnapshot } from "./rank-snapshots.ts";

/** What `RankedClient` takes. */
export interface RankedClientOptions {
  /** The connection to each rank, that of rank 0 first. */
  readonly clients: readonly WorldClient[];
  /** How errors name the world. */
  readonly label: string;
  /** Seconds that the others get to come back from a request once one rank has refused it; default `RANK_GRACE_SECONDS`. */
  readonly graceSeconds?: number;
}

/** Seconds that the ranks of a world get to come back from a request once one of them has refused it: they may wait for it in vain. */
export const RANK_GRACE_SECONDS = 10;

/** What is looked at in the answers of the ranks behind the first. */
const FURTHER_REPLY = z.object({ stepIndex: z.number().optional(), isComplete: z.boolean().optional() });

/** What one rank made of a request. */
type Outcome =
  | { readonly state: "answered"; readonly reply: Reply<unknown> }
  | { readonly state: "refused"; readonly error: DreamloopError };

/**
 * Asks all ranks of a world as one: every request goes to each of them, in the same order, and the answer is that of rank 0. What all of them refuse is
 * refused. When only some do, they are no longer at the same step, and the whole world fails.
 */
export class RankedClient implements WorldClient {
  readonly #options: RankedClientOptions;
  /** How many requests each rank has not answered. */
  readonly #open: number[];
  #failure: DreamloopError | undefined;

  /** Takes connections that have said hello. */
  constructor(options: RankedClientOptions) {
    this.#options = options;
    this.#open = options.clients.map(() => 0);
  }

  /** Why no more requests can be made. */
  get failure(): DreamloopError | undefined {
    return this.#failure ?? this.#options.clients.map((client) => client.failure).find((each) => each !== undefined);
  }

  /** The ranks that have not answered a request. */
  get behind(): readonly number[] {
    return [...this.#open.keys()].filter((rank) => (this.#open[rank] ?? 0) > 0);
  }

  /** Asks all ranks and waits for all of them. */
  async request<Schema extends z.ZodType>(options: RequestOptions<Schema>): Promise<Reply<z.output<Schema>>> {
    const { clients, label } = this.#options;
    const { message, payload } = options;
    const parts =
      message.type === "restore" ? splitSnapshot(payload ?? new Uint8Array(), clients.length, label) : undefined;
    let refuse: () => void = () => undefined;
    const oneRefused = new Promise<void>((resolve) => (refuse = resolve));
    const work = Promise.all(
      clients.map(async (client, rank): Promise<Outcome> => {
        this.#open[rank] = (this.#open[rank] ?? 0) + 1;
        try {
          const reply = await client.request(this.#requestOf(options, rank, parts?.[rank]));
          return { state: "answered", reply };
        } catch (error) {
          refuse();
          return { state: "refused", error: asDreamloopError(error, ERROR_CODES.internal, label) };
        } finally {
          this.#open[rank] = (this.#open[rank] ?? 1) - 1;
        }
      }),
    );
    const grace = this.#endAfterGrace(oneRefused, message.type);
    const outcomes = await work;
    grace.stop();
    return this.#answer(options, outcomes);
  }

  /** Says what needs no answer to the ranks that it concerns. */
  notify(message: Extract<ToWorld, { type: "cancel" | "release" | "bye" }>): void {
    const { clients } = this.#options;
    // Only the frames of rank 0 are in shared memory.
    for (const client of message.type === "release" ? clients.slice(0, 1) : clients) client.notify(message);
  }

  /** Fails everything that is asked or will be, on all ranks; idempotent. */
  fail(error: DreamloopError): void {
    this.#failure ??= error;
    for (const client of this.#options.clients) client.fail(error);
  }

  #requestOf<Schema extends z.ZodType>(
    options: RequestOptions<Schema>,
    rank: number,
    part: Uint8Array | undefined,
  ): RequestOptions<z.ZodType> {
    const { signal, onProgress, reply, ...rest } = options;
    const isLoad = options.message.type === "load";
    return {
      ...rest,
      ...(part === undefined ? {} : { payload: part }),
      reply: rank === 0 ? reply : FURTHER_REPLY,
      ...(rank === 0 && onProgress !== undefined ? { onProgress } : {}),
      // A step that only some ranks break off would part them: the caller takes it back instead.
      ...(isLoad && signal !== undefined ? { signal } : {}),
    };
  }

  /** When one rank has refused, the others may wait for it for ever, as in a collective operation. */
  #endAfterGrace(oneRefused: Promise<void>, type: string): { stop(): void } {
    const { graceSeconds = RANK_GRACE_SECONDS, label } = this.#options;
    let timer: NodeJS.Timeout | undefined;
    let isOver = false;
    void oneRefused.then(() => {
      if (isOver) return;
      timer = setTimeout(() => {
        const behind = this.behind.join(", ");
        const message = `${label}: a rank refused ${type}, and rank ${behind} did not come back from it within ${graceSeconds} s`;
        this.fail(new DreamloopError(ERROR_CODES.workerFailed, message, { retryable: true }));
      }, graceSeconds * 1000);
    });
    return {
      stop: () => {
        isOver = true;
        clearTimeout(timer);
      },
    };
  }

  #answer<Schema extends z.ZodType>(
    { message }: RequestOptions<Schema>,
    outcomes: readonly Outcome[],
  ): Reply<z.output<Schema>> {
    const { label, clients } = this.#options;
    const refusals = outcomes.flatMap((outcome, rank) =>
      outcome.state === "refused" ? [{ rank, error: outcome.error }] : [],
    );
    const [first] = refusals;
    if (first !== undefined) {
      if (this.failure !== undefined) throw this.#whyFailed(refusals.map(({ error }) => error));
      if (refusals.length === outcomes.length || message.type === "load") throw first.error;
      const found = `rank ${first.rank} of ${clients.length} refused ${message.type} while others did not: ${first.error.message}`;
      const error = new DreamloopError(ERROR_CODES.workerFailed, `${label}: ${found}`, { cause: first.error });
      this.fail(error);
      throw error;
    }
    const replies = outcomes.flatMap((outcome) => (outcome.state === "answered" ? [outcome.reply] : []));
    const [reply] = replies as [Reply<z.output<Schema>>];
    this.#requireSamePlace(replies, message.type);
    return message.type === "snapshot"
      ? { ...reply, payload: joinSnapshots(replies.map(({ payload }) => payload)) }
      : reply;
  }

  /** What the ranks said before they were ended, each thing once: where they hung, or which of them died or refused. */
  #whyFailed(errors: readonly DreamloopError[]): DreamloopError {
    const all = this.#failure === undefined ? errors : [...errors, this.#failure];
    const [first, ...others] = all.filter(
      ({ message }, index) => all.findIndex((each) => each.message === message) === index,
    ) as [DreamloopError, ...DreamloopError[]];
    if (others.length === 0) return first;
    const message = [first, ...others].map((each) => each.message).join("; ");
    return new DreamloopError(ERROR_CODES.workerFailed, message, { retryable: true, cause: first.cause ?? first });
  }

  #requireSamePlace(replies: readonly Reply<unknown>[], type: string): void {
    const places = replies.map(({ value }) => FURTHER_REPLY.parse(value));
    const other = places.findIndex(
      ({ stepIndex, isComplete }) => stepIndex !== places[0]?.stepIndex || isComplete !== places[0]?.isComplete,
    );
    if (other < 0) return;
    const { label } = this.#options;
    const said = (rank: number): string =>
      `${String(places[rank]?.stepIndex)}${places[rank]?.isComplete === true ? " (complete)" : ""}`;
    const message = `${label}: after ${type} rank 0 is at step ${said(0)} and rank ${other} at step ${said(other)}; every rank has to end a rollout at the same step`;
    const error = new DreamloopError(ERROR_CODES.workerFailed, message);
    this.fail(error);
    throw error;
  }
}
