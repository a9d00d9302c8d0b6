import { statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import {
  BACKENDS,
  DreamloopError,
  ERROR_CODES,
  throwIfCancelled,
  type CreateRuntimeOptions,
  type InferenceConfig,
  type InferenceRuntime,
  type ModelAdapter,
} from "@dreamloop/core";
import { finite } from "@dreamloop/core/internal";
import type { StartWorkerOptions } from "@dreamloop/node";
import type { z } from "zod";
import type { ConnectedWorld } from "../backend/connected-world.ts";
import { describedAdapter } from "../backend/described-adapter.ts";
import type { WorldLog } from "../backend/protocol-client.ts";
import { RemoteRuntime } from "../backend/remote-runtime.ts";
import { describeReplySchema, loadReplySchema } from "../protocol/message-schemas.ts";
import { RankedWorker, type Worker } from "../ranks/ranked-worker.ts";
import { WorkerProcess } from "../supervisor/worker-process.ts";
import { changedFile, fileTimes } from "./file-times.ts";
import { startPool, type WorkerPlace } from "./python-pool.ts";
import { pythonFolder, WORKER_PROGRAM } from "./python-folder.ts";
import { pythonWorldOptions, type PythonWorldOptions, type PythonWorldOptionsInput } from "./python-options.ts";

/** What a program that runs Python worlds may hear. */
export interface PythonWorldListener {
  /** Gets what the world prints and logs; default: it goes to this process's error output, with the file's name before it. */
  readonly onLog?: (line: WorldLog) => void;
}

/** What begins the place of an adapter of FlashDreams, `flashdreams:package.module:Adapter`, where a file's path would be. */
const FLASHDREAMS = "flashdreams:";

/** Seconds that a description may take: the file and all that it imports is read. */
const DESCRIBE_SECONDS = 600;

/** Seconds that a process which has described its world is kept for the load that mostly follows. */
const SPARE_SECONDS = 10;

/**
 * Makes the adapter of a world in a Python file: starts an interpreter, which imports the file and describes it, and loads the model only when a runtime is
 * asked for. Throws `not_found`, `unavailable` (no NumPy, say) or `load_failed` with the line of the author's Python.
 */
export async function pythonWorld(
  input: PythonWorldOptionsInput,
  listener: PythonWorldListener = {},
): Promise<ModelAdapter> {
  const options = pythonWorldOptions(input);
  const isAdapter = options.file.startsWith(FLASHDREAMS);
  const file = isAdapter ? options.file : resolve(options.file);
  if (!isAdapter && !statSync(file, { throwIfNoEntry: false })?.isFile()) {
    throw new DreamloopError(ERROR_CODES.notFound, `${options.file}: there is no such file; check the path`);
  }
  const label = isAdapter ? file.slice(FLASHDREAMS.length) : basename(file);
  const onLog = listener.onLog ?? printed(label);
  const start = (how: ProcessOptions = {}): WorkerProcess => startWorker(options, { file, label, onLog, ...how });
  const spare = new SpareWorker(start());
  let description: z.output<typeof describeReplySchema>;
  try {
    description = await describeWorker(spare.worker);
  } catch (error) {
    await spare.worker.close();
    throw error;
  }
  const { world: described, files } = description;
  spare.keep(fileTimes(files));
  const createRuntime = async (
    config: InferenceConfig,
    { signal, onProgress }: CreateRuntimeOptions,
  ): Promise<InferenceRuntime> => {
    const { signal: never } = new AbortController();
    const deadlines = deadlinesOf(options, config);
    const one = (own: InferenceConfig, { ranks, env }: WorkerPlace, how: StartWorkerOptions): Promise<RemoteRuntime> =>
      RemoteRuntime.create(
        {
          described,
          label,
          deadlines,
          onWarning: (text) => onLog({ level: "warning", text }),
          connect: async ({ signal: cancel, attempt }) => {
            const isPlain = ranks === 1 && Object.keys(env).length === 0;
            if (!isPlain) spare.drop();
            const free = attempt === 0 && isPlain ? spare.take() : undefined;
            return loadWorker({
              worker: free ?? (isPlain ? start() : await startRanks({ ranks, env, label, start })),
              config: own,
              signal: cancel,
              loadSeconds: deadlines.loadSeconds,
              watch: options.watch,
              onProgress: attempt === 0 ? how.onProgress : () => undefined,
              ...(ranks === 1 ? {} : { ranks }),
            });
          },
        },
        how.signal,
      );
    const how = { signal: signal ?? never, onProgress: onProgress ?? ((): void => undefined) };
    if (config.backend !== BACKENDS.localDistributed) return one(config, { ranks: 1, env: {} }, how);
    return startPool({ adapter, config, label, ...how, startWorker: one });
  };
  const adapter = describedAdapter({
    described,
    backends: [BACKENDS.local, BACKENDS.external, BACKENDS.localDistributed],
    createRuntime,
  });
  return adapter;
}

/** How a process is started beside what the options say. */
interface ProcessOptions {
  /** Variables beside its environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Which of the processes that run the world together it is. */
  readonly rank?: number;
  /** How many there are. */
  readonly ranks?: number;
}

async function startRanks(given: {
  readonly ranks: number;
  readonly env: Readonly<Record<string, string>>;
  readonly label: string;
  readonly start: (how: ProcessOptions) => WorkerProcess;
}): Promise<Worker> {
  const { ranks, env, label, start } = given;
  if (ranks === 1) return start({ env });
  return RankedWorker.start({
    ranks,
    label,
    start: (rank, own) => start({ rank, ranks, env: { ...env, ...own } }),
  });
}

function startWorker(
  options: PythonWorldOptions,
  given: ProcessOptions & {
    readonly file: string;
    readonly label: string;
    readonly onLog: (line: WorldLog) => void;
  },
): WorkerProcess {
  const { file, label, onLog, env, rank = 0, ranks = 1 } = given;
  const own = file.startsWith(FLASHDREAMS) ? process.cwd() : dirname(file);
  const folder = options.folder === undefined ? own : resolve(options.folder);
  const name = options.name === undefined ? [] : ["--name", options.name];
  const place = ranks === 1 ? [] : ["--rank", `${rank}`, "--ranks", `${ranks}`];
  return new WorkerProcess({
    command: options.python,
    args: ["-u", join(pythonFolder(), WORKER_PROGRAM), file, "--folder", folder, ...name, ...place],
    cwd: folder,
    label: ranks === 1 ? label : `${label}, rank ${rank} of ${ranks}`,
    // Frames of the other ranks go nowhere.
    useSharedMemory: options.sharedMemory && rank === 0,
    ...(env === undefined ? {} : { extraEnv: env }),
    onLog,
    isAuthors: (path) =>
      !/[/\\](site|dist)-packages[/\\]|[/\\]lib[/\\]python\d/.test(path) && !path.startsWith(pythonFolder()),
  });
}

async function describeWorker(worker: WorkerProcess): Promise<z.output<typeof describeReplySchema>> {
  await worker.hello();
  const { value } = await worker.client.request({
    message: { type: "describe" },
    reply: describeReplySchema,
    deadlineSeconds: DESCRIBE_SECONDS,
    onDeadline: () => void worker.hang(`its import did not end within ${DESCRIBE_SECONDS} s`),
  });
  return value;
}

interface LoadOptions {
  readonly worker: Worker;
  readonly ranks?: number;
  readonly config: InferenceConfig;
  readonly signal: AbortSignal;
  readonly loadSeconds: number;
  readonly watch: boolean;
  readonly onProgress: NonNullable<CreateRuntimeOptions["onProgress"]>;
}

/** Loads the model in a worker; a load that is cancelled is ended with its process, whatever it does. */
async function loadWorker({
  worker,
  config,
  signal,
  loadSeconds,
  watch,
  onProgress,
  ranks,
}: LoadOptions): Promise<ConnectedWorld> {
  const cancel = (): void => worker.client.fail(new DreamloopError(ERROR_CODES.cancelled, "the load was cancelled"));
  signal.addEventListener("abort", cancel, { once: true });
  try {
    throwIfCancelled(signal, "the load");
    await worker.hello();
    const { value } = await worker.client.request({
      message: { type: "load", config: { ...config } },
      reply: loadReplySchema,
      deadlineSeconds: loadSeconds,
      onProgress,
      onDeadline: () => void worker.hang(`its load gave no sign of progress for ${loadSeconds} s`),
    });
    throwIfCancelled(signal, "the load");
    if (value.slots !== null) worker.frames?.settle(value.slots.bytes);
    const times = fileTimes(value.files);
    const stale = (): string | undefined => {
      const changed = changedFile(times);
      return changed === undefined ? undefined : `${basename(changed)} has changed`;
    };
    return {
      client: worker.client,
      loaded: value,
      facts: { framesThrough: worker.frameCarrier, ...(ranks === undefined ? {} : { ranks: `${ranks}` }) },
      failed: worker.failed,
      ...(worker.frames === undefined ? {} : { frames: worker.frames }),
      ...(watch ? { staleness: stale } : {}),
      hang: (what) => void worker.hang(what),
      close: () => worker.close(),
    };
  } catch (error) {
    await worker.close();
    throwIfCancelled(signal, "the load");
    throw error;
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}

/** The process that described the world, kept for a moment: importing a large library twice takes seconds. */
class SpareWorker {
  readonly worker: WorkerProcess;
  #isFree = false;
  #times: ReadonlyMap<string, number> = new Map();
  #timer: NodeJS.Timeout | undefined;

  constructor(worker: WorkerProcess) {
    this.worker = worker;
  }

  keep(times: ReadonlyMap<string, number>): void {
    this.#isFree = true;
    this.#times = times;
    this.worker.keepAlive(false);
    this.#timer = setTimeout(() => this.drop(), SPARE_SECONDS * 1000);
    this.#timer.unref();
  }

  /** Hands the process over, once; nothing when it is gone or the file has changed since. */
  take(): WorkerProcess | undefined {
    if (!this.#isFree) return undefined;
    clearTimeout(this.#timer);
    if (this.worker.client.failure !== undefined || changedFile(this.#times) !== undefined) {
      this.drop();
      return undefined;
    }
    this.#isFree = false;
    this.worker.keepAlive(true);
    return this.worker;
  }

  /** Ends the process where nobody has taken it; idempotent. */
  drop(): void {
    if (!this.#isFree) return;
    clearTimeout(this.#timer);
    this.#isFree = false;
    void this.worker.close();
  }
}

/** Hints of the configuration win over the options: an operator sets them for each world. */
function deadlinesOf(
  options: PythonWorldOptions,
  { resourceHints }: InferenceConfig,
): { stepSeconds: number; loadSeconds: number } {
  const hint = (name: "stepSeconds" | "loadSeconds"): number =>
    resourceHints[name] === undefined
      ? options[name]
      : finite({ min: 0, aboveMin: true, max: 86_400 })(resourceHints[name], `resourceHints.${name}`);
  return { stepSeconds: hint("stepSeconds"), loadSeconds: hint("loadSeconds") };
}

function printed(label: string): (line: WorldLog) => void {
  return ({ text }) => void process.stderr.write(`${label}: ${text}\n`);
}
