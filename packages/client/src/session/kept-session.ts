import type { SessionAnswer } from "@dreamloop/protocol";
import type { ConnectOptions } from "./play-options.ts";

/** A session that a page left behind when it was reloaded or left, for the next page of the same tab. */
export interface KeptSession {
  /** What takes it up again. */
  readonly sessionId: string;
  /** The secret that a resumption needs. */
  readonly resumeSecret: string;
  /** The prompt in force. */
  readonly prompt?: string;
  /** Whether a recording ran. */
  readonly isRecording: boolean;
}

/** Sessions that are kept for one page at most; a page has few stages. */
const MAX_KEPT = 4;
const PREFIX = "dreamloop.session:";

/** Under which name a session is kept: only a page that asks for the same gets it back. */
export function keptName(
  options: Pick<ConnectOptions, "url" | "world" | "preset" | "seed" | "size" | "images">,
): string {
  const { url = globalThis.location?.origin ?? "", world, preset, seed, size, images } = options;
  const pictures = Object.keys(images ?? {}).sort();
  return PREFIX + JSON.stringify([url, world, preset ?? null, seed ?? null, size ?? null, pictures]);
}

/** Keeps a session in the tab's own storage. Where that is closed to the page, nothing is kept, and false given back. */
export function keepSession(
  name: string,
  grant: SessionAnswer,
  facts: Pick<KeptSession, "prompt" | "isRecording">,
): boolean {
  const storage = tabStorage();
  if (storage === undefined) return false;
  const { sessionId, resumeSecret } = grant;
  const kept: KeptSession = { sessionId, resumeSecret, ...facts };
  try {
    storage.setItem(name, JSON.stringify([...readKept(storage, name), kept].slice(-MAX_KEPT)));
    return true;
  } catch {
    return false;
  }
}

/** Takes the session that was kept first under a name out of the storage, so that no second page, such as a copy of the tab, takes it too. */
export function takeKeptSession(name: string): KeptSession | undefined {
  const storage = tabStorage();
  if (storage === undefined) return undefined;
  const [first, ...others] = readKept(storage, name);
  try {
    if (others.length === 0) storage.removeItem(name);
    else storage.setItem(name, JSON.stringify(others));
  } catch {
    return undefined;
  }
  return first;
}

function readKept(storage: Storage, name: string): readonly KeptSession[] {
  try {
    const kept: unknown = JSON.parse(storage.getItem(name) ?? "[]");
    return Array.isArray(kept) ? kept.filter(isKept) : [];
  } catch {
    return [];
  }
}

function isKept(value: unknown): value is KeptSession {
  const kept = value as Partial<KeptSession> | null;
  return typeof kept?.sessionId === "string" && typeof kept.resumeSecret === "string";
}

/** A page in a sandbox, or outside of a browser, has none. */
function tabStorage(): Storage | undefined {
  try {
    return globalThis.sessionStorage;
  } catch {
    return undefined;
  }
}
