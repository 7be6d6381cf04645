// The pending pods of the mock cluster: every kind of reason to wait that the dashboard must show.
import type { Fix, PodName, PodRow, QueueName } from "../src/api/types.ts";
import type { Nodes } from "./nodes.ts";
import { hash, Random } from "./random.ts";

export const filterPlugins = [
  "NodeUnschedulable",
  "NodeName",
  "TaintToleration",
  "NodeAffinity",
  "NodePorts",
  "NodeResourcesFit",
  "VolumeRestrictions",
  "NodeVolumeLimits",
  "VolumeBinding",
  "VolumeZone",
  "PodTopologySpread",
  "InterPodAffinity",
  "DynamicResources",
];

/** What the kind's own plugin says about a node that passed the others; undefined if it fits. */
type Verdict = { plugin: string; reason: string; detail?: string };

export interface PodKind {
  workload: string;
  namespace: string;
  owner: string;
  queue: QueueName;
  count: number;
  priority: number;
  className?: string;
  tolerates: string[];
  waitsFor: string[];
  gates?: string[];
  permit?: string[];
  nominated?: boolean;
  attempts: number;
  oldest: number;
  message?: string;
  judge?(nodes: Nodes, row: number, random: Random): Verdict | undefined;
  fixes: (nodes: Nodes, pod: PodName) => Fix[];
}

function lastRow(nodes: Nodes, test: (row: number) => boolean, fallback = 0): number {
  for (let row = 0; row < nodes.count; row++) if (test(row)) return row;
  return fallback;
}

function roomiest(nodes: Nodes, resource: string, test: (row: number) => boolean): number {
  let best = -1;
  let left = -1;
  for (let row = 0; row < nodes.count; row++) {
    if ((nodes.flags[row]! & 3) !== 0 || !test(row)) continue;
    const free = nodes.allocatable[resource]![row]! - nodes.requested[resource]![row]!;
    if (free > left) {
      left = free;
      best = row;
    }
  }
  return Math.max(0, best);
}

const podObject = (pod: PodName) => ({
  apiVersion: "v1",
  kind: "Pod",
  namespace: pod.namespace,
  name: pod.name,
});
const nodeObject = (name: string) => ({ apiVersion: "v1", kind: "Node", name });

function patchDeployment(pod: PodName, workload: string, path: string, value: unknown, text: string) {
  return {
    text,
    object: { apiVersion: "apps/v1", kind: "Deployment", namespace: pod.namespace, name: workload },
    command: `kubectl patch deployment/${workload} -n ${pod.namespace} --type=json --patch-file=FILE`,
    patch: [
      { op: "test", path: "/spec/template/spec/containers/0/name", value: "main" },
      { op: "add", path, value },
    ],
  };
}

function fix(
  kind: string,
  text: string,
  object: Fix["changes"][number]["object"],
  node: string,
  extra: Partial<Fix> = {},
): Fix {
  return {
    by: object.kind === "Pod" && kind !== "MovePod" ? "author" : "administrator",
    changes: [{ kind, text, object }],
    node,
    similar: 0,
    moves: [],
    victims: [],
    steps: [{ text, object }],
    ...extra,
  };
}

function insufficient(resource: string, amount: number) {
  return (nodes: Nodes, row: number): Verdict | undefined => {
    const free = nodes.allocatable[resource]![row]! - nodes.requested[resource]![row]!;
    if (free >= amount) return undefined;
    return {
      plugin: "NodeResourcesFit",
      reason: `Insufficient ${resource}`,
      detail: `requests ${amount}, ${free} left`,
    };
  };
}

