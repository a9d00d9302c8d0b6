import { createRequire } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

/** Causes that are looked at. */
const MAX_CAUSES = 8;

/** A line of a stack, with the place that it names: `    at step (file:///home/me/dot.mjs:12:5)`. */
const FRAME = /^\s+at (?:async )?(?:[^(/]*\()?((?:file:\/\/\/|\/|[A-Za-z]:[\\/]).*:\d+:\d+)\)?$/;
/** Where Node found a fault while it read a module: the first line of the stack. */
const HEAD = /^(file:\/\/.*:\d+)\n/;

/** Folders with the code of Dreamloop itself: the packages, in the repository and where they are installed. */
const OWN_FOLDERS = ["@dreamloop/core", "@dreamloop/node"]
  .map((name) => dirname(dirname(dirname(createRequire(import.meta.url).resolve(name)))))
  .concat(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));

/**
 * Where in the code of a world's author an error comes from, as `/home/me/dot.mjs:12:5`: the first line of a stack that is neither in
 * Dreamloop, nor in an installed package, nor in Node; the innermost cause counts first. Absent where there is none.
 */
export function authorPlace(error: unknown): string | undefined {
  const stacks: string[] = [];
  for (let current = error; current instanceof Error && stacks.length < MAX_CAUSES; current = current.cause) {
    stacks.unshift(current.stack ?? "");
  }
  const places = stacks.flatMap((stack) => {
    const head = HEAD.exec(stack)?.[1];
    const frames = stack.split("\n").map((line) => FRAME.exec(line)?.[1]);
    return [head, ...frames].filter((place) => place !== undefined).map(asPath);
  });
  return places.find(isAuthors);
}

/** What went wrong, with the place in the author's code where there is one: `kaboom (/home/me/dot.mjs:12:5)`. */
export function messageWithPlace(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const place = authorPlace(error);
  return place === undefined ? message : `${message} (${place})`;
}

function asPath(place: string): string {
  const [, url = "", numbers = ""] = /^(file:.*?)((?::\d+){1,2})$/.exec(place) ?? [];
  return URL.canParse(url) ? `${fileURLToPath(url)}${numbers}` : place;
}

function isAuthors(place: string): boolean {
  if (/[\\/]node_modules[\\/]/.test(place)) return false;
  return !OWN_FOLDERS.some((folder) => place.startsWith(folder));
}
