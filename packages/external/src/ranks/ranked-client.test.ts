import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import { describe, expect, test } from "vitest";
import type { WorldClient } from "../backend/connected-world.ts";
import type { Reply } from "../backend/protocol-client.ts";
import { sessionStatusSchema, snapshotReplySchema } from "../protocol/message-schemas.ts";
import { RankedClient } from "./ranked-client.ts";

/** A rank that answers as the test says. */
class PlayedRank implements WorldClient {
  readonly asked: string[] = [];
  readonly payloads: (Uint8Array | undefined)[] = [];
  failure: DreamloopError | undefined;
  readonly #answer: () => Promise<Reply<unknown>> | undefined;
  readonly #open: ((error: DreamloopError) => void)[] = [];

  constructor(answer: () => Promise<Reply<unknown>> | undefined) {
    this.#answer = answer;
  }

  request: WorldClient["request"] = ({ message, payload }) => {
    this.asked.push(message.type);
    this.payloads.push(payload);
    const answer = this.#answer() as Promise<Reply<never>> | undefined;
    return answer ?? new Promise((_, reject) => this.#open.push(reject));
  };

  notify: WorldClient["notify"] = ({ type }) => void this.asked.push(type);

  fail(error: DreamloopError): void {
    this.failure ??= error;
    for (const reject of this.#open) reject(this.failure);
  }
}

const at = (stepIndex: number, payload = new Uint8Array(0)) =>
  new PlayedRank(() => Promise.resolve({ value: { stepIndex, isComplete: false }, payload }));
const refusing = (message: string) =>
  new PlayedRank(() => Promise.reject(new DreamloopError(ERROR_CODES.stepFailed, message)));
const waiting = () => new PlayedRank(() => undefined);

const STEP = {
  message: { type: "step", session: 1, number: 1, step: {}, update: {} },
  reply: sessionStatusSchema,
  deadlineSeconds: 60,
} as const;

const clientOf = (clients: readonly PlayedRank[]) =>
  new RankedClient({ clients, label: "world.py", graceSeconds: 0.01 });

describe("N16: several ranks asked as one", () => {
  test("what one rank refuses while another waits for it ends the world after a grace time", async () => {
    const ranks = [waiting(), refusing("broken sum")];
    await expect(clientOf(ranks).request(STEP)).rejects.toMatchObject({
      code: "worker_failed",
      message: expect.stringMatching(/rank 0 did not come back from it within 0.01 s; broken sum/) as string,
    });
    expect(ranks.map(({ failure }) => failure?.code)).toEqual(["worker_failed", "worker_failed"]);
  });

  test("ranks at different steps end the world; those at the same one answer as rank 0", async () => {
    await expect(clientOf([at(4), at(4)]).request(STEP)).resolves.toMatchObject({ value: { stepIndex: 4 } });
    await expect(clientOf([at(4), at(4), at(5)]).request(STEP)).rejects.toThrow(
      "world.py: after step rank 0 is at step 4 and rank 2 at step 5; every rank has to end a rollout at the same step",
    );
  });

  test("what all refuse is refused, and nothing has failed", async () => {
    const client = clientOf([refusing("no"), refusing("no")]);
    await expect(client.request(STEP)).rejects.toMatchObject({ code: "step_failed", message: "no" });
    expect(client.failure).toBeUndefined();
  });

  test("slots are given back to rank 0 alone, and all hear the end", () => {
    const ranks = [at(1), at(1)];
    const client = clientOf(ranks);
    client.notify({ type: "release", slots: [1] });
    client.notify({ type: "bye" });
    expect(ranks.map(({ asked }) => asked)).toEqual([["release", "bye"], ["bye"]]);
  });

  test("a snapshot holds the parts of all ranks, each gets its own back, and one of another number is refused", async () => {
    const parts = [Uint8Array.of(1, 2, 3), Uint8Array.of(), Uint8Array.of(10, 10)];
    const snapshot = {
      message: { type: "snapshot", session: 1 },
      reply: snapshotReplySchema,
      deadlineSeconds: 60,
    } as const;
    const from = parts.map(
      (part) => new PlayedRank(() => Promise.resolve({ value: { bytes: part.length }, payload: part })),
    );
    const { payload } = await clientOf(from).request(snapshot);
    const restore = { ...STEP, message: { type: "restore", session: 1, number: 1 }, payload } as const;
    const to = [at(2), at(2), at(2)];
    await clientOf(to).request(restore);
    expect(to.map(({ payloads }) => Array.from(payloads[0] ?? []))).toEqual(parts.map((part) => Array.from(part)));
    await expect(clientOf([at(2), at(2)]).request(restore)).rejects.toThrow(
      /expected a snapshot of 2 ranks, found one of 3 ranks/,
    );
    const cut = clientOf([at(2), at(2), at(2)]).request({ ...restore, payload: payload.subarray(0, -1) });
    await expect(cut).rejects.toThrow(/expected a snapshot of \d+ bytes/);
    const plain = clientOf([at(2), at(2)]).request({
      ...restore,
      payload: new TextEncoder().encode("dreamloop-ranks []\n"),
    });
    await expect(plain).rejects.toThrow(/found one of a single process/);
  });
});
