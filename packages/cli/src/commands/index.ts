import { runCommand } from "./run.ts";
import type { CliCommand } from "../program/cli-command.ts";

/** The commands in the order in which help lists them. */
export const COMMANDS: readonly CliCommand[] = [runCommand];
