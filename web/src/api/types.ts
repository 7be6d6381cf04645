// The documents of /berth/v1, as docs/http-api.md and docs/schema/why.schema.json describe them. Unknown fields are
// ignored; optional ones are those that a server may leave out.

export interface Document {
  apiVersion: "berth.dev/v1";
  kind: string;
}

export interface PodName {
  namespace: string;
  name: string;
  uid?: string;
}

export interface ObjectName {
  apiVersion: string;
  kind: string;
  namespace?: string;
  name: string;
}

export type Unit = "cores" | "bytes" | "count";

export interface Resource {
  name: string;
  unit: Unit;
}

export const queues = ["active", "backoff", "unschedulable", "gated", "inFlight", "waiting"] as const;
export type QueueName = (typeof queues)[number];
export type QueueCounts = Record<QueueName, number>;

export interface Cluster extends Document {
  version: string;
  server: "scheduler" | "up" | "dashboard";
  schedulers: string[];
  time: string;
  sequence: number;
  counts: { nodes: number; pods: number; pending: number };
  resources: Resource[];
  topologyKeys: { zone: string; rack: string; pool: string };
  labelKeys: string[];
  taints: string[];
  features: { ledger: boolean; whatIf: boolean; live: boolean };
}

/** One value of a few per node: `of` holds an index into `values`, or -1. */
export interface Groups {
  key: string;
  values: string[];
  of: number[];
}

export interface Column {
  allocatable: number[];
  requested: number[];
}

/** Bits of NodeMap.flags and Node.flags. */
export const nodeFlags = { unschedulable: 1, notReady: 2, noSchedule: 4, noExecute: 8 } as const;

export interface NodeMap extends Document {
  generation: number;
  sequence: number;
  first: number;
  total: number;
  names: string[];
  zones: Groups;
  racks: Groups;
  pools: Groups;
  resources: Record<string, Column>;
  pods: number[];
  assumed: number[];
  nominated: number[];
  flags: number[];
  labels: { sets: Record<string, string>[]; of: number[] };
  taints: { sets: string[][]; of: number[] };
  continue?: string;
}

export interface NodePod extends PodName {
  priority: number;
  requests: Record<string, number>;
  state: "bound" | "assumed" | "nominated";
  since: string;
}

export interface Rejection {
  plugin: string;
  reason: string;
  count: number;
  last: string;
  examples: PodName[];
}

export interface Node extends Document {
  name: string;
  labels: Record<string, string>;
  taints: string[];
  flags: number;
  zone?: string;
  rack?: string;
  pool?: string;
  resources: Record<string, { allocatable: number; requested: number }>;
  pods: NodePod[];
  rejections: Rejection[];
}

export interface PodRow extends PodName {
  uid: string;
  queue?: QueueName;
  priority: number;
  since: string;
  attempts: number;
  plugins: string[];
  message?: string;
  nominatedNode?: string;
  node?: string;
  group: string;
  nextAttempt?: string;
}

export interface PodList extends Document {
  items: PodRow[];
  total: number;
  continue?: string;
}

export interface Placement {
  node: string;
  nodeExists: boolean;
  fits: boolean;
  chosen: boolean;
  whyNot?: string;
}

export interface RejectedNodes {
  nodes: number;
  plugin: string;
  code: string;
  reasons: string[];
  examples: string[];
  details: { text: string; nodes: number; examples: string[] }[];
}

export interface NodeScore {
  node: string;
  total: number;
  chosen: boolean;
  plugins: Record<string, number>;
}

export interface PreemptionCandidate {
  node: string;
  victims: string[];
  victimDetails: { pod: string; priority: number; breaksBudget: boolean }[];
  budgetViolations: number;
  chosen: boolean;
  whyNot?: string;
}

export interface Explanation {
  nodes: number;
  feasibleNodes: number;
  preFilter?: { plugin: string; message: string };
  rejected: RejectedNodes[];
  scores: NodeScore[];
  why?: string;
  preemption?: {
    eligible: boolean;
    priority: number;
    candidateNodes: number;
    candidates: PreemptionCandidate[];
  };
}

export interface Decision {
  outcome: "Fits" | "Preempts" | "Unschedulable" | "Error";
  bestNodeCount?: number;
  bestNodes?: string[];
  nominatedNode?: string;
  message?: string;
  rejectedBy?: string[];
  explanation: Explanation;
}

export interface FixStep {
  text: string;
  object: ObjectName;
  command?: string;
  remark?: string;
  patch?: { op: string; path: string; value?: unknown }[];
  create?: Record<string, unknown>;
}

export interface Fix {
  by: "author" | "administrator";
  changes: { kind: string; text: string; object: ObjectName }[];
  node: string;
  moves?: { pod: PodName; from: string; to: string }[];
  victims?: PodName[];
  similar: number;
  steps: FixStep[];
}

