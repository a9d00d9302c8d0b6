import type { WorldsAnswer } from "@dreamloop/protocol";
import { describe, expect, it } from "vitest";
import { probe, TestServer } from "../test-support/test-server.ts";
import { worldPoster } from "./world-poster.ts";

const picture = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3);

describe("worldPoster", () => {
  it("takes pictures by their content, and no more than 1 MiB of them", () => {
    expect(worldPoster(picture).contentType).toBe("image/png");
    expect(worldPoster(picture).tag).not.toBe(worldPoster(Uint8Array.of(...picture, 4)).tag);
    expect(() => worldPoster(new TextEncoder().encode("<svg onload='x()'/>"))).toThrow(/PNG, JPEG or WebP/);
    const large = new Uint8Array(1_048_577);
    large.set(picture);
    expect(() => worldPoster(large)).toThrow(/at most 1048576 bytes/);
  });
});

describe("the picture of a world", () => {
  it("is served as what it is, under a path that changes with it, and nothing else is", async () => {
    const worlds = [{ ...probe({}, "odd name/ü"), poster: worldPoster(picture) }, probe()];
    const server = await TestServer.start({}, { worlds });
    const answer = (await (await server.fetch("/api/worlds")).json()) as WorldsAnswer;
    expect(answer.worlds[1]?.posterPath).toBeUndefined();
    const path = answer.worlds[0]?.posterPath ?? "";
    const response = await server.fetch(path);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("image/png");
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(response.headers.get("cache-control")).toContain("immutable");
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(picture);
    const stale = await server.fetch(path.replace(/v=.*/, "v=older"));
    expect(stale.headers.get("cache-control")).toBe("no-cache");
    for (const missing of ["/api/worlds/probe/poster", "/api/worlds/..%2f..%2fetc/poster", "/api/worlds//poster"]) {
      expect((await server.fetch(missing)).status).toBe(404);
    }
    await server.close();
  });
});
