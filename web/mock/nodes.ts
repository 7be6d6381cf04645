// The nodes of the mock cluster as columns.
import { type NodeMap, type NodePod, nodeFlags, type Resource } from "../src/api/types.ts";
import { hash, Random } from "./random.ts";

export const resources: Resource[] = [
  { name: "cpu", unit: "cores" },
  { name: "memory", unit: "bytes" },
  { name: "ephemeral-storage", unit: "bytes" },
  { name: "nvidia.com/gpu", unit: "count" },
  { name: "pods", unit: "count" },
];

export const topologyKeys = {
  zone: "topology.kubernetes.io/zone",
  rack: "topology.kubernetes.io/rack",
  pool: "node.example.com/pool",
};

const gib = 1024 ** 3;

interface Pool {
  name: string;
  share: number;
  cpu: number;
  memory: number;
  gpu: number;
  taints: string[];
  use: number;
}

const pools: Pool[] = [
  { name: "general", share: 0.62, cpu: 16, memory: 64, gpu: 0, taints: [], use: 0.72 },
  { name: "memory", share: 0.14, cpu: 16, memory: 128, gpu: 0, taints: [], use: 0.58 },
  {
    name: "gpu",
    share: 0.08,
    cpu: 64,
    memory: 512,
    gpu: 8,
    taints: ["nvidia.com/gpu=present:NoSchedule"],
    use: 0.86,
  },
  { name: "spot", share: 0.12, cpu: 8, memory: 32, gpu: 0, taints: ["spot=true:NoSchedule"], use: 0.41 },
  {
    name: "ingress",
    share: 0.04,
    cpu: 8,
    memory: 16,
    gpu: 0,
    taints: ["dedicated=ingress:NoSchedule"],
    use: 0.3,
  },
];

const apps = [
  "web",
  "api",
  "cart",
  "search",
  "kafka",
  "redis",
  "report",
  "indexer",
  "gateway",
  "worker",
  "metrics",
];
const namespaces = ["shop", "data", "web", "batch", "platform"];

export class Nodes {
  readonly names: string[] = [];
  readonly zoneValues: string[] = [];
  readonly zone: number[] = [];
  readonly rackValues: string[] = [];
  readonly rack: number[] = [];
  readonly pool: number[] = [];
  readonly labelSets: Record<string, string>[] = [];
  readonly labels: number[] = [];
  readonly taintSets: string[][] = [[]];
  readonly taints: number[] = [];
  readonly flags: number[] = [];
  readonly pods: number[] = [];
  readonly assumed: number[] = [];
  readonly nominated: number[] = [];
  readonly allocatable: Record<string, number[]> = {};
  readonly requested: Record<string, number[]> = {};
  generation = 1;

  constructor(
    readonly count: number,
    readonly seed: number,
  ) {
    for (const { name } of resources) {
      this.allocatable[name] = [];
      this.requested[name] = [];
    }
    const random = new Random(seed);
    const zones = count >= 20_000 ? 6 : count >= 300 ? 3 : 2;
    const rackSize = count > 3000 ? 40 : 24;
    for (let z = 0; z < zones; z++) this.zoneValues.push(`eu-north-1${"abcdef"[z]}`);
    const perZone = Math.ceil(count / zones);
    const labelIndex = new Map<string, number>();
    const taintIndex = new Map<string, number>([["[]", 0]]);
    let rackUse = 0;
    let rackPool = pools[0]!;
    for (let row = 0; row < count; row++) {
      const zone = Math.floor(row / perZone);
      const inZone = row - zone * perZone;
      const rackName = `${"abcdef"[zone]}${String(Math.floor(inZone / rackSize) + 1).padStart(2, "0")}`;
      if (this.rackValues.at(-1) !== rackName) {
        this.rackValues.push(rackName);
        rackUse = random.bell() * 0.16;
        let at = random.next();
        rackPool = pools[0]!;
        for (const pool of pools) {
          rackPool = pool;
          at -= pool.share;
          if (at < 0) break;
        }
      }
      // A few nodes have no rack.
      this.rack.push(random.next() < 0.002 ? -1 : this.rackValues.length - 1);
      this.zone.push(zone);
      const pool = random.next() < 0.94 ? rackPool : random.pick(pools);
      this.pool.push(pools.indexOf(pool));
      this.names.push(`node-${"abcdef"[zone]}-${String(inZone).padStart(5, "0")}`);
      const labels = {
        "kubernetes.io/arch": pool.name === "spot" ? "arm64" : "amd64",
        "kubernetes.io/os": "linux",
        [topologyKeys.zone]: this.zoneValues[zone]!,
        [topologyKeys.pool]: pool.name,
        "node.kubernetes.io/instance-type": `${pool.name}-${pool.cpu}x${pool.memory}`,
        ...(random.next() < 0.3 ? { disktype: "ssd" } : {}),
        ...(row % 997 === 5 ? { note: '<img src=x onerror="window.hacked=1">' } : {}),
      };
      this.labels.push(intern(labelIndex, this.labelSets, labels));
      const taints = [...pool.taints];
      let flags = 0;
      if (random.next() < 0.012) {
        flags |= nodeFlags.unschedulable;
        taints.push("node.kubernetes.io/unschedulable:NoSchedule");
      }
      if (random.next() < 0.006) {
        flags |= nodeFlags.notReady | nodeFlags.noExecute;
        taints.push("node.kubernetes.io/not-ready:NoExecute");
      }
      if (taints.some((taint) => taint.endsWith(":NoSchedule"))) flags |= nodeFlags.noSchedule;
      this.flags.push(flags);
      this.taints.push(intern(taintIndex, this.taintSets, taints));
      const use = clamp(pool.use + rackUse + random.bell() * 0.3);
      const set = (name: string, allocatable: number, requested: number) => {
        this.allocatable[name]!.push(Math.round(allocatable));
        this.requested[name]!.push(Math.min(Math.round(allocatable), Math.round(requested)));
      };
      const cpu = pool.cpu * 1000 - 100;
      const memory = pool.memory * gib * 0.94;
      set("cpu", cpu, Math.round((cpu * use) / 50) * 50);
      set("memory", memory, memory * clamp(use + random.bell() * 0.2));
      set("ephemeral-storage", 200 * gib, 200 * gib * clamp(0.15 + random.bell() * 0.15));
      set("nvidia.com/gpu", pool.gpu, Math.round(pool.gpu * clamp(use + 0.1)));
      const pods = use < 0.02 ? 0 : Math.max(1, Math.round(use * pool.cpu * 1.7));
      set("pods", 110, pods);
      this.pods.push(Math.min(110, pods));
      const assumed = !flags && random.next() < Math.min(0.02, 400 / count) ? 1 + random.below(2) : 0;
      this.assumed.push(assumed);
      this.nominated.push(!flags && random.next() < Math.min(0.008, 150 / count) ? 1 : 0);
    }
  }

