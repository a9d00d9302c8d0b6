import type { EventEmitter } from "node:events";

/**
 * Gives a socket, stream, worker or child process its listener for errors where it is made: an emitter without one ends the whole process by its first
 * error. `onError` ends what the emitter belongs to; default nothing, for emitters whose `close` says enough. Gives the emitter.
 */
export function listenForErrors<Emitter extends Pick<EventEmitter, "on">>(
  emitter: Emitter,
  onError: (error: Error) => void = () => undefined,
): Emitter {
  emitter.on("error", onError);
  return emitter;
}
