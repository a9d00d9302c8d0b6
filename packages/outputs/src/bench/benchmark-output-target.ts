import { createHash } from "node:crypto";
import { join } from "node:path";
import { outputArtifact, type Clock, type Json, type SessionDescription, type StepResult } from "@dreamloop/core";
import { frameHashInput, json } from "@dreamloop/core/internal";
import { DestinationFile } from "../target/destination-file.ts";
import { NODE_FILE_SYSTEM, type FileSystem } from "../target/file-system.ts";
import { FrameTarget, type FrameSink, type RunSummary } from "../target/frame-target.ts";
import { measurementEnvironment, type MeasurementEnvironment } from "./environment.ts";

/** What `BenchmarkOutputTarget` takes. */
export interface BenchmarkOutputTargetOptions {
  /** The folder; made when it does not exist. */
  readonly path: string;
  /** The configuration that was measured, plain JSON; it and its hash go into the manifest. */
  readonly config?: Json;
  /** Whether frames are hashed, which tells whether two measurements made the same pictures; default true. */
  readonly hashFrames?: boolean;
  /** Clock of the arrival times; default the process's monotonic clock. */
  readonly clock?: Pick<Clock, "nowSeconds">;
  /** Machine and versions; default what the system tells. */
  readonly environment?: MeasurementEnvironment;
  /** Where the folder is; default Node's file system. */
  readonly fileSystem?: FileSystem;
}

/** Version of the files; raised when a reader of the old ones would misread the new ones. */
export const BENCHMARK_FORMAT_VERSION = 1;

/** First field of a manifest, by which it is recognised. */
const FORMAT = "dreamloop-benchmark";

/**
 * Writes measurements into a folder: `steps.ndjson` with one line for each result (step, generation, frames, arrival time, frame
 * hashes), `metrics.ndjson` with one line for each sample that the results carry, and at the end `manifest.json` with what was measured on
 * which machine. A folder without a manifest holds no complete measurement. An earlier measurement is replaced.
 */
export class BenchmarkOutputTarget extends FrameTarget {
  /** Name of the target in errors and artifacts. */
  override readonly name = "bench";
  readonly #options: BenchmarkOutputTargetOptions;

  /** Nothing is touched before `open`. Throws `invalid_value` when `config` is not plain JSON. */
  constructor(options: BenchmarkOutputTargetOptions) {
    super();
    if (options.config !== undefined) json(options.config, "BenchmarkOutputTarget.config");
    this.#options = options;
  }

  protected override async start(description: SessionDescription): Promise<FrameSink> {
    const clock = this.#options.clock ?? { nowSeconds: () => performance.now() / 1000 };
    const manifest = await this.#openFile("manifest.json");
    const steps = await this.#openFile("steps.ndjson", [manifest]);
    const metrics = await this.#openFile("metrics.ndjson", [manifest, steps]);
    const start = clock.nowSeconds();
    const discard = async () => {
      for (const file of [manifest, steps, metrics]) await file.discard();
    };
    return {
      write: () => Promise.resolve(),
      afterResult: async (result) => {
        await steps.append(line(this.#stepLine(result, clock.nowSeconds() - start)));
        const { generation } = result;
        for (const sample of result.metrics) await metrics.append(line({ ...sample, generation }));
      },
      finish: async (summary) => {
        const durationSeconds = clock.nowSeconds() - start;
        const content = this.#manifest({ summary, description, durationSeconds });
        await manifest.append(Buffer.from(`${JSON.stringify(content, undefined, 2)}\n`));
        await steps.commit();
        await metrics.commit();
        await manifest.commit();
        return [
          outputArtifact({
            kind: "application/x-dreamloop-benchmark",
            uri: this.#options.path,
            metadata: { ...summary, durationSeconds },
          }),
        ];
      },
      discard,
    };
  }

  async #openFile(name: string, others: readonly DestinationFile[] = []): Promise<DestinationFile> {
    const { path, fileSystem = NODE_FILE_SYSTEM } = this.#options;
    try {
      return await DestinationFile.open({
        target: this.name,
        path: join(path, name),
        isOwnKind: (head) =>
          name !== "manifest.json" || Buffer.from(head.buffer, head.byteOffset, head.byteLength).includes(FORMAT),
        kindName: "the manifest of a measurement",
        fileSystem,
      });
    } catch (error) {
      for (const other of others) await other.discard();
      throw error;
    }
  }

  #stepLine(result: StepResult, arrivalSeconds: number): Record<string, unknown> {
    const { stepIndex, generation, frameCount, output } = result;
    const hashes =
      output === undefined || this.#options.hashFrames === false
        ? {}
        : {
            frameHashes: Array.from({ length: output.frameCount }, (_, index) => {
              const hash = createHash("sha256");
              for (const part of frameHashInput(output, index)) hash.update(part);
              return hash.digest("hex");
            }),
          };
    return { stepIndex, generation, frameCount, arrivalSeconds, ...hashes };
  }

  #manifest(run: {
    readonly summary: RunSummary;
    readonly description: SessionDescription;
    readonly durationSeconds: number;
  }): Record<string, unknown> {
    const { config } = this.#options;
    const { summary, description, durationSeconds } = run;
    return {
      format: FORMAT,
      version: BENCHMARK_FORMAT_VERSION,
      session: description,
      ...(config === undefined ? {} : { config, configHash: sha256(JSON.stringify(config)) }),
      environment: this.#options.environment ?? measurementEnvironment(),
      ...summary,
      durationSeconds,
      receivedFramesPerSecond: durationSeconds > 0 ? summary.frameCount / durationSeconds : null,
    };
  }
}

function line(value: unknown): Uint8Array {
  return Buffer.from(`${JSON.stringify(value)}\n`);
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
