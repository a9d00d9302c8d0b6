import { NODE_FILE_SYSTEM, type FileSystem, type OutputFile } from "../target/file-system.ts";

/** An error as the operating system reports it. */
export function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: made up`), { code });
}

/** The real file system with a disk that takes only `capacityBytes` in all. */
export function fullDisk(capacityBytes: number): FileSystem {
  let left = capacityBytes;
  return {
    ...NODE_FILE_SYSTEM,
    open: async (path, flags) => {
      const file = await NODE_FILE_SYSTEM.open(path, flags);
      const limited: OutputFile = {
        read: (...args) => file.read(...args),
        sync: () => file.sync(),
        close: () => file.close(),
        write: async (buffer, offset, length, position) => {
          if (left === 0) throw systemError("ENOSPC");
          // A disk that fills up takes a part first.
          const part = Math.min(left, length);
          left -= part;
          return file.write(buffer, offset, part, position);
        },
      };
      return limited;
    },
  };
}

/** The real file system in which opening for writing is refused. */
export function refusingDisk(code: string): FileSystem {
  return {
    ...NODE_FILE_SYSTEM,
    open: (path, flags) => (flags === "r" ? NODE_FILE_SYSTEM.open(path, flags) : Promise.reject(systemError(code))),
  };
}
