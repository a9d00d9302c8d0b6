import { describe, expect, test } from "vitest";
import { FakeEnvironment, settle } from "../test-support/fake-environment.ts";
import { openWebSocketLink } from "./websocket-link.ts";

/** A socket on which the test plays the server. */
class FakeSocket extends EventTarget {
  readonly readyState = 1;
  readonly bufferedAmount = 0;
  binaryType = "blob";
  send(): void {}
  close(): void {}

  tell(message: unknown): void {
    this.dispatchEvent(new MessageEvent("message", { data: JSON.stringify(message) }));
  }

  end(code: number, reason: string): void {
    this.dispatchEvent(Object.assign(new Event("close"), { code, reason }));
  }
}

/** What a link rejects with whose server does this. */
async function rejection(serve: (socket: FakeSocket) => void): Promise<unknown> {
  const socket = new FakeSocket();
  const environment = new FakeEnvironment();
  environment.createSocket = () => socket as unknown as WebSocket;
  const handlers = { onMessage: () => undefined, onPictureFailed: () => undefined, onClosed: () => undefined };
  const { signal } = new AbortController();
  const opening = openWebSocketLink({ url: "ws://server", environment, decoders: ["jpeg"], handlers, signal });
  const rejected = opening.then(
    () => undefined,
    (error: unknown) => error,
  );
  await settle();
  serve(socket);
  return rejected;
}

describe("a WebSocket that is not let in", () => {
  const message = `the session has ended: ${"expected 6912 values for 1 frame(s) of 64×36 rgb8, found 4. ".repeat(5)}`;

  test("rejects with the whole error of the server, not with the reason of the close, which is cut", async () => {
    const error = await rejection((socket) => {
      const details = { ending: "bad_frame", endingMessage: "why" };
      socket.tell({
        type: "response",
        id: 0,
        ok: false,
        error: { code: "closed", message, retryable: false, details },
      });
      socket.end(4410, "the session has ended: expected 6912 values…");
    });
    expect(error).toMatchObject({ code: "closed", message, retryable: false, details: { ending: "bad_frame" } });
  });

  test("rejects with the reason of the close where there is no more, and says it once", async () => {
    const ended = await rejection((socket) => socket.end(4410, "the session has ended: why"));
    expect(ended).toMatchObject({ code: "closed", message: "the session has ended: why", retryable: false });
    const lost = await rejection((socket) => socket.end(1006, ""));
    expect(lost).toMatchObject({ code: "unavailable", retryable: true });
  });
});
