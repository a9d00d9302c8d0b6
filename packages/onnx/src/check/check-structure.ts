import type { z } from "zod";
import { FaultList } from "../faults/fault-list.ts";
import { distinctFaults, type Fault, FAULT_CODES } from "../faults/fault.ts";
import type { BundleFiles } from "../manifest/bundle-files.ts";
import { graphSchema } from "../manifest/graph-schema.ts";
import { fileSchema } from "../manifest/world-schema.ts";
import { bindDomain } from "../plan/bind-domain.ts";
import { type Bundle, openBundle } from "../plan/open-bundle.ts";
import {
  refusedSetting,
  settledSettings,
  type Sampler,
  type SamplerRegistry,
  type SamplerSettings,
} from "../plan/samplers/sampler.ts";
import type { DomainRegistry } from "../plan/world-domain.ts";
import type { PlannedItem, PlannedSample, WorldPlan } from "../plan/world-plan.ts";
import { checkFiles, type FileNaming } from "./check-files.ts";
import { checkGraphs } from "./check-graphs.ts";
import { memoryFaults, memoryNeed } from "./check-memory.ts";

/** What the first phase of a check looks things up in. */
export interface StructureOptions {
  /** Domains by id. */
  readonly domains: DomainRegistry;
  /** Samplers by name. */
  readonly samplers: SamplerRegistry;
  /** Memory that the world may take, in bytes; absent: it is not looked at. */
  readonly memoryBytes?: number | undefined;
}

/** The outcome of the first phase. */
export interface StructureCheck {
  /** The bundle; absent when its manifest has faults. */
  readonly bundle?: Bundle | undefined;
  /** All faults. */
  readonly faults: readonly Fault[];
}

/**
 * The first phase of a check: manifest, paths, sizes, graph inputs and outputs, samplers and domain. No file is read beyond
 * 1 MiB. A manifest with faults does not keep its files and graphs from being checked, as far as they are declared soundly.
 */
export async function checkStructure(files: BundleFiles, options: StructureOptions): Promise<StructureCheck> {
  const opening = await openBundle(files);
  const naming = opening.bundle?.manifest ?? soundParts(opening.raw);
  const faults = [...opening.faults, ...(await checkFiles(files, naming)), ...(await checkGraphs(files, naming))];
  if (opening.bundle !== undefined) {
    const { manifest, plan } = opening.bundle;
    const list = new FaultList();
    if (options.memoryBytes !== undefined) faults.push(...memoryFaults(memoryNeed(manifest), options.memoryBytes));
    checkSamplers(plan, options.samplers, list);
    faults.push(...list.faults, ...bindDomain(manifest, options.domains).faults);
  }
  return { bundle: opening.bundle, faults: distinctFaults(faults) };
}

/** The files and graphs of a manifest that could not be read as a whole. */
function soundParts(raw: unknown): FileNaming {
  const files = soundEntries(raw, "files", fileSchema);
  const faultyFiles = Object.keys(sectionOf(raw, "files")).filter((path) => !Object.hasOwn(files, path));
  return { files, graphs: soundEntries(raw, "graphs", graphSchema), faultyFiles };
}

function sectionOf(raw: unknown, key: string): object {
  const section: unknown = typeof raw === "object" && raw !== null ? (raw as Record<string, unknown>)[key] : undefined;
  return typeof section === "object" && section !== null ? section : {};
}

function soundEntries<S extends z.ZodType>(raw: unknown, key: string, schema: S): Record<string, z.output<S>> {
  return Object.fromEntries(
    Object.entries(sectionOf(raw, key)).flatMap(([name, value]) => {
      const result = schema.safeParse(value);
      return result.success ? [[name, result.data]] : [];
    }),
  );
}

/** Notes samplers that are not known, and noise levels that they refuse. */
function checkSamplers(plan: WorldPlan, samplers: SamplerRegistry, faults: FaultList): void {
  const phases = [plan.condition, plan.start, plan.firstStep, plan.firstFinalize, plan.step, plan.finalize];
  const items = new Map<string, PlannedItem>(phases.flat().map((item) => [item.path, item]));
  for (const item of items.values()) {
    if (item.type !== "sample" && item.type !== "add_noise") continue;
    const sampler = Object.hasOwn(samplers, item.sampler) ? samplers[item.sampler] : undefined;
    if (sampler === undefined) {
      faults.addUnknown({
        code: FAULT_CODES.sampler,
        path: `${item.path}.sampler`,
        what: "a sampler",
        name: item.sampler,
        known: Object.keys(samplers),
      });
      continue;
    }
    if (!checkSettings(item, sampler, faults)) continue;
    const settings = settledSettings(sampler, item.settings);
    if (item.type === "add_noise") {
      const refused = sampler.refusedLevel(item.level, settings);
      if (refused !== undefined) {
        faults.add({
          code: FAULT_CODES.sampler,
          path: `${item.path}.level`,
          expected: refused,
          found: String(item.level),
          mend: "Correct the level.",
        });
      }
    } else {
      checkSchedules(item, (levels) => sampler.refusedLevels(levels, settings), faults);
    }
  }
}

/** Whether the settings of an item are ones that its sampler has, within their bounds; notes a fault for each that is not. */
function checkSettings(
  { path, settings }: { readonly path: string; readonly settings: SamplerSettings },
  sampler: Sampler,
  faults: FaultList,
): boolean {
  const before = faults.faults.length;
  for (const [name, value] of Object.entries(settings)) {
    const at = `${path}.settings.${name}`;
    const rule = Object.hasOwn(sampler.settings, name) ? sampler.settings[name] : undefined;
    if (rule === undefined) {
      const known = Object.keys(sampler.settings);
      faults.addUnknown({ code: FAULT_CODES.sampler, path: at, what: `a setting of ${sampler.name}`, name, known });
      continue;
    }
    const expected = refusedSetting(rule, value);
    if (expected === undefined) continue;
    faults.add({ code: FAULT_CODES.sampler, path: at, expected, found: JSON.stringify(value), mend: "Correct it." });
  }
  return faults.faults.length === before;
}

function checkSchedules(
  item: PlannedSample,
  refusedLevels: (levels: readonly number[]) => string | undefined,
  faults: FaultList,
): void {
  for (const levels of item.schedules.values()) {
    const refused = refusedLevels(levels);
    if (refused === undefined) continue;
    faults.add({
      code: FAULT_CODES.sampler,
      path: `${item.path}.schedules`,
      expected: refused,
      found: `[${levels.join(", ")}]`,
      mend: "Correct the levels.",
    });
  }
}
