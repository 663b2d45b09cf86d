/**
 * The straight line through samples of memory, by least squares: its slope and the slope's standard error, both in MB an hour.
 * @param {{ minutes: number, mb: number }[]} samples three at least
 */
export function trendOf(samples) {
  const mean = (/** @type {number[]} */ values) =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  const x = samples.map(({ minutes }) => minutes / 60);
  const y = samples.map(({ mb }) => mb);
  const [meanX, meanY] = [mean(x), mean(y)];
  const spread = x.reduce((sum, value) => sum + (value - meanX) ** 2, 0);
  const perHour = x.reduce((sum, value, i) => sum + (value - meanX) * ((y[i] ?? 0) - meanY), 0) / spread;
  const residual = x.reduce(
    (sum, value, i) => sum + ((y[i] ?? 0) - meanY - perHour * (value - meanX)) ** 2,
    0,
  );
  return { perHour, errorPerHour: Math.sqrt(residual / (x.length - 2) / spread) };
}
