import { request as httpRequest, type ClientRequest } from "node:http";
import fc from "fast-check";
import type { UploadAnswer } from "@dreamloop/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makePng } from "../../test-support/make-png.ts";
import { probe, TestServer, until } from "../../test-support/test-server.ts";

const TOKEN = "a-token-of-the-tests";
const UPLOAD_BYTES = 100_000;
let server: TestServer;
let guarded: TestServer;

/** The probe under a name that says it took a picture; it is never loaded. */
const pictured = {
  ...probe({}, "pictured"),
  initialFields: [
    {
      name: "first_frame",
      required: false,
      updatePolicy: "session_start",
      description: "",
      image: { width: 8, height: 4 },
    },
    { name: "prompt", required: false, updatePolicy: "step_boundary", description: "" },
  ],
};

beforeAll(async () => {
  const rates = { httpRequestsPerSecond: 10_000, sessionStartsPerMinute: 10_000, uploadsPerMinute: 10_000 };
  server = await TestServer.start(
    { ...rates, uploadBytes: UPLOAD_BYTES, allowedOrigins: ["https://allowed.example"] },
    { worlds: [probe(), pictured] },
  );
  guarded = await TestServer.start({ token: TOKEN });
});

afterAll(async () => {
  await Promise.all([server.close(), guarded.close()]);
});

interface RawAnswer {
  readonly status: number;
  readonly text: string;
}

/** A request with paths and headers that `fetch` would not send; `write` sends its body. */
function raw(
  path: string,
  options: {
    readonly method?: string;
    readonly headers?: Record<string, string>;
    readonly write?: (request: ClientRequest) => void;
  } = {},
): Promise<RawAnswer> {
  const { method = "POST", headers = {}, write = (request) => request.end() } = options;
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: "127.0.0.1", port: server.server.port, path, method, headers }, (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("error", reject);
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(parts).toString() }));
    });
    request.on("error", reject);
    write(request);
  });
}

async function upload(png: Uint8Array<ArrayBuffer> = makePng(16, 8)): Promise<UploadAnswer> {
  const response = await server.fetch("/api/uploads", { method: "POST", body: png });
  if (response.status !== 201) throw new Error(`upload: ${response.status} ${await response.text()}`);
  return (await response.json()) as UploadAnswer;
}

async function start(
  images: unknown,
  world = "pictured",
): Promise<{ status: number; code?: string; message?: string }> {
  const response = await server.send("POST", "/api/sessions", { body: { world, images } });
  const { error } = (await response.json()) as { error?: { code: string; message: string } };
  return { status: response.status, ...error };
}

