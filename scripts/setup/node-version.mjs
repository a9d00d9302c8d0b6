// This file is read before anything is known of the running Node, so it keeps to syntax that old releases parse.

/** Oldest Node release the project runs on, as [major, minor]. */
export const MINIMUM_NODE = [20, 19];

/**
 * Says in one sentence why a Node release cannot run the project.
 *
 * @param {string} version for example `18.20.4`, with or without a leading `v`
 * @returns {string | undefined} the sentence, or undefined when the release is new enough
 */
export function nodeVersionComplaint(version) {
  const parts = version.replace(/^v/, "").split(".").map(Number);
  const major = parts[0] || 0;
  const minor = parts[1] || 0;
  const tooOld = major < MINIMUM_NODE[0] || (major === MINIMUM_NODE[0] && minor < MINIMUM_NODE[1]);
  if (!tooOld) return undefined;
  return (
    "Dreamloop needs Node " +
    MINIMUM_NODE.join(".") +
    " or newer, and this is Node " +
    version.replace(/^v/, "") +
    ": install a newer Node from nodejs.org or with your version manager, then run the command again."
  );
}

/**
 * Runs a task module when Node is new enough; otherwise prints the one sentence and leaves a failing exit code.
 *
 * @param {() => Promise<{ main(args: string[]): Promise<number> | number }>} load imports the task, which may use new syntax
 */
export function runWithNodeCheck(load) {
  const complaint = nodeVersionComplaint(process.versions.node);
  if (complaint !== undefined) {
    console.error(complaint);
    process.exitCode = 1;
    return;
  }
  load()
    .then((task) => task.main(process.argv.slice(2)))
    .then((code) => {
      process.exitCode = code;
    })
    .catch((error) => {
      console.error(error && error.expected ? error.message : error);
      process.exitCode = 1;
    });
}