  poolName(row: number): string {
    return pools[this.pool[row]!]!.name;
  }

  poolTaints(row: number): string[] {
    return pools[this.pool[row]!]!.taints;
  }

  map(first: number, limit: number): NodeMap {
    const last = Math.min(this.count, first + limit);
    const part = <T>(list: readonly T[]) => list.slice(first, last);
    return {
      apiVersion: "berth.dev/v1",
      kind: "NodeMap",
      generation: this.generation,
      sequence: 1,
      first,
      total: this.count,
      names: part(this.names),
      zones: { key: topologyKeys.zone, values: this.zoneValues, of: part(this.zone) },
      racks: { key: topologyKeys.rack, values: this.rackValues, of: part(this.rack) },
      pools: { key: topologyKeys.pool, values: pools.map(({ name }) => name), of: part(this.pool) },
      resources: Object.fromEntries(
        resources.map(({ name }) => [
          name,
          { allocatable: part(this.allocatable[name]!), requested: part(this.requested[name]!) },
        ]),
      ),
      pods: part(this.pods),
      assumed: part(this.assumed),
      nominated: part(this.nominated),
      flags: part(this.flags),
      labels: { sets: this.labelSets, of: part(this.labels) },
      taints: { sets: this.taintSets, of: part(this.taints) },
      ...(last < this.count ? { continue: String(last) } : {}),
    };
  }

  /** The pods of a node: their requests add up to what the node has requested. */
  podsOf(row: number, now: number): NodePod[] {
    const random = new Random(hash(this.seed, "pods", row));
    const count = this.pods[row]!;
    const weights = Array.from({ length: count }, () => 0.2 + random.next());
    const sum = weights.reduce((a, b) => a + b, 0);
    const gpus = this.requested["nvidia.com/gpu"]![row]!;
    return weights.map((weight, i) => {
      const assumed = i < this.assumed[row]!;
      const share = weight / sum;
      return {
        namespace: random.pick(namespaces),
        name: `${random.pick(apps)}-${random.word(5)}-${row.toString(36)}x${i}`,
        priority: random.pick([0, 0, 0, 100, 1000]),
        requests: {
          cpu: Math.round((this.requested.cpu![row]! * share) / 10) * 10,
          memory: Math.round(this.requested.memory![row]! * share),
          ...(i < gpus ? { "nvidia.com/gpu": 1 } : {}),
        },
        state: assumed ? "assumed" : "bound",
        since: new Date(
          now - (assumed ? random.between(0.05, 2) : random.between(30, 900_000)) * 1000,
        ).toISOString(),
      };
    });
  }
}

function intern<T>(index: Map<string, number>, list: T[], value: T): number {
  const key = JSON.stringify(value);
  let id = index.get(key);
  if (id === undefined) {
    id = list.push(value) - 1;
    index.set(key, id);
  }
  return id;
}

function clamp(value: number): number {
  return Math.min(1, Math.max(0, value));
}
