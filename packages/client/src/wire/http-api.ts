import { DreamloopError, ERROR_CODES, isDreamloopError } from "@dreamloop/core";
import { errorFromRecord, type ErrorRecord } from "@dreamloop/core/internal";
import type {
  ConfigAnswer,
  CreateSessionRequest,
  ForkSessionRequest,
  SaveMomentRequest,
  IceCandidate,
  SessionAnswer,
  SessionFacts,
  UploadLimits,
  WorldsAnswer,
  WorldSummary,
} from "@dreamloop/protocol";
import type { ClientEnvironment } from "../browser/client-environment.ts";
import { readRecord, wrong } from "./read-message.ts";

/** A server that is busy for so long only, in seconds, is about to be free: it is asked again. */
const SHORTLY_SECONDS = 1;
/** How often it is asked at most. */
const MOST_ATTEMPTS = 10;

/** How the server is reached. */
export interface HttpApiOptions {
  /** Its address, such as `http://127.0.0.1:8787`. */
  readonly url: string;
  /** The server's access token, where it asks for one. */
  readonly accessToken?: string;
  /** What does the asking. */
  readonly environment: ClientEnvironment;
}

interface Question {
  readonly method?: "GET" | "POST" | "DELETE";
  readonly body?: object;
  /** A file as body, in place of JSON. */
  readonly file?: Blob;
  readonly token?: string;
  readonly signal?: AbortSignal;
  /** Whether it is sent even when the page goes. */
  readonly outlivesPage?: boolean;
}

/** The HTTP side of a server. Every refusal is a `DreamloopError`; one that never reached the server is `unavailable` and retryable. */
export class HttpApi {
  readonly #url: string;
  readonly #accessToken: string | undefined;
  readonly #environment: ClientEnvironment;

  /** For the server at `options.url`. */
  constructor(options: HttpApiOptions) {
    this.#url = options.url.replace(/\/+$/, "");
    this.#accessToken = options.accessToken;
    this.#environment = options.environment;
  }

  /** The worlds that the server offers. */
  async worlds(signal?: AbortSignal): Promise<readonly WorldSummary[]> {
    const answer = await this.#ask("/api/worlds", signal === undefined ? {} : { signal });
    const { worlds } = readRecord(answer, "WorldsAnswer") as Partial<WorldsAnswer>;
    if (!Array.isArray(worlds)) throw wrong("WorldsAnswer.worlds", "a list", worlds);
    return worlds as readonly WorldSummary[];
  }

