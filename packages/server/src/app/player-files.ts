import { readdirSync, readFileSync, statSync } from "node:fs";
import { extname, join } from "node:path";

/** A file of the player page. */
export interface PlayerFile {
  /** Its content. */
  readonly bytes: Uint8Array;
  /** Its type. */
  readonly contentType: string;
  /** Whether its name changes with its content, so that it may be kept for ever. */
  readonly isImmutable: boolean;
}

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".webp": "image/webp",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".wasm": "application/wasm",
  ".webmanifest": "application/manifest+json",
  ".txt": "text/plain; charset=utf-8",
};

const MAX_FILES = 2000;

const MESSAGE_PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Dreamloop</title>
<style>body{font:1rem/1.5 system-ui,sans-serif;max-width:40rem;margin:4rem auto;padding:0 1rem;color-scheme:light dark}</style>
<h1>The server runs</h1>
<p>The player page has not been built. Build it with <code>npm run build</code> and start the server again.</p>
<p>The interface for programs is there: <a href="/api/worlds">/api/worlds</a>, <a href="/healthz">/healthz</a>.</p>
</html>
`;

/**
 * The files of the player page by the path under which they are asked for. They are listed once, so that nothing a client says ever becomes
 * part of a path. Without a folder there is one page that says so.
 */
export function playerFiles(folder: string | undefined): ReadonlyMap<string, PlayerFile> {
  const files = new Map<string, PlayerFile>();
  if (folder !== undefined && hasIndex(folder)) addFolder(files, folder, "/");
  else files.set("/", { bytes: Buffer.from(MESSAGE_PAGE), contentType: TYPES[".html"], isImmutable: false });
  return files;
}

function hasIndex(folder: string): boolean {
  return statSync(join(folder, "index.html"), { throwIfNoEntry: false })?.isFile() === true;
}

function addFolder(files: Map<string, PlayerFile>, folder: string, path: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.name.startsWith(".")) continue;
    const full = join(folder, entry.name);
    if (entry.isDirectory()) addFolder(files, full, `${path}${entry.name}/`);
    else if (entry.isFile() && files.size < MAX_FILES && extname(entry.name) !== ".map") {
      const file: PlayerFile = {
        bytes: readFileSync(full),
        contentType: TYPES[extname(entry.name).toLowerCase()] ?? "application/octet-stream",
        isImmutable: /-[\w-]{8,}\.\w+$/.test(entry.name),
      };
      files.set(`${path}${entry.name}`, file);
      if (entry.name === "index.html") files.set(path, file);
    }
  }
}
