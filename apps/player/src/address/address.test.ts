import { describe, expect, test } from "vitest";
import { readArrival, takeWorld } from "./arrival.ts";
import { readRoute, viewerUrl, worldHash } from "./route.ts";
import { addressOf, isThisComputer, serverUrl } from "./server-url.ts";

describe("addresses", () => {
  test("routes lie behind # and survive odd names", () => {
    expect(readRoute(worldHash("a/b ü"))).toEqual({ page: "play", world: "a/b ü" });
    expect(readRoute("#/view/abc.def")).toEqual({ page: "view", viewerToken: "abc.def" });
    expect(readRoute("#/w/%")).toEqual({ page: "gallery" });
    expect(readRoute("#token=x")).toEqual({ page: "gallery" });
    expect(viewerUrl("t", { origin: "http://h:1", pathname: "/" })).toBe("http://h:1/#/view/t");
  });

  test("a token comes in the fragment or the query", () => {
    expect(readArrival({ hash: "#token=abc", search: "?world=drive" })).toEqual({ accessToken: "abc", world: "drive" });
    expect(readArrival({ hash: "#/w/drive", search: "?token=q&transport=carrier-pigeon" })).toEqual({
      accessToken: "q",
    });
  });
});

describe("a link with a world", () => {
  /** The address after the world was taken out of one. */
  function settled(address: string): string {
    const location = new URL(address, "http://h:1");
    const replaced: string[] = [];
    const history = { replaceState: (_data: unknown, _title: string, url: string) => void replaced.push(url) };
    takeWorld(readArrival(location), { location, history } as unknown as Window);
    return replaced[0] ?? address;
  }

  test("becomes the address of that world, and keeps the rest of its query", () => {
    expect(settled("/?world=drive")).toBe("/#/w/drive");
    expect(settled("/play/?transport=websocket&world=a%2Fb")).toBe("/play/?transport=websocket#/w/a%2Fb");
  });

  test("leaves a page that is named behind # as it is", () => {
    expect(settled("/?world=drive#/")).toBe("/#/");
    expect(settled("/?world=drive#/view/abc")).toBe("/#/view/abc");
    expect(settled("/#/w/probe")).toBe("/#/w/probe");
  });
});

describe("the server", () => {
  const at = (address: string): Pick<Location, "origin" | "pathname"> => new URL(address);

  test("is where the page is, also below a path", () => {
    expect(serverUrl(at("http://h:1/"))).toBe("http://h:1");
    expect(serverUrl(at("http://h:1/dreamloop/"))).toBe("http://h:1/dreamloop");
    expect(serverUrl(at("http://h:1/a/dreamloop/index.html"))).toBe("http://h:1/a/dreamloop");
  });

  test("names its pictures by paths that may or may not know where it lies", () => {
    expect(addressOf("/api/p", at("http://h:1/"))).toBe("http://h:1/api/p");
    expect(addressOf("/api/p", at("http://h:1/dreamloop/"))).toBe("http://h:1/dreamloop/api/p");
    expect(addressOf("/dreamloop/api/p", at("http://h:1/dreamloop/"))).toBe("http://h:1/dreamloop/api/p");
  });

  test.each([
    ["localhost", true],
    ["127.0.0.1", true],
    ["[::1]", true],
    ["box.localhost", true],
    ["192.168.0.7", false],
    ["example.org", false],
  ])("at %s is on this computer only: %j", (hostname, isHere) => {
    expect(isThisComputer(hostname)).toBe(isHere);
  });
});
