import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import { errorFromRecord } from "@dreamloop/core/internal";
import type { ControlMethod, ControlRequests, ControlResponse } from "@dreamloop/protocol";
import type { ClientEnvironment } from "../browser/client-environment.ts";

/** How long an answer may take, in milliseconds. */
export const REQUEST_TIMEOUT_MILLISECONDS = 15_000;

interface Open {
  readonly method: string;
  readonly timer: unknown;
  readonly resolve: (result: Readonly<Record<string, unknown>>) => void;
  readonly reject: (error: DreamloopError) => void;
}

/** Requests that wait for their answers. */
export class Requests {
  readonly #environment: ClientEnvironment;
  readonly #open = new Map<number, Open>();
  #nextId = 1;

  /** Timers come from `environment`. */
  constructor(environment: ClientEnvironment) {
    this.#environment = environment;
  }

  /** Sends a request through `send`; resolves with the result, rejects with the server's error, on a timeout and when the link ends. */
  ask<Method extends ControlMethod>(
    send: (message: string) => void,
    method: Method,
    params: ControlRequests[Method],
  ): Promise<Readonly<Record<string, unknown>>> {
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      const timer = this.#environment.setTimer(() => {
        this.#open.delete(id);
        const message = `the server did not answer "${method}" within ${REQUEST_TIMEOUT_MILLISECONDS / 1000} s`;
        reject(new DreamloopError(ERROR_CODES.unavailable, message, { retryable: true }));
      }, REQUEST_TIMEOUT_MILLISECONDS);
      this.#open.set(id, { method, timer, resolve, reject });
      send(JSON.stringify({ type: "request", id, method, params }));
    });
  }

  /** Takes over an answer; one that nobody waits for is ignored. */
  answer(response: ControlResponse): void {
    const open = this.#open.get(response.id);
    if (open === undefined) return;
    this.#open.delete(response.id);
    this.#environment.clearTimer(open.timer);
    if (response.ok) open.resolve(response.result);
    else open.reject(errorFromRecord(response.error));
  }

  /** Rejects everything that waits: the link is gone. */
  rejectAll(reason: string): void {
    for (const { method, timer, reject } of this.#open.values()) {
      this.#environment.clearTimer(timer);
      reject(
        new DreamloopError(ERROR_CODES.unavailable, `"${method}" was not answered: ${reason}`, { retryable: true }),
      );
    }
    this.#open.clear();
  }
}
