import { afterEach, describe, expect, test, vi } from "vitest";
import { FakeEnvironment, settle } from "../test-support/fake-environment.ts";
import { watch } from "./watch.ts";

class FakePeer extends EventTarget {
  readonly iceGatheringState = "complete";
  readonly localDescription = { sdp: "v=0" };
  connectionState = "connected";
  isClosed = false;

  addTransceiver(): unknown {
    return { receiver: { track: {} } };
  }

  createOffer(): Promise<unknown> {
    return Promise.resolve({});
  }

  setLocalDescription(): Promise<void> {
    return Promise.resolve();
  }

  setRemoteDescription(): Promise<void> {
    return Promise.resolve();
  }

  close(): void {
    this.isClosed = true;
  }
}

function setUp(answer: () => Response) {
  vi.stubGlobal("MediaStream", class {});
  const peer = new FakePeer();
  const environment = Object.assign(new FakeEnvironment(), { createPeer: () => peer as unknown as RTCPeerConnection });
  environment.answer = (_, init) => (init?.method === "POST" ? answer() : new Response(null, { status: 200 }));
  return { peer, environment };
}

const refused = (status: number, code: string): Response =>
  new Response(
    JSON.stringify({ error: { code, message: "no", retryable: code === "busy", details: {} }, retryAfterSeconds: 5 }),
    { status },
  );

afterEach(() => vi.unstubAllGlobals());

describe("watch", () => {
  test.each([
    [503, "busy"],
    [410, "closed"],
    [404, "not_found"],
    [401, "unauthorized"],
  ])("rejects with what the server refuses with: %i %s", async (status, code) => {
    const { peer, environment } = setUp(() => refused(status, code));
    const watching = watch({ url: "http://server", viewerToken: "t", environment });
    await expect(watching).rejects.toMatchObject({ code, details: { retryAfterSeconds: 5 } });
    expect(peer.isClosed).toBe(true);
  });

  test("C7: a page that goes frees the viewer's place, once", async () => {
    const page = new EventTarget();
    vi.stubGlobal("addEventListener", page.addEventListener.bind(page));
    vi.stubGlobal("removeEventListener", page.removeEventListener.bind(page));
    const { peer, environment } = setUp(
      () => new Response("v=0", { status: 201, headers: { location: "/whep/t/name" } }),
    );
    const watching = await watch({ url: "http://server", viewerToken: "t", environment });
    page.dispatchEvent(Object.assign(new Event("pagehide"), { persisted: true }));
    await settle();
    expect(peer.isClosed).toBe(false);
    page.dispatchEvent(new Event("pagehide"));
    await watching.close();
    const removals = environment.asked.filter(({ init }) => init?.method === "DELETE");
    expect(removals.map(({ url, init }) => [url, init?.keepalive])).toEqual([["http://server/whep/t/name", true]]);
    expect(peer.isClosed).toBe(true);
  });
});
