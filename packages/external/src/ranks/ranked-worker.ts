import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import type { WorldClient } from "../backend/connected-world.ts";
import type { SharedFrames } from "../carriers/shared-frames.ts";
import type { WorkerProcess } from "../supervisor/worker-process.ts";
import { freeLoopbackPort, rankEnvironment } from "./rank-environment.ts";
import { RankedClient } from "./ranked-client.ts";

/** A world's process or processes, as `loadWorker` needs them. */
export type Worker = Pick<WorkerProcess, "hello" | "frames" | "frameCarrier" | "failed" | "hang" | "close"> & {
  /** The connection to it. */
  readonly client: WorldClient;
};

/** What `RankedWorker` takes. */
export interface RankedWorkerOptions {
  /** How many processes run the world. */
  readonly ranks: number;
  /** How errors name the world. */
  readonly label: string;
  /** Starts the process of a rank with these variables beside its environment. */
  readonly start: (rank: number, env: Readonly<Record<string, string>>) => WorkerProcess;
}

/**
 * Several processes that run one world together and talk among themselves. Every rank sees every request in the same order; answers and frames are those of
 * rank 0. When one rank dies or hangs, all are ended, and the error says which.
 */
export class RankedWorker implements Worker {
  /** Asks all ranks as one. */
  readonly client: RankedClient;
  /** Resolves with the reason when one of them fails. */
  readonly failed: Promise<DreamloopError>;
  readonly #processes: readonly WorkerProcess[];
  readonly #label: string;
  #tellFailure: (error: DreamloopError) => void = () => undefined;
  #isHanging = false;
  #closing: Promise<void> | undefined;

  private constructor(processes: readonly WorkerProcess[], label: string) {
    this.#processes = processes;
    this.#label = label;
    this.client = new RankedClient({ clients: processes.map(({ client }) => client), label });
    this.failed = new Promise((resolve) => (this.#tellFailure = resolve));
    for (const process of processes) void process.failed.then((error) => this.#lost(error));
  }

  /** Starts all ranks at the same time. */
  static async start({ ranks, label, start }: RankedWorkerOptions): Promise<RankedWorker> {
    const port = await freeLoopbackPort();
    const processes = Array.from({ length: ranks }, (_, rank) => start(rank, rankEnvironment({ rank, ranks, port })));
    return new RankedWorker(processes, label);
  }

  /** The processes' numbers by rank; that of one that could not be started is absent. */
  get pids(): readonly (number | undefined)[] {
    return this.#processes.map(({ pid }) => pid);
  }

  /** The shared memory of rank 0. */
  get frames(): SharedFrames | undefined {
    return this.#first.frames;
  }

  /** How the frames of rank 0 travel, for people. */
  get frameCarrier(): string {
    return this.#first.frameCarrier;
  }

  /** Waits for the hello of all ranks. */
  async hello(): Promise<void> {
    await Promise.all(this.#processes.map((process) => process.hello()));
  }

  /** Fails the world because ranks do not come back; says where each of them hangs. */
  async hang(what: string): Promise<void> {
    if (this.#isHanging) return;
    this.#isHanging = true;
    const { behind } = this.client;
    const hanging = this.#processes.filter((_, rank) => behind.length === 0 || behind.includes(rank));
    const told = hanging.map(async (process) => {
      await process.hang(what);
      return process.client.failure;
    });
    const reasons = (await Promise.all(told)).filter((reason) => reason !== undefined);
    const message = reasons.length === 0 ? `${this.#label}: ${what}` : reasons.map((each) => each.message).join("; ");
    const cause = reasons[0] === undefined ? {} : { cause: reasons[0].cause };
    this.#lost(new DreamloopError(ERROR_CODES.workerFailed, message, { retryable: true, ...cause }), true);
  }

  /** Ends all ranks and everything that they started; idempotent. */
  close(): Promise<void> {
    this.#closing ??= Promise.all(this.#processes.map((process) => process.close())).then(() => undefined);
    return this.#closing;
  }

  get #first(): WorkerProcess {
    return this.#processes[0];
  }

  #lost(error: DreamloopError, isComplete = false): void {
    // While the place where each rank hangs is looked for, the ranks end one by one; `hang` reports them all in one error.
    if ((this.#isHanging && !isComplete) || this.#closing !== undefined) return;
    this.client.fail(error);
    this.#tellFailure(error);
    void this.close();
  }
}
