/**
 * Waits for something for a time at most. Resolves with whether it has settled, also by a rejection; what comes later is not waited for. The time is the
 * process's own, since it bounds what the machine does.
 */
export async function within(work: Promise<unknown>, seconds: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => (timer = setTimeout(() => resolve(false), seconds * 1000)));
  const settled = work.then(
    () => true as const,
    () => true as const,
  );
  const isInTime = await Promise.race([settled, late]);
  clearTimeout(timer);
  return isInTime;
}
