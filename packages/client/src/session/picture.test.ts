import type { FrameMetadata, SessionAnswer } from "@dreamloop/protocol";
import { afterEach, describe, expect, test, vi } from "vitest";
import { PacketDecoder } from "../link/packet-decoder.ts";
import { FakeEnvironment, settle } from "../test-support/fake-environment.ts";
import { fakeAnswer, FakeLink } from "../test-support/fake-link.ts";
import { HttpApi } from "../wire/http-api.ts";
import { PictureFallback } from "./picture-fallback.ts";
import { PlaySession } from "./play-session.ts";

afterEach(() => vi.unstubAllGlobals());

const HEADER = { type: "frame", codec: "h264", keyFrame: true, rtpTimestamp: 0, frameIndex: 0 } as never;

describe("PacketDecoder", () => {
  function decoderThat(behaves: (hear: { output(image: unknown): void; error(): void }) => void): () => PacketDecoder {
    vi.stubGlobal("EncodedVideoChunk", class {});
    vi.stubGlobal(
      "VideoDecoder",
      class {
        state = "unconfigured";
        readonly decodeQueueSize = 0;
        readonly #hear: { output(image: unknown): void; error(): void };
        constructor(hear: { output(image: unknown): void; error(): void }) {
          this.#hear = hear;
        }
        configure(): void {
          this.state = "configured";
        }
        decode(): void {
          behaves(this.#hear);
        }
        close(): void {
          this.state = "closed";
        }
      },
    );
    return () => new PacketDecoder({ onKeyFrameNeeded: vi.fn(), onFailed: failed });
  }
  const failed = vi.fn();
  afterEach(() => failed.mockClear());

  test("says so when a codec fails three times in a row, by an error or by throwing", () => {
    for (const behaves of [
      (hear: { error(): void }) => hear.error(),
      () => {
        throw new TypeError("broken");
      },
    ]) {
      failed.mockClear();
      const decoder = decoderThat(behaves)();
      for (let frame = 0; frame < 2; frame += 1) decoder.push({ header: HEADER, payload: new Uint8Array(1) });
      expect(failed).not.toHaveBeenCalled();
      decoder.push({ header: HEADER, payload: new Uint8Array(1) });
      expect(failed).toHaveBeenCalledTimes(1);
      decoder.close();
    }
  });

  test("one that fails now and then does not count as broken", () => {
    let count = 0;
    const decoder = decoderThat((hear) => {
      count += 1;
      if (count % 3 === 0) hear.output({ timestamp: count, close: () => undefined });
      else hear.error();
    })();
    for (let frame = 0; frame < 30; frame += 1) decoder.push({ header: HEADER, payload: new Uint8Array(1) });
    expect(failed).not.toHaveBeenCalled();
  });

  test("a picture format that cannot be read at all counts as well", async () => {
    vi.stubGlobal("createImageBitmap", () => Promise.reject(new Error("no picture")));
    const decoder = new PacketDecoder({ onKeyFrameNeeded: vi.fn(), onFailed: failed });
    for (let frame = 0; frame < 3; frame += 1) {
      decoder.push({ header: { ...(HEADER as object), codec: "jpeg" } as never, payload: new Uint8Array(1) });
      await settle();
    }
    expect(failed).toHaveBeenCalledTimes(1);
  });
});

describe("PictureFallback", () => {
  test("goes from WebRTC over each codec of the socket to JPEG, and then says that nothing is left", () => {
    const fallback = new PictureFallback("auto");
    expect(fallback.transport).toBe("auto");
    expect(fallback.failed({ kind: "webrtc" })).toBe(true);
    expect(fallback.transport).toBe("websocket");
    const all = ["h264", "vp8", "jpeg"] as const;
    expect(fallback.failed({ kind: "websocket", codec: "h264" })).toBe(true);
    expect(fallback.decoders(all)).toEqual(["vp8", "jpeg"]);
    expect(fallback.failed({ kind: "websocket", codec: "vp8" })).toBe(true);
    expect(fallback.decoders(all)).toEqual(["jpeg"]);
    expect(fallback.failed({ kind: "websocket", codec: "jpeg" })).toBe(false);
    expect(new PictureFallback("webrtc").failed({ kind: "webrtc" })).toBe(false);
  });
});

describe("a session whose picture does not come", () => {
  /** A surface in sight on which nothing is ever drawn. */
  function deadCanvas(page: { visibilityState: string } = { visibilityState: "visible" }): HTMLCanvasElement {
    const rect = { left: 0, top: 0, right: 10, bottom: 10, width: 10, height: 10 };
    const view = { innerWidth: 100, innerHeight: 100 };
    return {
      tagName: "CANVAS",
      isConnected: true,
      ownerDocument: Object.assign(page, { defaultView: view }),
      getContext: () => null,
      getBoundingClientRect: () => rect,
    } as unknown as HTMLCanvasElement;
  }
  const frame = (frameIndex: number): FrameMetadata => ({
    type: "frame",
    rtpTimestamp: frameIndex * 3000,
    frameIndex,
    generation: 0,
    stepIndex: frameIndex,
    frameInStep: 0,
    serverMilliseconds: 1,
    modelMilliseconds: 1,
    encodeMilliseconds: 1,
    keyFrame: false,
  });

  async function setUp(surface: HTMLCanvasElement | undefined) {
    const environment = new FakeEnvironment();
    environment.answer = () => new Response(JSON.stringify(fakeAnswer()), { status: 200 });
    const links: FakeLink[] = [];
    const pictures: string[] = [];
    const fallback = new PictureFallback("auto");
    const session = new PlaySession(
      {
        options: { world: "probe" },
        api: new HttpApi({ url: "http://server", environment }),
        environment,
        fallback,
        openFork: () => Promise.reject(new Error("no fork here")),
        openLink: async (_grant: SessionAnswer, handlers) => {
          const link = Object.assign(new FakeLink(handlers), { codec: fallback.decoders(["h264", "jpeg"])[0] });
          links.push(link);
          return link;
        },
      },
      fakeAnswer(),
    );
    session.on("picture", (picture) => pictures.push(picture));
    if (surface !== undefined) session.attach(surface);
    await session.open();
    const run = async (seconds: number, options: { readonly hasFrames: boolean }): Promise<void> => {
      for (let second = 0; second < seconds; second += 1) {
        const link = links.at(-1);
        if (options.hasFrames) link?.handlers.onMessage(frame(second));
        else link?.handlers.onMessage({ type: "notice", kind: "alive", message: "" });
        await environment.advance(1000);
      }
    };
    return { environment, session, links, pictures, run };
  }

  test("takes the next codec when one fails, and says so when the last one does", async () => {
    const { session, links, pictures } = await setUp(deadCanvas());
    links[0].handlers.onPictureFailed();
    await settle();
    expect(links.map(({ codec }) => codec)).toEqual(["h264", "jpeg"]);
    expect(session.state).toBe("running");
    links[0].handlers.onPictureFailed();
    expect(pictures).toEqual([]);
    links[1].handlers.onPictureFailed();
    expect(pictures).toEqual(["failed"]);
    expect(session.picture).toBe("failed");
    await session.close();
  });

  test("takes the next codec too when frames come and nothing is ever shown, without an error", async () => {
    const { session, links, run } = await setUp(deadCanvas());
    await run(7, { hasFrames: true });
    expect(links.map(({ codec }) => codec)).toEqual(["h264", "jpeg"]);
    await session.close();
  });

  test.each([
    ["no surface is attached", undefined],
    ["the page is in the background", deadCanvas({ visibilityState: "hidden" })],
  ])("blames nobody while %s", async (_, surface) => {
    const { session, links, pictures, run } = await setUp(surface);
    await run(20, { hasFrames: true });
    expect(links).toHaveLength(1);
    expect(pictures).toEqual([]);
    await session.close();
  });

  test("says after ten seconds that a running world has sent none", async () => {
    const { session, links, pictures, run } = await setUp(deadCanvas());
    await run(9, { hasFrames: false });
    expect(pictures).toEqual([]);
    await run(3, { hasFrames: false });
    expect(pictures).toEqual(["late"]);
    expect(links).toHaveLength(1);
    await session.close();
  });
});
