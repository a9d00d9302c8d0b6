import type { ClientEnvironment } from "../browser/client-environment.ts";

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

/** A browser whose clock stands until a test moves it. */
export class FakeEnvironment implements ClientEnvironment {
  readonly asked: { readonly url: string; readonly init: RequestInit | undefined }[] = [];
  readonly #timers = new Map<number, Timer>();
  #now = 1000;
  #nextId = 1;
  answer: (url: string, init: RequestInit | undefined) => Response | Promise<Response> = () =>
    new Response("{}", { status: 404 });

  /** Timers that wait. */
  get timerCount(): number {
    return this.#timers.size;
  }

  now(): number {
    return this.#now;
  }

  setTimer(callback: () => void, milliseconds: number): unknown {
    const id = this.#nextId++;
    this.#timers.set(id, { at: this.#now + milliseconds, callback });
    return id;
  }

  clearTimer(handle: unknown): void {
    this.#timers.delete(handle as number);
  }

  random(): number {
    return 0.5;
  }

  async fetch(url: string, init?: RequestInit): Promise<Response> {
    this.asked.push({ url, init });
    return this.answer(url, init);
  }

  createSocket(): WebSocket {
    throw new Error("no sockets here");
  }

  async listDecoders(): Promise<readonly ["jpeg"]> {
    return ["jpeg"];
  }

  /** Moves the clock, fires what is due in order, and lets promises settle after each. */
  async advance(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds;
    for (;;) {
      await settle();
      const due = [...this.#timers].filter(([, { at }]) => at <= end).sort(([, one], [, two]) => one.at - two.at)[0];
      if (due === undefined) break;
      this.#timers.delete(due[0]);
      this.#now = Math.max(this.#now, due[1].at);
      due[1].callback();
    }
    this.#now = end;
    await settle();
  }
}

/** Lets everything that is ready run. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 12; turn += 1) await Promise.resolve();
}
