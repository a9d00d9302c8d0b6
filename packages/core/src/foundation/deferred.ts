/** A promise with its handles; `Promise.withResolvers` is younger than Node 20. */
export interface Deferred<T> {
  /** The promise. */
  readonly promise: Promise<T>;
  /** Fulfils it. */
  readonly resolve: (value: T) => void;
  /** Rejects it. */
  readonly reject: (error: unknown) => void;
}

/** Makes a promise with its handles. */
export function deferred<T>(): Deferred<T> {
  let resolve: (value: T) => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const promise = new Promise<T>((onValue, onError) => {
    resolve = onValue;
    reject = onError;
  });
  return { promise, resolve, reject };
}
