import { checkCommand } from "./check.ts";
import { forkCommand } from "./fork.ts";
import { inspectCommand } from "./inspect.ts";
import { playCommand } from "./play.ts";
import { replayCommand } from "./replay.ts";
import { runCommand } from "./run.ts";
import { serveCommand } from "./serve.ts";
import { worldsCommand } from "./worlds.ts";
import type { CliCommand } from "../program/cli-command.ts";

/** The commands in the order in which help lists them. */
export const COMMANDS: readonly CliCommand[] = [
  playCommand,
  serveCommand,
  worldsCommand,
  runCommand,
  replayCommand,
  forkCommand,
  checkCommand,
  inspectCommand,
];
