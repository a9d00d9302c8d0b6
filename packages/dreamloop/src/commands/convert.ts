import { resolve } from "node:path";
import { bundleFolderOf } from "../lookup/bundle-folder.ts";
import { WORLD_DOMAINS } from "../lookup/bundle-world.ts";
import { findPlace } from "../lookup/find-world.ts";
import type { CliCommand } from "../program/cli-command.ts";
import { EXIT_CODES } from "../program/exit-codes.ts";
import { usageError } from "../program/usage-error.ts";
import { countOf } from "../terminal/format.ts";
import { addSpeechOptions } from "./options.ts";

const HELP = `
Writes a bundle anew with its weights stored in 16 bits, which halves its size. It computes in 32 bits as before, or in 16
on a device that can, with --set precision=fp16. Says how far its first frames are from those of the original.

Examples:
  $ dreamloop convert ./my-bundle --out ./my-bundle-half
  $ dreamloop run ./my-bundle-half --set device=cuda --set precision=fp16
`;

const MEGABYTE = 1_000_000;

/** `dreamloop convert`: a bundle with weights in 16 bits. */
export const convertCommand: CliCommand = {
  describe: (command) => {
    command.argument("<bundle>", "the bundle").requiredOption("--out <folder>", "where the new bundle goes");
    addSpeechOptions(command);
    command.addHelpText("after", HELP);
  },
  run: async ({ host, terminal, interruption }, [name = ""], options) => {
    const folder = bundleFolderOf(findPlace(name, { cwd: host.cwd, env: host.env }));
    if (folder === undefined) throw usageError(`convert: ${name} is code; only bundles have weights to convert`);
    const out = String(options.out);
    const { convertBundle } = await import("@dreamloop/onnx/node");
    const progress = terminal.startProgress(`convert ${name}`, "phases");
    const converted = await convertBundle(folder, resolve(host.cwd, out), {
      domains: WORLD_DOMAINS,
      signal: interruption.signal,
      onProgress: ({ stage }) => progress?.stage(stage),
    }).finally(() => terminal.endProgress());
    const { bytesBefore, bytesAfter, comparedFrames, largestDifference, psnr } = converted;
    if (terminal.mode.json) terminal.document({ type: "convert", version: 1, world: name, out, ...converted });
    else {
      const size = (bytes: number): string => `${(bytes / MEGABYTE).toFixed(1)} MB`;
      const apart =
        psnr === null ? "equal in every bit" : `at most ${largestDifference} of 255 apart (${psnr} dB alike)`;
      terminal.result(
        `wrote ${out}: ${size(bytesAfter)} of graphs and weights in place of ${size(bytesBefore)}\nits first ${countOf(comparedFrames, "frame")}: ${apart}`,
      );
    }
    return EXIT_CODES.ok;
  },
};
