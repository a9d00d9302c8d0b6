import { rmSync } from "node:fs";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromiumMissing, launchChromium } from "./chromium.ts";
import { seriousIssues } from "./play/axe.ts";
import { damagedWorld, worldWithSuggestions, worldWithWords } from "./play/card-world.ts";
import { startPlayServer, type PlayServer } from "./play/play-server.ts";
import { Player } from "./play/player.ts";

const running = (page: Page): Promise<void> => page.locator(".stage[data-state=running]").waitFor();

describe.skipIf(chromiumMissing() !== undefined)("finding one's way on the page", () => {
  const folders = [worldWithSuggestions(), worldWithWords(), damagedWorld()];
  let server: PlayServer;
  let browser: Browser;

  beforeAll(async () => {
    const worlds = ["probe", ...folders];
    [server, browser] = await Promise.all([startPlayServer({ worlds }), launchChromium()]);
  });
  afterAll(async () => {
    await Promise.all([browser?.close(), server?.stop()]);
    for (const folder of folders) rmSync(folder, { recursive: true });
  });

  const open = (world: string): Promise<Player> => Player.open(browser, server.url, { world, transport: "websocket" });

  test("Enter and slash open the prompt, and what is typed takes effect", async () => {
    const player = await open("probe");
    await player.see();
    const { keyboard } = player.page;
    const prompt = player.page.getByRole("textbox", { name: "Prompt" });
    await prompt.waitFor();
    for (const key of ["Enter", "/"]) {
      await keyboard.press(key);
      await player.page.waitForFunction(() => document.activeElement?.getAttribute("aria-label") === "Prompt");
      await keyboard.press("Escape");
      await player.page.waitForFunction(() => document.activeElement?.getAttribute("aria-label") !== "Prompt");
    }
    await keyboard.press("Enter");
    await keyboard.type("snow");
    await keyboard.press("Enter");
    await player.waitFor("seen.promptHash !== undefined");
    expect(await prompt.inputValue()).toBe("snow");
    expect(await player.page.getByRole("dialog").count()).toBe(0);
    await player.close();
  });

  test("A2: Enter frees a captured mouse without the menu, P frees it too, and Escape always leads to the menu", async () => {
    const player = await open("probe");
    await player.see();
    await player.page.locator(".legend").waitFor();
    const { keyboard } = player.page;
    const picture = player.page.locator(".stage-view [role=img]");
    const isLocked = (wanted: boolean): Promise<unknown> =>
      player.page.waitForFunction((locked) => (document.pointerLockElement !== null) === locked, wanted);
    await picture.click({ position: { x: 560, y: 300 } });
    await isLocked(true);
    await player.page.locator(".key-hints", { hasText: "free the mouse" }).waitFor();
    await keyboard.press("Enter");
    await isLocked(false);
    await running(player.page);
    expect(await player.page.getByRole("dialog").count()).toBe(0);
    await keyboard.press("Escape");
    // Browsers refuse to capture the mouse again at once.
    await expect
      .poll(
        async () => {
          await picture.click({ position: { x: 560, y: 300 } });
          return player.page.evaluate(() => document.pointerLockElement !== null);
        },
        { timeout: 60_000, interval: 500 },
      )
      .toBe(true);
    await keyboard.press("KeyP");
    await player.page.locator(".stage[data-state=paused]").waitFor();
    await isLocked(false);
    expect(await player.page.getByRole("dialog").count()).toBe(0);
    await keyboard.press("Escape");
    await player.page.getByRole("dialog", { name: "Menu" }).waitFor();
    expect(player.faults).toEqual([]);
    await player.close();
  });

  test("leaving the full screen other than by its button, as Escape does, opens the menu and pauses", async () => {
    const player = await open("probe");
    await player.see();
    const { page } = player;
    const button = page.getByRole("button", { name: "Full screen" });
    const fills = (wanted: boolean): Promise<unknown> =>
      page.waitForFunction((expected) => (document.fullscreenElement !== null) === expected, wanted);
    await page.mouse.move(500, 300);
    await button.click();
    await fills(true);
    await button.click();
    await fills(false);
    await button.click();
    await fills(true);
    expect(await page.getByRole("dialog").count()).toBe(0);
    await page.evaluate(() => document.exitFullscreen());
    await page.getByRole("dialog", { name: "Menu" }).waitFor();
    await page.locator(".stage[data-state=paused]").waitFor();
    await player.close();
  });

  test("what was not used yet is told when the controls step back, and no more once it was used", async () => {
    const player = await open("probe");
    await player.see();
    await player.page.getByRole("status").getByText("Enter or Slash opens the prompt, Escape the menu.").waitFor();
    const hints = player.page.locator(".key-hints");
    await hints.getByText("to change the world in words").waitFor();
    await hints.getByText("for the menu").waitFor();
    expect(await seriousIssues(player.page)).toEqual([]);
    await player.page.keyboard.press("Enter");
    await player.page.keyboard.press("Escape");
    await player.page.keyboard.press("Escape");
    await player.page.getByRole("dialog", { name: "Menu" }).waitFor();
    await player.page.keyboard.press("Escape");
    await running(player.page);
    await player.page.locator(".stage.is-quiet").waitFor();
    expect(await hints.count()).toBe(0);
    await player.close();
  });

  test("a world's suggestions are whole prompts, of which one is in force", async () => {
    const player = await open("toy-flow");
    const suggestions = player.page.getByRole("list", { name: "Suggestions" }).getByRole("button");
    await suggestions.first().waitFor();
    expect(await suggestions.allTextContents()).toEqual(["calm warm", "wild", "cold"]);
    await suggestions.getByText("wild").click();
    await suggestions.getByText("calm warm").click();
    const pressed = player.page.getByRole("button", { pressed: true }).and(player.page.locator(".chip"));
    expect(await pressed.allTextContents()).toEqual(["calm warm"]);
    expect(await player.page.getByRole("textbox", { name: "Prompt" }).inputValue()).toBe("calm warm");
    expect(await seriousIssues(player.page)).toEqual([]);
    await player.close();
  });

  test("a world without suggestions keeps its words behind a button", async () => {
    const player = await open("wordy");
    const words = player.page.getByRole("button", { name: "Words" });
    await words.waitFor();
    expect(await player.page.getByRole("button", { name: "calm" }).count()).toBe(0);
    await words.click();
    await player.page.getByRole("button", { name: "calm" }).click();
    await player.page.getByRole("button", { name: "warm" }).click();
    expect(await player.page.getByRole("textbox", { name: "Prompt" }).inputValue()).toBe("calm warm");
    await player.close();
  });

  test("the gallery shows the picture of a world, and a drawn one where there is none", async () => {
    const player = await Player.open(browser, server.url, { path: "" });
    const card = (title: RegExp): Locator => player.page.locator(".card").filter({ hasText: title }).first();
    const picture = card(/Probe/).locator("img.poster");
    await picture.waitFor();
    await player.page.waitForFunction(
      () => document.querySelector<HTMLImageElement>("img.poster")?.naturalWidth === 384,
    );
    await card(/flow matching/)
      .locator("svg.poster")
      .waitFor();
    await player.close();
  });

  test("a world that does not load and a link that has expired are explained in plain words", async () => {
    const player = await open("damaged");
    const alert = player.page.getByRole("alert");
    await alert.getByText("The world does not load").waitFor();
    expect(await alert.getByText(/sha256/).isVisible()).toBe(false);
    await alert.getByText("Details").click();
    await alert.getByText(/sha256/).waitFor();
    expect(await seriousIssues(player.page)).toEqual([]);
    await player.page.goto(`${server.url}/#/view/no.token`);
    await player.page.getByText("This link has expired").waitFor();
    await player.page.getByRole("link", { name: "All worlds" }).click();
    await player.page.getByRole("heading", { name: "Choose a world" }).waitFor();
    await player.close();
  });
});
