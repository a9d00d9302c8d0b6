import type { Writable } from "node:stream";

/**
 * Resolves when the stream has taken the bytes, so that their memory may be used again. Rejects with the stream's error, also when it was
 * destroyed before.
 */
export function writeToStream(stream: Writable, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    if (stream.destroyed || stream.writableEnded) {
      reject(stream.errored ?? Object.assign(new Error("the stream is closed"), { code: "EPIPE" }));
      return;
    }
    stream.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}
