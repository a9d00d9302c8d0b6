import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Locator, Route } from "playwright-core";
import { promptHash } from "@dreamloop/worlds/probe";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromiumMissing, launchChromium } from "./chromium.ts";
import { worldWithWords } from "./play/card-world.ts";
import { startPlayServer, type PlayServer } from "./play/play-server.ts";
import { Player } from "./play/player.ts";

/** A world whose frames are not as it promised. */
const BROKEN = `
import { defineWorld } from ${JSON.stringify(pathToFileURL(createRequire(import.meta.url).resolve("@dreamloop/core")).href)};
export default defineWorld({
  id: "broken",
  video: { width: 64, height: 36, framesPerSecond: 20 },
  step: () => ({ frames: new Uint8Array(4) }),
});
`;

describe.skipIf(chromiumMissing() !== undefined)("the prompt in the player", () => {
  let server: PlayServer;
  let browser: Browser;
  const wordy = worldWithWords();
  const folder = mkdtempSync(join(tmpdir(), "dreamloop-broken-world-"));

  beforeAll(async () => {
    writeFileSync(join(folder, "broken.mjs"), BROKEN);
    [server, browser] = await Promise.all([
      startPlayServer({ worlds: ["probe", wordy, join(folder, "broken.mjs")] }),
      launchChromium(),
    ]);
  });
  afterAll(async () => {
    await Promise.all([browser?.close(), server?.stop()]);
    for (const path of [wordy, folder]) rmSync(path, { recursive: true });
  });

  const fieldOf = (player: Player): Locator => player.page.getByRole("textbox", { name: "Prompt" });
  const selected = (player: Player): Promise<string> =>
    fieldOf(player).evaluate((field: HTMLInputElement) =>
      field.value.slice(field.selectionStart ?? 0, field.selectionEnd ?? 0),
    );

  test("names the words that the world does not know, and says when nothing changes", async () => {
    const player = await Player.open(browser, server.url, { world: "wordy", transport: "websocket" });
    await player.page.locator(".stage[data-state=running]").waitFor();
    const toasts = player.page.locator(".toasts");
    await fieldOf(player).fill("dragon banana");
    await player.page.keyboard.press("Enter");
    await toasts.getByText("This world does not know “dragon” and “banana”. Nothing changes.").waitFor();
    await player.page.locator("[role=status]").getByText("This world does not know “dragon”").waitFor();
    await fieldOf(player).fill("dragon calm");
    await player.page.keyboard.press("Enter");
    await toasts.getByText("This world does not know “dragon”. It follows “calm”.").waitFor();
    // The newest takes the place of the one before.
    expect(await toasts.getByText("Nothing changes").count()).toBe(0);
    expect(player.faults).toEqual([]);
    await player.close();
  });

  test("is selected when a key opens it, so that typing replaces it; Escape puts the one in force back", async () => {
    const player = await Player.open(browser, server.url, { world: "probe", transport: "websocket" });
    const { keyboard } = player.page;
    await player.see();
    await fieldOf(player).fill("a snowy road");
    await keyboard.press("Enter");
    await player.waitFor(`seen.promptHash === ${promptHash("a snowy road")}`);
    await keyboard.press("/");
    expect(await selected(player)).toBe("a snowy road");
    await keyboard.type("a dragon");
    await keyboard.press("Enter");
    await player.waitFor(`seen.promptHash === ${promptHash("a dragon")}`);
    // A click places the caret.
    await fieldOf(player).click();
    expect(await selected(player)).toBe("");
    // What is typed changes nothing, however long it stays; Escape takes it back.
    await keyboard.type("!!");
    const typed = await player.see();
    const unsent = await player.waitFor(`seen.frameIndex > ${typed.frameIndex + 60}`);
    expect(unsent.promptHash).toBe(promptHash("a dragon"));
    await keyboard.press("Escape");
    expect(await fieldOf(player).inputValue()).toBe("a dragon");
    expect(await fieldOf(player).evaluate((field) => document.activeElement === field)).toBe(false);
    const { frameIndex } = await player.see();
    const later = await player.waitFor(`seen.frameIndex > ${frameIndex + 30}`);
    expect(later.promptHash).toBe(promptHash("a dragon"));
    expect(player.faults).toEqual([]);
    await player.close();
  });

  /** Lets a page know of its session only when that is over. */
  async function answerAfterTheEnd(route: Route): Promise<void> {
    const response = await route.fetch();
    const { sessionId, token } = (await response.json()) as { readonly sessionId: string; readonly token: string };
    const headers = { authorization: `Bearer ${token}` };
    await expect
      .poll(async () => (await fetch(`${server.url}/api/sessions/${sessionId}`, { headers })).status, {
        timeout: 60_000,
      })
      .toBe(410);
    await route.fulfill({ response });
  }

  test("a world that fails before its page is connected is explained with the whole message, and once", async () => {
    const player = await Player.open(browser, server.url, {
      world: encodeURIComponent(join(folder, "broken.mjs")),
      transport: "websocket",
      prepare: (page) => page.route("**/api/sessions", answerAfterTheEnd),
    });
    const alert = player.page.getByRole("alert");
    await alert.getByText("Something went wrong").waitFor();
    const text = await alert.innerText();
    expect(text).toContain("expected 6912 values for 1 frame(s) of 64×36 rgb8, found 4.");
    expect(text).not.toMatch(/ended|over for this page/);
    expect(await alert.getByRole("button", { name: "Try again" }).isVisible()).toBe(true);
    await player.close();
  });
});
