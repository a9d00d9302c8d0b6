import { readFileSync } from "node:fs";
import { Command } from "commander";
import { TARGET_FORMS } from "@dreamloop/outputs";
import { describe, expect, test } from "vitest";
import { COMMANDS } from "./commands/index.ts";
import { EXIT_CODES } from "./program/exit-codes.ts";
import { ALL_SETTINGS, RUN_OPTIONS } from "./settings/run-settings.ts";
import { environmentVariable } from "./settings/setting.ts";

const PAGE = readFileSync(new URL("../../../docs/cli.md", import.meta.url), "utf8");

/** A command as the parser knows it. */
async function described(name: string): Promise<Command> {
  const command = new Command(name);
  (await COMMANDS.find((each) => each.name === name)?.load())?.describe(command);
  return command;
}

describe("docs/cli.md", () => {
  test.each(COMMANDS.map(({ name }) => name))("describes %s and each of its options", async (name) => {
    expect(PAGE).toContain(`## \`dreamloop ${name}`);
    for (const { long } of (await described(name)).options)
      expect(PAGE, `${name} ${long}`).toMatch(new RegExp(`\`[^\`]*${long}\\b`));
  });

  test("names every setting with its variable and its option", () => {
    for (const setting of ALL_SETTINGS) {
      const row = PAGE.split("\n").find((line) => line.startsWith(`| \`${setting.path}\` `));
      expect(row, setting.path).toContain(environmentVariable(setting));
      expect(row, setting.path).toContain(setting.flag);
    }
  });

  test("names every exit code and every form of output", () => {
    for (const code of Object.values(EXIT_CODES)) expect(PAGE).toMatch(new RegExp(`^\\| ${code} +\\|`, "m"));
    for (const [form] of TARGET_FORMS) expect(PAGE).toContain(`\`${form}\``);
  });
});

test("every option of run is a setting, or one of the few that are not", async () => {
  const others = [
    "--config",
    "--print-config",
    "--json",
    "--quiet",
    "--set",
    "--force",
    "--from",
    "--snapshot-every",
    "--allow-other-engine",
  ];
  const settings = RUN_OPTIONS.map(({ flag }) => flag).filter((flag) => flag !== "WORLD");
  const options = (await described("run")).options.map(({ long }) => long);
  expect(options.sort()).toEqual([...new Set([...settings, ...others])].sort());
});
