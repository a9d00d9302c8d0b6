import { describeDevices } from "../check/describe-devices.ts";
import { availableWorlds, type ListedWorld } from "../lookup/available-worlds.ts";
import type { CliCommand } from "../program/cli-command.ts";
import { EXIT_CODES } from "../program/exit-codes.ts";
import { formatRate, formatTable, wrapText } from "../terminal/format.ts";
import { addSpeechOptions } from "./options.ts";

const HELP = `
Packages declare worlds in their package.json and are listed without being loaded. A world need not be listed
to run: dreamloop run also takes a path to a module or to a folder with a world.json.

Examples:
  $ dreamloop worlds
  $ dreamloop worlds --json
  $ dreamloop worlds --devices
`;

/** `dreamloop worlds`: lists the worlds that can be run by their id. */
export const worldsCommand: CliCommand = {
  describe: (command) => {
    command.option("--devices", "also try what worlds in ONNX can run on here");
    addSpeechOptions(command);
    command.addHelpText("after", HELP);
  },
  run: async ({ host, terminal }, _arguments, options) => {
    const { worlds, problems } = availableWorlds(host.cwd);
    for (const problem of problems) terminal.warn(problem);
    const devices = options.devices === true ? await (await import("@dreamloop/onnx/node")).probeDevices() : undefined;
    if (terminal.mode.json) {
      terminal.document({
        type: "worlds",
        version: 1,
        worlds,
        problems,
        ...(devices === undefined ? {} : { devices }),
      });
    } else terminal.result([describeWorlds(worlds), ...describeDevices(devices ?? [])].join("\n"));
    return EXIT_CODES.ok;
  },
};

/** Greatest width of a line, in characters. */
const LINE_CHARACTERS = 80;
const HEADER = ["WORLD", "KIND", "SIZE", "RATE", "FROM"] as const;

/** A table with a header; what each world is follows below its row, so that lines stay short. */
function describeWorlds(worlds: readonly ListedWorld[]): string {
  const [header = "", ...rows] = formatTable([HEADER, ...worlds.map(row)]).split("\n");
  const entries = rows.flatMap((line, index) => {
    const { title, description } = worlds[index] ?? {};
    const about = [title, description].filter((part) => part !== undefined && part !== "").join(": ");
    return [line, ...wrapText(about, LINE_CHARACTERS - 2).map((text) => `  ${text}`)];
  });
  return [header, ...entries].join("\n");
}

function row(world: ListedWorld): readonly string[] {
  const { id, width, height, framesPerSecond, kind } = world;
  const size = width === undefined || height === undefined ? "" : `${width}×${height}`;
  const rate = framesPerSecond === undefined ? "" : `${formatRate(framesPerSecond)} frames/s`;
  const from = world.package ?? "bundled";
  return [id, kind, size, rate, from];
}
