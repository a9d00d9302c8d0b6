import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { expect, it } from "vitest";
import golden from "../packages/core/src/foundation/random/golden/golden-values.json" with { type: "json" };
import { chromiumMissing, launchChromium } from "./chromium.ts";

const SOURCE = fileURLToPath(
  new URL("../packages/core/src/foundation/random/golden/golden-values.ts", import.meta.url),
);

it("G2: random streams and exact maths give the golden bit patterns in Chromium", async (context) => {
  const missing = chromiumMissing();
  context.skip(missing !== undefined, missing);

  const bundle = await build({
    entryPoints: [SOURCE],
    bundle: true,
    write: false,
    format: "iife",
    globalName: "goldenValues",
    platform: "browser",
    target: "es2022",
  });
  const browser = await launchChromium();
  try {
    const page = await browser.newPage();
    await page.addScriptTag({ content: bundle.outputFiles[0]?.text ?? "" });
    // More than once, so that the optimising compiler's code is judged as well as the interpreter's.
    const found: unknown[] = await page.evaluate("[1, 2, 3, 4].map(() => goldenValues.computeGoldenValues())");
    expect(found).toHaveLength(4);
    for (const values of found) expect(values).toEqual(golden);
  } finally {
    await browser.close();
  }
});
