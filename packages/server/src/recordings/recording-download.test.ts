import { readdirSync, readlinkSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RecordingFacts, SessionAnswer } from "@dreamloop/protocol";
import { SocketClient } from "../test-support/socket-client.ts";
import { TestServer, until } from "../test-support/test-server.ts";

let server: TestServer;
let session: SessionAnswer;
let video: string;
let whole: Uint8Array;

beforeAll(async () => {
  server = await TestServer.start({ httpRequestsPerSecond: 1000 });
  session = await server.create();
  const client = await SocketClient.open(server, session);
  await until(() => client.frames.length > 0, "the world runs");
  await client.request("record_start");
  const { length } = client.frames;
  await until(() => client.frames.length > length + 15, "frames come");
  const stopped = await client.request("record_stop");
  if (!stopped.ok) throw new Error(stopped.error.message);
  video = `${(stopped.result as unknown as RecordingFacts).videoPath}?token=${session.token}`;
  whole = new Uint8Array(await (await server.fetch(video)).arrayBuffer());
});

afterAll(() => server.close());

describe("a recording that is fetched", () => {
  it("answers HEAD with its length, and leaves no file open", async () => {
    for (let time = 0; time < 30; time += 1) {
      const response = await server.fetch(video, { method: "HEAD" });
      expect(response.status).toBe(200);
      expect(response.headers.get("content-length")).toBe(String(whole.byteLength));
      expect(response.headers.get("accept-ranges")).toBe("bytes");
    }
    if (process.platform !== "linux") return;
    const open = (): readonly string[] =>
      readdirSync("/proc/self/fd").flatMap((name) => {
        try {
          return [readlinkSync(`/proc/self/fd/${name}`)].filter((path) => path.endsWith("video.mp4"));
        } catch {
          return [];
        }
      });
    await until(() => open().length === 0, "every file is closed");
  });

  it.each([
    ["bytes=0-99", 0, 100],
    ["bytes=100-", 100, undefined],
    ["bytes=-50", -50, undefined],
    ["bytes=10-9999999999", 10, undefined],
  ])("answers Range %s with that part", async (range, from, to) => {
    const response = await server.fetch(video, { headers: { range } });
    const part = whole.slice(from, to);
    expect(response.status).toBe(206);
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(part);
    const start = from < 0 ? whole.byteLength + from : from;
    expect(response.headers.get("content-range")).toBe(
      `bytes ${start}-${start + part.byteLength - 1}/${whole.byteLength}`,
    );
  });

  it("refuses a Range behind its end, and sends the whole for one that it cannot read", async () => {
    const behind = await server.fetch(video, { headers: { range: `bytes=${whole.byteLength}-` } });
    expect(behind.status).toBe(416);
    for (const range of ["bytes=5-2", "lines=1-2", "bytes=0-1,4-5", "bytes=-"]) {
      const response = await server.fetch(video, { headers: { range } });
      expect([response.status, (await response.arrayBuffer()).byteLength]).toEqual([200, whole.byteLength]);
    }
  });
});
