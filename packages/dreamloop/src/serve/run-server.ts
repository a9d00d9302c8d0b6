import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { DreamloopServer, ServedWorld, ServerConfigInput, ServerNotice } from "@dreamloop/server";
import type { CliContext } from "../program/cli-command.ts";
import { EXIT_CODES, type ExitCode } from "../program/exit-codes.ts";
import { namingServeOptions, withOptionNames } from "../settings/flag-names.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** Ports that are tried when the default one is taken. */
const PORT_TRIES = 20;

/** What `runServer` takes. */
export interface RunServerOptions {
  /** The settings that were given, without defaults. */
  readonly given: ServerConfigInput;
  /** The worlds to offer. */
  readonly worlds: readonly ServedWorld[];
  /** Moments that are held ready, by name; default none. */
  readonly moments?: Readonly<Record<string, Uint8Array>>;
  /** Called when the server listens; what it throws ends the server. */
  readonly onListening: (server: DreamloopServer) => Promise<void> | void;
}

/** Runs a server until the person or the system wants it to end, then lets it drain. */
export async function runServer(context: CliContext, options: RunServerOptions): Promise<ExitCode> {
  const { signal } = context.interruption;
  context.interruption.task = "ending the sessions";
  const { DreamloopServer } = await import("@dreamloop/server");
  const folder = playerFolder();
  const start = (): Promise<DreamloopServer> => {
    return DreamloopServer.start({
      config: options.given,
      worlds: options.worlds,
      ...(options.moments === undefined ? {} : { moments: options.moments }),
      onNotice: (notice) => sayNotice(context.terminal, notice),
      catchesFaults: true,
      portTries: options.given.port === undefined ? PORT_TRIES : 1,
      ...(folder === undefined ? {} : { playerFolder: folder }),
    });
  };
  const server = await withOptionNames(namingServeOptions, start);
  // The server takes errors that nothing caught itself, and ends what they belong to.
  context.interruption.onUncaught = () => undefined;
  try {
    for (const fault of server.encoders.faults) context.terminal.warn(fault);
    if (!server.hasWebRtc) context.terminal.warn("WebRTC is not available on this platform; the WebSocket carries all");
    await options.onListening(server);
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  } finally {
    await server.close();
  }
  context.interruption.isDrained = true;
  return EXIT_CODES.ok;
}

/** What happens in the server, in a line of the terminal. */
export function sayNotice(terminal: Terminal, notice: ServerNotice): void {
  if (notice.type === "origin_refused") {
    const { origin } = notice;
    terminal.warn(`refused a page of ${origin}; if it may use this server, start it with --allow-origin ${origin}`);
    return;
  }
  if (notice.type === "server_fault") {
    terminal.failure("a fault of the server, which ended what it belongs to", notice.error);
    return;
  }
  const { worldId, session, phase, error } = notice;
  const what =
    phase === "load" ? `session ${session}: ${worldId} could not be loaded` : `session ${session} of ${worldId} ended`;
  terminal.failure(what, error);
}

/**
 * The address that people open: the page, with the world, and the moment to start from, in its query. The access token follows behind `#` only with
 * `withToken`: what goes to a log, and not to a terminal, must not hold it.
 */
export function pageUrl(
  server: Pick<DreamloopServer, "config" | "url">,
  { world, moment, withToken }: { readonly world?: string; readonly moment?: string; readonly withToken: boolean },
): string {
  const asked: Record<string, string> = { world: world ?? "", ...(moment === undefined ? {} : { moment }) };
  const query = world === undefined ? "" : `?${new URLSearchParams(asked).toString()}`;
  // Behind `#`, so that it does not get into logs of whatever lies between.
  const { token } = server.config;
  const secret = token === undefined || !withToken ? "" : `#${new URLSearchParams({ token }).toString()}`;
  const base = server.url.endsWith("/") ? server.url : `${server.url}/`;
  return `${base}${query}${secret}`;
}

/** The built player page: beside the command in a package, or in the repository. Absent when it has not been built. */
function playerFolder(): string | undefined {
  const places = ["../../player", "../../../../apps/player/dist"].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  );
  return places.find((folder) => existsSync(join(folder, "index.html")));
}
