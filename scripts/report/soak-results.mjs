import { writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";

/** Where `npm run test:soak` leaves what it measured, from the root; `bench/report.mjs` puts it on the page of benchmarks. */
export const SOAK_RESULTS_PATH = "bench/results/soak.json";

/**
 * Keeps what the soak tests measured, with how each went.
 *
 * @param {string} root
 * @param {import("./vitest-report.mjs").Report} report
 */
export function keepSoakResults(root, report) {
  const processors = cpus();
  const machine = {
    processor: processors[0]?.model,
    cores: processors.length,
    node: process.version,
    load: loadavg()[0],
  };
  const runs = report.testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .map(({ title, status, duration, meta }) => ({
      title,
      status,
      seconds: (duration ?? 0) / 1000,
      figures: meta?.figures ?? {},
    }));
  writeFileSync(
    join(root, SOAK_RESULTS_PATH),
    `${JSON.stringify({ benchmark: "soak", machine, runs }, undefined, 2)}\n`,
  );
}
