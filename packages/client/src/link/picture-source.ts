import type { FrameMetadata } from "@dreamloop/protocol";

/** A picture that can be drawn, and that is let go of afterwards. */
export interface Picture {
  /** What is drawn. */
  readonly image: VideoFrame | ImageBitmap;
  /** What is known of its frame. */
  readonly metadata: FrameMetadata;
}

/** Hears of pictures; must close each image. */
export type PictureListener = (picture: Picture) => void;

/** Where pictures come from: a media stream that a video element plays, or decoded pictures one by one. */
export type PictureSource =
  | { readonly kind: "stream"; readonly stream: MediaStream; readonly receiver: RTCRtpReceiver }
  | {
      readonly kind: "pictures";
      /** Who takes the pictures; one at a time, pictures without a taker are closed and counted. */
      setListener(listener: PictureListener | undefined): void;
      /** Frames that were not shown, by reason. */
      readonly drops: Readonly<Record<string, number>>;
    };
