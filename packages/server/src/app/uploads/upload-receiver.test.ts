import { isDreamloopError } from "@dreamloop/core";
import { pictureFacts, pictureFrame } from "@dreamloop/outputs";
import { FakeClock } from "@dreamloop/testing";
import { describe, expect, it } from "vitest";
import { SERVER_DEFAULTS } from "../../platform/config/server-config.ts";
import { makePng } from "../../test-support/make-png.ts";
import { UploadReceiver, type UploadConfig } from "./upload-receiver.ts";

function receiverOf(changes: Partial<UploadConfig> = {}): {
  readonly receiver: UploadReceiver;
  readonly clock: FakeClock;
} {
  const clock = new FakeClock();
  return { clock, receiver: new UploadReceiver(clock, { ...SERVER_DEFAULTS, ...changes }) };
}

function post(body: BodyInit, headers: Record<string, string> = {}): Request {
  return new Request("http://server/api/uploads", { method: "POST", body, headers, duplex: "half" } as RequestInit);
}

/** Parts of a body that are made when they are asked for; tells how many were. */
function stream(part: Uint8Array, limit: number): { readonly body: ReadableStream; readonly made: () => number } {
  let made = 0;
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    made += 1;
    if (made > limit) controller.close();
    else controller.enqueue(part);
  };
  return { body: new ReadableStream({ pull }, { highWaterMark: 0 }), made: () => made };
}

async function refusal(
  work: Promise<unknown>,
): Promise<{ code: string; status: unknown; message: string; retryable: boolean }> {
  const error: unknown = await work.then(
    (value) => value,
    (reason: unknown) => reason,
  );
  if (!isDreamloopError(error)) throw new Error(`expected a DreamloopError, found ${JSON.stringify(error)}`);
  const { code, message, retryable, details } = error;
  return { code, status: details.status, message, retryable };
}

