import { DreamloopError, ERROR_CODES, type ErrorCode } from "@dreamloop/core";
import { describe, expect, test } from "vitest";
import type { Carrier, CarrierListener } from "../carriers/carrier.ts";
import { ProtocolClient } from "./protocol-client.ts";

/** A carrier that closes as the test says. */
class PlayedCarrier implements Carrier {
  readonly name = "a test";
  #listener: CarrierListener | undefined;

  listen(listener: CarrierListener): void {
    this.#listener = listener;
  }

  send(): void {}

  keepAlive(): void {}

  close(error?: DreamloopError): void {
    this.#listener?.onClose(error);
    this.#listener = undefined;
  }
}

const killed = new DreamloopError(ERROR_CODES.workerFailed, "world.py: its process was killed");

describe("N3: the end of a connection", () => {
  test.each<[string, ErrorCode | undefined, string]>([
    ["that was closed is explained by the end of the process", undefined, "its process was killed"],
    ["that broke is explained by the end of the process", ERROR_CODES.workerFailed, "its process was killed"],
    ["that carried no messages keeps its own error", ERROR_CODES.invalidValue, "how it ended"],
  ])("%s", async (_, code, expected) => {
    const carrier = new PlayedCarrier();
    const client = new ProtocolClient({ carrier, label: "world.py", explainClose: () => Promise.resolve(killed) });
    const hello = client.hello();
    carrier.close(code === undefined ? undefined : new DreamloopError(code, "how it ended"));
    await expect(hello).rejects.toThrow(expected);
  });

  test("is the error itself where nothing explains it better", async () => {
    const carrier = new PlayedCarrier();
    const client = new ProtocolClient({ carrier, label: "world.py", explainClose: () => Promise.resolve(undefined) });
    carrier.close(new DreamloopError(ERROR_CODES.workerFailed, "the connection broke: write EPIPE"));
    await expect(client.hello()).rejects.toThrow("the connection broke: write EPIPE");
  });
});
