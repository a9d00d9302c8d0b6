/**
 * Finds groups of files that import each other in a ring, each ring once.
 *
 * @param {ReadonlyMap<string, readonly string[]>} graph imported files by file
 * @returns {string[][]} one shortest ring for every group of files that reach each other, starting at its first name
 */
export function findCycles(graph) {
  return stronglyConnected(graph).flatMap((group) => {
    const start = [...group].sort()[0] ?? "";
    const ring = ringThrough(start, graph, group);
    return ring ? [ring] : [];
  });
}

/**
 * Tarjan's algorithm.
 *
 * @param {ReadonlyMap<string, readonly string[]>} graph
 */
function stronglyConnected(graph) {
  /** @type {Map<string, { index: number, low: number, onStack: boolean }>} */
  const seen = new Map();
  /** @type {string[]} */
  const stack = [];
  /** @type {Set<string>[]} */
  const groups = [];
  /** @param {string} file */
  const visit = (file) => {
    const mark = { index: seen.size, low: seen.size, onStack: true };
    seen.set(file, mark);
    stack.push(file);
    for (const next of graph.get(file) ?? []) {
      const other = seen.get(next);
      if (!other) mark.low = Math.min(mark.low, visit(next).low);
      else if (other.onStack) mark.low = Math.min(mark.low, other.index);
    }
    if (mark.low === mark.index) {
      const group = new Set(stack.splice(stack.indexOf(file)));
      for (const member of group) /** @type {{ onStack: boolean }} */ (seen.get(member)).onStack = false;
      groups.push(group);
    }
    return mark;
  };
  for (const file of graph.keys()) if (!seen.has(file)) visit(file);
  return groups;
}

/**
 * @param {string} start
 * @param {ReadonlyMap<string, readonly string[]>} graph
 * @param {ReadonlySet<string>} group
 * @returns {string[] | undefined} the files from start back to start, without the repetition; undefined when there is no way
 */
function ringThrough(start, graph, group) {
  /** @type {string[][]} */
  const paths = [[start]];
  const visited = new Set();
  for (const path of paths) {
    for (const next of graph.get(path.at(-1) ?? "") ?? []) {
      if (next === start) return path;
      if (!group.has(next) || visited.has(next)) continue;
      visited.add(next);
      paths.push([...path, next]);
    }
  }
  return undefined;
}
