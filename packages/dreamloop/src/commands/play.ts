import type { ControlHint, InferenceConfigInput } from "@dreamloop/core";
import { MOMENT_EXTENSION } from "@dreamloop/core/internal";
import { openFrom } from "../run/run-from.ts";
import type { CliCommand } from "../program/cli-command.ts";
import { EXIT_CODES } from "../program/exit-codes.ts";
import { canOpenBrowser, openBrowser } from "../serve/open-browser.ts";
import { describePlay } from "../serve/describe-play.ts";
import { pageUrl, runServer } from "../serve/run-server.ts";
import { addServeOptions, planServe, printablePlan } from "../serve/serve-options.ts";
import { servedWorlds } from "../serve/served-worlds.ts";
import { addPrintConfigOption, addSpeechOptions } from "./options.ts";

const HELP = `
WORLD is the id of a world (see dreamloop worlds), a path to a module that exports one, a folder with a
world.json, or an installed package; default the first one that comes with Dreamloop and is not the probe.

The link works on this machine. The browser opens by itself where there is a display; Ctrl-C ends it all.

Examples:
  $ dreamloop play
  $ dreamloop play probe --set runtimeOptions.width=320
  $ dreamloop play ./my-world.js --no-open
  $ dreamloop play bend.dream
`;

/** Ids of worlds that are for measuring rather than for playing. */
const LAST_CHOICE = "probe";

/** Name of the moment that the page is opened with. */
const START_MOMENT = "start";

/** The moment in a file, if the argument is one, with the world and the configuration that it brings. */
async function momentIn(
  argument: string,
  cwd: string,
): Promise<
  { readonly file: Uint8Array; readonly modelId: string; readonly inference: Partial<InferenceConfigInput> } | undefined
> {
  if (!argument.endsWith(MOMENT_EXTENSION)) return undefined;
  const { facts, from } = await openFrom(argument, { cwd });
  const { modelId, ...inference } = JSON.parse(JSON.stringify(facts.binding.config)) as InferenceConfigInput;
  return { file: from.moment?.bytes as Uint8Array, modelId, inference };
}

/** `dreamloop play`: one world in the browser, with one command. */
export const playCommand: CliCommand = {
  describe: (command) => {
    command
      .argument("[world]", "the world to play, or a moment file to go on from")
      .option("--no-open", "do not open the browser");
    addServeOptions(command);
    addPrintConfigOption(command);
    addSpeechOptions(command);
    command.addHelpText("after", HELP);
  },
  run: async (context, [worldArgument], options) => {
    const { host, terminal } = context;
    const { open, ...others } = options;
    const moment = worldArgument === undefined ? undefined : await momentIn(worldArgument, host.cwd);
    const plan = planServe(host, others, moment?.modelId ?? worldArgument);
    if (options.printConfig === true) {
      terminal.document(printablePlan(plan));
      return EXIT_CODES.ok;
    }
    const names = plan.world === undefined ? [] : [plan.world];
    const worlds = servedWorlds({
      names,
      search: { ...plan.python, cwd: host.cwd, env: host.env },
      inference: moment === undefined ? plan.inference : { ...moment.inference, ...plan.inference },
      withOthers: true,
    });
    const world = (names.length > 0 ? worlds[0] : worlds.find(({ id }) => id !== LAST_CHOICE)) ?? worlds[0];
    return runServer(context, {
      given: plan.given,
      worlds,
      ...(moment === undefined ? {} : { moments: { [START_MOMENT]: moment.file } }),
      onListening: async (server) => {
        const opened = {
          ...(world === undefined ? {} : { world: world.id }),
          ...(moment === undefined ? {} : { moment: START_MOMENT }),
        };
        let controls: readonly ControlHint[] = [];
        if (world !== undefined) {
          const progress = terminal.startProgress(`loading ${world.title ?? world.id}`, "");
          const info = await server.preload(world.id).finally(() => {
            if (progress !== undefined) terminal.endProgress();
          });
          controls = info.controls;
        }
        if (terminal.mode.json) {
          terminal.document({ type: "listening", version: 1, url: server.url, port: server.port, world: world?.id });
        } else {
          const withToken = host.stdout.isTTY === true;
          terminal.result(
            describePlay({
              world: world?.title ?? world?.id ?? "any world",
              link: pageUrl(server, { ...opened, withToken }),
              host: server.config.host,
              lacksToken: server.config.token !== undefined && !withToken,
              controls,
            }),
          );
        }
        terminal.note("Ctrl-C ends it");
        if (open !== false && canOpenBrowser(host)) openBrowser(pageUrl(server, { ...opened, withToken: true }));
      },
    });
  },
};
