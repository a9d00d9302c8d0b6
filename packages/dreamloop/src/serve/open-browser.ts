import { spawn } from "node:child_process";
import type { CliHost } from "../program/cli-host.ts";

/** How each system opens an address. */
const OPENERS: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
  linux: ["xdg-open"],
};

/** Whether somebody sits in front of this machine who could see a browser: a terminal, and a display. */
export function canOpenBrowser({ env, stdout }: Pick<CliHost, "env" | "stdout">, platform = process.platform): boolean {
  if (stdout.isTTY !== true || env.CI !== undefined || env.SSH_CONNECTION !== undefined) return false;
  return platform !== "linux" || Boolean(env.DISPLAY ?? env.WAYLAND_DISPLAY);
}

/** Opens an address in the browser; what goes wrong is of no consequence, since the link has been printed. */
export function openBrowser(url: string): void {
  const [program, ...args] = OPENERS[process.platform] ?? [];
  if (program === undefined) return;
  const child = spawn(program, [...args, url], { stdio: "ignore", detached: true });
  child.on("error", () => undefined);
  child.unref();
}
