/**
 * Takes the pictures of the player page that READMEs show, from a server that runs and offers the worlds `probe` and `drive`:
 * `npx tsx scripts/make-player-pictures.ts http://127.0.0.1:8787`. To be run on a quiet machine, since the pictures show rates and times.
 */
import { fileURLToPath } from "node:url";
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";
import sharp from "sharp";

const PHONE = { viewport: { width: 390, height: 760 }, isMobile: true, hasTouch: true };
const DESK = { viewport: { width: 1200, height: 675 } };

/** Turns after which a car that nobody steers by sight is still on its road. */
const ON_THE_ROAD = 8;

interface Picture {
  readonly name: string;
  readonly path: string;
  readonly context: BrowserContextOptions;
  /** Brings the page into the state to be shown. */
  readonly prepare: (page: Page) => Promise<void>;
}

const PICTURES: readonly Picture[] = [
  {
    name: "player-gallery",
    path: "/#/",
    context: DESK,
    prepare: async (page) => page.locator(".poster").first().waitFor(),
  },
  {
    name: "player",
    path: "/#/w/probe",
    context: { viewport: { width: 1100, height: 657 } },
    prepare: async (page) => {
      await drive(page);
      await page.keyboard.press("Backquote");
      await page.mouse.move(500, 300);
    },
  },
  {
    name: "player-numbers",
    path: "/#/w/drive",
    context: DESK,
    prepare: async (page) => {
      await page.keyboard.press("Backquote");
      await page.getByRole("list", { name: "Suggestions" }).getByText("sunset").first().click();
      await drive(page, ON_THE_ROAD);
      await page.mouse.move(500, 300);
    },
  },
  {
    name: "player-menu",
    path: "/#/w/drive",
    context: { ...DESK, colorScheme: "light" },
    prepare: async (page) => {
      await page.keyboard.press("Escape");
      await page.getByRole("dialog", { name: "Menu" }).waitFor();
    },
  },
  { name: "player-phone", path: "/#/w/drive", context: PHONE, prepare: (page) => drive(page, ON_THE_ROAD) },
];

/** Drives for some seconds, so that there are inputs to measure and the picture is one of a drive. */
async function drive(page: Page, turns = 24): Promise<void> {
  await page.keyboard.down("KeyW");
  for (let turn = 0; turn < turns; turn += 1) {
    const code = turn % 4 < 2 ? "KeyA" : "KeyD";
    await page.keyboard.down(code);
    await page.waitForTimeout(90);
    await page.keyboard.up(code);
    await page.waitForTimeout(160);
  }
}

async function take(browser: Browser, url: string, picture: Picture): Promise<void> {
  const context = await browser.newContext({ colorScheme: "dark", ...picture.context });
  const page = await context.newPage();
  await page.goto(`${url}${picture.path}`);
  if (picture.path.includes("/w/")) {
    await page.locator(".stage[data-state=running]").waitFor({ timeout: 120_000 });
    await page.getByRole("textbox", { name: "Prompt" }).waitFor();
  }
  await picture.prepare(page);
  // What fades in or moves comes to rest, and numbers are measured anew every second.
  await page.waitForTimeout(1500);
  const target = fileURLToPath(new URL(`../docs/assets/${picture.name}.webp`, import.meta.url));
  await sharp(await page.screenshot())
    .webp({ quality: 86 })
    .toFile(target);
  await context.close();
}

const [url = "http://127.0.0.1:8787", ...names] = process.argv.slice(2);
const browser = await chromium.launch({
  executablePath: process.env.DREAMLOOP_CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"],
});
try {
  for (const picture of PICTURES) {
    if (names.length === 0 || names.includes(picture.name)) await take(browser, url.replace(/\/$/, ""), picture);
  }
} finally {
  await browser.close();
}
