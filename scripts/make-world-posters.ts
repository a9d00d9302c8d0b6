/**
 * Makes the clips that lists of worlds show, from the worlds themselves, and puts each beside its world:
 * `npx tsx scripts/make-world-posters.ts [drive|probe]`. To be run again when a world looks different. A clip is an animated WebP of a few
 * seconds that ends where it begins.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import sharp from "sharp";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const COMMAND = join(ROOT, "packages/dreamloop/bin/dreamloop.js");
const SIZE = { width: 384, height: 216 };
const CLIP_FRAMES_PER_SECOND = 10;
/** Frames in which one moment becomes the next. */
const FADE_FRAMES = 4;

interface Clip {
  readonly world: string;
  /** The world's own rate. */
  readonly framesPerSecond: number;
  /** How it is run. */
  readonly args: readonly string[];
  /** Where the moments of the clip begin in the run, in seconds. */
  readonly moments: readonly number[];
  /** How long each of them is. */
  readonly momentSeconds: number;
  /** Where the clip goes. */
  readonly target: string;
  /** Quality of WebP, 1 to 100. */
  readonly quality: number;
}

const CLIPS: readonly Clip[] = [
  {
    world: "drive",
    framesPerSecond: 20,
    args: ["--script", "examples/drive-weather.script", "--prompt", "a clear day", "--seed", "24"],
    moments: [1, 11, 20, 27, 35],
    momentSeconds: 1.8,
    target: "worlds/drive/poster.webp",
    quality: 52,
  },
  {
    world: "probe",
    framesPerSecond: 30,
    args: ["--script", "examples/demo.script", "--seed", "7", "--seconds", "8"],
    moments: [1],
    momentSeconds: 4,
    target: "packages/dreamloop/assets/probe.webp",
    quality: 40,
  },
];

/** Runs the world; gives the pixels of the frames that the clip shows, moment by moment. */
async function renderMoments(clip: Clip): Promise<readonly (readonly Buffer[])[]> {
  const folder = mkdtempSync(join(tmpdir(), "dreamloop-poster-"));
  try {
    const run = [COMMAND, "run", clip.world, ...clip.args, "--out", `${folder}/`, "--quiet"];
    execFileSync(process.execPath, run, { cwd: ROOT, stdio: "inherit" });
    const names = readdirSync(folder).sort();
    const count = Math.round(clip.momentSeconds * CLIP_FRAMES_PER_SECOND) + FADE_FRAMES;
    return await Promise.all(
      clip.moments.map((begin) =>
        Promise.all(
          Array.from({ length: count }, (_, index) => {
            const frame = Math.round((begin + index / CLIP_FRAMES_PER_SECOND) * clip.framesPerSecond);
            const name = names[frame];
            if (name === undefined) throw new Error(`${clip.world}: the run has no frame ${frame}`);
            return sharp(join(folder, name))
              .resize({ ...SIZE, fit: "cover" })
              .removeAlpha()
              .raw()
              .toBuffer();
          }),
        ),
      ),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** One after the other, each fading into the next, the last into the first. */
function joinMoments(moments: readonly (readonly Buffer[])[]): readonly Buffer[] {
  return moments.flatMap((moment, index) => {
    const before = moments[(index + moments.length - 1) % moments.length] ?? moment;
    const tail = before.slice(-FADE_FRAMES);
    return moment.slice(0, -FADE_FRAMES).map((frame, place) => {
      const old = tail[place];
      return old === undefined ? frame : mix(old, frame, (place + 1) / (FADE_FRAMES + 1));
    });
  });
}

function mix(from: Buffer, to: Buffer, share: number): Buffer {
  return Buffer.from(from.map((value, index) => Math.round(value + ((to[index] ?? 0) - value) * share)));
}

/** Keeps the size and hash in a bundle's manifest true. */
function noteInManifest(target: string, bytes: Buffer): void {
  const path = join(ROOT, "worlds/drive/world.json");
  if (target !== "worlds/drive/poster.webp") return;
  const manifest = JSON.parse(readFileSync(path, "utf8")) as { files: Record<string, object> };
  manifest.files["poster.webp"] = {
    bytes: bytes.byteLength,
    sha256: createHash("sha256").update(bytes).digest("hex"),
  };
  writeFileSync(path, `${JSON.stringify(manifest, null, 2)}\n`);
}

const wanted = process.argv.slice(2);
for (const clip of CLIPS) {
  if (wanted.length > 0 && !wanted.includes(clip.world)) continue;
  const frames = joinMoments(await renderMoments(clip));
  const raw = { ...SIZE, channels: 3 as const };
  const pages = await Promise.all(frames.map((frame) => sharp(frame, { raw }).png().toBuffer()));
  const bytes = await sharp(pages, { join: { animated: true } })
    .webp({
      quality: clip.quality,
      effort: 6,
      loop: 0,
      delay: pages.map(() => Math.round(1000 / CLIP_FRAMES_PER_SECOND)),
    })
    .toBuffer();
  writeFileSync(join(ROOT, clip.target), bytes);
  noteInManifest(clip.target, bytes);
  console.log(`${clip.target}: ${frames.length} frames, ${Math.round(bytes.byteLength / 1000)} kB`);
}
