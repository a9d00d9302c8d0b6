import type { Command } from "commander";
import type { InferenceConfigInput } from "@dreamloop/core";
import { serverConfig, type ServerConfig } from "@dreamloop/server/config";
import { addPythonOptions, repeated } from "../commands/options.ts";
import type { CliHost } from "../program/cli-host.ts";
import type { PythonChoice } from "../lookup/python-reference.ts";
import { settling } from "../program/exit-code-of.ts";
import { namingServeOptions, withOptionNames } from "../settings/flag-names.ts";
import { givenFlags, type ParsedOptions } from "../settings/given-flags.ts";
import { SESSION_SETTINGS, sessionSettings, settingLayers } from "../settings/run-settings.ts";
import { SERVE_FLAGS, SERVE_SETTINGS, serveSettings } from "../settings/serve-settings.ts";

/** What a server command was asked for. */
export interface ServePlan {
  /** The settings that were given, without defaults. */
  readonly given: Partial<ServerConfig>;
  /** The same with all defaults. */
  readonly config: ServerConfig;
  /** The world of the layers below the arguments. */
  readonly world?: string;
  /** How the worlds that are named run. */
  readonly inference: Partial<InferenceConfigInput>;
  /** The interpreter of worlds in Python, and whether their files are watched. */
  readonly python: Omit<PythonChoice, "env">;
}

/** Adds the options of a server. */
export function addServeOptions(command: Command): void {
  for (const { usage, help, isList } of SERVE_FLAGS) {
    if (isList === true) command.option(usage, help, repeated);
    else command.option(usage, help);
  }
  command
    .option("--set <path=value>", "a setting of the named world's model; repeatable", repeated)
    .option("--config <file>", "configuration file (JSON), below environment and options");
  addPythonOptions(command);
}

/** Settles what a server command was asked for: defaults < file < environment < flags. Refusals are marked as the caller's. */
export function planServe(host: CliHost, options: ParsedOptions, world: string | undefined): ServePlan {
  return settling(() => {
    // Commander gives an option that switches something off its default, true, when nobody asked for it.
    const { recording, ...asked } = options;
    const settled = recording === false ? { ...asked, noRecording: recording } : asked;
    const wanted = [
      ...Object.values(SERVE_SETTINGS),
      SESSION_SETTINGS.inference,
      SESSION_SETTINGS.python,
      SESSION_SETTINGS.watch,
    ];
    const flags = givenFlags(settled, wanted, world);
    const layers = settingLayers({ host, flags });
    const session = sessionSettings(layers, flags);
    const given = serveSettings(layers);
    return {
      given,
      config: withOptionNames(namingServeOptions, () => serverConfig(given)),
      ...(session.world === undefined ? {} : { world: session.world }),
      inference: session.inference,
      python: {
        ...(session.python === undefined ? {} : { python: session.python }),
        ...(session.watch === undefined ? {} : { watch: session.watch }),
      },
    };
  });
}

/** The configuration in force as a configuration file. Secrets are left out: they belong into the environment. */
export function printablePlan({ config, world, inference, python }: ServePlan): Readonly<Record<string, unknown>> {
  const { token: _token, turnSecret: _turnSecret, iceServers, ...serve } = config;
  const servers = iceServers.map(({ credential: _credential, ...server }) => server);
  return { ...(world === undefined ? {} : { world }), ...python, inference, serve: { ...serve, iceServers: servers } };
}
