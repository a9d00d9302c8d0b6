import { TestServer } from "./test-server.ts";

/** The servers that the tests of a file start. After each test, `close` closes them. */
export function startedServers(): { readonly start: typeof TestServer.start; readonly close: () => Promise<void> } {
  const servers: TestServer[] = [];
  return {
    start: async (...args) => {
      const server = await TestServer.start(...args);
      servers.push(server);
      return server;
    },
    close: async () => {
      await Promise.all(servers.splice(0).map((server) => server.close()));
    },
  };
}
