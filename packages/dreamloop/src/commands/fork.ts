import { resolve } from "node:path";
import { runBatch, type MomentPicture, type RunStart, type SessionState } from "@dreamloop/core";
import { finite, type Boundary, type DriverHistory } from "@dreamloop/core/internal";
import { momentPicture, writeMomentFile } from "@dreamloop/node";
import { findWorld } from "../lookup/find-world.ts";
import type { CliCommand } from "../program/cli-command.ts";
import { settling } from "../program/exit-code-of.ts";
import { EXIT_CODES } from "../program/exit-codes.ts";
import { usageError } from "../program/usage-error.ts";
import { bindingOf } from "../run/moment-writer.ts";
import { confirmReplacing } from "../run/confirm-replacing.ts";
import { openFrom, promptSource } from "../run/run-from.ts";
import { WarningLog } from "../run/warning-log.ts";
import { asNumber } from "../settings/setting.ts";
import { addForceOption, addSpeechOptions } from "./options.ts";

const HELP = `
Writes a second moment that begins where the first is and goes another way: with another seed, another prompt, or both.
A new prompt takes one step, since it counts from the next step on.

Examples:
  $ dreamloop fork bend.dream --seed 8 --out other.dream
  $ dreamloop fork bend.dream --prompt "a snowy road" --out snow.dream
  $ dreamloop run --from snow.dream --seconds 10 --out snow.mp4
`;

/** `dreamloop fork`: another future from the same moment. */
export const forkCommand: CliCommand = {
  describe: (command) => {
    command
      .argument("<moment>", "the moment file")
      .requiredOption("--out <file>", "where the new moment goes")
      .option("--seed <n>", "seed of every draw from there on")
      .option("--prompt <text>", "prompt from there on")
      .option("--name <name>", "a name for the new moment")
      .option("--world <world>", "the world, when the moment's own id does not lead to it")
      .option("--allow-other-engine", "go on although the engine is another; frames may then differ");
    addForceOption(command);
    addSpeechOptions(command);
    command.addHelpText("after", HELP);
  },
  run: async (context, [path = ""], options) => {
    const { host, terminal, interruption } = context;
    const { prompt, name, world: named, out } = options as Readonly<Record<string, string | undefined>>;
    const file = String(out);
    const seed = settling(() =>
      options.seed === undefined
        ? undefined
        : finite({ integer: true, min: 0 })(asNumber(options.seed as string), "--seed"),
    );
    if (seed === undefined && prompt === undefined && name === undefined) {
      throw usageError("fork: nothing is to be different; give --seed, --prompt or --name");
    }
    await confirmReplacing(context, { uses: [["--out", file]], force: options.force === true });
    const { facts, from } = await openFrom(path, {
      cwd: host.cwd,
      ...(seed === undefined ? {} : { seed }),
      allowOtherEngine: options.allowOtherEngine === true,
    });
    const world = await findWorld(named ?? facts.binding.modelId, { cwd: host.cwd, env: host.env });
    const keeper = new LastState();
    const warnings = new WarningLog(terminal);
    let start: RunStart | undefined;
    let picture: MomentPicture | undefined;
    await runBatch({
      adapter: world.adapter,
      config: facts.binding.config,
      clock: host.clock,
      signal: interruption.signal,
      from,
      history: keeper,
      stepLimit: prompt === undefined ? 0 : 1,
      ...(prompt === undefined ? {} : { source: promptSource(prompt, facts.position.sessionSeconds, undefined) }),
      onWarning: (warning) => warnings.take(warning),
      observers: [
        {
          runStarted: (known) => void (start = known),
          stepCommitted: ({ result: { output, frameCount } }) => {
            if (output !== undefined && frameCount > 0) picture = momentPicture(output, frameCount - 1);
          },
        },
      ],
    });
    warnings.close();
    await writeMomentFile(resolve(host.cwd, file), {
      state: keeper.state as SessionState,
      binding: bindingOf(start as unknown as RunStart),
      savedAt: new Date().toISOString(),
      ...(name === undefined ? {} : { name }),
      ...(picture === undefined ? {} : { picture }),
    });
    if (terminal.mode.json)
      terminal.document({ type: "fork", version: 1, moment: path, out: file, seed: keeper.state?.rollout.seed });
    else terminal.result(`wrote ${file}: a moment of ${world.argument}; dreamloop run --from ${file}`);
    return EXIT_CODES.ok;
  },
};

/** Keeps the state of the last boundary. */
class LastState implements DriverHistory {
  state: SessionState | undefined;

  async begin({ takeState }: Boundary): Promise<void> {
    this.state = await takeState();
  }

  async add(_entry: unknown, { takeState }: Boundary): Promise<void> {
    this.state = await takeState();
  }

  rewound = (): Promise<void> => Promise.resolve();
  has = (): boolean => false;
  stateAt = (): Promise<SessionState> => Promise.reject(new Error("a fork does not go back"));
  close(): void {}
}
