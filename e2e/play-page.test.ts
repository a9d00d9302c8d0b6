import { rmSync } from "node:fs";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromiumMissing, launchChromium } from "./chromium.ts";
import { seriousIssues } from "./play/axe.ts";
import { worldWithCard } from "./play/card-world.ts";
import { startPlayServer, type PlayServer } from "./play/play-server.ts";
import { Player } from "./play/player.ts";

describe.skipIf(chromiumMissing() !== undefined)("the page", () => {
  let server: PlayServer;
  let browser: Browser;
  const cardWorld = worldWithCard();

  beforeAll(async () => {
    [server, browser] = await Promise.all([startPlayServer({ worlds: ["probe", cardWorld] }), launchChromium()]);
  });
  afterAll(async () => {
    await Promise.all([browser?.close(), server?.stop()]);
    rmSync(cardWorld, { recursive: true });
  });

  test.each(["dark", "light"] as const)(
    "axe finds nothing serious in the gallery and a model card, %s",
    async (colorScheme) => {
      const context = { colorScheme, reducedMotion: "reduce" as const };
      const player = await Player.open(browser, server.url, { path: "", context });
      await player.page.getByRole("link", { name: /Probe/ }).waitFor();
      expect(await seriousIssues(player.page)).toEqual([]);
      await player.page
        .getByRole("button", { name: /Model card/ })
        .first()
        .click();
      await player.page.getByRole("dialog").waitFor();
      expect(await seriousIssues(player.page)).toEqual([]);
      await player.close();
    },
  );

  test.each(["dark", "light"] as const)(
    "axe finds nothing serious while playing, with numbers and menu open, %s",
    async (colorScheme) => {
      const context = { colorScheme, reducedMotion: "reduce" as const };
      const player = await Player.open(browser, server.url, { transport: "websocket", context });
      await player.see();
      await player.page.mouse.move(400, 300);
      await (await player.details()).getByText("Generated").waitFor();
      expect(await seriousIssues(player.page)).toEqual([]);
      await player.page.keyboard.press("Escape");
      const menu = player.page.getByRole("dialog", { name: "Menu" });
      for (const tab of ["Session", "Controls", "Recordings", "About"]) {
        await menu.getByRole("button", { name: tab, exact: true }).click();
        expect(await seriousIssues(player.page)).toEqual([]);
      }
      await player.close();
    },
  );

  test("everything is reached with the keyboard alone: world, pause, menu and back", async () => {
    const player = await Player.open(browser, server.url, { path: "" });
    const { keyboard } = player.page;
    await player.page.getByRole("link", { name: /Probe/ }).waitFor();
    const focused = (): Promise<string> =>
      player.page.evaluate(
        () => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent ?? "",
      );
    const tabTo = async (wanted: RegExp): Promise<void> => {
      for (let count = 0; count < 40; count += 1) {
        await keyboard.press("Tab");
        if (wanted.test(await focused())) return;
      }
      throw new Error(`Tab never reached ${String(wanted)}`);
    };
    await tabTo(/Probe/);
    await keyboard.press("Enter");
    await player.see();
    await tabTo(/^Pause/);
    await keyboard.press("Enter");
    await player.page.locator(".stage[data-state=paused]").waitFor();
    await keyboard.press("Escape");
    await player.page.getByRole("dialog", { name: "Menu" }).waitFor();
    await tabTo(/^Leave/);
    await keyboard.press("Enter");
    await player.page.getByRole("heading", { name: "Choose a world" }).waitFor();
    expect(player.faults).toEqual([]);
    await player.close();
  });

  test("a world that does not exist and a server that is gone are explained, with a way on", async () => {
    const player = await Player.open(browser, server.url, { world: "nowhere" });
    await player.page.getByRole("alert").getByText("Nothing here").waitFor();
    await player.page.getByRole("link", { name: "All worlds" }).click();
    await player.page.getByRole("heading", { name: "Choose a world" }).waitFor();
    await player.page.route("**/api/sessions", (route) => route.abort());
    await player.page.goto(`${server.url}/#/w/probe`);
    await player.page.getByText("The server cannot be reached").waitFor();
    await player.page.unroute("**/api/sessions");
    await player.page.getByRole("button", { name: "Try now" }).click();
    await player.see();
    await player.close();
  });
});
