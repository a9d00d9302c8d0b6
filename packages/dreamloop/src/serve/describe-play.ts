import { networkInterfaces } from "node:os";
import { codeLabel, controlLayout } from "@dreamloop/client";
import type { ControlHint } from "@dreamloop/core";
import { packageVersion } from "../program/version.ts";
import { formatTable } from "../terminal/format.ts";

/** Entries of the legend that are printed; the page shows them all. */
const MAX_ENTRIES = 12;
/** Codes of one entry that are printed. */
const MAX_CODES = 3;
/** Hosts that mean every address of this machine. */
const EVERY_ADDRESS: readonly string[] = ["0.0.0.0", "::"];

/** What `describePlay` puts together. */
export interface PlayFacts {
  /** The world's title or id. */
  readonly world: string;
  /** The link to the page. */
  readonly link: string;
  /** The address that the server is bound to. */
  readonly host: string;
  /** Whether the server wants a token that the link does not carry. */
  readonly lacksToken: boolean;
  /** What the world's controls are. */
  readonly controls: readonly ControlHint[];
  /** Addresses of this machine; default those of its network interfaces. */
  readonly addresses?: readonly string[];
}

/** What a person needs who has just started a world: version, where the page is, and which keys do what. */
export function describePlay(facts: PlayFacts): string {
  const { world, link, host, lacksToken, controls, addresses = machineAddresses() } = facts;
  const others = EVERY_ADDRESS.includes(host) ? addresses.map((address) => linkAt(link, address)) : [];
  const keys = controlLayout(controls).keyboard.slice(0, MAX_ENTRIES);
  const rows = keys.map(({ label, codes }) => {
    const names = codes.slice(0, MAX_CODES).map((code) => codeLabel(code));
    return [`  ${names.join(" or ")}`, label];
  });
  return [
    `Dreamloop ${packageVersion()} plays ${world}`,
    `Open ${link}`,
    ...others.map((other) => `  or ${other}`),
    ...(lacksToken ? ["  and add #token= with the token of this server, which is printed on terminals only"] : []),
    ...(rows.length === 0 ? [] : ["Keys, after a click into the picture:", formatTable(rows)]),
  ].join("\n");
}

/** The same link at another address of this machine. */
function linkAt(link: string, address: string): string {
  const url = new URL(link);
  url.hostname = address.includes(":") ? `[${address}]` : address;
  return url.href;
}

/** Addresses by which other machines reach this one; those that are valid on one link only are left out. */
function machineAddresses(): readonly string[] {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return all.filter(({ internal, address }) => !internal && !address.startsWith("fe80:")).map(({ address }) => address);
}
