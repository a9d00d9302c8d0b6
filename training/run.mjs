// Bundles a script of this folder and runs it with the arguments that follow:
// node training/run.mjs render/generate.ts --out training/data --split train --to 100
import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { sourceDoors } from "../scripts/workspace/source-doors.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "..");
const [script, ...args] = process.argv.slice(2);
if (script === undefined) throw new Error("run.mjs: name a script of training/, for example render/generate.ts.");
const output = join(here, "out", "bundles", `${script.replace(/\W/g, "-")}-${process.pid}.mjs`);
mkdirSync(dirname(output), { recursive: true });
await build({
  entryPoints: [join(here, script)],
  outfile: output,
  bundle: true,
  platform: "node",
  format: "esm",
  target: "es2022",
  logLevel: "warning",
  packages: "bundle",
  external: ["onnxruntime-node"],
  alias: sourceDoors(root, { except: ["dreamloop"] }),
});
const child = spawn(process.execPath, [output, ...args], { stdio: "inherit" });
child.on("exit", (code) => process.exit(code ?? 1));
