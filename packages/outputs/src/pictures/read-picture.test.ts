import { crc32, deflateSync } from "node:zlib";
import sharp from "sharp";
import fc from "fast-check";
import { isDreamloopError } from "@dreamloop/core";
import { describe, expect, test } from "vitest";
import { pictureType } from "./picture-type.ts";
import { cleanPicture, pictureFacts, pictureFrame } from "./read-picture.ts";

type Rgb = readonly [number, number, number];
const RED: Rgb = [250, 20, 30];
const BLUE: Rgb = [20, 40, 240];

/** Red to the left, blue to the right. */
function halves(width: number, height: number): ReturnType<typeof sharp> {
  const data = Buffer.alloc(width * height * 3);
  for (let at = 0; at < width * height; at += 1) data.set(at % width < width / 2 ? RED : BLUE, at * 3);
  return sharp(data, { raw: { width, height, channels: 3 } });
}

/** A PNG whose header claims a size, with a little data that does not fill it. */
function claiming(width: number, height: number): Buffer {
  const chunk = (name: string, content: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(name, "latin1"), content]);
    const frame = Buffer.alloc(8);
    frame.writeUInt32BE(content.byteLength, 0);
    frame.writeUInt32BE(crc32(body), 4);
    return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const data = deflateSync(Buffer.alloc(4096));
  return Buffer.concat([signature, chunk("IHDR", header), chunk("IDAT", data), chunk("IEND", Buffer.alloc(0))]);
}

function pixel(frame: { readonly width: number; readonly data: ArrayLike<number> }, x: number, y: number): number[] {
  const at = (y * frame.width + x) * 3;
  return [0, 1, 2].map((channel) => frame.data[at + channel] ?? NaN);
}

function expectNear(found: readonly number[], expected: readonly number[], within = 6): void {
  expected.forEach((value, index) => expect(Math.abs((found[index] ?? NaN) - value)).toBeLessThanOrEqual(within));
}

const fault = async (work: Promise<unknown>): Promise<{ code: string; reason: unknown; message: string }> => {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!isDreamloopError(error)) throw new Error(`expected a DreamloopError, found ${String(error)}`);
  return { code: error.code, reason: error.details.reason, message: error.message };
};

