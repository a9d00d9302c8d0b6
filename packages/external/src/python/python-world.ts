import { statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import {
  DreamloopError,
  ERROR_CODES,
  throwIfCancelled,
  type CreateRuntimeOptions,
  type InferenceConfig,
  type InferenceRuntime,
  type ModelAdapter,
} from "@dreamloop/core";
import { finite } from "@dreamloop/core/internal";
import type { z } from "zod";
import type { ConnectedWorld } from "../backend/connected-world.ts";
import { describedAdapter } from "../backend/described-adapter.ts";
import type { WorldLog } from "../backend/protocol-client.ts";
import { RemoteRuntime } from "../backend/remote-runtime.ts";
import { describeReplySchema, loadReplySchema } from "../protocol/message-schemas.ts";
import { WorkerProcess } from "../supervisor/worker-process.ts";
import { changedFile, fileTimes } from "./file-times.ts";
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
  const start = (): WorkerProcess => startWorker(options, file, label, onLog);
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
    return RemoteRuntime.create(
      {
        described,
        label,
        deadlines,
        onWarning: (text) => onLog({ level: "warning", text }),
        connect: async ({ signal: cancel, attempt }) => {
          const worker = (attempt === 0 ? spare.take() : undefined) ?? start();
          return loadWorker({
            worker,
            config,
            signal: cancel,
            loadSeconds: deadlines.loadSeconds,
            watch: options.watch,
            onProgress: attempt === 0 ? (onProgress ?? (() => undefined)) : () => undefined,
          });
        },
      },
      signal ?? never,
    );
  };
  return describedAdapter({ described, backends: ["local", "external"], createRuntime });
}

function startWorker(
  options: PythonWorldOptions,
  file: string,
  label: string,
  onLog: (line: WorldLog) => void,
): WorkerProcess {
  const own = file.startsWith(FLASHDREAMS) ? process.cwd() : dirname(file);
  const folder = options.folder === undefined ? own : resolve(options.folder);
  const name = options.name === undefined ? [] : ["--name", options.name];
  return new WorkerProcess({
    command: options.python,
    args: ["-u", join(pythonFolder(), WORKER_PROGRAM), file, "--folder", folder, ...name],
    cwd: folder,
    label,
    useSharedMemory: options.sharedMemory,
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
  readonly worker: WorkerProcess;
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
      facts: { framesThrough: worker.frameCarrier },
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
    this.#timer = setTimeout(() => this.#drop(), SPARE_SECONDS * 1000);
    this.#timer.unref();
  }

  /** Hands the process over, once; nothing when it is gone or the file has changed since. */
  take(): WorkerProcess | undefined {
    if (!this.#isFree) return undefined;
    clearTimeout(this.#timer);
    if (this.worker.client.failure !== undefined || changedFile(this.#times) !== undefined) {
      this.#drop();
      return undefined;
    }
    this.#isFree = false;
    this.worker.keepAlive(true);
    return this.worker;
  }

  #drop(): void {
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
