import { imageFiles } from "./image-files.ts";
import { splitPair } from "./pair.ts";
import type { GivenFlags } from "./run-settings.ts";
import type { Setting } from "./setting.ts";
import { settling } from "../program/exit-code-of.ts";

/** The options of a command as the parser gives them: by the camel-case name of the flag. */
export type ParsedOptions = Readonly<Record<string, unknown>>;

/** Turns what the parser gives into the layer of the flags. `world` is the command's argument. */
export function givenFlags(
  options: ParsedOptions,
  settings: readonly Setting<unknown>[],
  world: string | undefined,
): GivenFlags {
  return settling(() => {
    const values = new Map<string, unknown>();
    if (world !== undefined) values.set("world", world);
    for (const setting of settings) {
      const given = options[optionName(setting.flag)];
      if (given === undefined || setting.flag === "--set") continue;
      values.set(setting.path, mappingOf(setting.flag, given) ?? valueOf(setting, given));
    }
    const { config } = options;
    return {
      values,
      set: (options.set ?? []) as readonly string[],
      ...(typeof config === "string" ? { config } : {}),
    };
  });
}

/** `--record-inputs` is `recordInputs`. */
function optionName(flag: string): string {
  return flag.replace(/^--/, "").replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function valueOf(setting: Setting<unknown>, given: unknown): unknown {
  return typeof given === "string" ? setting.fromText(given) : given;
}

/** What the options that carry names become; absent: it is another option. */
function mappingOf(flag: string, given: unknown): Readonly<Record<string, unknown>> | undefined {
  if (flag === "--initial") return pairs(given as readonly string[]);
  return flag === "--image" ? imageFiles(given as readonly string[]) : undefined;
}

function pairs(given: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    given.map((each) => {
      const { name, value } = splitPair("--initial", each);
      return [name, value];
    }),
  );
}
