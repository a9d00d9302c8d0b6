import { availableWorlds, type ListedWorld } from "../lookup/available-worlds.ts";
import type { CliCommand } from "../program/cli-command.ts";
import { EXIT_CODES } from "../program/exit-codes.ts";
import { formatRate, formatTable } from "../terminal/format.ts";
import { addSpeechOptions } from "./options.ts";

const HELP = `
Packages declare worlds in their package.json and are listed without being loaded. A world need not be listed
to run: dreamloop run also takes a path to a module or to a folder with a world.json.

Examples:
  $ dreamloop worlds
  $ dreamloop worlds --json
`;

/** `dreamloop worlds`: lists the worlds that can be run by their id. */
export const worldsCommand: CliCommand = {
  name: "worlds",
  summary: "list the worlds that are here",
  describe: (command) => {
    addSpeechOptions(command);
    command.addHelpText("after", HELP);
  },
  run: async ({ host, terminal }) => {
    const { worlds, problems } = availableWorlds(host.cwd);
    for (const problem of problems) terminal.warn(problem);
    if (terminal.mode.json) terminal.document({ type: "worlds", version: 1, worlds, problems });
    else terminal.result(formatTable(worlds.map(row)));
    return EXIT_CODES.ok;
  },
};

function row(world: ListedWorld): readonly string[] {
  const { id, title, width, height, framesPerSecond, kind, description } = world;
  const size = width === undefined || height === undefined ? "" : `${width}×${height}`;
  const rate = framesPerSecond === undefined ? "" : `${formatRate(framesPerSecond)} frames/s`;
  const from = world.package ?? "bundled";
  const about = [title, description].filter((part) => part !== undefined && part !== "").join(": ");
  return [id, kind, size, rate, from, about];
}
