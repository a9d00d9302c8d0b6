import type { Duplex } from "node:stream";
import { DreamloopError, ERROR_CODES, isDreamloopError } from "@dreamloop/core";
import { MessageReader, writeMessage } from "../protocol/message-reader.ts";
import type { Carrier, CarrierListener } from "./carrier.ts";

/** A stream that can let the process end; sockets can. */
export type CarrierStream = Duplex & { ref?(): unknown; unref?(): unknown };

/** Messages over a stream socket of this machine. */
export class SocketCarrier implements Carrier {
  /** For people. */
  readonly name = "a socket";
  readonly #stream: CarrierStream;
  readonly #reader = new MessageReader();
  #isClosed = false;
  #listener: CarrierListener | undefined;

  /** Takes a connected stream, which it closes. */
  constructor(stream: CarrierStream) {
    this.#stream = stream;
  }

  /** Begins to read. */
  listen(listener: CarrierListener): void {
    this.#listener = listener;
    this.#stream.on("data", (piece: Uint8Array) => this.#take(piece));
    this.#stream.on("close", () => this.#end());
    this.#stream.on("end", () => this.#end());
    this.#stream.on("error", (error: Error) => {
      this.#end(
        new DreamloopError(ERROR_CODES.workerFailed, `the connection broke: ${error.message}`, { cause: error }),
      );
    });
  }

  /** Writes a message in one go. */
  send(header: object, payload?: Uint8Array): void {
    const parts = writeMessage(header, payload);
    if (this.#isClosed || this.#stream.destroyed || this.#stream.writableEnded) return;
    if (parts.length > 1) this.#stream.cork();
    for (const part of parts) this.#stream.write(part);
    if (parts.length > 1) this.#stream.uncork();
  }

  /** Lets the process end although the socket is open, or not. */
  keepAlive(keep: boolean): void {
    if (keep) this.#stream.ref?.();
    else this.#stream.unref?.();
  }

  /** Closes the socket; idempotent. */
  close(): void {
    this.#end();
  }

  #take(piece: Uint8Array): void {
    if (this.#isClosed) return;
    try {
      for (const message of this.#reader.push(piece)) this.#listener?.onMessage(message);
    } catch (error) {
      const failure = isDreamloopError(error)
        ? error
        : new DreamloopError(ERROR_CODES.internal, `a message could not be taken: ${String(error)}`, { cause: error });
      this.#end(failure);
    }
  }

  #end(error?: DreamloopError): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stream.destroy();
    this.#listener?.onClose(error);
  }
}