  /** What the server knows of a session. */
  async facts(grant: SessionAnswer, signal?: AbortSignal): Promise<SessionFacts> {
    const question: Question = { token: grant.token, ...(signal === undefined ? {} : { signal }) };
    const path = `/api/sessions/${encodeURIComponent(grant.sessionId)}`;
    return readRecord(await this.#ask(path, question), "SessionFacts") as unknown as SessionFacts;
  }

  /** Starts a session. A server that will be free within a second, such as while it unloads a world that somebody left, is asked again, ten times at most. */
  async create(request: CreateSessionRequest, signal?: AbortSignal): Promise<SessionAnswer> {
    const question: Question = { method: "POST", body: request, ...(signal === undefined ? {} : { signal }) };
    for (let attempt = 1; ; attempt += 1) {
      try {
        return readGrant(await this.#ask("/api/sessions", question));
      } catch (error) {
        if (attempt === MOST_ATTEMPTS || !isBusyShortly(error)) throw error;
        await new Promise(
          (resolve) => void this.#environment.setTimer(() => resolve(undefined), SHORTLY_SECONDS * 1000),
        );
      }
    }
  }

  /** What the server tells of itself. */
  async config(signal?: AbortSignal): Promise<Partial<ConfigAnswer>> {
    const answer = await this.#ask("/api/config", signal === undefined ? {} : { signal });
    return readRecord(answer, "ConfigAnswer");
  }

  /** Starts a session from a moment file; the file says of which world it is. */
  async createFromMoment(moment: Blob, signal?: AbortSignal): Promise<SessionAnswer> {
    const question: Question = { method: "POST", file: moment, ...(signal === undefined ? {} : { signal }) };
    return readGrant(await this.#ask("/api/sessions/moment", question));
  }

  /** Begins another session from a moment of a session. */
  async fork(grant: SessionAnswer, request: ForkSessionRequest, signal?: AbortSignal): Promise<SessionAnswer> {
    const path = `/api/sessions/${encodeURIComponent(grant.sessionId)}/fork`;
    const question: Question = { method: "POST", body: request, token: grant.token };
    return readGrant(await this.#ask(path, signal === undefined ? question : { ...question, signal }));
  }

  /** A moment of a session as a file. */
  async moment(grant: SessionAnswer, request: SaveMomentRequest): Promise<Blob> {
    const path = `/api/sessions/${encodeURIComponent(grant.sessionId)}/moment`;
    const question: Question = { method: "POST", body: request, token: grant.token };
    let response: Response;
    try {
      response = await this.#environment.fetch(`${this.#url}${path}`, this.#init(question));
      if (response.ok) return await response.blob();
    } catch (cause) {
      throw unreachable(this.#url, cause, undefined);
    }
    throw refusal(response.status, await response.text().catch(() => ""));
  }

  /** What pictures may be that are uploaded; absent: the server takes none. */
  async uploadLimits(signal?: AbortSignal): Promise<UploadLimits | undefined> {
    const { uploads } = await this.config(signal);
    if (uploads === undefined) return undefined;
    const { maxBytes } = readRecord(uploads, "ConfigAnswer.uploads");
    if (typeof maxBytes !== "number") throw wrong("ConfigAnswer.uploads.maxBytes", "a number", maxBytes);
    return uploads;
  }

  /** Uploads a picture; gives the name that stands for it once, when a session is started. */
  async upload(picture: Blob, signal?: AbortSignal): Promise<string> {
    const question: Question = { method: "POST", file: picture, ...(signal === undefined ? {} : { signal }) };
    const { uploadId } = readRecord(await this.#ask("/api/uploads", question), "UploadAnswer");
    if (typeof uploadId !== "string") throw wrong("UploadAnswer.uploadId", "a string", uploadId);
    return uploadId;
  }

  /** Lets go of a picture that no session has used. */
  async removeUpload(uploadId: string): Promise<void> {
    await this.#ask(`/api/uploads/${encodeURIComponent(uploadId)}`, { method: "DELETE", outlivesPage: true });
  }

  /** Takes a session up again. */
  async resume(sessionId: string, resumeSecret: string, signal?: AbortSignal): Promise<SessionAnswer> {
    const path = `/api/sessions/${encodeURIComponent(sessionId)}/resume`;
    const question: Question = { method: "POST", body: { resumeSecret } };
    return readGrant(await this.#ask(path, signal === undefined ? question : { ...question, signal }));
  }

  /** Hands in a WebRTC offer; gives the server's answer. */
  async offer(grant: SessionAnswer, sdp: string, signal?: AbortSignal): Promise<string> {
    const question: Question = { method: "POST", body: { type: "offer", sdp }, token: grant.token };
    const answer = readRecord(
      await this.#ask(
        `/api/sessions/${encodeURIComponent(grant.sessionId)}/offer`,
        signal ? { ...question, signal } : question,
      ),
      "Answer",
    );
    if (typeof answer.sdp !== "string") throw wrong("Answer.sdp", "a string", answer.sdp);
    return answer.sdp;
  }

  /** Hands in ICE candidates. */
  async candidates(grant: SessionAnswer, candidates: readonly IceCandidate[]): Promise<void> {
    const path = `/api/sessions/${encodeURIComponent(grant.sessionId)}/candidates`;
    await this.#ask(path, { method: "POST", body: { candidates }, token: grant.token });
  }

  /** Ends a session. */
  async remove(grant: SessionAnswer): Promise<void> {
    const path = `/api/sessions/${encodeURIComponent(grant.sessionId)}`;
    await this.#ask(path, { method: "DELETE", token: grant.token, outlivesPage: true });
  }

  /** The address of a file of a session, with the token in it, for links. */
  fileUrl(path: string, grant: SessionAnswer): string {
    return `${this.#url}${path}?token=${encodeURIComponent(grant.token)}`;
  }

  /** The address of a session's WebSocket. */
  socketUrl(grant: SessionAnswer): string {
    const url = this.#url.replace(/^http/, "ws");
    return `${url}${grant.websocketPath}?token=${encodeURIComponent(grant.token)}`;
  }

  async #ask(path: string, question: Question): Promise<unknown> {
    let response: Response;
    try {
      response = await this.#environment.fetch(`${this.#url}${path}`, this.#init(question));
    } catch (cause) {
      throw unreachable(this.#url, cause, question.signal);
    }
    if (response.status === 204) return undefined;
    const text = await response.text().catch((cause: unknown) => {
      throw unreachable(this.#url, cause, question.signal);
    });
    if (!response.ok) throw refusal(response.status, text);
    return parse(text);
  }

  #init(question: Question): RequestInit {
    const token = question.token ?? this.#accessToken;
    return {
      method: question.method ?? "GET",
      headers: {
        ...(question.body === undefined ? {} : { "content-type": "application/json" }),
        // What a file calls itself says nothing: the server looks at what it holds.
        ...(question.file === undefined ? {} : { "content-type": "application/octet-stream" }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      ...(question.body === undefined ? {} : { body: JSON.stringify(question.body) }),
      ...(question.file === undefined ? {} : { body: question.file }),
      ...(question.outlivesPage === true ? { keepalive: true } : {}),
      ...(question.signal === undefined ? {} : { signal: question.signal }),
    };
  }
}

function isBusyShortly(error: unknown): boolean {
  if (!isDreamloopError(error, ERROR_CODES.busy)) return false;
  const { retryAfterSeconds } = error.details;
  return typeof retryAfterSeconds === "number" && retryAfterSeconds <= SHORTLY_SECONDS;
}

function unreachable(url: string, cause: unknown, signal: AbortSignal | undefined): DreamloopError {
  if (signal?.aborted === true) return new DreamloopError(ERROR_CODES.cancelled, "connect was cancelled", { cause });
  // A browser tells no script whether nobody answered or the answer is withheld from the page's origin.
  const message =
    url === ""
      ? "no answer from the server; check that it runs and that the network is there"
      : `no answer from ${url}: either it does not run or cannot be reached, or it does not let pages of this origin in; check both, and start it with --allow-origin and the origin of this page`;
  return new DreamloopError(ERROR_CODES.unavailable, message, { cause, retryable: true });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new DreamloopError(ERROR_CODES.invalidValue, "the server answered with something other than JSON", { cause });
  }
}

/** The error that a refused request carries; a body that is no such error becomes one by the status alone. */
export function refusal(status: number, text: string): DreamloopError {
  const details = { status };
  try {
    const answer = readRecord(JSON.parse(text), "ErrorAnswer");
    const error = readRecord(answer.error, "ErrorAnswer.error") as unknown as ErrorRecord;
    if (typeof error.code !== "string" || typeof error.message !== "string")
      throw wrong("ErrorAnswer", "an error", error);
    const retryAfter =
      typeof answer.retryAfterSeconds === "number" ? { retryAfterSeconds: answer.retryAfterSeconds } : {};
    return errorFromRecord({
      code: error.code,
      message: error.message,
      retryable: error.retryable === true,
      details: { ...error.details, ...details, ...retryAfter },
    });
  } catch (cause) {
    const isOurs = isDreamloopError(cause) || cause instanceof SyntaxError;
    if (!isOurs) throw cause;
    const retryable = status === 502 || status === 504;
    return new DreamloopError(ERROR_CODES.unavailable, `the server answered with status ${status}`, {
      retryable,
      details,
      cause,
    });
  }
}

/** Checks what a client relies on in the answer to a creation or a resumption. */
export function readGrant(value: unknown): SessionAnswer {
  const grant = readRecord(value, "SessionAnswer");
  for (const field of ["sessionId", "token", "resumeSecret", "viewerToken", "websocketPath"]) {
    if (typeof grant[field] !== "string") throw wrong(`SessionAnswer.${field}`, "a string", grant[field]);
  }
  if (typeof grant.epoch !== "number") throw wrong("SessionAnswer.epoch", "a number", grant.epoch);
  if (typeof grant.state !== "string") throw wrong("SessionAnswer.state", "a string", grant.state);
  readRecord(grant.world, "SessionAnswer.world");
  return {
    ...grant,
    iceServers: Array.isArray(grant.iceServers) ? (grant.iceServers as unknown[]) : [],
  } as unknown as SessionAnswer;
}