export interface Fixes {
  complete: boolean;
  decisions: number;
  list: Fix[];
}

export interface PodExplanation extends Document {
  pod: PodName;
  /** What decides, in words of the pod's author, without a full stop. */
  sentence: string;
  state: "Pending" | "Nominated" | "Gated" | "Waiting" | "Running" | "Succeeded" | "Failed";
  terminating: boolean;
  schedulerName: string;
  priority: number;
  workload?: ObjectName;
  node?: string;
  nominatedNode?: string;
  gates?: string[];
  permit?: string[];
  condition?: { status: string; reason?: string; message?: string; lastTransitionTime?: string };
  decision?: Decision;
  placement?: Placement;
  on?: Placement;
  fixes?: Fixes;
  notes: string[];
  leftOut?: { resource: string; reason: string }[];
}

export interface PodFixes extends Document {
  pod: PodName;
  revision: string;
  fixes: Fixes;
}

/** Node × plugin. `rejectedBy` holds the index of the first plugin that rejects a node, or -1. */
export interface PodMatrix extends Document {
  plugins: string[];
  reasons: string[];
  total: number;
  feasible: number;
  nodes: string[];
  rejectedBy: number[];
  reason: number[];
  weights: Record<string, number>;
  scores: Record<string, (number | null)[]>;
  totals: (number | null)[];
  continue?: string;
}

export type Outcome = "bound" | "assumed" | "unschedulable" | "nominated" | "error" | "waiting";

export interface Attempt extends PodName {
  sequence: number;
  time: string;
  uid: string;
  /** Its number among those of the pod. */
  attempt: number;
  outcome: Outcome;
  node?: string;
  message?: string;
  plugins: string[];
  groups: { plugin: string; reason: string; nodes: number }[];
  candidates: { node: string; score: number }[];
  victims: PodName[];
  victimCount: number;
  /** Absent if a search found the best node without counting the others. */
  evaluated?: number;
  feasible?: number;
  phases: Record<string, number>;
  wokenBy?: { event: string; object?: string; time: string };
  waitedFor: number;
  /** The plugins that had rejected or gated the pod before. */
  waitedOn?: string[];
}

export interface AttemptList extends Document {
  items: Attempt[];
  /** False if older attempts were dropped by the ledger's bounds. */
  complete: boolean;
  continue?: string;
}

export interface QueueGroup {
  group: string;
  queue: QueueName;
  plugins: string[];
  sentence?: string;
  message?: string;
  count: number;
  oldest: string;
  maxPriority: number;
  waitsFor: string[];
  example: PodName;
}

export interface QueueMove {
  from: QueueName | "new" | "bound" | "deleted";
  to: QueueName | "new" | "bound" | "deleted";
  count: number;
}

export interface QueueFlow {
  counts: QueueCounts;
  /** Moves between queues during the last `interval` seconds. */
  interval: number;
  moves: QueueMove[];
}

export interface PriorityRow {
  priority: number;
  className?: string;
  count: number;
  oldest: string;
  example: PodName;
}

export interface Queue extends Document, QueueFlow {
  /** Ages of the pods of each queue: counts[queue][i] are at most bounds[i] seconds old; the last has no bound. */
  ages: { bounds: number[]; counts: Record<QueueName, number[]> };
  groups: QueueGroup[];
  priorities: PriorityRow[];
  oldest: PodRow[];
}

export const lanes = ["bind", "status", "event", "delete"] as const;

export interface Activity extends Document {
  start: string;
  step: number;
  decisions: Record<string, number[]>;
  binds: number[];
  bindFailures: number[];
  preemptions: number[];
  latency: { bounds: number[]; counts: number[][] };
  reasons: Record<string, number[]>;
  apiCalls: Record<string, number[]>;
  queues: Record<QueueName, number[]>;
}

/** One step of Activity, as the event stream sends it. */
export interface ActivityStep {
  time: string;
  decisions: Record<string, number>;
  binds: number;
  bindFailures: number;
  preemptions: number;
  latency: number[];
  reasons: Record<string, number>;
  apiCalls: Record<string, number>;
  queues: QueueCounts;
}

/** Changed rows of the node map; rows are indexes of the map with the same generation. */
export interface NodeDelta {
  generation: number;
  reset?: boolean;
  rows: number[];
  pods: number[];
  assumed: number[];
  nominated: number[];
  flags: number[];
  requested: Record<string, number[]>;
}

export interface AttemptBatch {
  items: Attempt[];
  dropped: number;
}

export interface SearchResult extends Document {
  pods: { namespace: string; name: string; queue?: QueueName; node?: string }[];
  nodes: string[];
}

export interface Status {
  kind: "Status";
  status: "Failure";
  reason?: string;
  message?: string;
  code: number;
}
