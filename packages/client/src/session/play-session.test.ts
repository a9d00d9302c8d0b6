import { DreamloopError } from "@dreamloop/core";
import type { SessionAnswer } from "@dreamloop/protocol";
import { describe, expect, test } from "vitest";
import type { LinkHandlers } from "../link/link.ts";
import { FakeEnvironment, settle } from "../test-support/fake-environment.ts";
import { fakeAnswer, FakeLink } from "../test-support/fake-link.ts";
import { HttpApi } from "../wire/http-api.ts";
import { connect } from "./connect.ts";
import { PictureFallback } from "./picture-fallback.ts";
import type { ConnectOptions } from "./play-options.ts";
import { PlaySession, RECORDING_LIMIT } from "./play-session.ts";

interface Setup {
  readonly environment: FakeEnvironment;
  readonly session: PlaySession;
  readonly links: FakeLink[];
  readonly told: string[];
}

const LOST = new DreamloopError("unavailable", "the link broke", { retryable: true });

async function setUp(
  options: Partial<ConnectOptions> = {},
  open: (grant: SessionAnswer, handlers: LinkHandlers, links: FakeLink[]) => FakeLink = (grant, handlers, links) =>
    new FakeLink(handlers, { epoch: links.length + 1 }),
): Promise<Setup> {
  const environment = new FakeEnvironment();
  const links: FakeLink[] = [];
  const told: string[] = [];
  const session = new PlaySession(
    {
      options: { world: "probe", ...options },
      api: new HttpApi({ url: "http://server", environment }),
      environment,
      fallback: new PictureFallback("auto"),
      openFork: () => Promise.reject(new Error("no fork here")),
      openLink: async (grant, handlers) => {
        const link = open(grant, handlers, links);
        links.push(link);
        return link;
      },
    },
    fakeAnswer(),
  );
  session.on("state", (state) => told.push(state));
  session.on("notice", ({ kind }) => told.push(`notice ${kind}`));
  session.on("closed", (reason) => told.push(`closed ${reason?.code ?? ""}`));
  await session.open();
  return { environment, session, links, told };
}

const json = (status: number, body: unknown): Response => new Response(JSON.stringify(body), { status });
const refused = (code: string, retryable: boolean, status: number): Response =>
  json(status, { error: { code, message: `${code}!`, retryable, details: {} }, retryAfterSeconds: 5 });

