import type { CliCommand } from "../program/cli-command.ts";

/** A command as help lists it; its code is loaded when it is named, since all commands together take a second to load. */
export interface CommandEntry {
  /** What people type. */
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** Loads the command's code. */
  load(): Promise<CliCommand>;
}

/** The commands in the order in which help lists them. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: "play",
    summary: "play a world in the browser",
    load: async () => (await import("./play.ts")).playCommand,
  },
  {
    name: "serve",
    summary: "serve worlds to browsers",
    load: async () => (await import("./serve.ts")).serveCommand,
  },
  {
    name: "worlds",
    summary: "list the worlds that are here",
    load: async () => (await import("./worlds.ts")).worldsCommand,
  },
  {
    name: "run",
    summary: "run a world and write its frames",
    load: async () => (await import("./run.ts")).runCommand,
  },
  {
    name: "replay",
    summary: "run a recorded trace again and compare every frame",
    load: async () => (await import("./replay.ts")).replayCommand,
  },
  {
    name: "fork",
    summary: "write another future of a saved moment",
    load: async () => (await import("./fork.ts")).forkCommand,
  },
  {
    name: "check",
    summary: "say what is wrong with a world or a bundle",
    load: async () => (await import("./check.ts")).checkCommand,
  },
  {
    name: "convert",
    summary: "write a bundle with weights of half the size",
    load: async () => (await import("./convert.ts")).convertCommand,
  },
  {
    name: "inspect",
    summary: "say what a trace, a video or another file holds",
    load: async () => (await import("./inspect.ts")).inspectCommand,
  },
];
