import type { ModelAdapter } from "@dreamloop/core";
import type { ResolvedWorld } from "@dreamloop/node";

/** A world whose adapter has been loaded; its weights have not. */
export interface FoundWorld extends ResolvedWorld {
  /** The adapter. */
  readonly adapter: ModelAdapter;
}
