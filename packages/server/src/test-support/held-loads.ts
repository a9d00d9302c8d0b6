import { WorldHost, type LoadWorldOptions } from "@dreamloop/node";

/** A loader whose loads wait until they are let go, or are cancelled. */
export function heldLoads() {
  const gates: (() => void)[] = [];
  let cancelled = 0;
  let freeCancelled: () => void = () => undefined;
  const cancelledMayEnd = new Promise<void>((resolve) => (freeCancelled = resolve));
  const load = async (options: LoadWorldOptions): Promise<WorldHost> => {
    await new Promise<void>((resolve, reject) => {
      gates.push(resolve);
      options.signal?.addEventListener("abort", () => {
        cancelled += 1;
        void cancelledMayEnd.then(() => reject(new Error("cancelled")));
      });
    });
    return WorldHost.load(options);
  };
  return { load, gates, freeCancelled: () => freeCancelled(), cancelledCount: () => cancelled };
}
