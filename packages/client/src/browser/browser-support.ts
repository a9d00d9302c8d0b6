/** A feature that a browser may withhold, for lack of support or since the page came over plain HTTP. */
export interface BrowserFeature {
  /** A stable name. */
  readonly name: "webrtc" | "webcodecs" | "gamepad" | "pointer_lock" | "clipboard";
  /** Whether it is there. */
  readonly available: boolean;
  /** What is missing without it, for people. */
  readonly without: string;
}

/** What this browser offers to this page. */
export interface BrowserSupport {
  /** Whether the page counts as secure: HTTPS or this machine. Others withhold some features. */
  readonly isSecureContext: boolean;
  /** Each feature. */
  readonly features: readonly BrowserFeature[];
}

/** Looks at what this browser offers to this page. */
export function browserSupport(page: Window & typeof globalThis = window): BrowserSupport {
  const has = (name: string): boolean => typeof (page as unknown as Record<string, unknown>)[name] === "function";
  const feature = (name: BrowserFeature["name"], available: boolean, without: string): BrowserFeature => {
    return { name, available, without };
  };
  return {
    isSecureContext: page.isSecureContext,
    features: [
      feature("webrtc", has("RTCPeerConnection"), "Video travels over a WebSocket."),
      feature("webcodecs", has("VideoDecoder"), "Without WebRTC, pictures come as JPEG, which takes more bandwidth."),
      feature("gamepad", typeof page.navigator.getGamepads === "function", "Gamepads and wheels cannot be used."),
      feature(
        "pointer_lock",
        "requestPointerLock" in page.document.documentElement,
        "Looking around works by dragging only.",
      ),
      feature("clipboard", page.navigator.clipboard !== undefined, "Links have to be copied by hand."),
    ],
  };
}
