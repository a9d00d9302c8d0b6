/**
 * One part of a longer check.
 *
 * @typedef {object} Step
 * @property {string} name what a person types to run it alone
 * @property {() => number} run returns an exit code
 */

/**
 * Runs steps one after the other, all of them even after a failure, and sums up.
 *
 * @param {readonly Step[]} steps
 * @param {{ only?: readonly string[], say?: (line: string) => void, now?: () => number }} [options] `only` names the steps
 *   to run; none given means all
 * @returns {number} 0 when every step passed, else 1
 */
export function runSteps(steps, { only = [], say = console.log, now = () => performance.now() } = {}) {
  const unknown = only.filter((name) => !steps.some((step) => step.name === name));
  if (unknown.length > 0) {
    say(`There is no step named ${unknown.join(", ")}; the steps are ${steps.map(({ name }) => name).join(", ")}.`);
    return 1;
  }
  const chosen = only.length === 0 ? steps : steps.filter(({ name }) => only.includes(name));
  const failed = [];
  for (const step of chosen) {
    const startMs = now();
    const passed = step.run() === 0;
    say(`${passed ? "passed" : "FAILED"}  ${step.name} (${((now() - startMs) / 1000).toFixed(1)} s)`);
    if (!passed) failed.push(step.name);
  }
  if (failed.length > 0) say(`Failed: ${failed.join(", ")}. Run one alone with npm run check -- ${failed[0]}`);
  return failed.length === 0 ? 0 : 1;
}
