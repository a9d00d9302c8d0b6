import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { standardConverters } from "./standard-converters.ts";

const PAGE = readFileSync(new URL("../../../../docs/inputs.md", import.meta.url), "utf8");

/** The rows of the table of bindings of a modality: its label, and everything else in the row. */
function tableOf(modality: string): ReadonlyMap<string, string> {
  const [, afterTitle = ""] = PAGE.split(`\n\`${modality}\`\n\n`);
  const [table = ""] = afterTitle.split("\n\n");
  return new Map(
    table
      .split("\n")
      .filter((line) => line.startsWith("|"))
      .map((line): [string, string] => [line.split("|")[1]?.trim() ?? "", line]),
  );
}

describe("the tables of bindings in docs/inputs.md", () => {
  const hinted = standardConverters().filter(({ controls }) => controls.length > 0);

  it.each(hinted.map((converter) => [converter.name, converter] as const))(
    "have every code of %s",
    (_name, converter) => {
      const rows = tableOf(converter.produces.name);
      for (const { label, bindings } of converter.controls) {
        for (const code of bindings)
          expect(rows.get(label) ?? "", `${label} of ${converter.produces.name}`).toContain(code);
      }
    },
  );

  it("have no code that is not bound", () => {
    for (const modality of new Set(hinted.map(({ produces }) => produces.name))) {
      const bound = hinted
        .filter(({ produces }) => produces.name === modality)
        .flatMap(({ controls }) => controls.flatMap(({ bindings }) => bindings));
      const codes = [...tableOf(modality).values()].flatMap((row) =>
        [...row.matchAll(/`((?:Key|Arrow|Button|Axis|Mouse|Shift|Space)[^`]*)`/g)].map((match) => match[1]),
      );
      expect(codes.length).toBeGreaterThan(0);
      expect(codes.filter((code) => !bound.includes(code ?? ""))).toEqual([]);
    }
  });
});
