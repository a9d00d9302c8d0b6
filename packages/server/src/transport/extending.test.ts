import { readFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { transform } from "esbuild";
import { afterAll, expect, it } from "vitest";
import { TestServer, until } from "../test-support/test-server.ts";
import type { ServerTransport } from "./outlet/server-transport.ts";

const PAGE = new URL("../../../../docs/extending/transport.md", import.meta.url);
const folder = mkdtempSync(join(tmpdir(), "transport-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** The transport of the page, as a reader would copy it. */
async function transportOfPage(): Promise<ServerTransport> {
  const [, source = ""] = /```ts\n(import type \{ ServerTransport \}[^]*?)```/.exec(readFileSync(PAGE, "utf8")) ?? [];
  const { code } = await transform(source, { loader: "ts", format: "esm" });
  const file = join(folder, "motion-jpeg.mjs");
  writeFileSync(file, code);
  const { motionJpeg } = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as { motionJpeg: ServerTransport };
  return motionJpeg;
}

it("docs/extending/transport.md: its transport shows frames to a viewer, counts as one, and is gone with the client", async () => {
  const server = await TestServer.start({}, { transports: [await transportOfPage()] });
  try {
    const { sessionId, token, viewerToken } = await server.create();
    const path = `/api/sessions/${sessionId}/transports/mjpeg`;
    expect((await server.fetch(path)).status).toBe(401);
    expect((await server.fetch(`/api/sessions/${sessionId}/transports/none?token=${viewerToken}`)).status).toBe(404);
    const leaving = new AbortController();
    const response = await server.fetch(`${path}?token=${viewerToken}`, { signal: leaving.signal });
    expect(response.headers.get("content-type")).toContain("multipart/x-mixed-replace");
    const reader = response.body?.getReader();
    let seen = "";
    while (seen.split("--frame").length < 4) {
      const { value } = (await reader?.read()) ?? {};
      seen += Buffer.from(value ?? []).toString("latin1");
    }
    expect(seen).toContain("Content-Type: image/jpeg\r\n");
    expect(seen).toContain("\xff\xd8\xff");
    expect((await server.factsOf({ sessionId, token })).viewerCount).toBe(1);
    leaving.abort();
    await until(async () => (await server.factsOf({ sessionId, token })).viewerCount === 0, "the viewer is gone");
  } finally {
    await server.close();
  }
});
