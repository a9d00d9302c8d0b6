import { expect, test } from "vitest";
import type { ControlHint } from "@dreamloop/core";
import { packageVersion } from "../program/version.ts";
import { describePlay } from "./describe-play.ts";
import { pageUrl } from "./run-server.ts";

const CONTROLS: readonly ControlHint[] = [
  { label: "Throttle", device: "keyboard", bindings: ["KeyW", "ArrowUp"], touch: "stick", direction: "up" },
  { label: "Look", device: "mouse", bindings: ["MouseMove"], touch: "look" },
  { label: "Throttle", device: "gamepad", bindings: ["Button7"], touch: "none" },
];
const FACTS = { world: "Drive", link: "http://127.0.0.1:8787/?world=drive", host: "127.0.0.1", lacksToken: false };

test("play says the version, the address and which keys do what", () => {
  const lines = describePlay({ ...FACTS, controls: CONTROLS }).split("\n");
  expect(lines.slice(0, 2)).toEqual([`Dreamloop ${packageVersion()} plays Drive`, `Open ${FACTS.link}`]);
  expect(lines.slice(3)).toEqual([expect.stringMatching(/^ {2}W or ↑ +Throttle$/), expect.stringMatching(/Look$/)]);
  expect(describePlay({ ...FACTS, controls: [] }).split("\n")).toHaveLength(2);
});

test("a server that is bound to every address lists those of the machine", () => {
  const link = "http://localhost:8787/?world=drive#token=x";
  const text = describePlay({ ...FACTS, link, host: "0.0.0.0", controls: [], addresses: ["192.0.2.7", "2001:db8::1"] });
  expect(text).toContain("or http://192.0.2.7:8787/?world=drive#token=x");
  expect(text).toContain("or http://[2001:db8::1]:8787/?world=drive#token=x");
});

test("M6: the token is in the address only where that is wanted, and its absence is said", () => {
  const server = { url: "http://localhost:8787/", config: { token: "secret-of-16-chars" } } as Parameters<
    typeof pageUrl
  >[0];
  expect(pageUrl(server, { world: "drive", withToken: true })).toContain("#token=secret-of-16-chars");
  expect(pageUrl(server, { world: "drive", withToken: false })).toBe("http://localhost:8787/?world=drive");
  expect(describePlay({ ...FACTS, lacksToken: true, controls: [] })).toContain("#token=");
});
