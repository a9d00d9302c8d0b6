/** Hands a file to the person, as a download. */
export function saveFile(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // The download has begun by the next turn; the memory is let go of after it.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** The picture that an element shows, as PNG at its full size. */
export function pictureOf(element: HTMLVideoElement | HTMLCanvasElement): Promise<Blob> {
  const isVideo = element instanceof HTMLVideoElement;
  const canvas = document.createElement("canvas");
  canvas.width = isVideo ? element.videoWidth : element.width;
  canvas.height = isVideo ? element.videoHeight : element.height;
  canvas.getContext("2d")?.drawImage(element, 0, 0);
  return new Promise((resolve, reject) => {
    canvas.toBlob(
      (blob) => (blob === null ? reject(new Error("the picture cannot be saved")) : resolve(blob)),
      "image/png",
    );
  });
}

/** A file name for a world's moment or picture, with the time of day in it. */
export function fileName(world: string, extension: string, now = new Date()): string {
  const stamp = now.toISOString().slice(0, 19).replace(/[:T]/g, "-");
  return `${world.replace(/[^\p{L}\p{N}._-]+/gu, "-")}-${stamp}.${extension}`;
}
