import { RtcClient, withoutCandidates } from "./rtc-client.ts";
import { SocketClient } from "./socket-client.ts";
import { until, type TestServer } from "./test-server.ts";

/** Worlds that a server for `ENDINGS` has to offer: `probe`, one that fails in its third step, and one that does not load. */
export const ENDING_WORLDS = { fails: "fails", absent: "absent" } as const;

async function playing(server: TestServer, world = "probe") {
  const session = await server.create({ world });
  const client = await SocketClient.open(server, session);
  await until(() => client.frames.length > 0 || client.closeCode !== undefined, "frames come");
  return { session, client };
}

/** Endings that wait for the grace time. */
export const ENDINGS_BY_GRACE: readonly string[] = ["the tab is closed", "the network is gone"];

/** Every way in which a session can end, as a person or an accident brings it about. */
export const ENDINGS: Readonly<Record<string, (server: TestServer) => Promise<void>>> = {
  "the player closes it": async (server) => {
    const { session, client } = await playing(server);
    await server.send("DELETE", `/api/sessions/${session.sessionId}`, { token: session.token });
    await until(() => client.closeCode !== undefined, "the socket is closed");
  },
  "the tab is closed": async (server) => {
    const { client } = await playing(server);
    await client.close();
  },
  "the network is gone": async (server) => {
    const { client } = await playing(server);
    client.socket.terminate();
  },
  "a WebRTC connection is closed": async (server) => {
    const session = await server.create();
    const client = await RtcClient.play(server, session);
    await client.frameCount(1);
    client.close();
    const path = `/api/sessions/${session.sessionId}`;
    await until(async () => {
      const facts = (await (await server.send("GET", path, session)).json()) as { readonly viewerCount: number };
      return facts.viewerCount === 0;
    }, "the server has noticed");
    await server.send("DELETE", path, session);
  },
  "an offer fails": async (server) => {
    const session = await server.create();
    const { client, sdp } = await RtcClient.offer();
    const response = await server.send("POST", `/api/sessions/${session.sessionId}/offer`, {
      token: session.token,
      body: { type: "offer", sdp: withoutCandidates(sdp).replace(/a=fingerprint:.*/g, "a=fingerprint:sha-256 zz") },
    });
    if (response.status !== 400) throw new Error(`the offer was not refused: ${response.status}`);
    client.close();
    await server.send("DELETE", `/api/sessions/${session.sessionId}`, { token: session.token });
  },
  "a load fails": async (server) => {
    await server.create({ world: ENDING_WORLDS.absent });
  },
  "a load is cancelled": async (server) => {
    const session = await server.create({ size: { width: 64, height: 64 } });
    await server.send("DELETE", `/api/sessions/${session.sessionId}`, { token: session.token });
  },
  "the world crashes": async (server) => {
    const { client } = await playing(server, ENDING_WORLDS.fails);
    await until(() => client.closeCode !== undefined, "the socket is closed");
  },
  "a storm of resets": async (server) => {
    const { client } = await playing(server);
    await Promise.all(Array.from({ length: 10 }, () => client.request("reset")));
    await client.request("close");
    await until(() => client.closeCode !== undefined, "the socket is closed");
  },
  "a recording is under way": async (server) => {
    const { client } = await playing(server);
    await client.request("record_start");
    await client.request("close");
    await until(() => client.closeCode !== undefined, "the socket is closed");
  },
};

/** Resolves when a server is back to where it was before any session. */
export async function baseline(server: TestServer): Promise<void> {
  const isEmpty = (): boolean => {
    const { sessions, takenSlots, feeds, loads } = server.server.counts;
    return sessions === 0 && takenSlots === 0 && feeds === 0 && loads === 0;
  };
  await until(isEmpty, `everything is freed (${JSON.stringify(server.server.counts)})`, 30);
}
