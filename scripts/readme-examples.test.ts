import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { binPath, ROOT } from "./setup/run.mjs";
import { listWorkspaces } from "./workspace/packages.mjs";

/** The TypeScript examples of a page, each as a module of its own. */
function examples(page: string): string[] {
  return [...page.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, text]) => `${text ?? ""}\nexport {};\n`);
}

/** The JavaScript examples of a page that ask to be checked. */
function checkedScripts(page: string): string[] {
  return [...page.matchAll(/^```js\n(\/\/ @ts-check\n.*?)^```$/gms)].map(([, text]) => text ?? "");
}

test("every TypeScript example in a README and in docs compiles against the packages as they are", () => {
  const docs = readdirSync(join(ROOT, "docs")).filter((name) => name.endsWith(".md"));
  const readmes = listWorkspaces(ROOT).map(({ path }) => `${path}/README.md`);
  const pages = ["README.md", ...readmes, ...docs.map((name) => `docs/${name}`)];
  mkdirSync(join(ROOT, ".cache"), { recursive: true });
  const folder = mkdtempSync(join(ROOT, ".cache", "examples-"));
  try {
    const settings = { extends: "../../tsconfig.check.json", include: ["."] };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(settings));
    let count = 0;
    for (const page of pages.filter((path) => existsSync(join(ROOT, path)))) {
      for (const text of examples(readFileSync(join(ROOT, page), "utf8"))) {
        writeFileSync(join(folder, `${page.replaceAll("/", "-")}-${++count}.ts`), text);
      }
    }
    expect(count).toBeGreaterThan(0);
    const [dot = ""] = checkedScripts(readFileSync(join(ROOT, "README.md"), "utf8"));
    writeFileSync(join(folder, "README.md-dot.mjs"), dot);
    writeFileSync(join(folder, "mistyped.mjs"), dot.replace("inputs.turn", "inputs.trun"));
    const { stdout } = spawnSync(process.execPath, [binPath("typescript", "tsc"), "-p", folder], { encoding: "utf8" });
    // Faults in the packages themselves are the type check's to report.
    expect(stdout.split("\n").filter((line) => /\.md-(\d+\.ts|dot\.mjs)\(/.test(line))).toEqual([]);
    expect(dot).toContain("inputs.turn");
    expect(stdout).toMatch(/mistyped\.mjs\(\d+,\d+\): .*'trun' does not exist on type/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("examples are found between their fences, without other languages", () => {
  const page = "# A\n\n```ts\none();\n```\n\n```sh\ntwo\n```\n\n```ts\nthree();\n```\n";
  expect(examples(page)).toEqual(["one();\n\nexport {};\n", "three();\n\nexport {};\n"]);
});
