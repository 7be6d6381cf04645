// Activity as series: the document of the window, continued by the steps that events bring.
import type { Activity, ActivityStep } from "../api/types.ts";

function append(
  columns: Record<string, number[]>,
  values: Record<string, number>,
  length: number,
  drop: number,
): Record<string, number[]> {
  const result: Record<string, number[]> = {};
  for (const name of new Set([...Object.keys(columns), ...Object.keys(values)])) {
    const old = columns[name] ?? new Array<number>(length).fill(0);
    result[name] = [...old.slice(drop), values[name] ?? 0];
  }
  return result;
}

/** Adds a step at the end; at most `most` steps stay. */
export function extend(activity: Activity, step: ActivityStep, most: number): Activity {
  const length = activity.binds.length;
  const drop = Math.max(0, length + 1 - most);
  const start = new Date(Date.parse(activity.start) + drop * activity.step * 1000).toISOString();
  return {
    ...activity,
    start,
    decisions: append(activity.decisions, step.decisions, length, drop),
    binds: [...activity.binds.slice(drop), step.binds],
    bindFailures: [...activity.bindFailures.slice(drop), step.bindFailures],
    preemptions: [...activity.preemptions.slice(drop), step.preemptions],
    latency: {
      bounds: activity.latency.bounds,
      counts: [...activity.latency.counts.slice(drop), step.latency],
    },
    reasons: append(activity.reasons, step.reasons, length, drop),
    apiCalls: append(activity.apiCalls, step.apiCalls, length, drop),
    queues: append(activity.queues, step.queues, length, drop) as Activity["queues"],
  };
}

export function perSecond(values: readonly number[], step: number): number[] {
  return values.map((value) => value / step);
}

/** The largest series by sum; the rest are one named "other". */
export function largest(
  columns: Record<string, number[]>,
  most: number,
): { name: string; values: number[] }[] {
  const list = Object.entries(columns)
    .map(([name, values]) => ({ name, values, sum: values.reduce((a, b) => a + b, 0) }))
    .filter(({ sum }) => sum > 0)
    .sort((a, b) => b.sum - a.sum || a.name.localeCompare(b.name));
  const shown = list.slice(0, most).map(({ name, values }) => ({ name, values }));
  const rest = list.slice(most);
  if (rest.length > 0) {
    const length = Math.max(...rest.map(({ values }) => values.length));
    const values = Array.from({ length }, (_, i) =>
      rest.reduce((sum, entry) => sum + (entry.values[i] ?? 0), 0),
    );
    shown.push({ name: `other (${rest.length})`, values });
  }
  return shown;
}
