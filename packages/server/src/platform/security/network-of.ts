import { isIP } from "node:net";

const GROUPS = 8;
/** Groups of an IPv6 address that name a network: whoever has one has all addresses in it. */
const NETWORK_GROUPS = 4;

/** What counts as one client: an IPv4 address, also one written as IPv6, or the first 64 bits of an IPv6 address. Absent for what is no address. */
export function networkOf(address: string | undefined): string | undefined {
  const [bare = ""] = (address ?? "").split("%");
  const family = isIP(bare);
  if (family !== 6) return family === 4 ? bare : undefined;
  const groups = groupsOf(bare);
  const [high = 0, low = 0] = groups.slice(6);
  const isIpv4 = groups[5] === 0xffff && groups.slice(0, 5).every((group) => group === 0);
  if (isIpv4) return [high >> 8, high & 255, low >> 8, low & 255].join(".");
  const network = groups.slice(0, NETWORK_GROUPS).map((group) => group.toString(16));
  return `${network.join(":")}::/64`;
}

/** The eight numbers of an IPv6 address. */
function groupsOf(address: string): readonly number[] {
  // The form that URLs give has hexadecimal groups only, and at most one gap.
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [before = [], after = []] = canonical
    .split("::")
    .map((part) => (part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16))));
  return [...before, ...Array<number>(GROUPS - before.length - after.length).fill(0), ...after];
}
