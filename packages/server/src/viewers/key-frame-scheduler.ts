import type { Clock } from "@dreamloop/core";
import type { FrameCodec } from "@dreamloop/protocol";
import type { TokenBucket } from "../platform/limits/token-bucket.ts";
import { Deadline } from "../platform/limits/deadline.ts";
import { KeyFrameGate } from "./key-frame-gate.ts";

/** What becomes of a request for a key frame. */
export type KeyFrameOutcome = "granted" | "coalesced" | "refused";

/** The requests for key frames of one session: a gate and a timer for each codec around `KeyFrameGate`. */
export class KeyFrameScheduler {
  readonly #clock: Clock;
  readonly #order: (codec: FrameCodec) => void;
  readonly #entries = new Map<FrameCodec, { readonly gate: KeyFrameGate; readonly deadline: Deadline }>();

  /** `order` asks the encoder. */
  constructor(options: { readonly clock: Clock; readonly order: (codec: FrameCodec) => void }) {
    this.#clock = options.clock;
    this.#order = options.order;
  }

  /** A viewer needs a key frame; `limiter` is its own, absent for a viewer that has just come. */
  request(codec: FrameCodec, limiter: TokenBucket | undefined): KeyFrameOutcome {
    const { gate, deadline } = this.#entry(codec);
    const now = this.#clock.nowSeconds();
    const refusedBefore = gate.refused;
    if (gate.request(now, limiter)) {
      this.#order(codec);
      return "granted";
    }
    if (gate.dueSeconds !== undefined && !deadline.isPending) {
      deadline.set(Math.max(0, gate.dueSeconds - now), () => {
        if (gate.advance(this.#clock.nowSeconds())) this.#order(codec);
      });
    }
    return gate.refused > refusedBefore ? "refused" : "coalesced";
  }

  /** Nothing is owed any more. */
  clear(): void {
    for (const { deadline } of this.#entries.values()) deadline.clear();
  }

  #entry(codec: FrameCodec): { readonly gate: KeyFrameGate; readonly deadline: Deadline } {
    const entry = this.#entries.get(codec) ?? { gate: new KeyFrameGate(), deadline: new Deadline(this.#clock) };
    this.#entries.set(codec, entry);
    return entry;
  }
}
