import type { IncomingMessage } from "node:http";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { serverConfig } from "../config/server-config.ts";
import { RequestIdentities } from "./request-identity.ts";

const PROXY = "10.0.0.7";

/** Who asks, by a connection from an address with `X-Forwarded-For`. */
function identity(trustedProxies: readonly string[], remoteAddress: string | undefined, forwarded?: string): string {
  const headers = forwarded === undefined ? {} : { "x-forwarded-for": forwarded };
  const identities = new RequestIdentities(serverConfig({ trustedProxies }));
  return identities.of({ socket: { remoteAddress }, headers } as unknown as IncomingMessage);
}

describe("who asks", () => {
  it.each([
    ["the other end, whatever is forwarded, when no proxy is trusted", [], PROXY, "1.1.1.1", PROXY],
    ["the other end when it is not the trusted proxy", ["10.0.0.8"], PROXY, "1.1.1.1", PROXY],
    ["the trusted proxy itself when it forwards nothing", [PROXY], PROXY, undefined, PROXY],
    ["the one that a trusted proxy forwards", [PROXY], PROXY, "1.1.1.1", "1.1.1.1"],
    ["the last one, not what clients wrote before it", [PROXY], PROXY, "6.6.6.6, 10.0.0.7, 1.1.1.1", "1.1.1.1"],
    ["the last one that is no trusted proxy", [PROXY, "192.0.2.0/24"], PROXY, "6.6.6.6, 1.1.1.1, 192.0.2.9", "1.1.1.1"],
    ["the one behind a name of ranges", ["loopback"], "::1", "1.1.1.1,127.0.0.9", "1.1.1.1"],
    [
      "the one behind a proxy whose address is written as IPv6",
      [PROXY],
      "::ffff:10.0.0.7",
      "::ffff:1.1.1.1",
      "1.1.1.1",
    ],
    ["the network of an IPv6 client", [PROXY], PROXY, "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["the network of an IPv6 client without a proxy", [], "2001:db8:1:2:3:4:5:6", undefined, "2001:db8:1:2::/64"],
    ["the proxy for an address with a port", [PROXY], PROXY, "1.2.3.4:5678", PROXY],
    ["the proxy for an IPv6 address with a port", [PROXY], PROXY, "[::1]:99", PROXY],
    [
      "the proxy for a number that some libraries take for an address",
      ["0.0.0.0/1"],
      PROXY,
      "1.1.1.1, 16909060",
      PROXY,
    ],
    ["the proxy for a word", [PROXY], PROXY, "1.1.1.1, unknown", PROXY],
    ["the proxy for nothing between commas", [PROXY], PROXY, " , ,, ", PROXY],
    ["one name for connections that are gone", [PROXY], undefined, "1.1.1.1", "unknown"],
  ])("M5: is %s", (_, trusted, address, forwarded, expected) => {
    expect(identity(trusted, address, forwarded)).toBe(expected);
  });

  it("M5: is the client for the proxy's word alone, whatever clients write before it", () => {
    const entry = fc.oneof(fc.ipV4(), fc.ipV6(), fc.string(), fc.constantFrom(PROXY, "1.2.3.4:5678", "[::1]:99"));
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 50 }), (entries) => {
        expect(identity([PROXY], PROXY, [...entries, "1.1.1.1"].join(", "))).toBe("1.1.1.1");
      }),
    );
  });

  it("M5: is the proxy for all that is no address, and one client for thousands of entries", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (text) => {
        expect(identity([PROXY], PROXY, `1.1.1.1, ${text.replaceAll(",", "")}x`)).toBe(PROXY);
      }),
    );
    expect(identity([PROXY], PROXY, "2.2.2.2,".repeat(5000))).toBe("2.2.2.2");
    expect(identity([PROXY], PROXY, `2.2.2.2${`,${PROXY}`.repeat(5000)}`)).toBe("2.2.2.2");
  });
});

describe("trusted proxies", () => {
  it.each(["loopback", "linklocal", "uniquelocal", "10.0.0.1", "10.0.0.0/8", "10.0.0.0/255.0.0.0", "fd00::/8", "::1"])(
    "may be %s",
    (entry) => {
      expect(serverConfig({ trustedProxies: [entry] }).trustedProxies).toEqual([entry]);
    },
  );

  it.each([
    "",
    "1",
    "proxy.example",
    "10.0.0.0/0",
    "10.0.0.0/33",
    "10.0.0.0/",
    "10.0.0",
    "toString",
    "10.0.0.1:80",
    "*",
  ])("may not be %j, and the error says where it stands", (entry) => {
    const make = () => serverConfig({ trustedProxies: ["loopback", entry] });
    expect(make).toThrow(/^ServerConfig\.trustedProxies\[1\]: expected .*(10\.0\.0\.0\/8|not blank)/);
  });
});
