import { resolve } from "node:path";
import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import { errorToRecord } from "@dreamloop/core/internal";
import { describe, expect, it } from "vitest";
import { toldRecord } from "./session-end.ts";

describe("what clients are told of a fault", () => {
  const folder = resolve("secret place", "my-world");
  const error = new DreamloopError(ERROR_CODES.bundleInvalid, `world bundle ${folder} has 1 fault`, {
    details: { faults: [{ file: folder, found: "nothing" }] },
  });

  it("names the world and not where it lies, in the message and the details", () => {
    const reference = { module: resolve("code", "load.js"), argument: folder };
    const told = toldRecord(errorToRecord(error), { id: "mine", reference });
    expect(told).toEqual({
      ...errorToRecord(error),
      message: "world bundle mine has 1 fault",
      details: { faults: [{ file: "mine", found: "nothing" }] },
    });
    const ofModule = new DreamloopError(
      ERROR_CODES.loadFailed,
      `${reference.module} and ${resolve("code", "part.js")}`,
    );
    expect(toldRecord(errorToRecord(ofModule), { id: "mine", reference }).message).not.toContain(resolve("code"));
  });

  it("leaves alone what names no place", () => {
    const record = errorToRecord(error);
    expect(toldRecord(record, { id: "mine", reference: { module: "@dreamloop/worlds/probe", argument: 3 } })).toEqual(
      record,
    );
  });
});
