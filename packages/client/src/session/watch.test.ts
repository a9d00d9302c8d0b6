import { afterEach, describe, expect, test, vi } from "vitest";
import { FakeEnvironment, settle } from "../test-support/fake-environment.ts";
import { readIceLinks, watch } from "./watch.ts";

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

function setUp(answer: () => Response, config: object = {}) {
  vi.stubGlobal("MediaStream", class {});
  const peer = new FakePeer();
  const configurations: RTCConfiguration[] = [];
  const environment = Object.assign(new FakeEnvironment(), {
    createPeer: (configuration: RTCConfiguration) => {
      configurations.push(configuration);
      return peer as unknown as RTCPeerConnection;
    },
  });
  environment.answer = (url, init) => {
    if (url.endsWith("/api/config")) return new Response(JSON.stringify(config), { status: 200 });
    return init?.method === "POST" ? answer() : new Response(null, { status: 200 });
  };
  return { peer, environment, configurations };
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

  test("viewers use the helpers and the policy that the server gives to players", async () => {
    const iceServers = [{ urls: ["turn:turn.example.org:3478"], username: "u", credential: "p" }];
    const { environment, configurations } = setUp(
      () =>
        new Response("v=0", {
          status: 201,
          headers: { link: '<turn:turn.example.org:3478>; rel="ice-server"; username="u"; credential="p"' },
        }),
      { iceServers, iceTransportPolicy: "relay" },
    );
    await watch({ url: "http://server", viewerToken: "t", environment });
    expect(configurations).toEqual([{ iceServers, iceTransportPolicy: "relay", bundlePolicy: "max-bundle" }]);
  });

  test("helpers that only admitted viewers hear of count from a second offer on, and the first is taken back", async () => {
    const link =
      '<stun:s.example.org>; rel="ice-server", <turn:t.example.org>; rel="ice-server"; username="a\\"b"; credential="c,;d"';
    const { environment, configurations } = setUp(
      () => new Response("v=0", { status: 201, headers: { link, location: "/whep/t/name" } }),
    );
    await watch({ url: "http://server", viewerToken: "t", environment });
    expect(configurations.map(({ iceServers }) => iceServers)).toEqual([[], readIceLinks(link)]);
    expect(readIceLinks(link)).toEqual([
      { urls: "stun:s.example.org" },
      { urls: "turn:t.example.org", username: 'a"b', credential: "c,;d" },
    ]);
    expect(environment.asked.filter(({ init }) => init?.method === "DELETE")).toHaveLength(1);
  });
});
