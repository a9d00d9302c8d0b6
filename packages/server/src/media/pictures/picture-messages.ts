import type { ErrorRecord } from "@dreamloop/core/internal";
import type { CleanPicture, CleanPictureOptions } from "@dreamloop/outputs";

/** To the process that decodes pictures. */
export interface ToPictureProcess {
  /** The file as it came. */
  readonly bytes: Uint8Array;
  /** How it is written anew. */
  readonly options: CleanPictureOptions;
}

/** From that process: the picture, or why there is none. */
export type FromPictureProcess =
  { readonly ok: true; readonly picture: CleanPicture } | { readonly ok: false; readonly error: ErrorRecord };
