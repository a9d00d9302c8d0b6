import type { PeerConnection } from "node-datachannel";

/** Resolves when a connection has gathered its candidates. */
export function gathering(connection: PeerConnection): Promise<void> {
  const { callback, done } = completion();
  connection.onGatheringStateChange(callback);
  return done;
}

/** Apart from the connection: the library keeps callbacks, and one that reaches its connection would never let it be freed. */
function completion(): { readonly callback: (state: string) => void; readonly done: Promise<void> } {
  let resolve = (): void => undefined;
  const done = new Promise<void>((each) => (resolve = each));
  return {
    done,
    callback: (state) => {
      if (state === "complete") resolve();
    },
  };
}