describe("PlaySession", () => {
  test("requests resolve with the result, reject with the server's error, and time out", async () => {
    const { environment, session, links } = await setUp();
    const prompt = session.prompt("snow");
    const [link] = links;
    const asked = link.requests.find(({ method }) => method === "prompt");
    link.handlers.onMessage({ type: "response", id: asked?.id ?? 0, ok: true, result: {} });
    await prompt;
    expect(session.currentPrompt).toBe("snow");
    const step = session.step();
    const error = { code: "invalid_state", message: "not paused", retryable: false, details: {} } as const;
    link.handlers.onMessage({ type: "response", id: (asked?.id ?? 0) + 1, ok: false, error });
    await expect(step).rejects.toMatchObject({ code: "invalid_state" });
    const pause = expect(session.pause()).rejects.toMatchObject({ code: "unavailable" });
    for (let second = 0; second < 16; second += 1) {
      await environment.advance(1000);
      link.handlers.onMessage({ type: "notice", kind: "alive", message: "" });
    }
    await pause;
    await session.close();
  });

  test("notices that came before anybody listened are told to the first who listens, once", async () => {
    const environment = new FakeEnvironment();
    let link: FakeLink | undefined;
    const session = new PlaySession(
      {
        options: { world: "probe" },
        api: new HttpApi({ url: "http://server", environment }),
        environment,
        fallback: new PictureFallback("auto"),
        openFork: () => Promise.reject(new Error("no fork here")),
        openLink: async (_grant, handlers) => (link = new FakeLink(handlers, { epoch: 1 })),
      },
      fakeAnswer(),
    );
    await session.open();
    link?.handlers.onMessage({ type: "notice", kind: "prompt_words", message: "early" });
    const first: string[] = [];
    const second: string[] = [];
    session.on("notice", ({ message }) => first.push(message));
    session.on("notice", ({ message }) => second.push(message));
    link?.handlers.onMessage({ type: "notice", kind: "prompt_words", message: "late" });
    expect(first).toEqual(["early", "late"]);
    expect(second).toEqual(["late"]);
    await session.close();
  });

  test("a recording that the server has completed at its limit is over, and can be fetched", async () => {
    const { session, links } = await setUp();
    const [link] = links;
    const started = session.startRecording();
    const asked = link.requests.find(({ method }) => method === "record_start");
    link.handlers.onMessage({ type: "response", id: asked?.id ?? 0, ok: true, result: { recordingId: "r" } });
    await started;
    expect(session.isRecording).toBe(true);
    const videos: (string | undefined)[] = [];
    session.on("notice", ({ details = {} }) => videos.push(session.recordingOf(details).videoUrl));
    const details = { recordingId: "r", videoPath: "/api/sessions/s/recordings/r/video.mp4", videoSeconds: 2 };
    link.handlers.onMessage({ type: "notice", kind: RECORDING_LIMIT, message: "full", details });
    expect(session.isRecording).toBe(false);
    expect(videos).toEqual([expect.stringMatching(/^http:\/\/server\/api\/sessions\/s\/recordings\/r\/video\.mp4\?/)]);
    expect(() => session.recordingOf({})).toThrow(/recordingId/);
    await session.close();
  });

  test("a prompt that changed nothing leaves the one before in force", async () => {
    const { session, links } = await setUp();
    const [link] = links;
    const set = async (prompt: string): Promise<void> => {
      const answered = session.prompt(prompt);
      const id = link.requests.filter(({ method }) => method === "prompt").at(-1)?.id ?? 0;
      link.handlers.onMessage({ type: "response", id, ok: true, result: {} });
      await answered;
    };
    const tell = (applied: boolean): void => {
      const details = { input: "prompt", applied };
      link.handlers.onMessage({ type: "notice", kind: "prompt_words", message: "", details });
    };
    await set("snow");
    await set("snow dragon");
    tell(true);
    expect(session.currentPrompt).toBe("snow dragon");
    await set("banana");
    tell(false);
    expect(session.currentPrompt).toBe("snow dragon");
    await session.close();
  });

  test("a lost link is taken up again with the secret, in a new epoch, and what was asked meanwhile is refused as retryable", async () => {
    const { environment, session, links, told } = await setUp();
    environment.answer = () => json(200, fakeAnswer({ token: "second" }));
    session.input.keyDown("KeyW");
    session.inputChanged();
    const open = expect(session.pause()).rejects.toMatchObject({ retryable: true });
    links[0].handlers.onClosed(LOST);
    await open;
    await expect(session.step()).rejects.toMatchObject({ code: "unavailable", retryable: true });
    await environment.advance(10);
    expect(told).toEqual(["reconnecting", "running"]);
    expect(environment.asked[0].url).toBe("http://server/api/sessions/s1/resume");
    expect(JSON.parse(links[1].inputs[0])).toMatchObject({ epoch: 2 });
    links[0].handlers.onClosed(LOST);
    expect(session.state).toBe("running");
    await session.close();
  });

  test("C5: attempts go on with growing waits while nobody answers, and end at the cap", async () => {
    const { environment, links, told } = await setUp({ reconnect: { maxAttempts: 4 } });
    environment.answer = () => {
      throw new TypeError("no network");
    };
    links[0].handlers.onClosed(LOST);
    await environment.advance(60_000);
    expect(environment.asked).toHaveLength(4);
    expect(told).toEqual(["reconnecting", "closed", "closed unavailable"]);
    expect(environment.timerCount).toBe(0);
  });

  test("a server that has forgotten the session gives a new one with the same seed and prompt, and says so", async () => {
    const { environment, session, links, told } = await setUp({ prompt: "fog", seed: 9 });
    const bodies: unknown[] = [];
    environment.answer = (url, init) => {
      if (url.endsWith("/resume")) return refused("not_found", false, 404);
      bodies.push(JSON.parse(init?.body as string));
      return json(201, fakeAnswer({ sessionId: "s2" }));
    };
    links[0].handlers.onClosed(LOST);
    await environment.advance(5000);
    expect(bodies).toEqual([{ world: "probe", seed: 9, prompt: "fog" }]);
    expect(session.sessionId).toBe("s2");
    expect(told).toEqual(["reconnecting", "notice session_restarted", "running"]);
    await session.close();
  });

  test("a new session in place of a forgotten one starts from the same picture", async () => {
    const photo = new Blob(["photo"]);
    const { environment, session, links } = await setUp({ images: { first_frame: photo } });
    environment.answer = (url) => {
      if (url.endsWith("/resume")) return refused("not_found", false, 404);
      if (url.endsWith("/config")) return json(200, { uploads: { maxBytes: 100 } });
      if (url.endsWith("/uploads")) return json(201, { uploadId: "u" });
      return json(201, fakeAnswer({ sessionId: "s2" }));
    };
    links[0].handlers.onClosed(LOST);
    await environment.advance(5000);
    expect(environment.asked.find(({ url }) => url.endsWith("/uploads"))?.init?.body).toBe(photo);
    const create = environment.asked.find(({ url }) => url.endsWith("/sessions"));
    expect(JSON.parse(create?.init?.body as string)).toMatchObject({ images: { first_frame: "u" } });
    expect(session.sessionId).toBe("s2");
    await session.close();
  });

  test("a server that is stopped in good order is like one that crashed: the session is started anew once it is there again", async () => {
    const { environment, session, links, told } = await setUp();
    let answers = 0;
    environment.answer = (url, init) => {
      if (init?.method !== "POST" || !url.endsWith("/api/sessions")) return refused("closed", false, 410);
      answers += 1;
      return answers === 1 ? refused("busy", true, 503) : json(201, fakeAnswer({ sessionId: "s2" }));
    };
    const [link] = links;
    link.handlers.onMessage({ type: "state", state: "running", generation: 0, seed: 9 });
    const reason = { code: "closed", message: "the server is closing", retryable: true, details: {} } as const;
    link.handlers.onMessage({ type: "state", state: "closed", generation: 0, seed: 9, reason });
    for (const milliseconds of [0, 0, 5_000, 0, 0]) await environment.advance(milliseconds);
    expect(session.sessionId).toBe("s2");
    expect(told).toEqual(["reconnecting", "notice session_restarted", "running"]);
    const created = environment.asked.filter(({ url }) => url.endsWith("/api/sessions"));
    expect(JSON.parse(created.at(-1)?.init?.body as string)).toMatchObject({ world: "probe", seed: 9 });
    await session.close();
  });

  test("without `recreate` a forgotten session ends", async () => {
    const { environment, links, told } = await setUp({ recreate: false });
    environment.answer = () => refused("not_found", false, 404);
    links[0].handlers.onClosed(LOST);
    await environment.advance(20_000);
    expect(environment.asked).toHaveLength(1);
    expect(told).toEqual(["reconnecting", "closed", "closed not_found"]);
  });

  test("a link that is silent for 6 s is taken for lost", async () => {
    const { environment, session, links, told } = await setUp();
    environment.answer = () => json(200, fakeAnswer());
    await environment.advance(5_500);
    expect(told).toEqual([]);
    await environment.advance(2_000);
    expect(told).toEqual(["reconnecting", "running"]);
    expect(links[0].isClosed).toBe(true);
    await session.close();
  });

  test("the server's own end closes the session with its reason, and nothing is asked of it any more", async () => {
    const { environment, session, links, told } = await setUp();
    const reason = { code: "limit_exceeded", message: "idle", retryable: false, details: {} } as const;
    links[0].handlers.onMessage({ type: "state", state: "closed", generation: 0, seed: 1, reason });
    await settle();
    expect(told).toEqual(["closed", "closed limit_exceeded"]);
    expect(environment.asked).toEqual([]);
    await session.close();
    expect(environment.timerCount).toBe(0);
  });

  test("close tells the server once, ends the link and every timer, and is idempotent", async () => {
    const { environment, session, links, told } = await setUp();
    environment.answer = () => new Response(null, { status: 204 });
    await Promise.all([session.close(), session.close()]);
    expect(environment.asked.map(({ init }) => init?.method)).toEqual(["DELETE"]);
    expect(links[0].isClosed).toBe(true);
    expect(environment.timerCount).toBe(0);
    expect(told).toEqual(["closed", "closed "]);
    await expect(session.pause()).rejects.toMatchObject({ code: "closed" });
  });

  test("what an answer during a load could not tell is asked for once the world runs", async () => {
    const { environment, session, links } = await setUp();
    const world = fakeAnswer().world;
    const controls = [{ label: "Go", device: "keyboard" as const, bindings: ["KeyW"], touch: "none" as const }];
    environment.answer = (url) =>
      json(
        200,
        url.endsWith("/api/worlds") ? { worlds: [{ ...world, controls }] } : { description: { framesPerSecond: 24 } },
      );
    links[0].handlers.onMessage({ type: "state", state: "running", generation: 0, seed: 1 });
    // A token that is renewed while the answer is on its way changes nothing about that.
    links[0].handlers.onMessage({ type: "token", token: "renewed", tokenSeconds: 60 });
    await settle();
    await settle();
    expect(session.world.controls).toEqual(controls);
    expect(session.description?.framesPerSecond).toBe(24);
    await session.close();
  });
});

