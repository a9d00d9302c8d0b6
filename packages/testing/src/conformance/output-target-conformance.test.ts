import {
  DreamloopError,
  NullOutputTarget,
  outputArtifact,
  type CloseOptions,
  type OutputArtifact,
  type OutputTarget,
  type SessionDescription,
  type StepResult,
} from "@dreamloop/core";
import { describe, expect, test } from "vitest";
import { FAILURE_POINTS, FailurePlan } from "../fakes/failure-plan.ts";
import { RecordingTarget } from "../fakes/recording-target.ts";
import { registerCases } from "./conformance-case.ts";
import { outputTargetConformance, type OutputTargetConformanceOptions } from "./output-target-conformance.ts";
import { rejectionCases } from "./rejection-cases.ts";

/** A simple right target that keeps bytes; each broken one changes one thing of it. */
class KeepingTarget implements OutputTarget {
  protected kept: Uint8Array[] = [];
  protected isOpen = false;
  protected made: readonly OutputArtifact[] = [];

  get contents(): readonly Uint8Array[] {
    return this.kept;
  }

  open(_description: SessionDescription): void | Promise<void> {
    this.isOpen = true;
    this.kept = [];
  }

  write(result: StepResult): void | Promise<void> {
    if (!this.isOpen) throw new DreamloopError("closed", "KeepingTarget.write: closed");
    if (result.output !== undefined) this.keep(result.output.data as Uint8Array);
  }

  close(options: CloseOptions = {}): readonly OutputArtifact[] {
    if (this.isOpen) this.made = [outputArtifact({ kind: "test/kept", uri: "memory:kept", metadata: { ...options } })];
    this.isOpen = false;
    return this.made;
  }

  protected keep(data: Uint8Array): void {
    this.kept.push(data.slice());
  }
}

class FullDisk extends KeepingTarget {
  override write(_result: StepResult): void {
    if (!this.isOpen) throw new DreamloopError("closed", "FullDisk.write: closed");
    throw new DreamloopError("output_failed", "FullDisk.write: no space left");
  }
}

const right: OutputTargetConformanceOptions = {
  create: () => new KeepingTarget(),
  contents: (_, target) => (target as KeepingTarget).contents,
  createFailing: () => new FullDisk(),
};

function suite(target: typeof KeepingTarget, rest: Partial<OutputTargetConformanceOptions> = {}) {
  return outputTargetConformance({ ...right, create: () => new target(), ...rest });
}

describe("a right target passes", () => {
  registerCases(test, outputTargetConformance(right));
});

describe("the null target passes", () => {
  registerCases(test, outputTargetConformance({ create: () => new NullOutputTarget() }));
});

describe("the recording target passes, also with float frames", () => {
  const options = (format: "rgb8" | "rgbf32"): OutputTargetConformanceOptions => ({
    create: () => new RecordingTarget(),
    description: { format, range: format === "rgb8" ? "full" : "unit", firstStepFrames: 1 },
    contents: (_, target) => (target as RecordingTarget).results.map(({ pixels }) => pixels),
    createFailing: () =>
      new RecordingTarget({ failures: new FailurePlan([{ at: FAILURE_POINTS.writeTarget, error }]) }),
  });
  const error = new DreamloopError("output_failed", "the disk is full");
  registerCases(test, outputTargetConformance(options("rgb8")));
  registerCases((name, run) => test(`${name} (floats)`, run), outputTargetConformance(options("rgbf32")));
});

