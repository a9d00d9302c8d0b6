import { basename } from "node:path";
import { CHECK_LEVELS, describeFault } from "@dreamloop/onnx";
import { WORLD_DOMAINS } from "../lookup/bundle-world.ts";
import { glanceAtBundle } from "../lookup/bundle-folder.ts";
import { countOf, formatRate } from "../terminal/format.ts";
import { line, type Inspection } from "./inspection.ts";

/** Says what a bundle is, and whether its manifest has faults; nothing large is read. */
export async function inspectBundle(folder: string): Promise<Inspection> {
  const { checkBundle } = await import("@dreamloop/onnx/node");
  const { faults } = await checkBundle(folder, { level: CHECK_LEVELS.structure, domains: WORLD_DOMAINS });
  const glance = glanceAtBundle(folder);
  const { id = basename(folder), title, description, width, height, framesPerSecond } = glance;
  return {
    kind: "bundle",
    facts: { ...glance, faults },
    lines: [
      ...line("world", title === undefined ? id : `${id}: ${title}`),
      ...line("about", description),
      ...line("picture", width === undefined || height === undefined ? undefined : `${width}×${height}`),
      ...line("rate", framesPerSecond === undefined ? undefined : `${formatRate(framesPerSecond)} frames/s`),
      ...line("faults", faults.length === 0 ? "none in manifest and graphs" : countOf(faults.length, "fault")),
      ...faults.flatMap((fault) => line("", describeFault(fault))),
    ],
  };
}
