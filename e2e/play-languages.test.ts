import { rmSync } from "node:fs";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromiumMissing, launchChromium } from "./chromium.ts";
import { seriousIssues } from "./play/axe.ts";
import { worldWithWords } from "./play/card-world.ts";
import { startPlayServer, type PlayServer } from "./play/play-server.ts";
import { Player } from "./play/player.ts";

/** Words that a German page does not use; names of the world's own are English. */
const ENGLISH = /\b(the|and|with|your|this|menu|close|play|record|world|keys|frames|second|recordings|press)\b/i;

describe.skipIf(chromiumMissing() !== undefined)("the language of the page", () => {
  let server: PlayServer;
  let browser: Browser;
  const wordy = worldWithWords();

  beforeAll(async () => {
    [server, browser] = await Promise.all([startPlayServer({ worlds: ["probe", wordy] }), launchChromium()]);
  });
  afterAll(async () => {
    await Promise.all([browser?.close(), server?.stop()]);
    rmSync(wordy, { recursive: true });
  });

  const inGerman = { locale: "de-AT", reducedMotion: "reduce" as const };
  /** What is read and heard within an element, its own and the titles and names of what is in it. */
  const everyText = (page: Page, selector: string): Promise<string> =>
    page.evaluate((chosen) => {
      const root = document.querySelector<HTMLElement>(chosen);
      const named = [...(root?.querySelectorAll("[aria-label], [title], [placeholder]") ?? [])];
      const names = named.flatMap((each) =>
        ["aria-label", "title", "placeholder"].map((name) => each.getAttribute(name)),
      );
      return [root?.innerText, ...names].filter((text) => text !== null).join(" | ");
    }, selector);
  const language = (page: Page): Promise<string> => page.evaluate(() => document.documentElement.lang);

  test("is the browser's: gallery, world, numbers and menu speak German, and so does what is announced", async () => {
    const player = await Player.open(browser, server.url, { path: "#/", context: inGerman });
    const { page } = player;
    await page.getByRole("heading", { name: "Such dir eine Welt aus" }).waitFor();
    expect(await language(page)).toBe("de");
    expect(await seriousIssues(page)).toEqual([]);
    await page.getByRole("link", { name: "Probe spielen" }).click();
    await player.see();
    expect(await page.title()).toBe("Probe · Dreamloop");
    await page.getByRole("status").getByText("öffnet den Prompt, Escape das Menü").waitFor();
    await page.mouse.move(400, 300);
    await page.keyboard.press("Backquote");
    await page.locator(".numbers").getByText("Einzelheiten").click();
    await page.locator(".numbers").getByText("Erzeugt").waitFor();
    expect(await seriousIssues(page)).toEqual([]);
    expect(ENGLISH.exec(await everyText(page, ".stage"))).toBeNull();
    await page.keyboard.press("Escape");
    const menu = page.getByRole("dialog", { name: "Menü" });
    for (const tab of ["Sitzung", "Steuerung", "Aufnahmen"]) {
      await menu.getByRole("button", { name: tab, exact: true }).click();
      expect(ENGLISH.exec(await everyText(page, "dialog"))).toBeNull();
      expect(await seriousIssues(page)).toEqual([]);
    }
    expect(player.faults).toEqual([]);
    await player.close();
  });

  test("can be chosen, at once and for the next visit", async () => {
    const player = await Player.open(browser, server.url, { path: "#/", context: { reducedMotion: "reduce" } });
    const { page } = player;
    await page.getByRole("heading", { name: "Choose a world" }).waitFor();
    await page.getByLabel("Language").selectOption({ label: "Deutsch" });
    await page.getByRole("heading", { name: "Such dir eine Welt aus" }).waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "Such dir eine Welt aus" }).waitFor();
    expect(await language(page)).toBe("de");
    await page.getByLabel("Sprache").selectOption({ label: "English" });
    await page.getByRole("heading", { name: "Choose a world" }).waitFor();
    await player.close();
  });

  test("is that of notices too: words that a world does not know are named in German", async () => {
    const context = { locale: "de", reducedMotion: "reduce" as const };
    const player = await Player.open(browser, server.url, { world: "wordy", transport: "websocket", context });
    const { page } = player;
    await page.locator(".stage[data-state=running]").waitFor();
    await page.getByRole("textbox", { name: "Prompt" }).fill("Drache");
    await page.keyboard.press("Enter");
    await page.locator(".toasts").getByText("„Drache“ kennt diese Welt nicht. Es ändert sich nichts.").waitFor();
    await player.close();
  });
});