describe("connect", () => {
  test("C5: a busy server is told of once, with the time after which to try again, and not asked again", async () => {
    const environment = new FakeEnvironment();
    environment.answer = () => refused("busy", true, 503);
    const attempt = connect({ url: "http://server/", world: "probe", environment });
    await expect(attempt).rejects.toMatchObject({ code: "busy", retryable: true, details: { retryAfterSeconds: 5 } });
    await environment.advance(60_000);
    expect(environment.asked).toHaveLength(1);
  });

  test("a server that cannot be reached is `unavailable`, an answer that is no JSON is said so", async () => {
    const environment = new FakeEnvironment();
    environment.answer = () => {
      throw new TypeError("failed to fetch");
    };
    const options = { url: "http://server", world: "probe", environment };
    await expect(connect(options)).rejects.toMatchObject({
      code: "unavailable",
      retryable: true,
      message: expect.stringMatching(/^no answer from http:\/\/server: .*does not run.*--allow-origin/) as string,
    });
    environment.answer = () => new Response("<html>", { status: 200 });
    await expect(connect(options)).rejects.toMatchObject({ code: "invalid_value" });
    environment.answer = () => new Response("<html>", { status: 502 });
    await expect(connect(options)).rejects.toMatchObject({ code: "unavailable", details: { status: 502 } });
    environment.answer = () => json(201, { sessionId: 4 });
    await expect(connect(options)).rejects.toMatchObject({
      message: expect.stringContaining("SessionAnswer.sessionId") as string,
    });
  });
});
