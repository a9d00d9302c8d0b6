import { defineConfig, globalIgnores } from "eslint/config";
import tseslint from "typescript-eslint";
import { exactMaths } from "./scripts/lint/exact-maths.mjs";
import { noForeignInstanceof } from "./scripts/lint/no-foreign-instanceof.mjs";
import { universalGlobals } from "./scripts/lint/universal-globals.mjs";

const TESTS = ["**/*.test.ts", "**/*.test.tsx", "**/*.test-d.ts", "**/*.soak.ts"];

/** Entry files that have to parse on a Node too old for the project, so that they can say so. */
const OLD_SYNTAX = [
  "scripts/{build,check,guarantees,repeat,start,test}.mjs",
  "scripts/setup/node-version.mjs",
  "packages/dreamloop/bin/*",
];

/** Packages that run in Node and in browsers. */
const UNIVERSAL = ["packages/{core,protocol,worlds,testing,onnx}/src/**/*.ts"];

const ENVIRONMENT_MESSAGE =
  "Environment variables are read in packages/dreamloop and packages/server/src/platform/config only.";

export default defineConfig(
  globalIgnores([
    // Benchmarks are programs without types; formatting is checked.
    "bench/",
    "**/dist/",
    "**/node_modules/",
    "coverage/",
    "out/",
    "training/out/",
    "training/data/",
    ".cache/",
    "python/",
  ]),
  {
    files: ["**/*.ts", "**/*.tsx", "**/*.mjs", "**/*.js"],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: {
      parserOptions: { project: "./tsconfig.check.json", tsconfigRootDir: import.meta.dirname },
    },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    plugins: {
      dreamloop: {
        rules: {
          "exact-maths": exactMaths,
          "no-foreign-instanceof": noForeignInstanceof,
          "universal-globals": universalGlobals,
        },
      },
    },
    rules: {
      "@typescript-eslint/consistent-type-imports": ["error", { disallowTypeAnnotations: false }],
      "@typescript-eslint/no-import-type-side-effects": "error",
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
      // A method of an asynchronous interface may have nothing to wait for; as `async` its errors still become rejections.
      "@typescript-eslint/require-await": "off",
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true, allowBoolean: true }],
      "@typescript-eslint/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
      "dreamloop/no-foreign-instanceof": "error",
      eqeqeq: "error",
      "max-lines": ["warn", { max: 300 }],
      "no-empty": "error",
      "prefer-const": "error",
    },
  },
  {
    files: ["packages/*/src/**", "apps/*/src/**"],
    ignores: ["packages/dreamloop/src/**", "packages/server/src/platform/config/**", ...TESTS],
    rules: {
      "no-console": "error",
      "no-restricted-properties": ["error", { object: "process", property: "env", message: ENVIRONMENT_MESSAGE }],
      "no-restricted-imports": [
        "error",
        {
          paths: ["process", "node:process"].map((name) => {
            return { name, importNames: ["env", "default"], message: ENVIRONMENT_MESSAGE };
          }),
        },
      ],
    },
  },
  {
    files: UNIVERSAL,
    ignores: ["packages/onnx/src/node/**", ...TESTS],
    rules: { "dreamloop/universal-globals": "error" },
  },
  {
    files: ["packages/core/src/foundation/{random,maths}/**/*.ts", "packages/worlds/src/**/*.ts"],
    ignores: TESTS,
    rules: { "dreamloop/exact-maths": "error" },
  },
  // The list of a package's public names grows with the package, line by line.
  { files: ["packages/*/src/index.ts"], rules: { "max-lines": "off" } },
  {
    files: TESTS,
    rules: {
      "@typescript-eslint/unbound-method": "off",
      "max-lines": ["warn", { max: 400 }],
    },
  },
  {
    files: ["**/*.mjs", "**/*.js"],
    rules: {
      // What JSON.parse returns gets its type from a comment there, which these rules do not see.
      "@typescript-eslint/no-unsafe-argument": "off",
      "@typescript-eslint/no-unsafe-assignment": "off",
      "@typescript-eslint/no-unsafe-call": "off",
      "@typescript-eslint/no-unsafe-member-access": "off",
      "@typescript-eslint/no-unsafe-return": "off",
    },
  },
  {
    files: OLD_SYNTAX,
    rules: {
      "no-restricted-syntax": [
        "error",
        ...["ChainExpression", 'LogicalExpression[operator="??"]', "AwaitExpression", "PropertyDefinition"].map(
          (selector) => {
            return { selector, message: "This file has to parse on old releases of Node." };
          },
        ),
        {
          selector: "ImportDeclaration[source.value=/^node:/]",
          message: "Old releases of Node do not know the prefix.",
        },
      ],
    },
  },
);
