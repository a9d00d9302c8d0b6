import { createHash } from "node:crypto";
import { MAX_POSTER_BYTES, posterTypeOf, refuse, type PosterType } from "@dreamloop/core/internal";

/** The picture of a world as it is served. */
export interface WorldPoster {
  /** The file. */
  readonly bytes: Uint8Array;
  /** Its type, by its content. */
  readonly contentType: PosterType;
  /** Changes with the content. */
  readonly tag: string;
}

/** Takes a picture for a world; throws `invalid_value` for anything that is no PNG, JPEG or WebP, or has more than `MAX_POSTER_BYTES`. */
export function worldPoster(bytes: Uint8Array): WorldPoster {
  if (bytes.length > MAX_POSTER_BYTES) refuse("WorldPoster", `at most ${MAX_POSTER_BYTES} bytes`, bytes.length);
  const contentType = posterTypeOf(bytes);
  if (contentType === undefined) return refuse("WorldPoster", "a PNG, JPEG or WebP picture", "other content");
  return { bytes, contentType, tag: createHash("sha256").update(bytes).digest("hex").slice(0, 16) };
}

/** Path under which the picture of a world is served; another one for each content, so that it may be kept for ever. */
export function posterPath(worldId: string, poster: WorldPoster): string {
  return `/api/worlds/${encodeURIComponent(worldId)}/poster?v=${poster.tag}`;
}
