import { EventEmitter } from "node:events";
import { expect, it } from "vitest";
import { LastResort } from "./last-resort.ts";
import { listenForErrors } from "./listen-for-errors.ts";

function resort() {
  const reported: unknown[] = [];
  const failed: unknown[] = [];
  return {
    lastResort: new LastResort((error) => reported.push(error)),
    owner: { fail: (error: unknown) => void failed.push(error) },
    reported,
    failed,
  };
}

it("R20: a fault of an owner's work ends that owner and is reported", () => {
  const { lastResort, owner, reported, failed } = resort();
  const fault = new Error("kaboom");
  lastResort.run(owner, () => {
    throw fault;
  });
  expect(failed).toEqual([fault]);
  expect(reported).toEqual([fault]);
});

it("R20: a fault that comes later is traced back to the work that led to it", async () => {
  const { lastResort, owner, failed } = resort();
  const fault = new Error("later");
  await new Promise<void>((resolve) => {
    lastResort.run(owner, () =>
      setImmediate(() => {
        lastResort.take(fault);
        resolve();
      }),
    );
  });
  expect(failed).toEqual([fault]);
});

it("R20: a fault of nobody's is reported and ends nothing", () => {
  const { lastResort, reported, failed } = resort();
  lastResort.take("stray");
  expect(reported).toEqual(["stray"]);
  expect(failed).toEqual([]);
});

it("R20: an emitter that was given its listener survives its error, and its owner hears of it", () => {
  const heard: Error[] = [];
  const emitter = listenForErrors(new EventEmitter(), (error) => heard.push(error));
  const error = new Error("reset");
  expect(emitter.emit("error", error)).toBe(true);
  expect(heard).toEqual([error]);
  expect(listenForErrors(new EventEmitter()).emit("error", error)).toBe(true);
});