describe("pictures that are uploaded", () => {
  it("M3: are decoded, written anew and kept under a name that nobody can guess", async () => {
    const { receiver } = receiverOf();
    const sent = Buffer.concat([makePng(20, 10), Buffer.from("<script>alert(1)</script>")]);
    const answer = await receiver.receive(post(sent), "me");
    expect(answer).toEqual({ uploadId: expect.any(String) as string, width: 20, height: 10, expiresSeconds: 300 });
    expect(answer.uploadId).toMatch(/^[\w-]{32}$/);
    const kept = receiver.pending.find(answer.uploadId, "me");
    expect(Buffer.from(kept).includes("script")).toBe(false);
    expect(await pictureFacts(kept)).toEqual({ type: "png", width: 20, height: 10 });
    const again = await receiver.receive(post(makePng(20, 10)), "me");
    expect(again.uploadId).not.toBe(answer.uploadId);
  });

  it("M3: are cut off while they arrive, and no more is read than the limit allows", async () => {
    const { receiver } = receiverOf({ uploadBytes: 10_000 });
    const { body, made } = stream(new Uint8Array(1000), 100_000);
    expect(await refusal(receiver.receive(post(body), "me"))).toMatchObject({ code: "limit_exceeded", status: 413 });
    expect(made()).toBeLessThanOrEqual(12);
    // A false length does not help.
    const lying = stream(new Uint8Array(1000), 100_000);
    const request = post(lying.body, { "content-length": "50" });
    expect(await refusal(receiver.receive(request, "me"))).toMatchObject({ status: 413 });
    expect(lying.made()).toBeLessThanOrEqual(12);
    const declared = stream(new Uint8Array(1000), 100_000);
    await refusal(receiver.receive(post(declared.body, { "content-length": "10001" }), "me"));
    expect(declared.made()).toBe(0);
    expect([receiver.underWay, receiver.pending.count]).toEqual([0, 0]);
  });

  it("M3: are refused by the pixels that their header tells, whatever their bytes", async () => {
    const { receiver } = receiverOf({ uploadPixels: 1000 });
    const bomb = makePng(50_000, 50_000, [0, 0, 0], new Uint8Array(5000));
    expect(bomb.byteLength).toBeLessThan(500);
    const refused = await refusal(receiver.receive(post(bomb), "me"));
    expect(refused).toMatchObject({ code: "limit_exceeded", status: 413 });
    expect(refused.message).toContain("50000×50000");
    expect(await refusal(receiver.receive(post(makePng(101, 10)), "me"))).toMatchObject({ status: 413 });
    expect(await receiver.receive(post(makePng(100, 10)), "me")).toMatchObject({ width: 100 });
  });

  it("M3: are known by their content, not by what is said of them", async () => {
    const { receiver } = receiverOf();
    const png = await receiver.receive(post(makePng(4, 4), { "content-type": "image/svg+xml" }), "me");
    expect(png).toMatchObject({ width: 4 });
    for (const body of [
      '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>',
      "<!doctype html><script>alert(1)</script>",
      "GIF89a\x01\x00\x01\x00\x00\x00\x00;",
      "",
    ]) {
      const refused = await refusal(receiver.receive(post(body, { "content-type": "image/png" }), "me"));
      expect(refused).toMatchObject({ code: "invalid_value", status: 415 });
    }
    const form = new FormData();
    form.set("file", new Blob([makePng(4, 4)]), "../../etc/passwd");
    const refused = await refusal(receiver.receive(post(form), "me"));
    expect(refused.message).toContain("send the picture itself as the body");
    const torn = makePng(64, 64).subarray(0, 60);
    expect(await refusal(receiver.receive(post(torn), "me"))).toMatchObject({ code: "invalid_value", status: 400 });
  });

  it("are forgotten after their time, and when they were used", async () => {
    const { receiver, clock } = receiverOf({ uploadSeconds: 60 });
    const first = await receiver.receive(post(makePng(4, 4)), "me");
    await clock.advance(30);
    const second = await receiver.receive(post(makePng(4, 4)), "me");
    await clock.advance(29);
    expect(receiver.pending.count).toBe(2);
    await clock.advance(1);
    expect(receiver.pending.count).toBe(1);
    expect(await refusal(Promise.resolve().then(() => receiver.pending.find(first.uploadId, "me")))).toMatchObject({
      code: "not_found",
    });
    expect(receiver.pending.find(second.uploadId, "me").byteLength).toBe(receiver.pending.bytes);
    expect([receiver.pending.remove(second.uploadId), receiver.pending.remove(second.uploadId)]).toEqual([true, false]);
    expect([receiver.pending.count, receiver.pending.bytes, clock.sleeperCount]).toEqual([0, 0, 0]);
  });

  it("are there for whoever uploaded them only", async () => {
    const { receiver } = receiverOf();
    const { uploadId } = await receiver.receive(post(makePng(4, 4)), "me");
    const find = (id: string, identity: string) =>
      refusal(Promise.resolve().then(() => receiver.pending.find(id, identity)));
    const unknown = await find("x", "me");
    expect(await find(uploadId, "you")).toEqual(unknown);
    expect(unknown.code).toBe("not_found");
  });

  it("M3: are bounded in number for each identity, and in bytes for all", async () => {
    const { receiver, clock } = receiverOf({ maxUploadsPerIdentity: 2, uploadTotalBytes: 400, uploadSeconds: 10 });
    await receiver.receive(post(makePng(4, 4)), "me");
    await receiver.receive(post(makePng(4, 4)), "me");
    const third = await refusal(receiver.receive(post(makePng(4, 4)), "me"));
    expect(third).toMatchObject({ code: "busy", retryable: true });
    expect(third.message).toContain("2 of your pictures wait");
    let refused: Awaited<ReturnType<typeof refusal>> | undefined;
    for (let other = 0; other < 10 && refused === undefined; other += 1) {
      const work = receiver.receive(post(makePng(4, 4)), `other-${other}`);
      await work.catch(async () => (refused = await refusal(work)));
      expect(receiver.pending.bytes).toBeLessThanOrEqual(400);
    }
    expect(refused).toMatchObject({ code: "busy", retryable: true });
    await clock.advance(10);
    expect(receiver.pending.bytes).toBe(0);
    await receiver.receive(post(makePng(4, 4)), "me");
  });

  it("M3: arrive four at a time, two of one identity", async () => {
    const { receiver } = receiverOf();
    const ends: (() => void)[] = [];
    const slow = (identity: string): Promise<unknown> => {
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => {
          ends.push(() => {
            controller.enqueue(makePng(4, 4));
            controller.close();
          });
        },
      });
      return receiver.receive(post(body), identity);
    };
    const arriving = [slow("me"), slow("me"), slow("you"), slow("they")];
    expect(await refusal(slow("me"))).toMatchObject({ code: "busy" });
    expect(await refusal(slow("somebody"))).toMatchObject({ code: "busy" });
    ends.forEach((end) => end());
    expect(await Promise.all(arriving)).toHaveLength(4);
    expect([receiver.underWay, receiver.pending.count]).toEqual([0, 4]);
  });

  it("M5: have a rate for each identity", async () => {
    const { receiver, clock } = receiverOf({ uploadsPerMinute: 2 });
    const send = (identity: string) => receiver.receive(post("no picture"), identity);
    await refusal(send("me"));
    await refusal(send("me"));
    expect(await refusal(send("me"))).toMatchObject({ code: "limit_exceeded", retryable: true, status: undefined });
    expect(await refusal(send("you"))).toMatchObject({ status: 415 });
    await clock.advance(30);
    expect(await refusal(send("me"))).toMatchObject({ status: 415 });
  });

  it("are let go of when the server closes, also those that are on their way", async () => {
    const { receiver, clock } = receiverOf();
    await receiver.receive(post(makePng(4, 4)), "me");
    const late = receiver.receive(post(makePng(4, 4)), "me");
    receiver.close();
    expect(await refusal(late)).toMatchObject({ code: "busy", retryable: true });
    expect(await refusal(receiver.receive(post(makePng(4, 4)), "me"))).toMatchObject({ code: "busy" });
    expect([receiver.pending.count, receiver.pending.bytes, receiver.underWay, clock.sleeperCount]).toEqual([
      0, 0, 0, 0,
    ]);
  });

  it("of a client that goes away are given up", async () => {
    const { receiver } = receiverOf();
    const body = new ReadableStream({ pull: (controller) => controller.error(new Error("the socket is gone")) });
    expect(await refusal(receiver.receive(post(body), "me"))).toMatchObject({ code: "cancelled" });
    expect(receiver.underWay).toBe(0);
  });

  it("are decoded beside this thread", async () => {
    const { receiver } = receiverOf();
    const large = makePng(2500, 2500);
    let turns = 0;
    let isDone = false;
    const turn = (): void => {
      turns += 1;
      if (!isDone) setImmediate(turn);
    };
    const done = receiver.receive(post(large), "me").finally(() => (isDone = true));
    setImmediate(turn);
    expect(await done).toMatchObject({ width: 2048, height: 2048 });
    expect(turns).toBeGreaterThan(20);
  });

  it("keep their colours", async () => {
    const { receiver } = receiverOf();
    const { uploadId } = await receiver.receive(post(makePng(30, 30, [12, 200, 99])), "me");
    const { data } = await pictureFrame(receiver.pending.find(uploadId, "me"), { width: 2, height: 2 });
    expect([...data.subarray(0, 3)]).toEqual([12, 200, 99]);
  });
});
