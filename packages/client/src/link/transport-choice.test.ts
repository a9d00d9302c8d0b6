import { DreamloopError } from "@dreamloop/core";
import { describe, expect, test } from "vitest";
import { FakeEnvironment, settle } from "../test-support/fake-environment.ts";
import { fakeAnswer, FakeLink } from "../test-support/fake-link.ts";
import type { LinkHandlers } from "./link.ts";
import { openLink } from "./transport-choice.ts";

const handlers: LinkHandlers = {
  onMessage: () => undefined,
  onPictureFailed: () => undefined,
  onClosed: () => undefined,
};
const opens = async (_grant: unknown, heard: LinkHandlers): Promise<FakeLink> => new FakeLink(heard);

function request(environment: FakeEnvironment, signal = new AbortController().signal) {
  return { grant: fakeAnswer(), handlers, signal, environment };
}

describe("openLink", () => {
  test("WebRTC that is up in time is taken, and no socket is opened", async () => {
    let sockets = 0;
    const websocket = async (grant: unknown, heard: LinkHandlers) => {
      sockets += 1;
      return opens(grant, heard);
    };
    const webrtc = async (_: unknown, heard: LinkHandlers) => Object.assign(new FakeLink(heard), { kind: "webrtc" });
    const link = await openLink("auto", { webrtc: webrtc, websocket }, request(new FakeEnvironment()));
    expect(link.kind).toBe("webrtc");
    expect(sockets).toBe(0);
  });

  test("WebRTC that fails gives way to the socket at once", async () => {
    const webrtc = () => Promise.reject(new Error("no candidates"));
    const link = await openLink("auto", { webrtc, websocket: opens }, request(new FakeEnvironment()));
    expect(link.kind).toBe("websocket");
  });

  test("what the server refuses as such is not tried by the socket, which could not say why", async () => {
    let sockets = 0;
    const websocket = async (grant: unknown, heard: LinkHandlers) => {
      sockets += 1;
      return opens(grant, heard);
    };
    for (const code of ["closed", "not_found", "unauthorized"] as const) {
      const webrtc = () => Promise.reject(new DreamloopError(code, "the session has ended: no such preset"));
      const opening = openLink("auto", { webrtc, websocket }, request(new FakeEnvironment()));
      await expect(opening).rejects.toMatchObject({ code, message: "the session has ended: no such preset" });
    }
    expect(sockets).toBe(0);
  });

  test("WebRTC that hangs gives way within 2 s, and is closed should it open later", async () => {
    const environment = new FakeEnvironment();
    let finish: (link: FakeLink) => void = () => undefined;
    const webrtc = () => new Promise<FakeLink>((resolve) => (finish = resolve));
    const opening = openLink("auto", { webrtc, websocket: opens }, request(environment));
    await environment.advance(1999);
    const link = await opening;
    expect(link.kind).toBe("websocket");
    const late = new FakeLink(handlers);
    finish(late);
    await settle();
    expect(late.isClosed).toBe(true);
  });

  test("a transport that was asked for by name is not replaced", async () => {
    const webrtc = () => Promise.reject(new DreamloopError("unavailable", "blocked"));
    const asked = openLink("webrtc", { webrtc, websocket: opens }, request(new FakeEnvironment()));
    await expect(asked).rejects.toMatchObject({ message: "blocked" });
    await expect(openLink("webrtc", { websocket: opens }, request(new FakeEnvironment()))).rejects.toMatchObject({
      code: "unavailable",
    });
  });

  test("a cancelled attempt tries nothing else", async () => {
    const controller = new AbortController();
    let sockets = 0;
    const websocket = async (grant: unknown, heard: LinkHandlers) => {
      sockets += 1;
      return opens(grant, heard);
    };
    const webrtc = () => new Promise<FakeLink>(() => undefined);
    const environment = new FakeEnvironment();
    const opening = openLink("auto", { webrtc, websocket }, request(environment, controller.signal));
    controller.abort();
    await expect(opening).rejects.toBeDefined();
    expect(sockets).toBe(0);
    expect(environment.timerCount).toBe(0);
  });
});
