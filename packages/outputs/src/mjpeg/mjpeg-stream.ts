import { imageEncoder, IMAGE_FORMATS, type ImageEncoder } from "../images/image-encoder.ts";

/** Default quality of the pictures of a Motion JPEG stream, 1 to 100. */
export const DEFAULT_MJPEG_QUALITY = 90;

/** Boundary between the parts of a multipart stream. */
export const MJPEG_BOUNDARY = "dreamloop-frame";

/** Content type of an HTTP response that carries `multipartFrame`s. */
export const MJPEG_CONTENT_TYPE = `multipart/x-mixed-replace; boundary=${MJPEG_BOUNDARY}`;

/** The encoder of a Motion JPEG stream: pictures without a profile, since a profile in every frame is waste. */
export function mjpegEncoder(options: {
  /** Columns. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
  /** Quality, 1 to 100; default 90. */
  readonly quality?: number;
}): Promise<ImageEncoder> {
  const { width, height, quality = DEFAULT_MJPEG_QUALITY } = options;
  return imageEncoder({ format: IMAGE_FORMATS.jpeg, width, height, quality, embedProfile: false });
}

/** One picture as a part of a `multipart/x-mixed-replace` response, which browsers show as a moving picture. */
export function multipartFrame(jpeg: Uint8Array): Uint8Array {
  const head = `--${MJPEG_BOUNDARY}\r\nContent-Type: image/jpeg\r\nContent-Length: ${jpeg.byteLength}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head, "latin1"), jpeg, Buffer.from("\r\n", "latin1")]);
}
