import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { PICTURE_HEIGHT, PICTURE_WIDTH } from "@dreamloop/worlds/drive";
import { encodePng } from "../render/png.ts";
import type { ConditionResult, ObedienceResult } from "./behaviour.ts";
import type { ClosedLoopResult } from "./closed-loop.ts";
import type { DriftResult } from "./drift.ts";

/** Everything that an evaluation found. */
export interface EvaluationResult {
  /** Day of the run. */
  readonly date: string;
  /** Version of the weights. */
  readonly worldVersion: string;
  /** What it ran on. */
  readonly processor: string;
  /** Version of Node. */
  readonly node: string;
  /** Denoising steps per frame. */
  readonly denoisingSteps: number;
  /** How many drives each measurement took. */
  readonly size: Readonly<Record<string, number>>;
  /** Decibels of encoding and decoding. */
  readonly reconstruction: number;
  /** Closed loop. */
  readonly closedLoop: ClosedLoopResult;
  /** Obedience. */
  readonly obedience: ObedienceResult;
  /** Conditions; absent without a judge. */
  readonly conditions?: ConditionResult;
  /** Long drive. */
  readonly drift: DriftResult;
}

/**
 * The section of the benchmark page.
 *
 * @param result What was found.
 * @returns Markdown.
 */
export function reportOf(result: EvaluationResult): string {
  const { closedLoop, obedience, conditions, drift, size } = result;
  const db = (value: number): string => value.toFixed(1);
  const rows = closedLoop.horizons.map(
    (row) =>
      `| ${row.frames} | ${db(row.whole)} | ${db(row.road)} | ${db(row.copied[0])} / ${db(row.copied[1])} | ` +
      `${db(row.warped[0])} / ${db(row.warped[1])} |`,
  );
  return [
    "## The drive world",
    "",
    `Made by \`npm run eval:drive\` on ${result.date}; world version ${result.worldVersion}, ${result.denoisingSteps} denoising ` +
      `step${result.denoisingSteps === 1 ? "" : "s"} a frame; ${result.processor}, Node ${result.node}. Tracks and seeds of the test range, on which nothing was trained.`,
    "",
    `**Reconstruction** (encode, decode; ${size.reconstruction} drives): ${db(result.reconstruction)} dB.`,
    "",
    `**Closed loop** from one rendered picture, PSNR in dB against the renderer, mean of ${size.loops} drives under all kinds of ` +
      "conditions. The first row is the next frame. Baselines: the first picture copied, and warped to the pose (whole / road).",
    "",
    "| frames | whole picture | road | copied | warped |",
    "| --- | --- | --- | --- | --- |",
    ...rows,
    "",
    "![Rendered (left) and generated (right) at these frames](pictures/drive-closed-loop.png)",
    "",
    ...adherenceLines(closedLoop),
    "",
    `**Obedience** (${size.obedience} tracks, from the prompt alone): after a second of steering left or right the picture is that of the ` +
      `own drive in ${percent(obedience.steersAsTold)} (${db(obedience.own)} dB to the own, ${db(obedience.opposite)} dB to the ` +
      `opposite). Change from frame to frame ${obedience.changeDriving.toFixed(2)} while driving, ` +
      `${obedience.changeStanding.toFixed(2)} while standing after braking (of 255).`,
    "",
    ...conditionLines(conditions, size.conditionRounds),
    "",
    `**Long drive** of ${drift.frames} frames through changing conditions: brightness, contrast, detail and colour all lie in the band of ` +
      `the renderer in ${percent(drift.inBand)} of the samples, ${percent(drift.inBandAtEnd)} in the last tenth (farthest ` +
      `${drift.worst.toFixed(1)} × the band); ${drift.stepMilliseconds[0].toFixed(1)} ms a frame about frame 100, ` +
      `${drift.stepMilliseconds[1].toFixed(1)} ms at the end.`,
    "",
  ].join("\n");
}

const NO_JUDGE = "not measured: there was no judge (`training/learn/train_judge.py` makes it).";

function adherenceLines({ adherence }: ClosedLoopResult): readonly string[] {
  if (adherence === undefined) return [`**Adherence to the map**: ${NO_JUDGE}`];
  const { generated, rendered } = adherence;
  return [
    "**Adherence to the map** (overlap ÷ union of what the judge sees with what the map says; in brackets the same for " +
      "rendered pictures, which bounds it):",
    `lines ${generated.lines.toFixed(2)} (${rendered.lines.toFixed(2)}), ` +
      `cars ${generated.cars.toFixed(2)} (${rendered.cars.toFixed(2)}).`,
  ];
}

function conditionLines(conditions: ConditionResult | undefined, rounds: number): readonly string[] {
  if (conditions === undefined) return [`**Condition shown**: ${NO_JUDGE}`];
  return [
    `**Condition shown** (all twelve, ${rounds} times): ${percent(conditions.afterPrompt)} one second after the start, ` +
      `${percent(conditions.afterChange)} two seconds after a change; the judge reads ${percent(conditions.ceiling)} of rendered pictures right.`,
  ];
}

function percent(value: number): string {
  return `${(100 * value).toFixed(0)} %`;
}

/**
 * Lays pictures out in pairs: one column of pairs per horizon.
 *
 * @param pictures Rendered and generated in turn, drive after drive.
 * @param horizons Pairs per drive.
 * @returns A PNG file at half size.
 */
export function contactSheet(pictures: readonly Uint8Array[], horizons: number): Buffer {
  const width = PICTURE_WIDTH / 2;
  const height = PICTURE_HEIGHT / 2;
  const drives = Math.ceil(pictures.length / (2 * horizons));
  const sheetWidth = 2 * width * horizons;
  const sheet = new Uint8Array(3 * sheetWidth * height * drives);
  pictures.forEach((picture, number) => {
    const left = (number % (2 * horizons)) * width;
    const top = Math.floor(number / (2 * horizons)) * height;
    for (let row = 0; row < height; row++) {
      for (let column = 0; column < width; column++) {
        for (let channel = 0; channel < 3; channel++) {
          const at = (dy: number, dx: number): number =>
            picture[3 * ((2 * row + dy) * PICTURE_WIDTH + 2 * column + dx) + channel];
          const value = (at(0, 0) + at(0, 1) + at(1, 0) + at(1, 1)) / 4;
          sheet[3 * ((top + row) * sheetWidth + left + column) + channel] = value;
        }
      }
    }
  });
  return encodePng(sheetWidth, height * drives, sheet);
}

/**
 * Puts a section into a page between its marks, or at the page's end.
 *
 * @param path The page; made if it is not there.
 * @param name Name of the section in its marks.
 * @param text What stands there.
 */
export function replaceSection(path: string, name: string, text: string): void {
  const start = `<!-- ${name}:start -->`;
  const end = `<!-- ${name}:end -->`;
  const page = existsSync(path) ? readFileSync(path, "utf8") : "# Benchmarks\n";
  const block = `${start}\n\n${text}\n${end}`;
  const from = page.indexOf(start);
  const to = page.indexOf(end);
  const next =
    from >= 0 && to > from
      ? page.slice(0, from) + block + page.slice(to + end.length)
      : `${page.trimEnd()}\n\n${block}\n`;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, next);
}