describe("POST /api/uploads", () => {
  it("M2: keeps the rules of sessions: Host, Origin, and the server's token", async () => {
    const png = makePng(4, 4);
    const write = (request: ClientRequest): void => void request.end(png);
    expect((await raw("/api/uploads", { headers: { host: "evil.example" }, write })).status).toBe(421);
    expect((await raw("/api/uploads", { headers: { origin: "https://evil.example" }, write })).status).toBe(403);
    expect((await raw("/api/uploads", { headers: { origin: "https://allowed.example" }, write })).status).toBe(201);
    const post = (headers: Record<string, string>) =>
      guarded.fetch("/api/uploads", { method: "POST", body: png, headers });
    expect((await post({})).status).toBe(401);
    expect((await post({ authorization: "Bearer not-the-token-at-all" })).status).toBe(401);
    const answer = await post({ authorization: `Bearer ${TOKEN}` });
    expect(answer.status).toBe(201);
    const { uploadId } = (await answer.json()) as UploadAnswer;
    expect((await guarded.fetch(`/api/uploads/${uploadId}`, { method: "DELETE" })).status).toBe(401);
    expect(guarded.server.counts.uploads).toBe(1);
  });

  it("tells its limits, and answers with what was kept", async () => {
    expect(await (await server.fetch("/api/config")).json()).toMatchObject({
      uploads: { maxBytes: UPLOAD_BYTES, maxPixels: 32_000_000, types: ["image/png", "image/jpeg", "image/webp"] },
    });
    const { uploadId, ...facts } = await upload(makePng(16, 8));
    expect(facts).toEqual({ width: 16, height: 8, expiresSeconds: 300 });
    expect((await server.fetch(`/api/uploads/${uploadId}`, { method: "DELETE" })).status).toBe(204);
    expect((await server.fetch(`/api/uploads/${uploadId}`, { method: "DELETE" })).status).toBe(404);
    expect((await server.fetch(`/api/uploads/${uploadId}`)).status).toBe(404);
  });

  it("M3: a body without an end is cut off early", async () => {
    let sentBytes = 0;
    let isOver = false;
    const part = Buffer.alloc(10_000);
    const write = (request: ClientRequest): void => {
      request.on("close", () => (isOver = true));
      const more = (): void => {
        if (isOver || sentBytes > 500_000_000) return;
        sentBytes += part.byteLength;
        if (request.write(part)) setImmediate(more);
        else request.once("drain", more);
      };
      more();
    };
    const answer = await raw("/api/uploads", { headers: { "transfer-encoding": "chunked" }, write }).catch(
      (error: NodeJS.ErrnoException) => ({ status: error.code ?? "", text: "" }),
    );
    // Either the refusal arrives, or the connection is cut while the client still writes.
    expect([413, "EPIPE", "ECONNRESET"]).toContain(answer.status);
    await until(() => isOver, "the connection is cut");
    expect(sentBytes).toBeLessThan(50_000_000);
    expect(server.server.counts.uploadsUnderWay).toBe(0);
  });

  it("M3: a declared size beyond the limit is refused before anything is read", async () => {
    const headers = { "content-length": String(UPLOAD_BYTES + 1) };
    const answer = await raw("/api/uploads", { headers, write: (request) => request.flushHeaders() });
    expect(answer.status).toBe(413);
    expect(JSON.parse(answer.text)).toMatchObject({ error: { code: "limit_exceeded" } });
  });

  it("gives the place of a client back that goes away", async () => {
    let leave: () => void = () => undefined;
    const answer = raw("/api/uploads", {
      headers: { "content-length": "5000" },
      write: (request) => {
        request.write(Buffer.alloc(100));
        leave = () => request.destroy();
      },
    }).catch(() => undefined);
    await until(() => server.server.counts.uploadsUnderWay === 1, "it arrives");
    leave();
    await answer;
    await until(() => server.server.counts.uploadsUnderWay === 0, "its place is free");
  });
});

describe("a session that starts from a picture", () => {
  it("names an upload that is there, for an input that takes a picture", async () => {
    const { uploadId } = await upload();
    expect(await start({ first_frame: "no-such-upload" })).toMatchObject({ status: 404, code: "not_found" });
    const unknown = await start({ last_frame: uploadId });
    expect(unknown).toMatchObject({ status: 400, code: "invalid_value" });
    expect(unknown.message).toContain('no picture input "last_frame"; it has: first_frame');
    expect(await start({ prompt: uploadId })).toMatchObject({ status: 400 });
    for (const images of ["x", 3, [uploadId], { first_frame: 3 }, { first_frame: "y".repeat(2000) }]) {
      expect(await start(images)).toMatchObject({ status: 400, code: "invalid_value" });
    }
    const many = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`image-${index}`, uploadId]));
    expect(await start(many)).toMatchObject({ status: 400 });
    // None of the refusals has used it.
    expect((await server.fetch(`/api/uploads/${uploadId}`, { method: "DELETE" })).status).toBe(204);
    expect(server.server.counts.sessions).toBe(0);
  });

  it("of a world that takes none ends with the reason", async () => {
    const { uploadId } = await upload();
    const session = await server.create({ world: "probe", images: { first_frame: uploadId } });
    expect(await start({ first_frame: uploadId })).toMatchObject({ status: 404 });
    await until(() => server.server.counts.sessions === 0, "the session has ended");
    expect(session.state).toBe("loading");
    // Now that the world is known, it is refused at once.
    const again = await upload();
    const refused = await start({ first_frame: again.uploadId }, "probe");
    expect(refused).toMatchObject({ status: 400, code: "invalid_value" });
    await server.fetch(`/api/uploads/${again.uploadId}`, { method: "DELETE" });
  });
});

