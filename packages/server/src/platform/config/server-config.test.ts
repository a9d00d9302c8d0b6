import { expect, it } from "vitest";
import { serverConfig, type ServerConfigInput } from "./server-config.ts";

const REFUSED: readonly (readonly [string, ServerConfigInput, RegExp])[] = [
  ["an ICE server of another scheme", { iceServers: [{ urls: "http://stun.example.org" }] }, /stun:HOST/],
  ["an ICE server with a port that does not exist", { iceServers: [{ urls: "stun:a.example:70000" }] }, /stun:HOST/],
  ["credentials in the address of an ICE server", { iceServers: [{ urls: "turn:a:b@c.example" }] }, /stun:HOST/],
  ["any host", { allowedHosts: ["*"] }, /no wildcard/],
  ["a host with a scheme", { allowedHosts: ["https://a.example"] }, /no scheme/],
  ["a host with a port", { allowedHosts: ["a.example:443"] }, /no port/],
  ["a session beyond the server", { maxSessionPixelsPerSecond: 2, maxPixelsPerSecond: 1 }, /maxPixelsPerSecond/],
  ["headers that may take longer than requests", { headersSeconds: 40 }, /requestSeconds/],
];

it.each(REFUSED)("settings are checked at the start: %s is refused", (_what, input, message) => {
  expect(() => serverConfig(input)).toThrow(message);
});

it("takes the forms of ICE servers and hosts that browsers know", () => {
  const iceServers = [
    { urls: "stun:[::1]:3478" },
    { urls: ["turn:a.example?transport=tcp", "turns:a.example:443"], username: "a@b", credential: "c:d" },
  ];
  expect(serverConfig({ iceServers, allowedHosts: ["a.example", "[::1]"] }).iceServers).toEqual(iceServers);
});
