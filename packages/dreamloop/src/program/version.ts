import { readFileSync } from "node:fs";

/** Version of the `dreamloop` package. */
export function packageVersion(): string {
  const manifest = new URL("../../package.json", import.meta.url);
  return (JSON.parse(readFileSync(manifest, "utf8")) as { readonly version: string }).version;
}