describe("whatever is uploaded", () => {
  const NAMES = [
    "../../etc/passwd",
    "..\\..\\windows\\system.ini",
    "/etc/passwd",
    "C:\\boot.ini",
    "\\\\host\\share\\x",
    "%2e%2e%2fetc%2fpasswd",
    "a\u0000.png",
    "file:///etc/passwd",
    "CON",
    "__proto__",
    "constructor",
  ];
  const name = fc.oneof(fc.constantFrom(...NAMES), fc.string({ minLength: 1, maxLength: 40 }));

  it("M3: gets an answer below 500, and no name of a client reaches a path", async () => {
    const png = makePng(4, 4);
    const body = fc.oneof(
      fc.constant(png),
      fc.uint8Array({ maxLength: 300 }).map((bytes) => Uint8Array.from(bytes)),
      fc.tuple(fc.nat(png.byteLength - 1), fc.nat(255)).map(([at, value]) => png.with(at, value)),
      fc
        .constantFrom("<svg/>", "GIF89a", "--x\r\nContent-Disposition: form-data; name=a; filename=../b\r\n")
        .map((text) => Uint8Array.from(Buffer.from(text))),
    );
    await fc.assert(
      fc.asyncProperty(name, body, async (given, bytes) => {
        const escaped = encodeURIComponent(given);
        const answer = await raw("/api/uploads", {
          headers: { "content-disposition": `attachment; filename*=UTF-8''${escaped}`, "x-file-name": escaped },
          write: (request) => request.end(bytes),
        });
        expect([201, 400, 413, 415]).toContain(answer.status);
        expect(answer.text).not.toMatch(/\n\s+at /);
        if (answer.status !== 201) return;
        const { uploadId } = JSON.parse(answer.text) as UploadAnswer;
        expect(uploadId).toMatch(/^[\w-]{32}$/);
        expect((await server.fetch(`/api/uploads/${uploadId}`, { method: "DELETE" })).status).toBe(204);
      }),
      { numRuns: 150 },
    );
    await fc.assert(
      fc.asyncProperty(name, async (given) => {
        const escaped = encodeURIComponent(given);
        const removed = await raw(`/api/uploads/${escaped}`, { method: "DELETE" });
        expect([400, 404]).toContain(removed.status);
        expect((await start({ first_frame: given })).status).toBeOneOf([400, 404]);
        expect((await start({ [given]: "x" })).status).toBeOneOf([400, 404]);
      }),
      { numRuns: 60 },
    );
    const { uploads, uploadsUnderWay, sessions } = server.server.counts;
    expect({ uploadsUnderWay, sessions }).toEqual({ uploadsUnderWay: 0, sessions: 0 });
    expect(uploads).toBeLessThanOrEqual(1);
  });

  it("is counted by what came of it, and let go of when the server closes", async () => {
    const own = await TestServer.start();
    await own.fetch("/api/uploads", { method: "POST", body: makePng(4, 4) });
    await own.fetch("/api/uploads", { method: "POST", body: "no picture" });
    const text = await (await own.fetch("/metrics")).text();
    expect(text).toContain('dreamloop_uploads_total{outcome="kept"} 1');
    expect(text).toContain('dreamloop_uploads_total{outcome="invalid_value"} 1');
    expect(own.server.counts.uploads).toBe(1);
    await own.close();
    expect(own.server.counts.uploads).toBe(0);
  });
});
