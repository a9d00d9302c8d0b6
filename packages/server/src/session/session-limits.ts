import type { Clock } from "@dreamloop/core";
import type { ServerConfig } from "../platform/config/server-config.ts";
import { Deadline } from "../platform/limits/deadline.ts";
import type { EndReason } from "./session-end.ts";

/** Seconds that a player whose connection is lost while the world loads gets to come back. There is no rollout yet that could be lost. */
const LOADING_GRACE_SECONDS = 0.75;

/** The time limits of one session: how long it waits for its player, lasts without activity, and lasts at all. */
export class SessionLimits {
  readonly #clock: Clock;
  readonly #config: Pick<ServerConfig, "graceSeconds" | "idleSeconds" | "lifetimeSeconds">;
  readonly #end: (reason: EndReason) => void;
  readonly #grace: Deadline;
  readonly #idle: Deadline;
  readonly #lifetime: Deadline;
  #activeSeconds: number;

  /** Begins to wait for the player. */
  constructor(options: {
    readonly clock: Clock;
    readonly config: Pick<ServerConfig, "graceSeconds" | "idleSeconds" | "lifetimeSeconds">;
    readonly onEnd: (reason: EndReason) => void;
  }) {
    const { clock, config, onEnd } = options;
    this.#clock = clock;
    this.#config = config;
    this.#end = onEnd;
    this.#grace = new Deadline(clock);
    this.#idle = new Deadline(clock);
    this.#lifetime = new Deadline(clock);
    this.#activeSeconds = clock.nowSeconds();
    this.#lifetime.set(config.lifetimeSeconds, () => onEnd("lifetime"));
    this.waitForPlayer();
    this.#watchIdle();
  }

  /** The player is not there: it has the grace time to come, less when it left during the load. */
  waitForPlayer(options: { readonly isLoading?: boolean } = {}): void {
    const { graceSeconds } = this.#config;
    const seconds = options.isLoading === true ? Math.min(graceSeconds, LOADING_GRACE_SECONDS) : graceSeconds;
    this.#grace.set(seconds, () => this.#end("grace"));
  }

  /** The player is there. */
  playerCame(): void {
    this.#grace.clear();
  }

  /** Something was done. */
  noteActivity(): void {
    this.#activeSeconds = this.#clock.nowSeconds();
  }

  /** No limit holds any more. */
  clear(): void {
    for (const deadline of [this.#grace, this.#idle, this.#lifetime]) deadline.clear();
  }

  #watchIdle(): void {
    const rest = this.#activeSeconds + this.#config.idleSeconds - this.#clock.nowSeconds();
    if (rest <= 0) this.#end("idle");
    else this.#idle.set(rest, () => this.#watchIdle());
  }
}
