import type { CliCommand } from "../program/cli-command.ts";
import { EXIT_CODES } from "../program/exit-codes.ts";
import { pageUrl, runServer } from "../serve/run-server.ts";
import { addServeOptions, planServe, printablePlan } from "../serve/serve-options.ts";
import { servedWorlds } from "../serve/served-worlds.ts";
import { addPrintConfigOption, addSpeechOptions } from "./options.ts";

const HELP = `
Offers the worlds that are named, or else all that come with Dreamloop and with installed packages.

Settings come from defaults, a configuration file ("serve": {...}), DREAMLOOP_SERVE_… variables and
options, the later over the earlier. docs/serving.md lists them all.

Examples:
  $ dreamloop serve
  $ DREAMLOOP_SERVE_TOKEN=… dreamloop serve --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem
  $ dreamloop serve ./my-world.js --preload ./my-world.js --max-sessions 4
`;

/** `dreamloop serve`: serves worlds to browsers until it is stopped. */
export const serveCommand: CliCommand = {
  describe: (command) => {
    command.argument("[worlds...]", "the worlds to offer; default all");
    addServeOptions(command);
    addPrintConfigOption(command);
    addSpeechOptions(command);
    command.addHelpText("after", HELP);
  },
  run: async (context, args, options) => {
    const { host, terminal } = context;
    const plan = planServe(host, options, undefined);
    if (options.printConfig === true) {
      terminal.document(printablePlan(plan));
      return EXIT_CODES.ok;
    }
    const names = args.length > 0 || plan.world === undefined ? args : [plan.world];
    const worlds = servedWorlds({
      names,
      search: { ...plan.python, cwd: host.cwd, env: host.env },
      inference: plan.inference,
      withOthers: false,
    });
    return runServer(context, {
      given: plan.given,
      worlds,
      onListening: (server) => {
        const { port, url } = server;
        if (terminal.mode.json) terminal.document({ type: "listening", version: 1, url, port });
        else {
          const withToken = host.stdout.isTTY === true;
          terminal.result(`Serving ${worlds.map(({ id }) => id).join(", ")} at ${pageUrl(server, { withToken })}`);
          if (server.config.token !== undefined && !withToken) {
            terminal.note("add #token= and the server's token to the address; it is printed on terminals only");
          }
        }
      },
    });
  },
};
