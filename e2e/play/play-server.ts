import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const COMMAND = fileURLToPath(new URL("../../packages/dreamloop/bin/dreamloop.js", import.meta.url));
const START_MILLISECONDS = 90_000;

/** A server in a process of its own. */
export interface PlayServer {
  /** Where it answers. */
  readonly url: string;
  /** Its port. */
  readonly port: number;
  /** Ends it: asks first, then forces. */
  stop(): Promise<void>;
  /** Ends it without a chance to say so. */
  kill(): Promise<void>;
}

/** Starts `dreamloop serve` on loopback; resolves when it listens. */
export async function startPlayServer(options: {
  readonly worlds: readonly string[];
  readonly port?: number;
  readonly args?: readonly string[];
}): Promise<PlayServer> {
  const { worlds, port = 0, args = [] } = options;
  const command = [COMMAND, "serve", ...worlds, "--port", String(port), ...args];
  const child = spawn(process.execPath, command, { stdio: ["ignore", "pipe", "pipe"] });
  const url = await listening(child);
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill(signal);
    const timer = setTimeout(() => child.kill("SIGKILL"), 5_000);
    await ended;
    clearTimeout(timer);
  };
  return { url, port: Number(new URL(url).port), stop: () => end("SIGTERM"), kill: () => end("SIGKILL") };
}

function listening(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = "";
    const fail = (why: string): void => {
      clearTimeout(timer);
      child.kill("SIGKILL");
      reject(new Error(`dreamloop serve ${why}; it said: ${said}`));
    };
    const timer = setTimeout(() => fail("did not listen in time"), START_MILLISECONDS);
    const read = (chunk: Buffer): void => {
      said += chunk.toString();
      const found = /(http:\/\/127\.0\.0\.1:\d+)\//.exec(said);
      if (found?.[1] === undefined) return;
      clearTimeout(timer);
      resolve(found[1]);
    };
    child.stdout?.on("data", read);
    child.stderr?.on("data", read);
    child.once("exit", (code) => fail(`ended with code ${code ?? "none"}`));
  });
}