describe("a picture that comes in", () => {
  test.each(["png", "jpeg", "webp"] as const)(
    "%s becomes a frame that it covers, cropped around its middle",
    async (type) => {
      const bytes = await halves(200, 60).toFormat(type, { quality: 100 }).toBuffer();
      expect(await pictureFacts(bytes)).toEqual({ type, width: 200, height: 60 });
      const frame = await pictureFrame(bytes, { width: 30, height: 20 });
      expect(frame).toMatchObject({ width: 30, height: 20, format: "rgb8", layout: "thwc", range: "full" });
      expect(frame.data).toHaveLength(30 * 20 * 3);
      expectNear(pixel(frame, 2, 10), RED);
      expectNear(pixel(frame, 27, 10), BLUE);
    },
  );

  test("is turned the right way up, loses its transparency, and becomes colour and 8 bits", async () => {
    const turned = await halves(40, 20).withMetadata({ orientation: 6 }).jpeg({ quality: 100 }).toBuffer();
    expect(await pictureFacts(turned)).toMatchObject({ width: 20, height: 40 });
    const upright = await pictureFrame(turned, { width: 20, height: 40 });
    expectNear(pixel(upright, 10, 3), RED);
    expectNear(pixel(upright, 10, 36), BLUE);

    const clear = { width: 8, height: 8, channels: 4, background: { r: 255, g: 255, b: 255, alpha: 0 } } as const;
    const glass = await pictureFrame(await sharp({ create: clear }).png().toBuffer(), { width: 4, height: 4 });
    expect(pixel(glass, 1, 1)).toEqual([0, 0, 0]);

    const grey = await halves(8, 8).toColourspace("grey16").png().toBuffer();
    const colour = await pictureFrame(grey, { width: 8, height: 8 });
    const [red = 0, green, blue] = pixel(colour, 0, 0);
    expect(red).toBeGreaterThan(0);
    expect([green, blue]).toEqual([red, red]);
  });

  test("M3: is known by its content, and everything that is no still PNG, JPEG or WebP is refused", async () => {
    const svg = Buffer.from('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"/>');
    expect(await fault(pictureFacts(svg))).toMatchObject({ code: "invalid_value", reason: "type" });
    expect((await fault(pictureFacts(svg))).message).toContain("found an SVG drawing");
    const gif = await halves(4, 4).gif().toBuffer();
    expect(await fault(pictureFacts(gif))).toMatchObject({ reason: "type" });
    for (const type of ["tiff", "avif"] as const) {
      expect(await fault(pictureFacts(await halves(16, 16).toFormat(type).toBuffer()))).toMatchObject({
        reason: "type",
      });
    }
    for (const text of ["", "GIF", "%PDF-1.7", "--boundary\r\n", "hello"]) {
      expect(await fault(pictureFacts(Buffer.from(text)))).toMatchObject({ reason: "type" });
    }
    // The signature of WebP is text, and an XML reader overlooks what stands before the drawing.
    for (const behind of ["RIFF    WEBP", "RIFF\x10\0\0\0WEBP", "RIFF    WEBPVP8 "]) {
      const hidden = Buffer.from(`${behind}<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"/>`);
      expect(await fault(pictureFacts(hidden))).toMatchObject({ reason: "type" });
    }
    const two = await sharp([await halves(4, 4).png().toBuffer(), await halves(4, 4).negate().png().toBuffer()], {
      join: { animated: true },
    })
      .webp()
      .toBuffer();
    expect(pictureType(two)).toBe("webp");
    expect(await fault(pictureFacts(two))).toMatchObject({ reason: "animated" });
  });

  test("M3: the number of pixels is limited by the header, before anything is decoded", async () => {
    const bomb = claiming(60_000, 60_000);
    expect(bomb.byteLength).toBeLessThan(1000);
    const before = process.memoryUsage.rss();
    for (const read of [
      () => pictureFacts(bomb),
      () => pictureFrame(bomb, { width: 8, height: 8 }),
      () => cleanPicture(bomb, { maxSide: 8 }),
    ]) {
      const { code, reason, message } = await fault(read());
      expect({ code, reason }).toEqual({ code: "limit_exceeded", reason: "pixels" });
      expect(message).toContain("60000×60000");
    }
    expect(process.memoryUsage.rss() - before).toBeLessThan(200_000_000);
    const small = await halves(40, 20).png().toBuffer();
    expect(await fault(pictureFacts(small, { maxPixels: 799 }))).toMatchObject({ reason: "pixels" });
    expect(await pictureFacts(small, { maxPixels: 800 })).toMatchObject({ width: 40 });
  });

  test("that is cut off or has a false header is refused", async () => {
    const whole = await halves(64, 64).jpeg().toBuffer();
    expect(await fault(pictureFrame(whole.subarray(0, 300), { width: 8, height: 8 }))).toMatchObject({
      reason: "damaged",
    });
    expect(await fault(cleanPicture(claiming(64, 64), { maxSide: 64 }))).toMatchObject({ reason: "damaged" });
  });

  test("M3: is written anew: nothing but its pixels is kept", async () => {
    const secret = "taken at home";
    const bytes = await halves(64, 32)
      .withExif({ IFD0: { ImageDescription: secret } })
      .jpeg({ quality: 100 })
      .toBuffer();
    const trailing = Buffer.concat([bytes, Buffer.from("<script>alert(1)</script>")]);
    expect(trailing.includes(secret)).toBe(true);
    const clean = await cleanPicture(trailing, { maxSide: 32 });
    expect(clean).toMatchObject({ type: "jpeg", width: 32, height: 16 });
    expect(pictureType(clean.png)).toBe("png");
    const kept = Buffer.from(clean.png).toString("latin1");
    for (const part of [secret, "script", "eXIf", "iCCP"]) expect(kept).not.toContain(part);
    expectNear(pixel(await pictureFrame(clean.png, { width: 32, height: 16 }), 3, 8), RED);
  });

  test("M3: whatever the bytes are, the answer is a picture or a refusal with its reason", async () => {
    const starts = [
      await halves(16, 16).png().toBuffer(),
      await halves(16, 16).jpeg().toBuffer(),
      await halves(16, 16).webp().toBuffer(),
    ];
    const damagedPicture = fc
      .tuple(fc.constantFrom(...starts), fc.array(fc.tuple(fc.nat(400), fc.nat(255)), { maxLength: 12 }), fc.nat(600))
      .map(([start, changes, cut]) => {
        const bytes = Uint8Array.from(start.subarray(0, Math.max(4, start.byteLength - (cut % 120))));
        for (const [at, value] of changes) if (at < bytes.byteLength) bytes[at] = value;
        return bytes;
      });
    await fc.assert(
      fc.asyncProperty(fc.oneof(damagedPicture, fc.uint8Array({ maxLength: 400 })), async (bytes) => {
        try {
          const { width, height } = await cleanPicture(bytes, { maxSide: 64, maxPixels: 10_000 });
          expect(width * height).toBeLessThanOrEqual(10_000);
        } catch (error) {
          if (!isDreamloopError(error)) throw error;
          expect(["type", "pixels", "animated", "damaged"]).toContain(error.details.reason);
        }
      }),
      { numRuns: 120 },
    );
  });
});
