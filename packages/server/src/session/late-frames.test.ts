import { FakeClock } from "@dreamloop/testing";
import { expect, it } from "vitest";
import { sessionDescription } from "@dreamloop/core";
import { serverConfig } from "../platform/config/server-config.ts";
import type { MediaFeedEvents } from "../media/media-feeds.ts";
import type { MediaFrame } from "../media/media-messages.ts";
import { ServerMetrics } from "../platform/server-metrics.ts";
import type { Outlet } from "../transport/outlet/outlet.ts";
import { LiveSession, type LiveSessionOptions } from "./live-session.ts";
import { SessionSlots } from "./session-slots.ts";

const FRAME: MediaFrame = {
  codec: "jpeg",
  data: new Uint8Array(8),
  keyFrame: true,
  rtpTimestamp: 0,
  frameIndex: 0,
  generation: 0,
  stepIndex: 0,
  frameInStep: 0,
  readSeconds: 0,
  modelSeconds: 0,
  encodeSeconds: 0,
  codecString: "image/jpeg",
  width: 16,
  height: 16,
};

/** A session that runs without a world, its media in the test's hands. */
async function running() {
  const clock = new FakeClock();
  const metrics = new ServerMetrics();
  const description = sessionDescription({ worldId: "fake", width: 16, height: 16, framesPerSecond: 10 });
  let events: MediaFeedEvents | undefined;
  let endMedia: () => void = () => undefined;
  const mediaEnded = new Promise<void>((resolve) => (endMedia = resolve));
  const hosted = { done: new Promise(() => undefined), started: Promise.resolve(), close: () => Promise.resolve() };
  const host = { description, info: { runtimeFacts: {}, initialFields: [] }, startSession: () => hosted };
  const nothing = () => undefined;
  const session = new LiveSession({
    clock,
    config: serverConfig({}),
    order: { world: { id: "fake", reference: { module: "fake" } } },
    seed: 1,
    slot: new SessionSlots({ sessions: 1, perIdentity: 1 }).acquire("a"),
    share: { change: nothing, release: nothing },
    metrics,
    tokens: { issue: () => "token" },
    pool: { acquire: () => Promise.resolve({ host, release: nothing }) },
    media: {
      open: (options: { readonly events: MediaFeedEvents }) => {
        events = options.events;
        return { chunkPort: { close: nothing }, setCodecs: nothing, requestKeyFrame: nothing, close: () => mediaEnded };
      },
    },
  } as unknown as LiveSessionOptions);
  await session.started;
  if (events === undefined) throw new Error("the session opened no media");
  const late = async (): Promise<number> => {
    const { values } = await metrics.framesDropped.get();
    return values.find(({ labels }) => labels.reason === "late")?.value ?? 0;
  };
  return { session, takeFrame: events.onFrame, endMedia, late };
}

it("C7: frames that come while the media of an ended session close are discarded and counted as late", async () => {
  const { session, takeFrame, endMedia, late } = await running();
  let shown = 0;
  const outlet: Outlet = {
    transport: "websocket",
    codec: "jpeg",
    hasRoom: () => true,
    sendFrame: () => {
      shown += 1;
      return true;
    },
    sendMessage: () => undefined,
    close: () => undefined,
  };
  session.connect("player", () => outlet).ready();
  takeFrame(FRAME);
  expect(shown).toBe(1);
  expect(await late()).toBe(0);
  const ended = session.close("asked");
  takeFrame(FRAME);
  takeFrame({ ...FRAME, frameIndex: 1 });
  expect(await late()).toBe(2);
  endMedia();
  await ended;
  expect(shown).toBe(1);
});
