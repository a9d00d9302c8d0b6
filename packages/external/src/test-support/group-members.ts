import { readdirSync, readFileSync } from "node:fs";

/** The living processes whose group is `group`, zombies left out; Linux only. */
export function groupMembers(group: number): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const line = readFileSync(`/proc/${pid}/stat`, "latin1");
        const [state, , found] = line.slice(line.lastIndexOf(")") + 2).split(" ");
        return Number(found) === group && state !== "Z";
      } catch {
        return false;
      }
    });
}

/** The workers that a process has started: each leads a group of its number; Linux only. */
export function workersOf(parent: number): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const line = readFileSync(`/proc/${pid}/stat`, "latin1");
        const [, found, group] = line.slice(line.lastIndexOf(")") + 2).split(" ");
        const command = readFileSync(`/proc/${pid}/cmdline`, "latin1");
        return Number(found) === parent && Number(group) === pid && command.includes("dreamloop_worker.py");
      } catch {
        return false;
      }
    });
}

/** Waits until a condition holds; throws after a generous time. */
export async function until(condition: () => boolean, what: string, seconds = 30): Promise<void> {
  const end = performance.now() + seconds * 1000;
  while (!condition()) {
    if (performance.now() > end) throw new Error(`${what} did not happen within ${seconds} s`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
