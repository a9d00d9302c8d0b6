import type { BusyWait } from "./wait-for-place.ts";
import type { ReconnectOptions } from "./reconnect-policy.ts";
import type { TransportChoice } from "../link/transport-choice.ts";
import type { ClientEnvironment } from "../browser/client-environment.ts";

/** How a server is reached. */
export interface ServerOptions {
  /** Address of the server; default: the one that served the page. */
  readonly url?: string;
  /** The server's access token, where it asks for one. */
  readonly accessToken?: string;
  /** Cancels what is under way. */
  readonly signal?: AbortSignal;
  /** What the library needs from the browser; default the browser itself. For tests. */
  readonly environment?: ClientEnvironment;
}

/** How a session is started. */
export interface ConnectOptions extends ServerOptions {
  /** Identifier of the world. */
  readonly world: string;
  /** A named preset of the world. */
  readonly preset?: string;
  /** Seed of the rollout; default: the server draws one. */
  readonly seed?: number;
  /** The first prompt; default: the world's own. */
  readonly prompt?: string;
  /**
   * A moment to start from, whose inputs and seed then count: the content of a `.dream` file, which says itself of which world it is, or the name of
   * one that the server holds ready.
   */
  readonly moment?: Blob | string;
  /** Pictures that the world starts from, such as a file of an `<input type="file">`, by the name of the initial input (see `WorldSummary.initialFields`). */
  readonly images?: Readonly<Record<string, Blob>>;
  /** Size of the frames, where the world can choose. */
  readonly size?: { readonly width: number; readonly height: number };
  /** How video and input travel; default `auto`: WebRTC, else WebSocket, decided within 2 s. */
  readonly transport?: TransportChoice;
  /** How lost connections are taken up again. */
  readonly reconnect?: ReconnectOptions;
  /** Whether a session that the server has forgotten is started anew, with the same world, prompt and seed; default true. */
  readonly recreate?: boolean;
  /**
   * What becomes of the session when the page goes; default `keep`: a reload or the back button of the same tab comes back to it within the server's
   * grace time. `close`: the place is free at once.
   */
  readonly pageEnd?: "keep" | "close";
  /** Waits while the server is full, and hears of every second that is left until it is asked again; absent: `connect` rejects with `busy`. */
  readonly onBusy?: (wait: BusyWait) => void;
  /** Seconds after which a full server is waited for no longer; default 600. */
  readonly busyPatienceSeconds?: number;
}