export const kinds: PodKind[] = [
  {
    workload: "checkout",
    namespace: "shop",
    owner: "Deployment",
    queue: "unschedulable",
    count: 120,
    priority: 1000,
    className: "business-critical",
    tolerates: [],
    waitsFor: ["AssignedPod/Delete", "Node/Add", "Node/UpdateNodeAllocatable", "Pod/UpdatePodScaleDown"],
    attempts: 14,
    oldest: 5400,
    judge: insufficient("cpu", 15_950),
    fixes: (nodes, pod) => {
      const row = roomiest(nodes, "cpu", (r) => nodes.poolTaints(r).length === 0);
      const free = nodes.allocatable.cpu![row]! - nodes.requested.cpu![row]!;
      const node = nodes.names[row]!;
      const text = `lower the cpu request from 15950m to ${free}m`;
      const victim = { namespace: "batch", name: "report-7xk2p-9sx1" };
      const gpu = nodes.names[roomiest(nodes, "cpu", (r) => nodes.poolName(r) === "gpu")]!;
      return [
        fix(
          "Tolerate",
          "add a toleration for the taint nvidia.com/gpu=present:NoSchedule",
          podObject(pod),
          gpu,
          {
            similar: 31,
            steps: [
              patchDeployment(
                pod,
                "checkout",
                "/spec/template/spec/tolerations/-",
                { key: "nvidia.com/gpu", operator: "Equal", value: "present", effect: "NoSchedule" },
                "add a toleration for the taint nvidia.com/gpu=present:NoSchedule",
              ),
            ],
          },
        ),
        fix("LowerRequest", text, podObject(pod), node, {
          similar: 4,
          steps: [
            patchDeployment(
              pod,
              "checkout",
              "/spec/template/spec/containers/0/resources/requests/cpu",
              `${free}m`,
              text,
            ),
          ],
        }),
        fix(
          "MovePod",
          `move ${victim.namespace}/${victim.name} away from node ${node}`,
          podObject(victim),
          node,
          {
            moves: [{ pod: victim, from: node, to: nodes.names[(row + 7) % nodes.count]! }],
            steps: [
              {
                text: `evict ${victim.namespace}/${victim.name}`,
                object: podObject(victim),
                command: `kubectl delete pod ${victim.name} -n ${victim.namespace}`,
                remark: "Its workload creates it again; cordon the node first, so that it goes elsewhere.",
              },
            ],
          },
        ),
        fix("RaisePriority", "raise the priority to 2000 (PriorityClass emergency)", podObject(pod), node, {
          victims: [victim, { namespace: "data", name: "indexer-44vtq-9sx4" }],
        }),
        fix("AddNode", `add a node like ${node}`, nodeObject("NEW"), "a new node"),
      ];
    },
  },
  {
    workload: "train-llm",
    namespace: "ml",
    owner: "Job",
    queue: "unschedulable",
    count: 48,
    priority: 5000,
    className: "training",
    tolerates: ["nvidia.com/gpu=present:NoSchedule"],
    waitsFor: ["AssignedPod/Delete", "Node/Add", "Node/UpdateNodeTaint"],
    attempts: 31,
    oldest: 86_000,
    judge: (nodes, row) => {
      if (nodes.poolName(row) !== "gpu") {
        return {
          plugin: "NodeAffinity",
          reason: "node(s) didn't match Pod's node affinity/selector",
          detail: "nodeSelector node.example.com/pool=gpu",
        };
      }
      return insufficient("nvidia.com/gpu", 9)(nodes, row);
    },
    fixes: (nodes, pod) => {
      const row = roomiest(nodes, "nvidia.com/gpu", (r) => nodes.poolName(r) === "gpu");
      const free = nodes.allocatable["nvidia.com/gpu"]![row]! - nodes.requested["nvidia.com/gpu"]![row]!;
      return [
        fix(
          "LowerRequest",
          `lower the nvidia.com/gpu request from 9 to ${free}`,
          podObject(pod),
          nodes.names[row]!,
          {
            similar: 2,
            steps: [
              {
                text: `create the Job again with nvidia.com/gpu ${free}`,
                object: { apiVersion: "batch/v1", kind: "Job", namespace: pod.namespace, name: "train-llm" },
                command: "kubectl replace --force -f FILE",
                remark: "The template of a Job cannot be changed.",
              },
            ],
          },
        ),
      ];
    },
  },
  {
    workload: "kafka",
    namespace: "data",
    owner: "StatefulSet",
    queue: "unschedulable",
    count: 3,
    priority: 2000,
    className: "stateful",
    tolerates: [],
    waitsFor: ["PersistentVolumeClaim/Update", "PersistentVolume/Add", "StorageClass/Add", "Node/Add"],
    attempts: 7,
    oldest: 2400,
    judge: (nodes, row) =>
      nodes.zone[row] === 0
        ? { plugin: "NodeResourcesFit", reason: "Insufficient memory" }
        : {
            plugin: "VolumeBinding",
            reason: "node(s) didn't match PersistentVolume's node affinity",
            detail: `PV pvc-8f2c is in zone ${nodes.zoneValues[0]}`,
          },
    fixes: () => [],
  },
  {
    workload: "cart",
    namespace: "shop",
    owner: "Deployment",
    queue: "unschedulable",
    count: 9,
    priority: 100,
    tolerates: [],
    waitsFor: [
      "AssignedPod/Add",
      "AssignedPod/Delete",
      "AssignedPod/Update",
      "Node/Add",
      "Node/UpdateNodeLabel",
    ],
    attempts: 4,
    oldest: 340,
    judge: (nodes, row) =>
      nodes.zone[row] === 0
        ? { plugin: "NodeResourcesFit", reason: "Insufficient cpu" }
        : {
            plugin: "PodTopologySpread",
            reason: "node(s) didn't match pod topology spread constraints",
            detail: `zone has 9 matching pods, 6 more than ${nodes.zoneValues[0]}`,
          },
    fixes: (nodes, pod) => {
      const row = roomiest(nodes, "cpu", (r) => nodes.zone[r] === 1 && nodes.poolTaints(r).length === 0);
      const text = "raise maxSkew of topology.kubernetes.io/zone from 1 to 7";
      return [
        fix("RelaxSpread", text, podObject(pod), nodes.names[row]!, {
          similar: 0,
          steps: [
            patchDeployment(pod, "cart", "/spec/template/spec/topologySpreadConstraints/0/maxSkew", 7, text),
          ],
        }),
      ];
    },
  },
  {
    workload: "search",
    namespace: "shop",
    owner: "Deployment",
    queue: "unschedulable",
    count: 22,
    priority: 0,
    tolerates: ["spot=true:NoSchedule"],
    waitsFor: ["AssignedPod/Delete", "Node/Add"],
    attempts: 5,
    oldest: 900,
    judge: () => ({
      plugin: "InterPodAffinity",
      reason: "node(s) didn't match pod anti-affinity rules",
      detail: "a pod with app=search is in every topology domain",
    }),
    fixes: (nodes, pod) => [
      fix(
        "SoftenPodAffinity",
        'make the pod anti-affinity "app=search" by kubernetes.io/hostname preferred instead of required',
        podObject(pod),
        nodes.names[3]!,
        { similar: 1 },
      ),
    ],
  },
  {
    workload: "nightly-report",
    namespace: "batch",
    owner: "CronJob",
    queue: "unschedulable",
    count: 64,
    priority: -10,
    className: "batch-low",
    tolerates: [],
    waitsFor: ["Node/Add", "Node/UpdateNodeTaint", "Pod/UpdatePodToleration"],
    attempts: 3,
    oldest: 1300,
    judge: (nodes, row) =>
      nodes.poolTaints(row).length > 0
        ? undefined
        : {
            plugin: "NodeAffinity",
            reason: "node(s) didn't match Pod's node affinity/selector",
            detail: "node.example.com/pool in (spot)",
          },
    fixes: (nodes, pod) => {
      const row = lastRow(nodes, (r) => nodes.poolName(r) === "spot" && nodes.flags[r] === 4);
      const text = "add a toleration for the taint spot=true:NoSchedule";
      return [
        fix("Tolerate", text, podObject(pod), nodes.names[row]!, { similar: 88 }),
        fix(
          "RemoveTaint",
          `remove the taint spot=true:NoSchedule from node ${nodes.names[row]}`,
          nodeObject(nodes.names[row]!),
          nodes.names[row]!,
          {
            similar: 88,
            steps: [
              {
                text: `remove the taint spot=true:NoSchedule from node ${nodes.names[row]}`,
                object: nodeObject(nodes.names[row]!),
                command: `kubectl taint node ${nodes.names[row]} spot=true:NoSchedule-`,
                remark: "Other pods may then be scheduled there too.",
              },
            ],
          },
        ),
      ];
    },
  },
  {
    workload: "edge-proxy",
    namespace: "platform",
    owner: "Deployment",
    queue: "unschedulable",
    count: 2,
    priority: 100,
    tolerates: ["dedicated=ingress:NoSchedule"],
    waitsFor: ["AssignedPod/Delete", "Node/Add"],
    attempts: 9,
    oldest: 4000,
    judge: (nodes, row) =>
      nodes.poolName(row) === "ingress"
        ? {
            plugin: "NodePorts",
            reason: "node(s) didn't have free ports for the requested pod ports",
            detail: "host port 443/TCP is in use",
          }
        : { plugin: "NodeAffinity", reason: "node(s) didn't match Pod's node affinity/selector" },
    fixes: (nodes, pod) => [
      fix(
        "DropHostPort",
        "drop the host port 443/TCP",
        podObject(pod),
        nodes.names[lastRow(nodes, (r) => nodes.poolName(r) === "ingress")]!,
        { similar: 12 },
      ),
    ],
  },
  {
    workload: "notebook",
    namespace: "ml",
    owner: "StatefulSet",
    queue: "unschedulable",
    count: 6,
    priority: 0,
    tolerates: ["nvidia.com/gpu=present:NoSchedule"],
    waitsFor: ["ResourceClaim/Add", "ResourceClaim/Update", "ResourceSlice/Add"],
    attempts: 2,
    oldest: 95,
    judge: () => ({
      plugin: "DynamicResources",
      reason: "cannot allocate all claims",
      detail: "no device matches request gpu of claim notebook-gpu",
    }),
    fixes: (nodes, pod) => [
      fix(
        "AddDevices",
        "add devices like those of ResourceSlice gpu-a100-3",
        podObject(pod),
        nodes.names[11]!,
        {},
      ),
    ],
  },
  {
    workload: "ci-runner",
    namespace: "ci",
    owner: "ReplicaSet",
    queue: "gated",
    count: 40,
    priority: 0,
    tolerates: [],
    waitsFor: ["Pod/UpdatePodSchedulingGatesEliminated"],
    gates: ["example.com/quota"],
    attempts: 0,
    oldest: 7200,
    message: "Scheduling is blocked due to non-empty scheduling gates",
    fixes: () => [],
  },
  {
    workload: "mpi-solver",
    namespace: "ml",
    owner: "Job",
    queue: "waiting",
    count: 16,
    priority: 500,
    tolerates: [],
    waitsFor: ["Permit of Coscheduling"],
    permit: ["Coscheduling"],
    attempts: 1,
    oldest: 28,
    fixes: () => [],
  },
  {
    workload: "payments",
    namespace: "shop",
    owner: "Deployment",
    queue: "unschedulable",
    count: 5,
    priority: 9000,
    className: "emergency",
    tolerates: [],
    waitsFor: ["AssignedPod/Delete"],
    nominated: true,
    attempts: 2,
    oldest: 12,
    judge: insufficient("cpu", 15_000),
    fixes: () => [],
  },
  {
    workload: "ingest",
    namespace: "data",
    owner: "Deployment",
    queue: "backoff",
    count: 37,
    priority: 0,
    tolerates: [],
    waitsFor: ["end of backoff"],
    attempts: 6,
    oldest: 61,
    message:
      'running Bind plugin "DefaultBinder": Operation cannot be fulfilled on pods/binding: pod is being deleted',
    fixes: () => [],
  },
  {
    workload: "frontend",
    namespace: "web",
    owner: "Deployment",
    queue: "active",
    count: 130,
    priority: 0,
    tolerates: [],
    waitsFor: ["a scheduling cycle"],
    attempts: 0,
    oldest: 0.4,
    fixes: () => [],
  },
  {
    workload: "backend",
    namespace: "web",
    owner: "Deployment",
    queue: "inFlight",
    count: 7,
    priority: 0,
    tolerates: [],
    waitsFor: ["its scheduling cycle"],
    attempts: 1,
    oldest: 0.05,
    fixes: () => [],
  },
  {
    workload: "odd-names",
    namespace: "default",
    owner: "ReplicaSet",
    queue: "unschedulable",
    count: 2,
    priority: 1,
    className: "<b>bold</b>",
    tolerates: [],
    waitsFor: ["Node/Add", "<script>window.hacked=1</script>"],
    attempts: 2,
    oldest: 45,
    message: '0/1000 nodes are available: <img src=x onerror="window.hacked=1"> did not match "]]>\u202e.',
    judge: () => ({
      plugin: "NodeAffinity",
      reason: '<img src=x onerror="window.hacked=1"> did not match',
      detail: "<svg onload=window.hacked=1>",
    }),
    fixes: (nodes, pod) => [
      fix(
        "DropNodeAffinity",
        'drop the expression note in ("<script>window.hacked=1</script>")',
        podObject(pod),
        nodes.names[0]!,
      ),
    ],
  },
];

export interface PendingPod extends PodRow {
  kind: PodKind;
}

export function makePods(seed: number, now: number): PendingPod[] {
  const pods: PendingPod[] = [];
  for (const kind of kinds) {
    const random = new Random(hash(seed, kind.workload));
    const template = random.word(9);
    for (let i = 0; i < kind.count; i++) {
      const name =
        kind.owner === "StatefulSet"
          ? `${kind.workload}-${i}`
          : `${kind.workload}-${template}-${random.word(5)}`;
      const old = i === 0 ? kind.oldest : kind.oldest * random.next();
      pods.push({
        kind,
        namespace: kind.namespace,
        name,
        uid: `${random.word(8)}-${random.word(4)}`,
        queue: kind.queue,
        priority: kind.priority,
        since: new Date(now - old * 1000).toISOString(),
        attempts: Math.max(
          kind.attempts > 0 ? 1 : 0,
          Math.round(kind.attempts * (0.4 + random.next() * 0.6)),
        ),
        plugins: [],
        group: `${kind.owner} ${kind.namespace}/${kind.workload}`,
        ...(kind.queue === "backoff"
          ? { nextAttempt: new Date(now + random.between(1, 60) * 1000).toISOString() }
          : {}),
      });
    }
  }
  return pods;
}
