import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The built player page: beside the command in a package, or in the repository. Absent when it has not been built. */
export function playerFolder(): string | undefined {
  const places = ["../../player", "../../../../apps/player/dist"].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  );
  return places.find((folder) => existsSync(join(folder, "index.html")));
}
