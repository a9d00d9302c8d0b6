import { rmSync } from "node:fs";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { chromiumMissing, launchChromium } from "./chromium.ts";
import { worldWithWords } from "./play/card-world.ts";
import { startPlayServer, type PlayServer } from "./play/play-server.ts";

describe.skipIf(chromiumMissing() !== undefined)("a link with ?world=", () => {
  let many: PlayServer;
  let single: PlayServer;
  let browser: Browser;
  let page: Page;
  const wordy = worldWithWords();

  beforeAll(async () => {
    [many, single, browser] = await Promise.all([
      startPlayServer({ worlds: ["probe", wordy] }),
      startPlayServer({ worlds: ["probe"] }),
      launchChromium(),
    ]);
  });
  afterEach(() => page?.context().close());
  afterAll(async () => {
    await Promise.all([browser?.close(), many?.stop(), single?.stop()]);
    rmSync(wordy, { recursive: true });
  });

  /** A tab that has seen other pages, among them the gallery. */
  async function usedTab(server: PlayServer): Promise<void> {
    page = await (await browser.newContext({ viewport: { width: 1120, height: 640 } })).newPage();
    for (const path of ["/healthz", "/?transport=websocket", "/readyz"]) await page.goto(`${server.url}${path}`);
    expect(await page.evaluate(() => window.history.length)).toBeGreaterThan(2);
  }

  const plays = (): Promise<void> => page.locator(".stage[data-state=running]").waitFor();
  const choosing = (): Promise<void> => page.getByRole("heading", { name: "Choose a world" }).waitFor();
  const hash = (): string => new URL(page.url()).hash;

  test("shows the world in a tab that has visited other pages, also after a reload", async () => {
    await usedTab(many);
    await page.goto(`${many.url}/?world=probe&transport=websocket`);
    await plays();
    expect(hash()).toBe("#/w/probe");
    await page.reload();
    await plays();
    // The same link once more, from the gallery.
    await page.goto(`${many.url}/?transport=websocket`);
    await choosing();
    await page.goto(`${many.url}/?world=probe&transport=websocket`);
    await plays();
  });

  test("lets one go back to the gallery, by All worlds and by the browser's back, and forward again", async () => {
    await usedTab(many);
    await page.goto(`${many.url}/?transport=websocket`);
    await choosing();
    await page.goto(`${many.url}/?world=probe&transport=websocket`);
    await plays();
    await page.goBack();
    await choosing();
    await page.goForward();
    await plays();
    await page.mouse.move(300, 200);
    await page.getByRole("link", { name: "All worlds" }).first().click();
    await choosing();
    await page.goBack();
    await plays();
    await page.goForward();
    await choosing();
    await page.reload();
    await choosing();
    expect(hash()).toBe("#/");
  });

  test("a server of one world goes straight into it, whatever the tab has seen before, with and without ?world=", async () => {
    await usedTab(single);
    for (const query of ["?transport=websocket", "?world=probe&transport=websocket"]) {
      await page.goto(`${single.url}/${query}`);
      await plays();
      expect(hash()).toBe("#/w/probe");
      await page.reload();
      await plays();
    }
  });
});
