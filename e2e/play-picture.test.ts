import { rmSync } from "node:fs";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromiumMissing, launchChromium } from "./chromium.ts";
import { seriousIssues } from "./play/axe.ts";
import { pictureWorld, worldThatNeedsPicture } from "./play/card-world.ts";
import { startPlayServer, type PlayServer } from "./play/play-server.ts";
import { Player } from "./play/player.ts";

const PATIENCE = { timeout: 60_000 };

/** A picture of one colour as a person's file. */
async function fileOf(page: Page, colour: string): Promise<{ name: string; mimeType: string; buffer: Buffer }> {
  const address = await page.evaluate((fill) => {
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [300, 100];
    const context = canvas.getContext("2d");
    if (context !== null) {
      context.fillStyle = fill;
      context.fillRect(0, 0, 300, 100);
    }
    return canvas.toDataURL("image/png");
  }, colour);
  // A name that is a path, and a type that is false: neither must matter.
  return {
    name: "..\\..\\photo.jpg",
    mimeType: "image/jpeg",
    buffer: Buffer.from(address.slice(address.indexOf(",") + 1), "base64"),
  };
}

/** Drops a file on an element, as from a file manager. */
async function drop(target: Locator, { name, mimeType, buffer }: Awaited<ReturnType<typeof fileOf>>): Promise<void> {
  const dataTransfer = await target.page().evaluateHandle(
    (file) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([Uint8Array.from(file.bytes)], file.name, { type: file.mimeType }));
      return transfer;
    },
    { name, mimeType, bytes: [...buffer] },
  );
  await target.dispatchEvent("drop", { dataTransfer });
}

/** The colour in the middle of what the world shows; nothing while it shows nothing. */
function shown(page: Page): Promise<string | undefined> {
  return page.evaluate(() => {
    const surface = document.querySelector<HTMLVideoElement | HTMLCanvasElement>(".stage-view :is(video, canvas)");
    const [width, height] =
      surface instanceof HTMLVideoElement
        ? [surface.videoWidth, surface.videoHeight]
        : [surface?.width ?? 0, surface?.height ?? 0];
    if (surface === null || width < 16 || height < 16) return undefined;
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [1, 1];
    const context = canvas.getContext("2d");
    context?.drawImage(surface, width / 4, height / 4, width / 2, height / 2, 0, 0, 1, 1);
    const [red = 0, green = 0, blue = 0] = context?.getImageData(0, 0, 1, 1).data ?? [];
    const names: readonly [string, boolean][] = [
      ["red", red > 160 && green < 90 && blue < 90],
      ["blue", blue > 160 && green < 90 && red < 90],
      ["grey", Math.abs(red - 128) < 30 && Math.abs(green - 128) < 30 && Math.abs(blue - 128) < 30],
    ];
    return names.find(([, is]) => is)?.[0] ?? `${red},${green},${blue}`;
  });
}

describe.skipIf(chromiumMissing() !== undefined)("starting from a picture", () => {
  let server: PlayServer;
  let browser: Browser;
  const worlds = [pictureWorld(), worldThatNeedsPicture()];

  beforeAll(async () => {
    [server, browser] = await Promise.all([startPlayServer({ worlds: ["probe", ...worlds] }), launchChromium()]);
  });
  afterAll(async () => {
    await Promise.all([browser?.close(), server?.stop()]);
    for (const world of worlds) rmSync(world, { recursive: true });
  });

  test("M3: a photo chosen in the gallery is what the world begins with, another one in the menu begins it anew", async () => {
    const player = await Player.open(browser, server.url, { path: "#/" });
    const { page } = player;
    const card = page.locator(".card", { hasText: "Toy: a picture" });
    const field = card.locator("input[type=file]");
    await expect(page.locator(".card", { hasText: "Probe" }).locator("input[type=file]").count()).resolves.toBe(0);

    await field.setInputFiles({ name: "a.png", mimeType: "image/png", buffer: Buffer.from("<svg/>") });
    await card.getByRole("alert").filter({ hasText: "Choose a PNG" }).waitFor();
    await drop(card.locator("label"), await fileOf(page, "rgb(230, 20, 20)"));
    await card.getByAltText("Your picture").waitFor();
    expect(await card.getByRole("alert").count()).toBe(0);

    await card.getByRole("link").click();
    await expect.poll(() => shown(page), PATIENCE).toBe("red");

    await page.keyboard.press("Escape");
    const menu = page.getByRole("dialog", { name: "Menu" });
    await menu.locator("input[type=file]").setInputFiles(await fileOf(page, "rgb(20, 20, 230)"));
    await expect.poll(() => shown(page), PATIENCE).toBe("blue");

    await page.keyboard.press("Escape");
    await menu.getByRole("button", { name: "Without it" }).click();
    await expect.poll(() => shown(page), PATIENCE).toBe("grey");
    expect(player.faults).toEqual([]);
    await player.close();
  });

  test("a world that needs a picture asks for one before it starts, also on a link straight to it", async () => {
    const player = await Player.open(browser, server.url, { path: "#/w/pictured" });
    const { page } = player;
    await page.getByRole("status").filter({ hasText: "Pictured starts from a picture" }).waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
    expect(await seriousIssues(page)).toEqual([]);

    const field = page.locator("input[type=file]");
    await field.setInputFiles({ name: "a.png", mimeType: "image/png", buffer: Buffer.from("<svg/>") });
    await page.getByRole("alert").filter({ hasText: "Choose a PNG" }).waitFor();
    await field.setInputFiles(await fileOf(page, "rgb(230, 20, 20)"));
    await expect.poll(() => shown(page), PATIENCE).toBe("red");
    expect(player.faults).toEqual([]);
    await player.close();
  });
});
