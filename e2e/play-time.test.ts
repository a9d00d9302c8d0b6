import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromiumMissing, launchChromium } from "./chromium.ts";
import { startPlayServer, type PlayServer } from "./play/play-server.ts";
import { Player } from "./play/player.ts";

describe.skipIf(chromiumMissing() !== undefined)("time in the player", () => {
  let server: PlayServer;
  let browser: Browser;

  beforeAll(async () => {
    [server, browser] = await Promise.all([startPlayServer({ worlds: ["probe"] }), launchChromium()]);
  });
  afterAll(async () => {
    await Promise.all([browser?.close(), server?.stop()]);
  });

  const nowOf = async (page: Page): Promise<number> =>
    Number(await page.locator(".timeline-track").getAttribute("aria-valuenow"));

  /** Waits until the timeline has come to a second, or is back before one. */
  const until = (page: Page, what: "past" | "before", seconds: number): Promise<unknown> =>
    page.waitForFunction(
      ([kind, bound]) => {
        const track = document.querySelector(".timeline-track");
        const now = Number(track?.getAttribute("aria-valuenow") ?? NaN);
        return kind === "past" ? now > Number(bound) : now < Number(bound);
      },
      [what, seconds] as const,
    );

  test("O6, O7: who holds the timeline and lets go continues from there; the tree shows both ways", async () => {
    const { page } = await Player.open(browser, server.url, { world: "probe", transport: "websocket" });
    await page.locator(".stage[data-state=running]").waitFor();
    await until(page, "past", 5);
    const track = page.getByRole("slider", { name: "Position on the timeline" });
    const box = await track.boundingBox();
    if (box === null) throw new Error("the timeline is not there");
    await page.mouse.move(box.x + 20, box.y + box.height / 2);
    await page.mouse.down();
    await page.locator(".stage[data-time=scrub]").waitFor();
    await page.locator(".scrub-picture").waitFor();
    await page.mouse.up();
    await until(page, "before", 4);
    await page.locator(".stage[data-state=running]").waitFor();
    const back = await nowOf(page);
    await until(page, "past", back + 1);
    await page.getByRole("button", { name: "Branches" }).click();
    await page.getByRole("list", { name: "Branches" }).getByRole("listitem").nth(1).waitFor();
    expect(await page.locator(".branch[data-current=true] .branch-name").inputValue()).toBe("Take 2");
    await page.close();
  });

  test("O8: the keyboard alone goes back, stays and leads to two futures side by side", async () => {
    const { page } = await Player.open(browser, server.url, { world: "probe", transport: "websocket" });
    await page.locator(".stage[data-state=running]").waitFor();
    await until(page, "past", 4);
    await page.keyboard.press("KeyT");
    await page.keyboard.press("Home");
    await page.locator(".stage[data-time=scrub]").waitFor();
    await page.keyboard.press("Escape");
    await page.locator(".stage[data-state=running]:not([data-time])").waitFor();
    await page.keyboard.press("Home");
    await page.keyboard.press("Enter");
    await until(page, "before", 3);
    await page.getByRole("button", { name: "Compare" }).click();
    await page.getByRole("textbox", { name: "Prompt of the other future" }).fill("snow");
    await page.keyboard.press("Enter");
    await page.locator(".other-future .future-label", { hasText: "snow" }).waitFor();
    await page.locator(".stage[data-time=compare]").waitFor();
    await page.close();
  });
});
