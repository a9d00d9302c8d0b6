import { deflateSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { makePng } from "../../test-support/make-png.ts";
import { until } from "../../test-support/test-server.ts";
import { PictureDecoder, type PictureDecoderLimits } from "./picture-decoder.ts";

const decoders: PictureDecoder[] = [];
afterEach(() => decoders.splice(0).forEach((decoder) => decoder.close()));

function decoderOf(limits: PictureDecoderLimits = {}): PictureDecoder {
  const decoder = new PictureDecoder(limits);
  decoders.push(decoder);
  return decoder;
}

const OPTIONS = { maxPixels: 1_000_000, maxSide: 2048 };

/** A picture with a profile that is far larger than it looks. */
function bomb(): Uint8Array {
  const png = Buffer.from(makePng(8, 8));
  const profile = Buffer.concat([Buffer.from("iCCPx\0\0"), deflateSync(Buffer.alloc(300_000_000))]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(profile.byteLength - 4);
  // The sum of a chunk that is not critical is not looked at before it is unpacked.
  return Buffer.concat([png.subarray(0, 33), length, profile, Buffer.alloc(4), png.subarray(33)]);
}

describe("pictures of strangers", () => {
  it("M3: are decoded in a process of their own, which waits for the next one", async () => {
    const decoder = decoderOf();
    const first = await decoder.clean(makePng(20, 10), OPTIONS);
    expect(first).toMatchObject({ width: 20, height: 10, type: "png" });
    await decoder.clean(makePng(10, 20), OPTIONS);
    expect(decoder.processCount).toBe(1);
    await expect(decoder.clean(Buffer.from("no picture"), OPTIONS)).rejects.toMatchObject({ code: "invalid_value" });
  });

  it("M3: that take too long end their process, and others are decoded all the same", async () => {
    const decoder = decoderOf({ seconds: 0.001, processes: 1 });
    const hung = decoder.clean(makePng(20, 10), OPTIONS);
    await expect(hung).rejects.toMatchObject({ code: "limit_exceeded" });
    await until(() => decoder.processCount === 0, "the process has ended");
    await expect(decoderOf().clean(makePng(20, 10), OPTIONS)).resolves.toMatchObject({ width: 20 });
  });

  it("M3: that take too much memory end their process", async () => {
    const decoder = decoderOf({ processBytes: 1000 });
    await expect(decoder.clean(bomb(), OPTIONS)).rejects.toMatchObject({ code: "limit_exceeded" });
  });

  it("are given up when the server closes", async () => {
    const decoder = decoderOf({ processes: 1 });
    const pictures = [decoder.clean(makePng(20, 10), OPTIONS), decoder.clean(makePng(20, 10), OPTIONS)];
    const settled = Promise.allSettled(pictures);
    decoder.close();
    const given = { status: "rejected", reason: { code: "busy" } };
    expect(await settled).toMatchObject([given, given]);
    await expect(decoder.clean(makePng(20, 10), OPTIONS)).rejects.toMatchObject({ code: "busy" });
    await until(() => decoder.processCount === 0, "every process has ended");
  });
});
