import type { Command } from "commander";

/** Collects an option that may be given several times. */
export function repeated(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}

/** Adds the options that say what a world is started with. */
export function addWorldOptions(command: Command): void {
  command
    .option("--seed <n>", "seed of every random draw; default 0")
    .option("--prompt <text>", "prompt of worlds that take one")
    .option("--initial <name=value>", "another initial input of the world; repeatable", repeated)
    .option(
      "--image <[name=]file>",
      "a picture (PNG, JPEG, WebP) that the world starts from, such as first_frame=photo.jpg; repeatable",
      repeated,
    )
    .option("--set <path=value>", "a setting of the model, such as model.threads=2; repeatable", repeated)
    .option("--memory <size>", "memory that a bundle may take, such as 12GiB; default half of the machine's")
    .option("--candidate <n>", "which candidate of the configuration's model list runs; default 0")
    .option("--config <file>", "configuration file (JSON), below environment and options");
  addPythonOptions(command);
}

/** Adds the options of worlds in Python. */
export function addPythonOptions(command: Command): void {
  command
    .option(
      "--python <path>",
      "interpreter of worlds in Python; default DREAMLOOP_PYTHON, a virtual environment, python3",
    )
    .option("--watch", "load a Python file that has changed anew before the next session");
}

/** Adds the option that prints the configuration. */
export function addPrintConfigOption(command: Command): void {
  command.option("--print-config", "print the configuration in force as a configuration file, and stop");
}

/** Adds the option that lets outputs replace what is there. */
export function addForceOption(command: Command): void {
  command.option("--force", "replace files that exist; without it they are kept, or a question is asked at a terminal");
}

/** Adds the options that choose how much is said. */
export function addSpeechOptions(command: Command): void {
  command.option("--json", "print one JSON document for machines").option("-q, --quiet", "say only results and errors");
}
