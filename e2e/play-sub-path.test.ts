import { once } from "node:events";
import { createServer, request, type IncomingMessage, type Server } from "node:http";
import { connect, type AddressInfo } from "node:net";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromiumMissing, launchChromium } from "./chromium.ts";
import { startPlayServer, type PlayServer } from "./play/play-server.ts";
import { Player } from "./play/player.ts";

const BELOW = "/dreamloop";

/** A proxy that knows the server below a path, as many sites have one, and nothing at its root. */
async function openProxy(targetPort: number): Promise<{ server: Server; url: string; strays: string[] }> {
  const strays: string[] = [];
  const strip = ({ url = "/" }: IncomingMessage): string | undefined => {
    if (url.startsWith(`${BELOW}/`)) return url.slice(BELOW.length);
    strays.push(url);
    return undefined;
  };
  const server = createServer((incoming, outgoing) => {
    const path = strip(incoming);
    if (path === undefined) {
      outgoing.writeHead(404).end();
      return;
    }
    const { method, headers } = incoming;
    const forwarded = request({ port: targetPort, host: "127.0.0.1", path, method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    forwarded.on("error", () => outgoing.destroy());
    incoming.pipe(forwarded);
  });
  server.on("upgrade", (incoming: IncomingMessage, socket, head: Buffer) => {
    const path = strip(incoming);
    if (path === undefined) {
      socket.destroy();
      return;
    }
    const upstream = connect(targetPort, "127.0.0.1", () => {
      const lines = incoming.rawHeaders.flatMap((each, index, all) =>
        index % 2 === 0 ? [`${each}: ${all[index + 1] ?? ""}`] : [],
      );
      upstream.write(`GET ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
      upstream.write(head);
      upstream.pipe(socket).pipe(upstream);
    });
    upstream.on("error", () => socket.destroy());
    socket.on("error", () => upstream.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${BELOW}`, strays };
}

describe.skipIf(chromiumMissing() !== undefined)("below a path of a site", () => {
  let server: PlayServer;
  let browser: Browser;
  let proxy: Awaited<ReturnType<typeof openProxy>>;

  beforeAll(async () => {
    [server, browser] = await Promise.all([startPlayServer({ worlds: ["probe"] }), launchChromium()]);
    proxy = await openProxy(server.port);
  });
  afterAll(async () => {
    await Promise.all([browser?.close(), server?.stop()]);
    proxy?.server.closeAllConnections();
    proxy?.server.close();
  });

  test.each(["websocket", "webrtc"] as const)(
    "the page plays by %s, and asks for nothing at the root",
    async (transport) => {
      const player = await Player.open(browser, proxy.url, { transport });
      await player.see();
      await player.page.keyboard.down("KeyW");
      await player.waitFor("seen.driverCommand?.throttle === 1");
      await player.page.keyboard.up("KeyW");
      expect(proxy.strays).toEqual([]);
      expect(player.faults).toEqual([]);
      await player.close();
    },
  );

  test("the gallery shows pictures, a recording can be fetched, and viewers watch", async () => {
    const player = await Player.open(browser, proxy.url, { transport: "websocket" });
    const { page } = player;
    await player.see();
    await page.mouse.move(300, 200);
    await page.getByRole("button", { name: "Record" }).click();
    const { frameIndex } = await player.see();
    await player.waitFor(`seen.frameIndex > ${frameIndex + 20}`);
    await page.getByRole("button", { name: /recording, press to stop/ }).click();
    await page
      .getByText(/Recording saved/)
      .first()
      .waitFor();
    await page.keyboard.press("Escape");
    const menu = page.getByRole("dialog", { name: "Menu" });
    const link = await menu.getByLabel("Link for viewers").inputValue();
    expect(link.startsWith(`${proxy.url}/#/view/`)).toBe(true);
    await menu.getByRole("button", { name: "Recordings" }).click();
    const href = await menu.getByRole("link", { name: "MP4" }).getAttribute("href");
    expect((await fetch(href ?? "")).status).toBe(200);

    const viewer = await Player.open(browser, proxy.url, { path: new URL(link).hash });
    await page.keyboard.press("Escape");
    await viewer.see();
    await viewer.close();

    await page.evaluate(() => (window.location.hash = "#/"));
    await page.waitForFunction(() => (document.querySelector<HTMLImageElement>("img.poster")?.naturalWidth ?? 0) > 0);
    expect(proxy.strays).toEqual([]);
    await player.close();
  });
});
