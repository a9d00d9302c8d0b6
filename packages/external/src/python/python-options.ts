import { flag, finite, optional, recordFactory, text, withDefault } from "@dreamloop/core/internal";

/** Seconds that a step, its finalisation, a start or a reset may take, unless told otherwise. */
export const DEFAULT_STEP_SECONDS = 120;

/** Seconds that a load may go on without a report of progress, unless told otherwise. */
export const DEFAULT_LOAD_SECONDS = 1800;

/** Which Python file is run, and how; plain data, so that it crosses threads. */
export interface PythonWorldOptions {
  /** The file, or `flashdreams:package.module:Adapter` for a model of FlashDreams in a module. */
  readonly file: string;
  /** The world in it; absent: the only one. */
  readonly name?: string;
  /** The interpreter. */
  readonly python: string;
  /** The folder to work in; default the file's. */
  readonly folder?: string;
  /** Whether a file that has changed is loaded anew before the next session; default false. */
  readonly watch: boolean;
  /** Whether frames may go through shared memory; default true. */
  readonly sharedMemory: boolean;
  /** Seconds that a step, its finalisation, a start or a reset may take; default `DEFAULT_STEP_SECONDS`. */
  readonly stepSeconds: number;
  /** Seconds that a load may go on without a report of progress; default `DEFAULT_LOAD_SECONDS`. */
  readonly loadSeconds: number;
}

/** What the factory of `PythonWorldOptions` takes. */
export type PythonWorldOptionsInput = Pick<PythonWorldOptions, "file" | "python"> & Partial<PythonWorldOptions>;

const path = text({ maxLength: 8192 });
const seconds = finite({ min: 0, aboveMin: true, max: 86_400 });

/** Makes `PythonWorldOptions` with defaults; refuses unknown keys. */
export const pythonWorldOptions: (input: PythonWorldOptionsInput) => PythonWorldOptions =
  recordFactory<PythonWorldOptions>("PythonWorldOptions", {
    file: path,
    name: optional(text({ maxLength: 200 })),
    python: path,
    folder: optional(path),
    watch: withDefault(flag, false),
    sharedMemory: withDefault(flag, true),
    stepSeconds: withDefault(seconds, DEFAULT_STEP_SECONDS),
    loadSeconds: withDefault(seconds, DEFAULT_LOAD_SECONDS),
  });
