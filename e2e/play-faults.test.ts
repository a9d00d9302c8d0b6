import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { chromiumMissing, launchChromium } from "./chromium.ts";
import { seriousIssues } from "./play/axe.ts";
import { startPlayServer, type PlayServer } from "./play/play-server.ts";
import { Player } from "./play/player.ts";

const PATIENCE = { timeout: 30_000 };
/** A browser that plays no video before somebody touches the page, as those of phones that save power. */
const NO_AUTOPLAY = `
  const play = HTMLMediaElement.prototype.play;
  let isTouched = false;
  window.addEventListener("pointerdown", () => (isTouched = true), { capture: true });
  Object.defineProperty(HTMLMediaElement.prototype, "autoplay", { set() {}, get: () => false });
  HTMLMediaElement.prototype.play = function () {
    return isTouched ? play.call(this) : Promise.reject(new DOMException("no", "NotAllowedError"));
  };`;
/** A browser that never gets to show a frame. */
const NO_PICTURES = "HTMLVideoElement.prototype.requestVideoFrameCallback = () => 0;";

describe.skipIf(chromiumMissing() !== undefined)("when something stands in the way", () => {
  let browser: Browser;
  let server: PlayServer;
  let full: PlayServer;
  const opened: Player[] = [];
  const open = async (...options: Parameters<typeof Player.open>): Promise<Player> => {
    const player = await Player.open(...options);
    opened.push(player);
    return player;
  };

  beforeAll(async () => {
    [browser, server, full] = await Promise.all([
      launchChromium(),
      startPlayServer({ worlds: ["probe"] }),
      startPlayServer({ worlds: ["probe"], args: ["--max-sessions", "1", "--grace", "2"] }),
    ]);
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((player) => player.close()));
  });
  afterAll(async () => {
    await Promise.all([browser?.close(), server?.stop(), full?.stop()]);
  });

  const seesProbe = (page: Page): Promise<unknown> =>
    expect.poll(() => page.evaluate(() => window.readProbe() !== undefined), PATIENCE).toBe(true);

  test("C5: a full server is waited for: the page counts down and plays as soon as a place is free", async () => {
    const first = await open(browser, full.url, { transport: "websocket" });
    await first.see();
    const second = await open(browser, full.url, { transport: "websocket", path: "#/w/probe" });
    const { page } = second;
    await page.getByText("All places are taken").waitFor();
    await page.getByText(/Trying again in \d+ seconds?/).waitFor();
    expect(await page.getByRole("button", { name: "Try now" }).isVisible()).toBe(true);
    expect(await seriousIssues(page)).toEqual([]);
    await first.page.close();
    await seesProbe(page);
    expect(second.faults).toEqual([]);
  });

  test("the gallery says that the server is full, and no more when a place is free", async () => {
    const first = await open(browser, full.url, { transport: "websocket" });
    await expect.poll(() => first.page.evaluate(() => window.readProbe() !== undefined), PATIENCE).toBe(true);
    // Away from the only world, whose page a server of one world opens at once.
    const second = await open(browser, full.url, { path: "#/w/nowhere" });
    await second.page.evaluate(() => (window.location.hash = "#/"));
    await second.page.locator(".gallery-full", { hasText: "All places are taken" }).waitFor();
    expect(await seriousIssues(second.page)).toEqual([]);
    await first.page.close();
    await second.page.locator(".gallery-full").waitFor({ state: "detached", ...PATIENCE });
  });

  test("where the browser refuses to play by itself, one button starts the video", async () => {
    const player = await open(browser, server.url, { transport: "webrtc", before: NO_AUTOPLAY });
    const start = player.page.getByRole("button", { name: "Start the video" });
    await start.waitFor();
    expect(await seriousIssues(player.page)).toEqual([]);
    await start.click();
    await player.see();
    await start.waitFor({ state: "detached" });
    expect(player.faults).toEqual([]);
  });

  test("a world that runs and shows nothing ends in an explanation, not in a wait", async () => {
    const player = await open(browser, server.url, { transport: "webrtc", before: NO_PICTURES });
    const alert = player.page.getByRole("alert");
    await alert.getByText("No picture is arriving").waitFor(PATIENCE);
    expect(await alert.getByRole("button", { name: "Try again" }).isVisible()).toBe(true);
  });

  test("a server that stops is no fault of the page, which plays on when it is back", async () => {
    const first = await startPlayServer({ worlds: ["probe"] });
    const player = await open(browser, first.url, { transport: "websocket" });
    await player.see();
    await first.stop();
    await expect
      .poll(async () => {
        const card = player.page.getByText(/The server (has stopped|cannot be reached)|Reconnecting/);
        return (await card.count()) > 0;
      }, PATIENCE)
      .toBe(true);
    const second = await startPlayServer({ worlds: ["probe"], port: first.port });
    const { frameIndex } = await player.see();
    await player.waitFor(`seen.frameIndex > ${frameIndex + 5}`).catch(() => seesProbe(player.page));
    expect(player.faults).toEqual([]);
    await second.stop();
  });
});
