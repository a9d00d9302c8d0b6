// How much the browser library weighs in a page: minified and compressed, as a whole and by what is imported. `npm run bench:client-size`.
import { measureClientSizes } from "./client-sizes.mjs";

for (const { what, minifiedBytes, gzipBytes } of await measureClientSizes()) {
  console.log(
    `${what.padEnd(28)} ${(minifiedBytes / 1000).toFixed(1).padStart(7)} kB minified ${(gzipBytes / 1000).toFixed(1).padStart(6)} kB gzip`,
  );
}
