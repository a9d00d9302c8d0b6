import { describe, expect, test, vi } from "vitest";
import { FakeEnvironment, settle } from "../test-support/fake-environment.ts";
import { PictureStage } from "./stage.ts";

/** A page in which videos play only from a click or a key on. */
function refusingPage() {
  const page = Object.assign(new EventTarget(), {
    visibilityState: "visible",
    defaultView: { innerWidth: 100, innerHeight: 100 },
    isAllowed: false,
    createElement: (name: string) => element(name),
  });
  const videos: FakeNode[] = [];
  interface FakeNode extends EventTarget {
    readonly tagName: string;
    readonly children: FakeNode[];
    parent: FakeNode | undefined;
    textContent: string;
    plays: number;
  }
  const element = (name: string): FakeNode => {
    const node = Object.assign(new EventTarget(), {
      tagName: name.toUpperCase(),
      ownerDocument: page,
      isConnected: true,
      children: [] as FakeNode[],
      parent: undefined as FakeNode | undefined,
      textContent: "",
      style: {},
      plays: 0,
      setAttribute: () => undefined,
      querySelectorAll: () => [],
      getBoundingClientRect: () => ({ left: 0, top: 0, right: 9, bottom: 9, width: 9, height: 9 }),
      prepend: (child: FakeNode) => node.append(child),
      append: (child: FakeNode) => {
        child.parent = node;
        node.children.push(child);
      },
      remove: () => {
        const parent = node.parent;
        if (parent !== undefined) parent.children.splice(parent.children.indexOf(node), 1);
      },
      requestVideoFrameCallback: () => 1,
      cancelVideoFrameCallback: () => undefined,
      play: () => {
        node.plays += 1;
        return page.isAllowed
          ? Promise.resolve()
          : Promise.reject(Object.assign(new Error("refused"), { name: "NotAllowedError" }));
      },
    });
    if (name === "video") videos.push(node);
    return node;
  };
  return { page, videos, container: element("div") };
}

const STREAM = { kind: "stream", stream: {}, receiver: {} } as never;

describe("a browser that plays no video by itself", () => {
  test("gets one button, and the next click or key plays the picture", async () => {
    const { page, videos, container } = refusingPage();
    const refused = vi.fn();
    const stage = new PictureStage(new FakeEnvironment(), () => undefined, refused);
    stage.attach(container as unknown as HTMLElement, { startLabel: "Bild zeigen" });
    stage.setSource(STREAM);
    await settle();
    const buttons = (): string[] =>
      container.children.filter(({ tagName }) => tagName === "BUTTON").map(({ textContent }) => textContent);
    expect(buttons()).toEqual(["Bild zeigen"]);
    expect(stage.expectsPicture).toBe(false);
    // One that the browser refuses as well changes nothing.
    page.dispatchEvent(new Event("keydown"));
    await settle();
    expect(buttons()).toEqual(["Bild zeigen"]);
    page.isAllowed = true;
    page.dispatchEvent(new Event("pointerup"));
    await settle();
    expect(buttons()).toEqual([]);
    expect(refused.mock.calls).toEqual([[true], [false]]);
    expect(stage.expectsPicture).toBe(true);
    const { plays } = videos[0];
    page.dispatchEvent(new Event("pointerup"));
    expect(videos[0].plays).toBe(plays);
  });

  test("a surface that goes takes its button and its listeners along", async () => {
    const { page, videos, container } = refusingPage();
    const stage = new PictureStage(new FakeEnvironment(), () => undefined);
    stage.attach(container as unknown as HTMLElement);
    stage.setSource(STREAM);
    await settle();
    stage.close();
    expect(container.children.filter(({ tagName }) => tagName === "BUTTON")).toEqual([]);
    const { plays } = videos[0];
    page.dispatchEvent(new Event("pointerup"));
    expect(videos[0].plays).toBe(plays);
  });
});
