import { readdirSync, readFileSync } from "node:fs";

/** A process, so that another one with the same number is not taken for it. */
export interface ProcessIdentity {
  /** Its number. */
  readonly pid: number;
  /** When it started, in the system's own ticks; absent where the system does not tell. */
  readonly startTicks?: number;
}

/** The identity of a running process. */
export function identityOf(pid: number): ProcessIdentity {
  const facts = factsOf(pid);
  return facts === undefined ? { pid } : { pid, startTicks: facts.startTicks };
}

/** How often a group is looked through: what forks while it is ended is found the next time. */
const ROUNDS = 5;

/**
 * Ends every process of a group whose leader is `leader`, by force; gives how many there were. Where the system tells when processes
 * started, one that is older than the leader is left alone: it belongs to another group of the same number.
 */
export function endGroup(leader: ProcessIdentity): number {
  const { pid, startTicks } = leader;
  if (startTicks === undefined) return signal(-pid) ? 1 : 0;
  const ended = new Set<number>();
  for (let round = 0; round < ROUNDS; round += 1) {
    const members = groupMembers(pid, startTicks).filter((member) => signal(member) && !ended.has(member));
    if (members.length === 0) break;
    for (const member of members) ended.add(member);
  }
  return ended.size;
}

function groupMembers(group: number, sinceTicks: number): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      const facts = factsOf(pid);
      return facts !== undefined && facts.group === group && facts.startTicks >= sinceTicks && facts.state !== "Z";
    });
}

function signal(pid: number): boolean {
  try {
    process.kill(pid, "SIGKILL");
    return true;
  } catch {
    // It has ended by itself.
    return false;
  }
}

/** What Linux says of a process; absent elsewhere and for one that is gone (proc(5), `/proc/[pid]/stat`). */
function factsOf(
  pid: number,
): { readonly state: string; readonly group: number; readonly startTicks: number } | undefined {
  let line: string;
  try {
    line = readFileSync(`/proc/${pid}/stat`, "latin1");
  } catch {
    return undefined;
  }
  // The second field is a name in parentheses that may hold anything.
  const [state = "", , group, ...rest] = line.slice(line.lastIndexOf(")") + 2).split(" ");
  return { state, group: Number(group), startTicks: Number(rest[16]) };
}
