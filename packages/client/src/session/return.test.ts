import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { FakeEnvironment, settle } from "../test-support/fake-environment.ts";
import { fakeAnswer } from "../test-support/fake-link.ts";
import { connect } from "./connect.ts";
import type { ConnectOptions } from "./play-options.ts";
import type { PlaySession } from "./play-session.ts";
import type { BusyWait } from "./wait-for-place.ts";

/** A socket whose server says welcome at once. */
class WelcomingSocket extends EventTarget {
  readonly readyState = 1;
  readonly bufferedAmount = 0;
  readonly sent: string[] = [];

  constructor() {
    super();
    queueMicrotask(() => this.tell({ type: "welcome", version: 1, codec: "jpeg", epoch: 1 }));
  }

  tell(message: unknown): void {
    this.dispatchEvent(new MessageEvent("message", { data: JSON.stringify(message) }));
  }

  send(text: string): void {
    const { id, method } = JSON.parse(text) as { readonly id: number; readonly method?: string };
    if (method === "prompt" || method === "record_start") {
      queueMicrotask(() => this.tell({ type: "response", id, ok: true, result: {} }));
    }
  }

  close(): void {}
}

class WelcomingEnvironment extends FakeEnvironment {
  override createSocket(): WebSocket {
    return new WelcomingSocket() as unknown as WebSocket;
  }
}

let page: EventTarget;
let environment: WelcomingEnvironment;
let stored: Map<string, string>;

beforeEach(() => {
  page = new EventTarget();
  vi.stubGlobal("addEventListener", page.addEventListener.bind(page));
  vi.stubGlobal("removeEventListener", page.removeEventListener.bind(page));
  stored = new Map();
  vi.stubGlobal("sessionStorage", {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, value: string) => void stored.set(name, value),
    removeItem: (name: string) => void stored.delete(name),
  });
  environment = new WelcomingEnvironment();
  environment.answer = (url, init) => {
    if (init?.method === "DELETE") return new Response(null, { status: 204 });
    const sessionId = url.endsWith("/resume") ? "s1" : `s${created()}`;
    return new Response(JSON.stringify(fakeAnswer({ sessionId })), { status: 201 });
  };
});
afterEach(() => vi.unstubAllGlobals());

function created(): number {
  return environment.asked.filter(({ url }) => url.endsWith("/api/sessions")).length;
}

function open(options: Partial<ConnectOptions> = {}): Promise<PlaySession> {
  return connect({ url: "http://server", world: "probe", environment, ...options });
}

/** The page goes for good, as on a reload. */
function leave(): void {
  page.dispatchEvent(new Event("pagehide"));
}

describe("a page that is reloaded, or left and come back to", () => {
  test("comes back to the same session, with its prompt and its recording", async () => {
    const before = await open();
    await before.prompt("snow");
    await before.startRecording();
    leave();
    const after = await open();
    expect(after.sessionId).toBe(before.sessionId);
    expect(created()).toBe(1);
    expect(after.currentPrompt).toBe("snow");
    expect(after.isRecording).toBe(true);
    const resumed = environment.asked.find(({ url }) => url.endsWith("/resume"));
    expect(JSON.parse(resumed?.init?.body as string)).toEqual({ resumeSecret: "secret" });
    expect(environment.asked.some(({ init }) => init?.method === "DELETE")).toBe(false);
    await after.close();
  });

  test("starts anew when the session has ended meanwhile, when it asks for another world, and in a copy of the tab", async () => {
    await open();
    leave();
    const copy = new Map(stored);
    const answer = environment.answer;
    environment.answer = (url, init) =>
      url.endsWith("/resume")
        ? new Response(JSON.stringify({ error: { code: "not_found", message: "no", retryable: false, details: {} } }), {
            status: 404,
          })
        : answer(url, init);
    await open();
    expect(created()).toBe(2);
    environment.answer = answer;
    await open({ world: "drive" });
    expect(created()).toBe(3);
    // A tab that is copied while it lives finds nothing to take over: the session is kept only while there is no page.
    expect([...copy.keys()]).toHaveLength(1);
    expect([...stored.keys()]).toEqual([]);
  });

  test("frees the place at once where the page wants that, and while the world still loads", async () => {
    await open({ pageEnd: "close" });
    leave();
    await settle();
    expect(environment.asked.filter(({ init }) => init?.method === "DELETE")).toHaveLength(1);
    environment.answer = (_, init) =>
      init?.method === "DELETE"
        ? new Response(null, { status: 204 })
        : new Response(JSON.stringify(fakeAnswer({ sessionId: "s9", state: "loading" })), { status: 201 });
    await open();
    leave();
    await settle();
    expect(environment.asked.at(-1)).toMatchObject({
      url: "http://server/api/sessions/s9",
      init: { method: "DELETE" },
    });
    expect([...stored.keys()]).toEqual([]);
  });

  test("frees the place where the browser keeps nothing for the tab", async () => {
    vi.stubGlobal("sessionStorage", undefined);
    await open();
    leave();
    await settle();
    expect(environment.asked.at(-1)?.init?.method).toBe("DELETE");
  });

  test("asks first while a recording runs, and only then", async () => {
    const asks = (): boolean => !page.dispatchEvent(new Event("beforeunload", { cancelable: true }));
    const session = await open();
    expect(asks()).toBe(false);
    await session.startRecording();
    expect(asks()).toBe(true);
    await session.close();
    expect(asks()).toBe(false);
  });
});

describe("a server that is full", () => {
  const full = (retryAfterSeconds?: number): Response =>
    new Response(
      JSON.stringify({ error: { code: "busy", message: "full", retryable: true, details: {} }, retryAfterSeconds }),
      { status: 503 },
    );

  test("C5: is not asked again by itself", async () => {
    environment.answer = () => full(3);
    await expect(open()).rejects.toMatchObject({ code: "busy", details: { retryAfterSeconds: 3 } });
    expect(created()).toBe(1);
  });

  test("is waited for where the page wants that: each second is told, and it is asked again", async () => {
    const waits: BusyWait[] = [];
    const answer = environment.answer;
    environment.answer = (url, init) => (created() < 3 ? full(created() === 1 ? 3 : undefined) : answer(url, init));
    const opening = open({ onBusy: (wait) => waits.push(wait) });
    await environment.advance(20_000);
    const session = await opening;
    expect(waits.map(({ secondsLeft }) => secondsLeft)).toEqual([3, 2, 1, 5, 4, 3, 2, 1]);
    expect(waits.map(({ attempts }) => attempts)).toEqual([1, 1, 1, 2, 2, 2, 2, 2]);
    await session.close();
  });

  test("is waited for until patience ends, or the signal", async () => {
    environment.answer = () => full(10);
    const patient = expect(open({ onBusy: () => undefined, busyPatienceSeconds: 25 })).rejects.toMatchObject({
      code: "busy",
    });
    await environment.advance(60_000);
    await patient;
    expect(created()).toBe(3);
    const controller = new AbortController();
    const cancelled = expect(open({ onBusy: () => undefined, signal: controller.signal })).rejects.toThrow("no longer");
    await environment.advance(1_000);
    controller.abort(new Error("no longer"));
    await cancelled;
    expect(environment.timerCount).toBe(0);
  });
});
