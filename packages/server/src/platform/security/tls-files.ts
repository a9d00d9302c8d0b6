import { unwatchFile, watchFile } from "node:fs";
import { readFile } from "node:fs/promises";
import { createSecureContext } from "node:tls";
import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import type { ServerConfig } from "../config/server-config.ts";

/** What an HTTPS server is made of. */
export interface TlsFiles {
  /** Certificate chain, PEM. */
  readonly cert: Buffer;
  /** Its private key, PEM. */
  readonly key: Buffer;
}

/**
 * Reads certificate and key of a configuration; absent when it has none. Throws `invalid_value` that names the file which cannot be read, is none of
 * its kind, or does not belong to the other.
 */
export async function readTlsFiles({
  tlsCert,
  tlsKey,
}: Pick<ServerConfig, "tlsCert" | "tlsKey">): Promise<TlsFiles | undefined> {
  if (tlsCert === undefined || tlsKey === undefined) return undefined;
  const cert = await read("tlsCert", tlsCert);
  const key = await read("tlsKey", tlsKey);
  usable({ cert }, `tlsCert: ${tlsCert} holds no certificate in PEM form`);
  usable({ key }, `tlsKey: ${tlsKey} holds no private key in PEM form without a passphrase`);
  usable({ cert, key }, `tlsKey: ${tlsKey} is not the key of the certificate in ${tlsCert}`);
  return { cert, key };
}

/** How often the files are looked at, in milliseconds. Looking works where watching does not: on network file systems, and when links are exchanged. */
const LOOK_MILLISECONDS = 1000;

/**
 * Takes up a renewed certificate: when a file changes, both are read again, and new connections use them; open ones stay as they are. A pair that is of no
 * use, such as one half of which has been exchanged, changes nothing. Gives what ends that.
 */
export function watchTlsFiles(
  config: Pick<ServerConfig, "tlsCert" | "tlsKey">,
  server: { setSecureContext(files: TlsFiles): void },
): () => void {
  const paths = [config.tlsCert, config.tlsKey].filter((path) => path !== undefined);
  const renew = (): void => {
    readTlsFiles(config).then(
      (files) => files !== undefined && server.setSecureContext(files),
      () => undefined,
    );
  };
  for (const path of paths) watchFile(path, { interval: LOOK_MILLISECONDS, persistent: false }, renew);
  return () => {
    for (const path of paths) unwatchFile(path, renew);
  };
}

async function read(name: string, path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (cause) {
    throw new DreamloopError(ERROR_CODES.invalidValue, `${name}: ${path} cannot be read`, { cause });
  }
}

function usable(files: Partial<TlsFiles>, fault: string): void {
  try {
    createSecureContext(files);
  } catch (cause) {
    throw new DreamloopError(ERROR_CODES.invalidValue, fault, { cause });
  }
}
