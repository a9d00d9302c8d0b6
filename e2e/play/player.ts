import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from "playwright-core";
import { sourceDoors } from "../../scripts/workspace/source-doors.mjs";
import type { Seen } from "./page-probe.ts";

const root = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
let probeScript: Promise<string> | undefined;

/** The program that reads the probe world's pictures within a page. */
function readerScript(): Promise<string> {
  probeScript ??= build({
    entryPoints: [root("e2e/play/page-probe.ts")],
    bundle: true,
    write: false,
    format: "iife",
    platform: "browser",
    target: "es2022",
    alias: sourceDoors(root(""), { except: ["dreamloop"] }),
    external: ["@dreamloop/onnx", "node:*"],
  }).then(({ outputFiles }) => outputFiles[0]?.text ?? "");
  return probeScript;
}

/** How long a test waits for a picture, in milliseconds; a machine that is busy with other things takes its time. */
const PATIENCE_MILLISECONDS = 60_000;

/** A page that plays, as a person sees it. */
export class Player {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors that the page did not catch. */
  readonly faults: string[] = [];

  constructor(context: BrowserContext, page: Page) {
    this.context = context;
    this.page = page;
    page.on("pageerror", (error) => this.faults.push(error.message));
  }

  /** Opens a world in a context of its own; resolves when the page is there, not yet the first frame. */
  static async open(
    browser: Browser,
    url: string,
    options: {
      readonly world?: string;
      readonly transport?: "webrtc" | "websocket";
      readonly path?: string;
      readonly before?: string;
      readonly prepare?: (page: Page) => Promise<unknown>;
      readonly context?: BrowserContextOptions;
    } = {},
  ): Promise<Player> {
    const context = await browser.newContext({ viewport: { width: 1120, height: 640 }, ...options.context });
    context.setDefaultTimeout(PATIENCE_MILLISECONDS);
    const page = await context.newPage();
    await options.prepare?.(page);
    if (options.before !== undefined) await page.addInitScript(options.before);
    await page.addInitScript(await readerScript());
    const player = new Player(context, page);
    const query = options.transport === undefined ? "" : `?transport=${options.transport}`;
    await page.goto(`${url}/${query}${options.path ?? `#/w/${options.world ?? "probe"}`}`);
    return player;
  }

  /** Waits for a picture for which an expression over `seen` holds. */
  waitFor(expression: string): Promise<Seen> {
    // As text, so that the expression is compiled in the page without `eval`, which its policy forbids.
    return this.page.evaluate(`window.waitForProbe((seen) => ${expression}, ${PATIENCE_MILLISECONDS})`);
  }

  /** What is seen right now; waits for a picture. */
  see(): Promise<Seen> {
    return this.waitFor("true");
  }

  /** The numbers, with their details open. */
  async details(): Promise<Locator> {
    const numbers = this.page.locator(".numbers");
    if (!(await numbers.isVisible())) await this.page.getByRole("button", { name: "Numbers" }).click();
    const details = numbers.locator("details");
    await details.waitFor();
    if (!(await details.evaluate((element: HTMLDetailsElement) => element.open))) {
      await numbers.getByText("Details").click();
    }
    return numbers;
  }

  /** Which transport is in use, as the numbers say. */
  async transport(): Promise<string> {
    const numbers = await this.details();
    return (await numbers.getByText("Transport").locator("xpath=../dd").innerText()).trim();
  }

  /** Ends it with its context. */
  close(): Promise<void> {
    return this.context.close();
  }
}