describe("the suite of output targets", () => {
  const broken = rejectionCases(outputTargetConformance(right), [
    {
      fault: "a target that takes results before open",
      rejectedBy: "a write before open is refused as closed",
      message: /closed at first and refuses write; found: the call succeeded/,
      cases: suite(
        class extends KeepingTarget {
          protected override isOpen = true;
        },
      ),
    },
    {
      fault: "a target that refuses with a foreign error",
      rejectedBy: "a write before open is refused as closed",
      message: /with a DreamloopError; found: TypeError/,
      cases: suite(
        class extends KeepingTarget {
          override write(): void {
            throw new TypeError("no file");
          }
        },
      ),
    },
    {
      fault: "a target that makes something although it was never open",
      rejectedBy: "close without open makes nothing and may be repeated",
      message: /resolves to no artifacts.*empty/,
      cases: suite(
        class extends KeepingTarget {
          protected override made = [outputArtifact({ kind: "test/empty", uri: "memory:empty" })];
        },
      ),
    },
    {
      fault: "a target whose artifact has no place",
      rejectedBy: "a run of open, writes and close resolves to valid artifacts",
      message: /valid OutputArtifact; found: invalid_value: OutputArtifact\.uri/,
      cases: suite(
        class extends KeepingTarget {
          override close(): readonly OutputArtifact[] {
            return [{ kind: "test/kept", uri: "", metadata: {} }];
          }
        },
      ),
    },
    {
      fault: "a target that forgets at the second close what it made",
      rejectedBy: "close is idempotent and keeps saying what was made",
      message: /second close resolves to the same artifacts/,
      cases: suite(
        class extends KeepingTarget {
          override close(options?: CloseOptions): readonly OutputArtifact[] {
            return this.isOpen ? super.close(options) : [];
          }
        },
      ),
    },
    {
      fault: "a target that goes on writing after close",
      rejectedBy: "a write after close is refused as closed",
      message: /refuses write after close; found: the call succeeded/,
      cases: suite(
        class extends KeepingTarget {
          override close(options?: CloseOptions): readonly OutputArtifact[] {
            const made = super.close(options);
            this.isOpen = true;
            return made;
          }
        },
      ),
    },
    {
      fault: "a target that works once",
      rejectedBy: "a target that was closed opens again for another run",
      message: /opens again and takes another run; found: invalid_state: used up/,
      cases: suite(
        class extends KeepingTarget {
          override open(description: SessionDescription): void {
            if (this.made.length > 0) throw new DreamloopError("invalid_state", "used up");
            void super.open(description);
          }
        },
      ),
    },
    {
      fault: "a target that cannot do without frames",
      rejectedBy: "a run without any result, and results without frames, are taken",
      message: /a result without frames is taken; found: TypeError/,
      cases: suite(
        class extends KeepingTarget {
          override write(result: StepResult): void {
            void super.write(result);
            const { output } = result as Required<StepResult>;
            this.kept.push(new Uint8Array(output.frameCount));
          }
        },
      ),
    },
    {
      fault: "a target that keeps drops to itself",
      rejectedBy: "E5: frames that the driver dropped are stated with what was made",
      message: /droppedFrames of close stands in the metadata/,
      cases: suite(
        class extends KeepingTarget {
          override close(): readonly OutputArtifact[] {
            return super.close({});
          }
        },
      ),
    },
    {
      fault: "a target that converts pixels in place",
      rejectedBy: "pixels and results are not changed by a write",
      message: /never writes into the pixels.*step 0 changed/,
      cases: suite(
        class extends KeepingTarget {
          protected override keep(data: Uint8Array): void {
            data[0] ^= 1;
            super.keep(data);
          }
        },
      ),
    },
    {
      fault: "a target that keeps the chunk instead of a copy",
      rejectedBy: "nothing of a result's memory is kept beyond its write",
      message: /another content when each chunk is overwritten/,
      cases: suite(
        class extends KeepingTarget {
          protected override keep(data: Uint8Array): void {
            this.kept.push(data);
          }
        },
      ),
    },
    {
      fault: "a target that reads the whole buffer under a chunk",
      rejectedBy: "E7: pixels are read at their own offset and length within a larger buffer",
      message: /another content when each chunk lies in the middle/,
      cases: suite(
        class extends KeepingTarget {
          protected override keep(data: Uint8Array): void {
            this.kept.push(new Uint8Array(data.buffer.slice(0)));
          }
        },
      ),
    },
    {
      fault: "a target that swallows a full disk",
      rejectedBy: "a write that fails says so by name, and the target closes all the same",
      message: /rejects open, write or close; found: everything succeeded/,
      cases: suite(KeepingTarget, { createFailing: () => new KeepingTarget() }),
    },
    {
      fault: "a target that cannot be closed after a fault",
      rejectedBy: "a write that fails says so by name, and the target closes all the same",
      message: /after a failed open or write, close resolves/,
      cases: suite(KeepingTarget, {
        createFailing: () =>
          new (class extends FullDisk {
            override close(): readonly OutputArtifact[] {
              throw new DreamloopError("output_failed", "close failed too");
            }
          })(),
      }),
    },
  ]);
  registerCases(test, broken);

  test("leaves out what it cannot check", () => {
    const names = outputTargetConformance({ create: () => new NullOutputTarget() }).map(({ name }) => name);
    expect(names.some((name) => /memory|offset|fails/.test(name))).toBe(false);
    expect(new Set(names).size).toBe(names.length);
  });
});
