import { createRequire } from "node:module";
import type { SessionAnswer, SessionFacts } from "@dreamloop/protocol";
import { DreamloopServer, type DreamloopServerOptions } from "../app/dreamloop-server.ts";
import type { ServerConfigInput } from "../platform/config/server-config.ts";
import type { ServedWorld } from "../worlds/served-world.ts";

const PROBE_MODULE = createRequire(import.meta.url).resolve("@dreamloop/worlds/probe");

/** The probe world, small and fast. */
export function probe(options: Readonly<Record<string, number | boolean>> = {}, id = "probe"): ServedWorld {
  return {
    id,
    reference: { module: PROBE_MODULE, exportName: "probeWorld" },
    config: { runtimeOptions: { width: 320, height: 180, framesPerSecond: 30, ...options } },
    acceptsSize: true,
  };
}

/** A server on a free port of loopback, and plain ways to talk to it. */
export class TestServer {
  readonly server: DreamloopServer;

  private constructor(server: DreamloopServer) {
    this.server = server;
  }

  static async start(
    config: ServerConfigInput = {},
    options: Partial<DreamloopServerOptions> = {},
  ): Promise<TestServer> {
    return new TestServer(
      await DreamloopServer.start({ config: { port: 0, ...config }, worlds: [probe()], ...options }),
    );
  }

  get url(): string {
    return this.server.url;
  }

  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    return fetch(new URL(path, this.url), init);
  }

  /** A request with a JSON body and a token. */
  send(
    method: string,
    path: string,
    options: { readonly body?: unknown; readonly token?: string } = {},
  ): Promise<Response> {
    const { body, token } = options;
    return this.fetch(path, {
      method,
      headers: {
        "content-type": "application/json",
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
  }

  /** What the server tells of a session. */
  async factsOf({ sessionId, token }: Pick<SessionAnswer, "sessionId" | "token">): Promise<SessionFacts> {
    return (await (await this.send("GET", `/api/sessions/${sessionId}`, { token })).json()) as SessionFacts;
  }

  async create(body: Readonly<Record<string, unknown>> = {}, token?: string): Promise<SessionAnswer> {
    const response = await this.send("POST", "/api/sessions", {
      body: { world: "probe", ...body },
      ...(token === undefined ? {} : { token }),
    });
    if (response.status !== 201) throw new Error(`create: ${response.status} ${await response.text()}`);
    return (await response.json()) as SessionAnswer;
  }

  close(): Promise<void> {
    return this.server.close();
  }
}

/** Resolves when a condition holds; rejects after a generous time. */
export async function until(condition: () => boolean | Promise<boolean>, what: string, seconds = 60): Promise<void> {
  const end = performance.now() + seconds * 1000;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`timed out waiting until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
