import { inspectFile } from "../inspect/inspect-file.ts";
import type { CliCommand } from "../program/cli-command.ts";
import { EXIT_CODES } from "../program/exit-codes.ts";
import { formatTable } from "../terminal/format.ts";
import { addSpeechOptions } from "./options.ts";

const HELP = `
Takes what Dreamloop reads and writes: traces, moments, scripts, statistics, profiles, videos (MP4, Y4M), folders of bundles
and of benchmarks. The content decides, not the name.

Examples:
  $ dreamloop inspect a.trace
  $ dreamloop inspect moment.dream
  $ dreamloop inspect stats.json
  $ dreamloop inspect a.mp4 --json
  $ dreamloop inspect ./my-bundle
`;

/** `dreamloop inspect`: says what a file holds. */
export const inspectCommand: CliCommand = {
  describe: (command) => {
    command.argument("<file>", "the file or folder");
    addSpeechOptions(command);
    command.addHelpText("after", HELP);
  },
  run: async ({ host, terminal }, [file = ""]) => {
    const { kind, facts, lines } = await inspectFile(file, host.cwd);
    if (terminal.mode.json) terminal.document({ type: "inspect", version: 1, file, kind, ...facts });
    else {
      terminal.result(`${file}: ${kind}`);
      terminal.result(formatTable(lines.map(([label, value]) => [`  ${label}`, value])));
    }
    return EXIT_CODES.ok;
  },
};
