import { expect, it } from "vitest";
import { startedServers } from "../test-support/started-servers.ts";
import { PixelBudget } from "./pixel-budget.ts";

const RATE = { width: 10, height: 10, framesPerSecond: 10 };

it("M5: a session gets no more pixels a second than one may have, and all together no more than the server's", () => {
  const budget = new PixelBudget({ session: 1500, server: 2500 });
  expect(() => budget.take({ ...RATE, width: 20 })).toThrow("20×10 at 10 frames a second is more than the 1500 pixels");
  const first = budget.take(RATE);
  const second = budget.take(undefined);
  second.change(RATE);
  expect(budget.takenPixelsPerSecond).toBe(2000);
  expect(() => budget.take(RATE)).toThrow("leave no room");
  expect(() => second.change({ ...RATE, framesPerSecond: 16 })).toThrow();
  expect(budget.takenPixelsPerSecond).toBe(2000);
  first.release();
  first.release();
  budget.take(RATE);
  expect(budget.takenPixelsPerSecond).toBe(2000);
});

it("M5: a size beyond the budget is refused before anything is loaded, and the budget comes back with the end of a session", async () => {
  const { start, close } = startedServers();
  const server = await start({ maxSessionPixelsPerSecond: 320 * 180 * 30, maxPixelsPerSecond: 320 * 180 * 45 });
  const ask = (size: { width: number; height: number }) =>
    server.send("POST", "/api/sessions", { body: { world: "probe", size } });
  const tooLarge = await ask({ width: 4096, height: 2304 });
  expect(tooLarge.status).toBe(400);
  expect(await tooLarge.json()).toMatchObject({ error: { code: "limit_exceeded" } });
  const session = await server.create();
  const second = await ask({ width: 320, height: 180 });
  expect(second.status).toBe(503);
  await server.send("DELETE", `/api/sessions/${session.sessionId}`, session);
  await expect.poll(async () => (await ask({ width: 320, height: 180 })).status, { timeout: 30_000 }).toBe(201);
  await close();
});
