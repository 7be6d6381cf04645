// Which nodes of the map a filter shows. Label and taint sets are shared by many nodes, so each set is judged once.
import { nodeFlags } from "../api/types.ts";
import type { NodeStore } from "./node_store.ts";
import { matches, parseSelector } from "./selector.ts";

export interface NodeFilter {
  labels: string;
  /** A taint as key=value:effect, or "none" for nodes without taints. */
  taint: string;
  pool: string;
  name: string;
  state: string;
}

export const nodeStates = ["cordoned", "notReady", "assumed", "nominated", "full", "empty"] as const;

export interface FilterResult {
  shown: Uint8Array;
  count: number;
  error?: string;
}

function inState(store: NodeStore, row: number, state: string): boolean {
  switch (state) {
    case "cordoned":
      return (store.flags[row]! & nodeFlags.unschedulable) !== 0;
    case "notReady":
      return (store.flags[row]! & nodeFlags.notReady) !== 0;
    case "assumed":
      return store.assumed[row]! > 0;
    case "nominated":
      return store.nominated[row]! > 0;
    case "full":
      return store.use(row, "dominant") >= 0.95;
    case "empty":
      return store.pods[row] === 0;
    default:
      return true;
  }
}

export function applyFilter(store: NodeStore, filter: NodeFilter): FilterResult {
  const shown = new Uint8Array(store.count);
  const parsed = parseSelector(filter.labels);
  if (!parsed.ok) return { shown: shown.fill(1), count: store.count, error: parsed.error };
  const byLabels = store.labelSets.map((set) => matches(parsed.requirements, set));
  const withoutLabels = matches(parsed.requirements, {});
  const byTaint = store.taintSets.map((set) =>
    filter.taint === "" ? true : filter.taint === "none" ? set.length === 0 : set.includes(filter.taint),
  );
  const withoutTaints = filter.taint === "" || filter.taint === "none";
  const pool = filter.pool === "" ? -2 : store.pools.values.indexOf(filter.pool);
  const name = filter.name.toLowerCase();
  let count = 0;
  for (let row = 0; row < store.count; row++) {
    const labels = store.labelsOf[row]!;
    if (!(labels < 0 ? withoutLabels : byLabels[labels])) continue;
    const taints = store.taintsOf[row]!;
    if (!(taints < 0 ? withoutTaints : byTaint[taints])) continue;
    if (pool !== -2 && store.pools.of[row] !== pool) continue;
    if (name !== "" && !store.names[row]!.toLowerCase().includes(name)) continue;
    if (filter.state !== "" && !inState(store, row, filter.state)) continue;
    shown[row] = 1;
    count++;
  }
  return { shown, count };
}

export function isFiltering(filter: NodeFilter): boolean {
  return [filter.labels, filter.taint, filter.pool, filter.name, filter.state].some((value) => value !== "");
}
