import { afterEach, expect, it } from "vitest";
import type { TokenMessage } from "@dreamloop/protocol";
import { FakeClock } from "@dreamloop/testing";
import { SocketClient } from "../test-support/socket-client.ts";
import { startedServers } from "../test-support/started-servers.ts";
import { until } from "../test-support/test-server.ts";

const { start, close } = startedServers();
afterEach(close);

it("S1: a player that stays connected has a valid token, however long it plays; a viewer gets none", async () => {
  const clock = new FakeClock();
  const server = await start({ tokenSeconds: 100, idleSeconds: 10_000 }, { clock });
  const session = await server.create();
  const player = await SocketClient.open(server, session);
  const viewer = await SocketClient.open(server, { ...session, token: session.viewerToken });
  const tokens = (client: SocketClient): readonly TokenMessage[] =>
    client.messages.filter((message) => message.type === "token");
  for (let count = 1; count < 5; count += 1) {
    await until(() => tokens(player).length >= count, `token ${count} has come`);
    await clock.advance(51);
  }
  await until(() => tokens(player).length === 5, "the last token has come");
  const path = `/api/sessions/${session.sessionId}`;
  expect((await server.send("GET", path, session)).status).toBe(401);
  const { token = "", tokenSeconds } = tokens(player).at(-1) ?? {};
  expect(tokenSeconds).toBe(100);
  expect((await server.send("DELETE", path, { token })).status).toBe(204);
  expect(tokens(viewer)).toEqual([]);
});
