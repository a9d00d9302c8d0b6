import { FAULT_CODES } from "../faults/fault.ts";
import { describeSignature } from "../manifest/tensor.ts";
import type { GraphDeclaration, SourceDeclaration, WorldManifest } from "../manifest/world-manifest.ts";
import type { FaultList } from "../faults/fault-list.ts";
import type { SourceContext, SourceResolver } from "./source-resolver.ts";
import type { PlannedInput } from "./world-plan.ts";

/** Looks up graphs and resolves what they are fed. */
export class GraphPorts {
  readonly #graphs: WorldManifest["graphs"];
  readonly #faults: FaultList;
  readonly #resolver: SourceResolver;
  /** Graphs that some item runs. */
  readonly used = new Set<string>();

  /** Faults are added to `faults`. */
  constructor(graphs: WorldManifest["graphs"], faults: FaultList, resolver: SourceResolver) {
    this.#graphs = graphs;
    this.#faults = faults;
    this.#resolver = resolver;
  }

  /** The graph of that name; notes a fault when there is none. */
  graph(name: string, path: string): GraphDeclaration | undefined {
    if (Object.hasOwn(this.#graphs, name)) {
      this.used.add(name);
      return this.#graphs[name];
    }
    this.#faults.addUnknown({
      code: FAULT_CODES.reference,
      path: `${path}.graph`,
      what: "a graph",
      name,
      known: Object.keys(this.#graphs),
    });
    return undefined;
  }

  /** A source for every input of the graph; notes what is missing, unknown or does not fit. */
  inputs(
    graph: GraphDeclaration,
    sources: Readonly<Record<string, SourceDeclaration>>,
    path: string,
    context: SourceContext,
  ): readonly PlannedInput[] {
    const planned: PlannedInput[] = [];
    for (const [name, signature] of Object.entries(graph.inputs)) {
      const declaration = Object.hasOwn(sources, name) ? sources[name] : undefined;
      const at = `${path}.${name}`;
      if (declaration === undefined) {
        const expected = `a source for ${describeSignature(signature)}`;
        this.#faults.add({
          code: FAULT_CODES.missingKey,
          path: at,
          expected,
          found: "nothing",
          mend: "Every input of the graph needs one.",
        });
        continue;
      }
      const source = this.#resolver.resolve(declaration, signature, { ...context, path: at });
      if (source !== undefined) planned.push({ port: portName(graph, name), signature, source });
    }
    this.refuseUnknown(Object.keys(sources), Object.keys(graph.inputs), path, "an input of the graph");
    return planned;
  }

  /** Notes a fault for each name that is not among the known ones. */
  refuseUnknown(names: readonly string[], known: readonly string[], path: string, what: string): void {
    for (const name of names) {
      if (!known.includes(name))
        this.#faults.addUnknown({ code: FAULT_CODES.reference, path: `${path}.${name}`, what, name, known });
    }
  }
}

/** The name that an input or output has in the graph's file. */
export function portName(graph: GraphDeclaration, name: string): string {
  return `${graph.stripPrefix ?? ""}${name}`;
}
