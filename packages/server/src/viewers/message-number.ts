/** Sequence numbers are below this, see `InputMessage.sequence`. */
const SEQUENCES = 2 ** 31;

/**
 * One rising number for an input message over all epochs of a session, so that a message of a new connection is newer than all of those
 * before it. Epochs begin at 1; in the first one the number is the sequence itself. Exact for epochs below 2²².
 */
export function messageNumber(epoch: number, sequence: number): number {
  return (epoch - 1) * SEQUENCES + sequence;
}

/** The epoch and sequence of a `messageNumber`. */
export function splitMessageNumber(number: number): { readonly epoch: number; readonly sequence: number } {
  return { epoch: Math.floor(number / SEQUENCES) + 1, sequence: number % SEQUENCES };
}
