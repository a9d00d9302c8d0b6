import fc from "fast-check";
import { expect, it } from "vitest";
import { networkOf } from "./network-of.ts";

it.each([
  ["1.2.3.4", "1.2.3.4"],
  ["::ffff:1.2.3.4", "1.2.3.4"],
  ["::FFFF:102:304", "1.2.3.4"],
  ["0:0:0:0:0:ffff:0102:0304", "1.2.3.4"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:0DB8:1:2::99", "2001:db8:1:2::/64"],
  ["2001:db8::1", "2001:db8:0:0::/64"],
  ["1:2:3:4:5:6:7::", "1:2:3:4::/64"],
  ["::1", "0:0:0:0::/64"],
  ["::", "0:0:0:0::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ["fe80::2%whatever", "fe80:0:0:0::/64"],
])("M5: %s counts as %s", (address, network) => {
  expect(networkOf(address)).toBe(network);
});

it.each([
  undefined,
  "",
  "unknown",
  "1.2.3",
  "01.2.3.4",
  "16909060",
  "0x1.2.3.4",
  "1.2.3.4:80",
  "[::1]:80",
  "[::1]",
  "::1/64",
])("%s is no address", (text) => {
  expect(networkOf(text)).toBeUndefined();
});

it("M5: all addresses of a /64 count as one, those of another as another", () => {
  const words = (count: number) =>
    fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: count, maxLength: count });
  const text = (groups: readonly number[]): string => groups.map((group) => group.toString(16)).join(":");
  fc.assert(
    fc.property(words(4), words(4), words(4), words(4), (network, otherNetwork, host, otherHost) => {
      // The network of IPv4 written as IPv6 has a rule of its own.
      fc.pre(network.some((group) => group !== 0) && otherNetwork.some((group) => group !== 0));
      const one = networkOf(text([...network, ...host]));
      expect(networkOf(text([...network, ...otherHost]))).toBe(one);
      if (text(network) !== text(otherNetwork)) expect(networkOf(text([...otherNetwork, ...host]))).not.toBe(one);
    }),
  );
});
