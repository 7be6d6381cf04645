// The nodes of the cluster as columns: the pages of /nodes put together, and changed in place by events.
import type { Groups, NodeDelta, NodeMap, Resource } from "../api/types.ts";

export interface ResourceColumn {
  allocatable: Float64Array;
  requested: Float64Array;
}

export interface GroupColumn {
  key: string;
  values: string[];
  of: Int32Array;
}

export class NodeStore {
  generation = 0;
  count = 0;
  names: string[] = [];
  zones: GroupColumn = { key: "", values: [], of: new Int32Array(0) };
  racks: GroupColumn = { key: "", values: [], of: new Int32Array(0) };
  pools: GroupColumn = { key: "", values: [], of: new Int32Array(0) };
  resources = new Map<string, ResourceColumn>();
  pods = new Int32Array(0);
  assumed = new Int32Array(0);
  nominated = new Int32Array(0);
  flags = new Uint8Array(0);
  labelSets: Record<string, string>[] = [];
  labelsOf = new Int32Array(0);
  taintSets: string[][] = [];
  taintsOf = new Int32Array(0);
  private rows: Map<string, number> | undefined;

  /** Each page has tables of its own for groups, labels and taints; the store joins them. */
  static from(pages: readonly NodeMap[]): NodeStore {
    const store = new NodeStore();
    const count = pages.reduce((sum, page) => sum + page.names.length, 0);
    store.count = count;
    store.generation = pages[0]?.generation ?? 0;
    store.pods = new Int32Array(count);
    store.assumed = new Int32Array(count);
    store.nominated = new Int32Array(count);
    store.flags = new Uint8Array(count);
    store.labelsOf = new Int32Array(count);
    store.taintsOf = new Int32Array(count);
    const zones = new GroupJoin(count);
    const racks = new GroupJoin(count);
    const pools = new GroupJoin(count);
    const labels = new SetJoin<Record<string, string>>(store.labelsOf);
    const taints = new SetJoin<string[]>(store.taintsOf);
    for (const page of pages) {
      const at = store.names.length;
      for (const name of page.names) store.names.push(name);
      store.pods.set(page.pods, at);
      store.assumed.set(page.assumed, at);
      store.nominated.set(page.nominated, at);
      store.flags.set(page.flags, at);
      zones.add(page.zones, at);
      racks.add(page.racks, at);
      pools.add(page.pools, at);
      labels.add(page.labels, at);
      taints.add(page.taints, at);
      for (const [name, column] of Object.entries(page.resources)) {
        let target = store.resources.get(name);
        if (!target) {
          target = { allocatable: new Float64Array(count), requested: new Float64Array(count) };
          store.resources.set(name, target);
        }
        target.allocatable.set(column.allocatable, at);
        target.requested.set(column.requested, at);
      }
    }
    store.zones = zones.column;
    store.racks = racks.column;
    store.pools = pools.column;
    store.labelSets = labels.sets;
    store.taintSets = taints.sets;
    return store;
  }

  row(name: string): number {
    this.rows ??= new Map(this.names.map((node, row) => [node, row]));
    return this.rows.get(name) ?? -1;
  }

  /** Applies an event. Returns false if the map must be fetched again. */
  apply(delta: NodeDelta): boolean {
    if (delta.reset || delta.generation !== this.generation) return false;
    for (const [i, row] of delta.rows.entries()) {
      if (row < 0 || row >= this.count) return false;
      this.pods[row] = delta.pods[i] ?? this.pods[row]!;
      this.assumed[row] = delta.assumed[i] ?? this.assumed[row]!;
      this.nominated[row] = delta.nominated[i] ?? this.nominated[row]!;
      this.flags[row] = delta.flags[i] ?? this.flags[row]!;
    }
    for (const [name, values] of Object.entries(delta.requested)) {
      const column = this.resources.get(name);
      if (!column) continue;
      for (const [i, row] of delta.rows.entries())
        column.requested[row] = values[i] ?? column.requested[row]!;
    }
    return true;
  }

  /** Use of a resource, or NaN if the node has none of it. `dominant` is the largest use of any resource. */
  use(row: number, resource: string): number {
    if (resource === dominant) {
      let largest = 0;
      for (const column of this.resources.values()) {
        const allocatable = column.allocatable[row]!;
        if (allocatable > 0) largest = Math.max(largest, column.requested[row]! / allocatable);
      }
      return largest;
    }
    const column = this.resources.get(resource);
    if (!column) return Number.NaN;
    const allocatable = column.allocatable[row]!;
    return allocatable > 0 ? column.requested[row]! / allocatable : Number.NaN;
  }

  zone(row: number): string {
    return this.zones.values[this.zones.of[row]!] ?? "";
  }
  rack(row: number): string {
    return this.racks.values[this.racks.of[row]!] ?? "";
  }
  pool(row: number): string {
    return this.pools.values[this.pools.of[row]!] ?? "";
  }
  labels(row: number): Record<string, string> {
    return this.labelSets[this.labelsOf[row]!] ?? {};
  }
  taints(row: number): string[] {
    return this.taintSets[this.taintsOf[row]!] ?? [];
  }
}

/** The name that stands for the most used resource of each node. */
export const dominant = "dominant";

export function colourResources(resources: readonly Resource[]): string[] {
  return [dominant, ...resources.map((resource) => resource.name)];
}

class GroupJoin {
  readonly column: GroupColumn;
  private readonly index = new Map<string, number>();

  constructor(count: number) {
    this.column = { key: "", values: [], of: new Int32Array(count).fill(-1) };
  }

  add(groups: Groups, at: number): void {
    this.column.key = groups.key;
    const ids = groups.values.map((value) => {
      let id = this.index.get(value);
      if (id === undefined) {
        id = this.column.values.push(value) - 1;
        this.index.set(value, id);
      }
      return id;
    });
    for (const [i, value] of groups.of.entries())
      this.column.of[at + i] = value < 0 ? -1 : (ids[value] ?? -1);
  }
}

class SetJoin<T> {
  readonly sets: T[] = [];
  private readonly index = new Map<string, number>();

  constructor(private readonly of: Int32Array) {}

  add(page: { sets: T[]; of: number[] }, at: number): void {
    const ids = page.sets.map((set) => {
      const key = JSON.stringify(set);
      let id = this.index.get(key);
      if (id === undefined) {
        id = this.sets.push(set) - 1;
        this.index.set(key, id);
      }
      return id;
    });
    for (const [i, value] of page.of.entries()) this.of[at + i] = value < 0 ? -1 : (ids[value] ?? -1);
  }
}
