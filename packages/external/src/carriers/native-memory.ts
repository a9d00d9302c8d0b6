import { fstatSync } from "node:fs";
import { createRequire } from "node:module";
import { DreamloopError, ERROR_CODES } from "@dreamloop/core";

const MFD_CLOEXEC = 1;
const PROT_READ_WRITE = 3;
const MAP_SHARED = 1;
/* Linux: MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS | MAP_NORESERVE. */
const MAP_OVERLAY = 0x02 | 0x10 | 0x20 | 0x4000;

type Address = number | bigint;

/** The parts of koffi that are used; it is an optional dependency. */
interface Koffi {
  load(path: null): { func(name: string, result: string, args: readonly string[]): (...given: unknown[]) => Address };
  view(address: Address, length: number): ArrayBuffer;
  errno(): number;
}

/** A stretch of memory that another process has open too. */
export interface MappedMemory {
  /** The memory; valid for as long as anything refers to it. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Gives the shared memory back: from now on `bytes` reads as zeros. Idempotent. */
  release(): void;
}

/**
 * Shared memory through the C library. An address range is unmapped only once no JavaScript value refers to it any longer, and it is
 * overlaid with empty memory when it is released before: a late reader sees zeros and never brings the process down.
 */
export class NativeMemory {
  readonly #koffi: Koffi;
  readonly #create: (...given: unknown[]) => Address;
  readonly #map: (...given: unknown[]) => Address;
  readonly #unmap: (...given: unknown[]) => Address;
  readonly #close: (...given: unknown[]) => Address;
  readonly #mapped = new Map<Address, number>();
  readonly #collected = new FinalizationRegistry<Address>((address) => this.#end(address));

  private constructor(koffi: Koffi) {
    const library = koffi.load(null);
    this.#koffi = koffi;
    this.#create = library.func("memfd_create", "int", ["str", "uint"]);
    this.#map = library.func("mmap", "int64_t", ["int64_t", "size_t", "int", "int", "int", "int64_t"]);
    this.#unmap = library.func("munmap", "int", ["int64_t", "size_t"]);
    this.#close = library.func("close", "int", ["int"]);
    // A thread that ends takes its values with it without telling anyone.
    process.once("exit", () => {
      for (const address of [...this.#mapped.keys()]) this.#end(address);
    });
  }

  /** Opens the C library; the reason in words where that does not work here. */
  static open(): NativeMemory | string {
    if (process.platform !== "linux") return `shared memory is not used on ${process.platform}`;
    try {
      return new NativeMemory(createRequire(import.meta.url)("koffi") as Koffi);
    } catch (error) {
      return `koffi cannot be loaded (${error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error)})`;
    }
  }

  /** Makes a shared memory object without a name, so that nothing is left of it when both sides are gone, whatever ends them; gives its descriptor, to be closed with `close`. */
  create(): number {
    const descriptor = Number(this.#create("dreamloop-frames", MFD_CLOEXEC));
    if (descriptor < 0) throw this.#failed("memfd_create");
    return descriptor;
  }

  /** Maps a part of an object; throws `invalid_value` when the object is shorter than that. */
  map(descriptor: number, offset: number, length: number): MappedMemory {
    const { size } = fstatSync(descriptor);
    if (size < offset + length) {
      throw new DreamloopError(
        ERROR_CODES.invalidValue,
        `shared memory: expected at least ${offset + length} bytes, found ${size}; the worker named a slot that it did not make`,
      );
    }
    const address = this.#map(0, length, PROT_READ_WRITE, MAP_SHARED, descriptor, offset);
    if (Number(address) < 0) throw this.#failed("mmap");
    this.#mapped.set(address, length);
    const buffer = this.#koffi.view(address, length);
    this.#collected.register(buffer, address);
    let isReleased = false;
    return {
      bytes: new Uint8Array(buffer),
      release: () => {
        if (isReleased || !this.#mapped.has(address)) return;
        isReleased = true;
        this.#map(address, length, PROT_READ_WRITE, MAP_OVERLAY, -1, 0);
      },
    };
  }

  /** Closes an object's descriptor; Node did not open it, and in a thread it warns of closing what it does not know. */
  close(descriptor: number): void {
    this.#close(descriptor);
  }

  #end(address: Address): void {
    const length = this.#mapped.get(address);
    if (length === undefined) return;
    this.#mapped.delete(address);
    this.#unmap(address, length);
  }

  #failed(call: string): DreamloopError {
    return new DreamloopError(
      ERROR_CODES.unavailable,
      `shared memory: ${call} failed with error ${this.#koffi.errno()}`,
    );
  }
}
