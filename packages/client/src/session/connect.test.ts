import { afterEach, expect, test, vi } from "vitest";
import { FakeEnvironment, settle } from "../test-support/fake-environment.ts";
import { fakeAnswer } from "../test-support/fake-link.ts";
import { connect } from "./connect.ts";

afterEach(() => vi.unstubAllGlobals());

test("C7: a page that goes while its link still comes about ends its session too", async () => {
  const page = new EventTarget();
  vi.stubGlobal("addEventListener", page.addEventListener.bind(page));
  vi.stubGlobal("removeEventListener", page.removeEventListener.bind(page));
  class WaitingEnvironment extends FakeEnvironment {
    override createSocket(): WebSocket {
      return Object.assign(new EventTarget(), { readyState: 0, close: () => undefined }) as unknown as WebSocket;
    }
  }
  const environment = new WaitingEnvironment();
  environment.answer = (_, init) =>
    init?.method === "DELETE"
      ? new Response(null, { status: 204 })
      : new Response(JSON.stringify(fakeAnswer()), { status: 201 });
  const connecting = connect({ url: "http://server", world: "probe", environment });
  const failed = expect(connecting).rejects.toBeDefined();
  await environment.advance(0);
  await environment.advance(0);
  page.dispatchEvent(new Event("pagehide"));
  await settle();
  const removal = environment.asked.find(({ init }) => init?.method === "DELETE");
  expect(removal?.url).toBe("http://server/api/sessions/s1");
  expect(removal?.init?.keepalive).toBe(true);
  await failed;
});
