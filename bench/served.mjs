// A server in a process of its own for benchmarks, and the processor time of processes.
import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** Clock ticks a second of Linux in /proc. */
const TICKS_PER_SECOND = 100;
const COMMAND = fileURLToPath(new URL("../packages/dreamloop/bin/dreamloop.js", import.meta.url));

/**
 * Starts `dreamloop serve` on loopback with further arguments; resolves when it listens.
 *
 * @param {readonly string[]} args
 * @param {{ readonly prefix?: readonly string[] }} options `prefix` is a command that runs it, such as one that binds it to some cores
 * @returns {Promise<{ url: string, pid: number, stop: () => void }>}
 */
export function startServer(args, { prefix = [] } = {}) {
  const [program = process.execPath, ...rest] = [...prefix, process.execPath, COMMAND, "serve", ...args, "--port", "0"];
  const child = spawn(program, rest, { stdio: ["ignore", "pipe", "inherit"] });
  return new Promise((resolve, reject) => {
    let said = "";
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`dreamloop serve ended with code ${code}: ${said}`)));
    child.stdout.on("data", (chunk) => {
      said += String(chunk);
      const url = /(http:\/\/127\.0\.0\.1:\d+)\//.exec(said)?.[1];
      if (url !== undefined) resolve({ url, pid: child.pid ?? 0, stop: () => void child.kill("SIGTERM") });
    });
  });
}

/**
 * Bundles a script for a page of a benchmark.
 *
 * @param {string} entryPoint
 */
export function pageBundle(entryPoint) {
  return build({
    entryPoints: [entryPoint],
    bundle: true,
    write: false,
    format: "iife",
    platform: "browser",
    target: "es2022",
    external: ["node:*"],
  });
}

/**
 * The fields of /proc/PID/stat from the state on; undefined for a process that is not there.
 *
 * @param {number} pid
 */
function statFields(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  } catch {
    return undefined;
  }
}

/**
 * Seconds of processor time of a process with its threads; undefined where /proc does not tell.
 *
 * @param {number} pid
 */
export function processorSeconds(pid) {
  const fields = statFields(pid);
  return fields === undefined ? undefined : (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/**
 * A process and all that descend from it.
 *
 * @param {number} pid
 * @returns {number[]}
 */
export function processTree(pid) {
  /** @type {Map<number, number[]>} */
  const children = new Map();
  try {
    for (const name of readdirSync("/proc")) {
      const parent = Number(/^\d+$/.test(name) ? statFields(Number(name))?.[1] : undefined);
      if (!Number.isNaN(parent)) children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
    }
  } catch {
    return [pid];
  }
  const tree = [pid];
  for (const each of tree) tree.push(...(children.get(each) ?? []));
  return tree;
}

/**
 * Processor seconds of several processes; undefined where /proc does not tell.
 *
 * @param {readonly number[]} pids
 */
export function sumOfProcessorSeconds(pids) {
  const seconds = pids.map(processorSeconds).filter((each) => each !== undefined);
  return seconds.length === 0 ? undefined : seconds.reduce((sum, each) => sum + each, 0);
}
