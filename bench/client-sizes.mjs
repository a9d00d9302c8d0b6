import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

/** What is bundled, by what a page would write. */
const ENTRIES = {
  everything: 'export * from "@dreamloop/client";',
  connect: 'export { connect } from "@dreamloop/client";',
  "connect and captureInput": 'export { connect, captureInput } from "@dreamloop/client";',
  watch: 'export { watch } from "@dreamloop/client";',
  "react entry, without React": 'export * from "@dreamloop/client/react";',
};

/**
 * @typedef {object} ClientSize
 * @property {string} what what a page imports
 * @property {number} minifiedBytes
 * @property {number} gzipBytes
 */

/**
 * Bundles what is built, as a page would.
 *
 * @returns {Promise<ClientSize[]>}
 */
export async function measureClientSizes() {
  const sizes = [];
  for (const [what, contents] of Object.entries(ENTRIES)) {
    const { outputFiles } = await build({
      stdin: { contents, resolveDir: fileURLToPath(new URL("../apps/player", import.meta.url)) },
      bundle: true,
      minify: true,
      write: false,
      format: "esm",
      platform: "browser",
      target: "es2022",
      external: ["react", "react/jsx-runtime"],
    });
    const { contents: code } = outputFiles[0] ?? { contents: new Uint8Array() };
    sizes.push({ what, minifiedBytes: code.byteLength, gzipBytes: gzipSync(code, { level: 9 }).byteLength });
  }
  return sizes;
}
