import type { Browser } from "playwright-core";
import { promptHash } from "@dreamloop/worlds/probe";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromiumMissing, launchChromium } from "./chromium.ts";
import { startPlayServer, type PlayServer } from "./play/play-server.ts";
import { Player } from "./play/player.ts";

describe.skipIf(chromiumMissing() !== undefined)("a session in the player", () => {
  let server: PlayServer;
  let browser: Browser;
  let player: Player;

  beforeAll(async () => {
    [server, browser] = await Promise.all([startPlayServer({ worlds: ["probe"] }), launchChromium()]);
    player = await Player.open(browser, server.url);
    await player.see();
  });
  afterAll(async () => {
    await player?.close();
    await Promise.all([browser?.close(), server?.stop()]);
  });

  test("a server of one world goes straight into it", async () => {
    const other = await Player.open(browser, server.url, { path: "" });
    await other.see();
    expect(new URL(other.page.url()).hash).toBe("#/w/probe");
    await other.close();
  });

  test("a prompt takes effect while the world runs, when Enter sends it", async () => {
    await player.page.keyboard.press("/");
    await player.page.keyboard.type("a red house");
    await player.page.locator(".prompt", { hasText: "Press Enter to send" }).waitFor();
    await player.page.keyboard.press("Enter");
    await player.waitFor(`seen.promptHash === ${promptHash("a red house")}`);
    await player.page.getByRole("button", { name: "Send the prompt" }).focus();
    await player.page.getByRole("textbox", { name: "Prompt" }).fill("a blue house");
    await player.page.keyboard.press("Enter");
    const seen = await player.waitFor(`seen.promptHash === ${promptHash("a blue house")}`);
    expect(seen.generation).toBe(0);
    const said = player.page.locator("[role=status]");
    await said.getByText("Prompt: a blue house").waitFor();
  });

  test("pause stands still, a single step makes one step, and play goes on", async () => {
    await player.page.getByRole("button", { name: "Pause" }).click();
    await player.page.locator(".stage[data-state=paused]").waitFor();
    // What was under way may still arrive; a frame that stays for a while is the last.
    const frameIndex = await player.page.evaluate(async () => {
      for (let last = -1, same = 0; ;) {
        const now = window.readProbe()?.frameIndex ?? -1;
        same = now === last ? same + 1 : 0;
        if (same >= 50) return now;
        last = now;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    });
    await player.page.getByRole("button", { name: "One step" }).click();
    const stepped = await player.waitFor(`seen.frameIndex > ${frameIndex}`);
    expect(stepped.frameIndex).toBe(frameIndex + 1);
    await player.page.keyboard.press("p");
    await player.page.locator(".stage[data-state=running]").waitFor();
    await player.waitFor(`seen.frameIndex > ${frameIndex + 3}`);
  });

  test("reset starts again with the seed that was typed", async () => {
    await player.page.keyboard.press("Escape");
    const menu = player.page.getByRole("dialog", { name: "Menu" });
    await menu.getByLabel("Seed").fill("nonsense");
    await menu.getByText("A seed is a whole number").waitFor();
    expect(await menu.getByRole("button", { name: "Start", exact: true }).isDisabled()).toBe(true);
    await menu.getByLabel("Seed").fill("77");
    // Waits from before the click on, so that the first frames are not missed.
    const reset = player.waitFor("seen.generation === 1");
    await menu.getByRole("button", { name: "Start", exact: true }).click();
    await menu.waitFor({ state: "hidden" });
    expect((await reset).frameIndex).toBeLessThan(300);
    await player.page.keyboard.press("Escape");
    expect(await menu.getByLabel("Seed").inputValue()).toBe("77");
    await player.page.keyboard.press("Escape");
  });

  test("C7: two tabs have worlds of their own", async () => {
    const other = await Player.open(browser, server.url);
    await other.see();
    await other.page.keyboard.down("KeyW");
    await other.waitFor("seen.driverCommand?.throttle === 1 && seen.generation === 0");
    const mine = await player.see();
    expect(mine.driverCommand?.throttle).toBe(0);
    expect(mine.generation).toBe(1);
    await other.close();
    await player.waitFor(`seen.frameIndex > ${mine.frameIndex + 5}`);
  });

  test("E6: a recording plays in the browser, with the right colours and the frames that were shown; its trace can be fetched", async () => {
    const { frameIndex } = await player.see();
    await player.page.getByRole("button", { name: "Record" }).click();
    await player.page.getByRole("button", { name: /recording, press to stop/ }).waitFor();
    const { frameIndex: begun } = await player.see();
    await player.page.getByRole("button", { name: /^0:01 recording, press to stop/ }).waitFor();
    await player.waitFor(`seen.frameIndex > ${begun + 25}`);
    await player.page.getByRole("button", { name: /recording, press to stop/ }).click();
    await player.page
      .getByText(/Recording saved: \d+(\.\d)? s of video/)
      .first()
      .waitFor();
    await player.page.keyboard.press("Escape");
    const menu = player.page.getByRole("dialog", { name: "Menu" });
    await menu.getByRole("button", { name: "Recordings" }).click();
    const video = await menu.getByRole("link", { name: "MP4" }).getAttribute("href");
    const trace = await menu.getByRole("link", { name: "Trace" }).getAttribute("href");
    const lines = (await (await fetch(new URL(trace ?? "", server.url))).text()).trimEnd().split("\n");
    expect(lines.length).toBeGreaterThan(20);
    expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({ type: "footer", stillRunning: true });
    expect(await menu.getByText(/^\d+(\.\d)? s, \d+ frames, /).innerText()).toMatch(/^[1-9]/);
    await player.page.evaluate((source) => {
      const element = document.createElement("video");
      element.id = "recording";
      element.muted = true;
      element.src = source ?? "";
      document.body.append(element);
      return element.play();
    }, video);
    const seen = await player.page.evaluate(() => window.waitForProbe(() => true, 20_000, "#recording"));
    expect(seen.frameIndex).toBeGreaterThanOrEqual(frameIndex);
    const [red, green, blue] = seen.patches;
    for (const [patch, live] of [red, green, blue].map(
      (each, index) =>
        [
          each,
          [
            [192, 48, 48],
            [48, 160, 75],
            [48, 72, 192],
          ][index],
        ] as const,
    )) {
      for (let channel = 0; channel < 3; channel += 1) {
        expect(Math.abs((patch[channel] ?? 0) - (live?.[channel] ?? 0))).toBeLessThan(14);
      }
    }
    await player.page.evaluate(() => document.querySelector("#recording")?.remove());
    await player.page.keyboard.press("Escape");
  });

  test("the viewer's link shows the same world by WHEP, and can touch nothing", async () => {
    await player.page.keyboard.press("Escape");
    const link = await player.page.getByLabel("Link for viewers").inputValue();
    await player.page.keyboard.press("Escape");
    const viewer = await Player.open(browser, server.url, { path: new URL(link).hash });
    const watched = await viewer.waitFor("seen.generation === 1");
    const shown = await player.waitFor(`seen.frameIndex > ${watched.frameIndex}`);
    expect(shown.promptHash).toBe(watched.promptHash);
    await viewer.page.keyboard.down("KeyW");
    const later = await viewer.waitFor(`seen.frameIndex > ${watched.frameIndex + 15}`);
    expect(later.driverCommand?.throttle).toBe(0);
    const badge = viewer.page.locator(".viewer-badge");
    await badge.getByText("Watching live").waitFor();
    await player.page.getByRole("button", { name: "Pause", exact: true }).click();
    await badge.getByText("Paused, or waiting for pictures").waitFor();
    await player.page.getByRole("button", { name: "Continue", exact: true }).first().click();
    await badge.getByText("Watching live").waitFor();
    await viewer.close();
  });

  test("a reload comes back to the same session", async () => {
    const { frameIndex } = await player.see();
    await player.page.reload();
    // Its frames are counted on; another session would count from 0, with a seed and a generation of its own.
    const seen = await player.waitFor(`seen.frameIndex > ${frameIndex}`);
    expect(seen.generation).toBe(1);
  });

  test("the page threw nothing", () => expect(player.faults).toEqual([]));
});
