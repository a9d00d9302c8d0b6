import { afterEach } from "vitest";
import { releaseRtc } from "../webrtc/rtc-library.ts";
import { TestServer } from "./test-server.ts";

/** Gives what starts servers for the tests of a file: each is closed, and WebRTC released, after the test that started it. */
export function startedServers(): (...args: Parameters<typeof TestServer.start>) => Promise<TestServer> {
  const servers: TestServer[] = [];
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.close()));
    await releaseRtc();
  });
  return async (...args) => {
    const server = await TestServer.start(...args);
    servers.push(server);
    return server;
  };
}
