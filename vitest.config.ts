import { fileURLToPath } from "node:url";
import { transform } from "esbuild";
import { defineConfig, type Plugin } from "vitest/config";
import { testEnvironment } from "./scripts/setup/system-packages.mjs";
import { sourceDoors } from "./scripts/workspace/source-doors.mjs";

/** TypeScript through esbuild, since the default transformer leaves standard decorators as they are. */
function typescriptThroughEsbuild(): Plugin {
  return {
    name: "typescript-through-esbuild",
    enforce: "pre",
    async transform(code, id) {
      const file = id.split("?")[0] ?? id;
      if (!/\.tsx?$/.test(file) || file.includes("node_modules")) return null;
      const result = await transform(code, {
        loader: file.endsWith("x") ? "tsx" : "ts",
        target: "es2022",
        jsx: "automatic",
        sourcemap: true,
        sourcefile: file,
      });
      return { code: result.code, map: result.map };
    },
  };
}

const sourceAliases = Object.entries(
  sourceDoors(fileURLToPath(new URL(".", import.meta.url)), { except: ["dreamloop"] }),
).map(([specifier, file]) => ({ find: new RegExp(`^${specifier}$`), replacement: file }));

export default defineConfig({
  plugins: [typescriptThroughEsbuild()],
  oxc: false,
  resolve: { alias: sourceAliases },
  test: {
    include: [
      "packages/*/src/**/*.test.ts",
      "scripts/**/*.test.ts",
      "apps/*/src/**/*.test.ts",
      "examples/**/*.test.ts",
      "e2e/**/*.test.ts",
      "training/**/*.test.ts",
    ],
    setupFiles: ["scripts/report/no-output.ts"],
    env: testEnvironment(),
    allowOnly: false,
    // Types are checked with `--typecheck.enabled` only, since that takes the whole repository; see `npm test`.
    typecheck: {
      enabled: false,
      include: ["packages/*/src/**/*.test-d.ts"],
      tsconfig: "tsconfig.check.json",
      ignoreSourceErrors: true,
    },
    // A test waits for events; these ends only cut off what hangs, also on a machine that is busy with other things.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    pool: "forks",
    maxWorkers: 2,
  },
});
