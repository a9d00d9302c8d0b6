import { isDreamloopError } from "@dreamloop/core";
import { describe, expect, test } from "vitest";
import { FakeEnvironment } from "../test-support/fake-environment.ts";
import { fakeAnswer } from "../test-support/fake-link.ts";
import { HttpApi } from "../wire/http-api.ts";
import { createSession } from "./create-session.ts";

const json = (status: number, body: unknown): Response => new Response(JSON.stringify(body), { status });
const refused = (code: string, status: number): Response =>
  json(status, { error: { code, message: `${code}!`, retryable: false, details: {} } });

/** A server that takes pictures of up to 100 bytes, with some of its answers replaced. */
function serverOf(answers: Readonly<Record<string, () => Response>> = {}) {
  const environment = new FakeEnvironment();
  let uploads = 0;
  environment.answer = (url, init) => {
    const path = new URL(url).pathname;
    const own = answers[`${init?.method} ${path}`];
    if (own !== undefined) return own();
    if (path === "/api/config") return json(200, { uploads: { maxBytes: 100, maxPixels: 1000, types: [] } });
    if (path === "/api/uploads")
      return json(201, { uploadId: `upload-${++uploads}`, width: 1, height: 1, expiresSeconds: 1 });
    if (path.startsWith("/api/uploads/")) return new Response(null, { status: 204 });
    return json(201, fakeAnswer());
  };
  const api = new HttpApi({ url: "http://server", accessToken: "secret", environment });
  return {
    api,
    asked: () => environment.asked.map(({ url, init }) => `${init?.method} ${new URL(url).pathname}`),
    environment,
  };
}

const refusal = async (work: Promise<unknown>) => {
  const error: unknown = await work.catch((reason: unknown) => reason);
  if (!isDreamloopError(error)) throw new Error(`expected a DreamloopError, found ${String(error)}`);
  return error;
};

describe("a session that a busy server starts in a moment", () => {
  const busyFor = (retryAfterSeconds: number): Response =>
    json(503, { error: { code: "busy", message: "busy", retryable: true, details: {} }, retryAfterSeconds });

  test("is asked for again until it is there, and given up after ten times", async () => {
    let answers = 0;
    const { api, asked, environment } = serverOf({
      "POST /api/sessions": () => (++answers < 4 ? busyFor(1) : json(201, fakeAnswer())),
    });
    const session = createSession(api, { world: "drive" });
    await environment.advance(2_999);
    expect(asked()).toHaveLength(3);
    await environment.advance(1);
    expect((await session).sessionId).toBe(fakeAnswer().sessionId);

    const never = serverOf({ "POST /api/sessions": () => busyFor(1) });
    const refused = refusal(createSession(never.api, { world: "drive" }));
    await never.environment.advance(20_000);
    expect((await refused).code).toBe("busy");
    expect(never.asked()).toHaveLength(10);
  });

  test("is not waited for when that takes longer, nor after it was cancelled", async () => {
    const later = serverOf({ "POST /api/sessions": () => busyFor(5) });
    expect((await refusal(createSession(later.api, { world: "drive" }))).code).toBe("busy");
    expect(later.asked()).toHaveLength(1);

    const controller = new AbortController();
    const left = serverOf({
      "POST /api/sessions": () => {
        controller.signal.throwIfAborted();
        return busyFor(1);
      },
    });
    const cancelled = refusal(createSession(left.api, { world: "drive", signal: controller.signal }));
    await left.environment.advance(1_500);
    controller.abort();
    await left.environment.advance(1_500);
    expect((await cancelled).code).toBe("cancelled");
  });
});

describe("a session that starts from pictures", () => {
  const photo = new Blob(["photo"], { type: "image/png" });

  test("uploads them as they are, with the server's token, and names them", async () => {
    const { api, asked, environment } = serverOf();
    await createSession(api, { world: "drive", seed: 3, images: { first_frame: photo, style: new Blob(["x"]) } });
    expect(asked()).toEqual(["GET /api/config", "POST /api/uploads", "POST /api/uploads", "POST /api/sessions"]);
    const [, first, , create] = environment.asked;
    expect(first?.init?.body).toBe(photo);
    expect(first?.init?.headers).toEqual({
      "content-type": "application/octet-stream",
      authorization: "Bearer secret",
    });
    expect(JSON.parse(create?.init?.body as string)).toEqual({
      world: "drive",
      seed: 3,
      images: { first_frame: "upload-1", style: "upload-2" },
    });
  });

  test("asks for nothing more without one", async () => {
    const { api, asked } = serverOf();
    await createSession(api, { world: "drive", images: {} });
    expect(asked()).toEqual(["POST /api/sessions"]);
  });

  test("refuses what is too large, is no file, or what the server does not take, before anything is sent", async () => {
    const { api, asked } = serverOf();
    const large = await refusal(createSession(api, { world: "w", images: { a: new Blob(["x".repeat(101)]) } }));
    expect(large).toMatchObject({ code: "limit_exceeded", details: { image: "a" } });
    const text = await refusal(createSession(api, { world: "w", images: { a: "photo.jpg" as unknown as Blob } }));
    expect(text).toMatchObject({ code: "invalid_value", message: "images.a: expected a File or Blob with a picture" });
    expect(asked()).toEqual(["GET /api/config", "GET /api/config"]);
    const old = serverOf({ "GET /api/config": () => json(200, {}) });
    expect(await refusal(createSession(old.api, { world: "w", images: { a: photo } }))).toMatchObject({
      code: "unavailable",
    });
  });

  test("tells which picture the server refused, and lets go of the others", async () => {
    let answers = 0;
    const { api, asked } = serverOf({
      "POST /api/uploads": () => {
        answers += 1;
        return answers === 1 ? json(201, { uploadId: "upload-1" }) : refused("invalid_value", 415);
      },
    });
    const error = await refusal(createSession(api, { world: "w", images: { a: photo, b: photo } }));
    expect(error).toMatchObject({
      code: "invalid_value",
      message: "images.b: invalid_value!",
      details: { image: "b", status: 415 },
    });
    expect(asked().at(-1)).toBe("DELETE /api/uploads/upload-1");
  });

  test("lets go of them when no session comes about, and passes the reason on", async () => {
    const { api, asked } = serverOf({
      "POST /api/sessions": () => refused("busy", 503),
      "DELETE /api/uploads/upload-1": () => refused("not_found", 404),
    });
    expect(await refusal(createSession(api, { world: "w", images: { a: photo } }))).toMatchObject({ code: "busy" });
    expect(asked().at(-1)).toBe("DELETE /api/uploads/upload-1");
  });
});
