// Axes: round steps, and positions of times.

/** The smallest of 1, 2, 5 × 10ⁿ that divides `largest` into at most `ticks` steps. */
export function niceStep(largest: number, ticks: number): number {
  if (!(largest > 0)) return 1;
  const rough = largest / Math.max(1, ticks);
  const power = 10 ** Math.floor(Math.log10(rough));
  for (const factor of [1, 2, 5, 10]) if (factor * power >= rough * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

export function axis(largest: number, ticks = 3): { top: number; values: number[] } {
  const step = niceStep(largest, ticks);
  const count = Math.max(1, Math.ceil(largest / step - 1e-9));
  const values = Array.from({ length: count + 1 }, (_, i) => Number((i * step).toPrecision(12)));
  return { top: step * count, values };
}

/** Times of axis ticks between two instants (milliseconds), at round seconds, minutes or hours. */
export function timeTicks(start: number, end: number, most: number): number[] {
  const steps = [5, 10, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21_600, 86_400, 604_800].map(
    (seconds) => seconds * 1000,
  );
  const step = steps.find((size) => (end - start) / size <= most) ?? steps.at(-1)!;
  const ticks: number[] = [];
  for (let time = Math.ceil(start / step) * step; time <= end; time += step) ticks.push(time);
  return ticks;
}

/** Sums of several series per step. */
export function sums(series: readonly (readonly number[])[]): number[] {
  const length = Math.max(0, ...series.map((values) => values.length));
  return Array.from({ length }, (_, i) => series.reduce((sum, values) => sum + (values[i] ?? 0), 0));
}
