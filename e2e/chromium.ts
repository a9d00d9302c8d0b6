import { chromium, type Browser } from "playwright-core";

const DEFAULT_PATH = "/usr/bin/chromium";

/** Why tests in a browser cannot run on this machine, or undefined where they can. */
export function chromiumMissing(): string | undefined {
  const missing = (process.env.DREAMLOOP_TEST_MISSING ?? "").split(",");
  return missing.includes("chromium")
    ? "Chromium is not installed on this machine and could not be installed"
    : undefined;
}

/** Starts a headless Chromium that its caller closes; `DREAMLOOP_CHROMIUM` names another program than Debian's. */
export function launchChromium(options: { readonly args?: readonly string[] } = {}): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env.DREAMLOOP_CHROMIUM ?? DEFAULT_PATH,
    args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", ...(options.args ?? [])],
    headless: true,
  });
}
