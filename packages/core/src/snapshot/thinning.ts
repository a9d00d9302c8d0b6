/**
 * Which of the snapshots at these places would be missed least: the one whose neighbours lie nearest together for its age, so that snapshots
 * get rarer the older they are. The first and the last are never chosen. `kept` rises; `now` is the place of now.
 */
export function leastMissed(kept: readonly number[], now: number): number | undefined {
  let best: number | undefined;
  let least = Infinity;
  for (let index = 1; index < kept.length - 1; index += 1) {
    const gap = kept[index + 1] - kept[index - 1];
    const score = gap / Math.max(1, now - kept[index]);
    if (score >= least) continue;
    least = score;
    best = kept[index];
  }
  return best;
}
