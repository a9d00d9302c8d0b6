import type { FrameCodec, SessionAnswer } from "@dreamloop/protocol";
import type { Link, LinkHandlers } from "../link/link.ts";

/** A link whose other end is the test. */
export class FakeLink implements Link {
  readonly kind = "websocket" as const;
  readonly source = { kind: "pictures" as const, setListener: () => undefined, drops: {} };
  readonly inputs: string[] = [];
  readonly requests: { readonly id: number; readonly method: string; readonly params: unknown }[] = [];
  readonly handlers: LinkHandlers;
  readonly epoch: number;
  readonly isReliable: boolean;
  codec?: FrameCodec;
  isClosed = false;

  constructor(handlers: LinkHandlers, options: { readonly epoch?: number; readonly isReliable?: boolean } = {}) {
    this.handlers = handlers;
    this.epoch = options.epoch ?? 1;
    this.isReliable = options.isReliable ?? true;
  }

  sendInput(message: string): void {
    this.inputs.push(message);
  }

  sendControl(message: string): void {
    this.requests.push(JSON.parse(message) as (typeof this.requests)[number]);
  }

  close(): void {
    this.isClosed = true;
  }
}

/** What a server answers to a creation. */
export function fakeAnswer(change: Partial<SessionAnswer> = {}): SessionAnswer {
  return {
    sessionId: "s1",
    token: "token",
    tokenSeconds: 60,
    resumeSecret: "secret",
    viewerToken: "viewer",
    epoch: 1,
    state: "running",
    world: {
      id: "probe",
      title: "Probe",
      description: "",
      kind: "module",
      framesPerSecond: 30,
      controls: [],
      initialFields: [],
      acceptsSize: true,
      loaded: true,
    },
    iceServers: [],
    iceTransportPolicy: "all",
    websocketPath: "/api/sessions/s1/socket",
    ...change,
  };
}
