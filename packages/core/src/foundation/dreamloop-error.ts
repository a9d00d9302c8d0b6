/** Marks every DreamloopError, whichever copy of the package made it. */
const ERROR_MARK = Symbol.for("dreamloop.error");

/** The stable names of everything that Dreamloop refuses or reports; each member says when it is used. */
export const ERROR_CODES = {
  /** A value has the wrong type, is out of range or is not one of the allowed ones. */
  invalidValue: "invalid_value",
  /** A record has a key that its type does not know. */
  unknownKey: "unknown_key",
  /** An adapter does not support an explicit choice of the configuration. */
  unsupportedConfig: "unsupported_config",
  /** A required model input is absent. */
  missingInput: "missing_input",
  /** An update names a field that may only be given when a session starts. */
  updateRefused: "update_refused",
  /** The input source cannot drive this world through these mappings. */
  incompatibleInputs: "incompatible_inputs",
  /** Something was used after it was closed. */
  closed: "closed",
  /** A call came in an order that the contract does not allow. */
  invalidState: "invalid_state",
  /** The caller's signal ended the work. */
  cancelled: "cancelled",
  /** A frame holds NaN or infinity. */
  badFrame: "bad_frame",
  /** A model step failed; the cause is attached. */
  stepFailed: "step_failed",
  /** A runtime could not be loaded; the cause is attached. */
  loadFailed: "load_failed",
  /** An output target could not write. */
  outputFailed: "output_failed",
  /** An observer, a hasher or a hook of a run failed; the cause is attached. */
  observerFailed: "observer_failed",
  /** An encoder refused its settings or failed its self-test. */
  encoderFailed: "encoder_failed",
  /** A trace or script cannot be read. */
  traceInvalid: "trace_invalid",
  /** A replay differs from its trace. */
  replayDiffers: "replay_differs",
  /** A trace cannot be replayed with this world, version or machine. */
  replayRefused: "replay_refused",
  /** A snapshot or a moment file is damaged or none at all. */
  snapshotInvalid: "snapshot_invalid",
  /** A snapshot belongs to another world, other weights, settings or another engine. */
  snapshotRefused: "snapshot_refused",
  /** A world bundle has faults. */
  bundleInvalid: "bundle_invalid",
  /** No world, file or session of that name exists. */
  notFound: "not_found",
  /** All places are taken; try again later. */
  busy: "busy",
  /** A limit on size, count or rate was reached. */
  limitExceeded: "limit_exceeded",
  /** The caller lacks a token or comes from an origin that is not allowed. */
  unauthorized: "unauthorized",
  /** The optional part is not installed or does not exist on this platform. */
  unavailable: "unavailable",
  /** Another process or thread ended unexpectedly. */
  workerFailed: "worker_failed",
  /** Something that was waited for did not answer within its limit. */
  timedOut: "timed_out",
  /** A fault inside Dreamloop itself. */
  internal: "internal",
} as const;

/** One of the stable error names in `ERROR_CODES`. */
export type ErrorCode = (typeof ERROR_CODES)[keyof typeof ERROR_CODES];

/** What a `DreamloopError` is made from, beside its message. */
export interface DreamloopErrorOptions {
  /** The error that led to this one. */
  readonly cause?: unknown;
  /** Whether the same call may succeed later without a change; default false. */
  readonly retryable?: boolean;
  /** Further facts for machines, plain JSON. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/**
 * The one error class of Dreamloop. Recognise it with `isDreamloopError`, never with `instanceof` or by its text.
 * The message says what was wrong, what was found and what to do.
 */
export class DreamloopError extends Error {
  /** The stable name of what went wrong. */
  readonly code: ErrorCode;
  /** Whether the same call may succeed later without a change. */
  readonly retryable: boolean;
  /** Further facts for machines, plain JSON; empty when there are none. */
  readonly details: Readonly<Record<string, unknown>>;

  /** Makes an error from its stable code, its message and its options. */
  constructor(code: ErrorCode, message: string, options: DreamloopErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "DreamloopError";
    this.code = code;
    this.retryable = options.retryable ?? false;
    this.details = Object.freeze({ ...options.details });
    Object.defineProperty(this, ERROR_MARK, { value: true });
  }
}

/** Whether `error` is a `DreamloopError` of any copy of this package and, if `code` is given, has that code. */
export function isDreamloopError(error: unknown, code?: ErrorCode): error is DreamloopError {
  if (typeof error !== "object" || error === null) return false;
  if ((error as Record<symbol, unknown>)[ERROR_MARK] !== true) return false;
  return code === undefined || (error as DreamloopError).code === code;
}

/** The message of anything that was thrown. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** An error in the form in which it crosses threads, processes and the wire: code and message, never a stack. */
export interface ErrorRecord {
  /** The stable name of what went wrong. */
  readonly code: ErrorCode;
  /** What was wrong, what was found, what to do. */
  readonly message: string;
  /** Whether the same call may succeed later without a change. */
  readonly retryable: boolean;
  /** Further facts for machines, plain JSON. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** Turns any thrown value into the form that crosses a boundary; a foreign error becomes `fallback`. */
export function errorToRecord(error: unknown, fallback: ErrorCode = ERROR_CODES.internal): ErrorRecord {
  if (isDreamloopError(error)) {
    return {
      code: error.code,
      message: error.message,
      retryable: error.retryable,
      details: error.details,
    };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { code: fallback, message, retryable: false, details: {} };
}

/** Turns the form that crossed a boundary back into an error. */
export function errorFromRecord(record: ErrorRecord): DreamloopError {
  return new DreamloopError(record.code, record.message, {
    retryable: record.retryable,
    details: record.details,
  });
}

/** Throws a `cancelled` error when `signal` has fired; its reason becomes the cause. */
export function throwIfCancelled(signal: AbortSignal | undefined, what: string): void {
  if (signal?.aborted) {
    throw new DreamloopError(ERROR_CODES.cancelled, `${what} was cancelled`, {
      cause: signal.reason,
    });
  }
}
