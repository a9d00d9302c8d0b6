/** Size and scale of a plot. */
export interface PlotSize {
  /** Its width. */
  readonly width: number;
  /** Its height. */
  readonly height: number;
  /** The value at the top. */
  readonly highest: number;
}

/** The path of a line through samples, spread over the width, the newest at the right. */
export function plotPath(samples: readonly number[], { width, height, highest }: PlotSize): string {
  if (samples.length === 0) return `M0 ${height}`;
  const stride = samples.length === 1 ? 0 : width / (samples.length - 1);
  const y = (value: number): string => (height - (Math.min(value, highest) / highest) * (height - 2) - 1).toFixed(1);
  return samples
    .map((value, index) => `${index === 0 ? "M" : "L"}${(index * stride).toFixed(1)} ${y(value)}`)
    .join(" ");
}
