import { spawnSync } from "node:child_process";

/** Milliseconds that Node gets to say where a fault is. */
const PATIENCE_MILLISECONDS = 10_000;

/**
 * Puts the place of a syntax error at the beginning of its stack, as `file:///…/world.mjs:12`, where Node does for most errors but not for
 * those: it tells it only when it ends a process with one, so that another process of Node reads the module once more. Modules with such
 * an error never begin to run.
 */
export function noteSyntaxPlace(error: unknown, url: string): void {
  if (!(error instanceof SyntaxError) || !url.startsWith("file:") || /^file:.*:\d+$/m.test(error.stack ?? "")) return;
  const args = ["--no-warnings", "--input-type=module", "--eval", `import ${JSON.stringify(url)};`];
  const { stderr } = spawnSync(process.execPath, args, {
    encoding: "utf8",
    stdio: ["ignore", "ignore", "pipe"],
    timeout: PATIENCE_MILLISECONDS,
  });
  const [place] = /^file:\/\/.*:\d+$/m.exec(stderr) ?? [];
  if (place !== undefined) error.stack = `${place}\n${error.stack ?? error.message}`;
}
