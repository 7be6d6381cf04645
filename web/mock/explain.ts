// Explanations, matrices and attempts of the mock's pods, in the form of docs/schema/why.schema.json.
import type {
  Attempt,
  Decision,
  Explanation,
  NodeScore,
  PodExplanation,
  PodMatrix,
  RejectedNodes,
} from "../src/api/types.ts";
import { firstReason } from "../src/reasons.ts";
import type { Nodes } from "./nodes.ts";
import { filterPlugins, type PendingPod } from "./pods.ts";
import { hash, Random } from "./random.ts";

export const weights: Record<string, number> = {
  TaintToleration: 3,
  NodeAffinity: 2,
  PodTopologySpread: 2,
  InterPodAffinity: 2,
  NodeResourcesFit: 1,
  NodeResourcesBalancedAllocation: 1,
  VolumeBinding: 1,
  ImageLocality: 1,
};

interface Judged {
  plugin: string;
  reason: string;
  detail?: string;
}

function judge(nodes: Nodes, pod: PendingPod, row: number): Judged | undefined {
  if (nodes.flags[row]! & 1) return { plugin: "NodeUnschedulable", reason: "node(s) were unschedulable" };
  if (nodes.flags[row]! & 2) {
    return {
      plugin: "TaintToleration",
      reason: "node(s) had untolerated taint(s)",
      detail: "taint node.kubernetes.io/not-ready:NoExecute",
    };
  }
  const taint = nodes.poolTaints(row).find((text) => !pod.kind.tolerates.includes(text));
  if (taint)
    return {
      plugin: "TaintToleration",
      reason: "node(s) had untolerated taint(s)",
      detail: `taint ${taint}`,
    };
  return pod.kind.judge?.(nodes, row, new Random(hash(pod.name, row)));
}

function scoresOf(nodes: Nodes, pod: { name: string }, row: number): NodeScore {
  const random = new Random(hash(pod.name, "score", row));
  const free = 1 - nodes.requested.cpu![row]! / nodes.allocatable.cpu![row]!;
  const plugins: Record<string, number> = {
    TaintToleration: 300,
    NodeAffinity: random.next() < 0.4 ? 200 : 0,
    PodTopologySpread: 2 * Math.round(60 + random.next() * 40),
    InterPodAffinity: random.next() < 0.2 ? 120 : 0,
    NodeResourcesFit: Math.round(100 * free),
    NodeResourcesBalancedAllocation: Math.round(70 + 30 * random.next()),
    VolumeBinding: 0,
    ImageLocality: random.next() < 0.5 ? random.below(60) : 0,
  };
  const total = Object.values(plugins).reduce((a, b) => a + b, 0);
  return { node: nodes.names[row]!, total, chosen: false, plugins };
}

function candidates(nodes: Nodes, pod: { name: string }, count: number): NodeScore[] {
  const random = new Random(hash(pod.name, "candidates"));
  const found: NodeScore[] = [];
  for (let i = 0; i < 200 && found.length < count * 3; i++) {
    const row = random.below(nodes.count);
    if (nodes.flags[row] === 0 && !found.some(({ node }) => node === nodes.names[row]))
      found.push(scoresOf(nodes, pod, row));
  }
  found.sort((a, b) => b.total - a.total);
  if (found[0]) found[0].chosen = true;
  return found.slice(0, count);
}

function rejections(nodes: Nodes, pod: PendingPod): { groups: RejectedNodes[]; feasible: number } {
  const groups = new Map<string, RejectedNodes & { byDetail: Map<string, string[]> }>();
  let feasible = 0;
  for (let row = 0; row < nodes.count; row++) {
    const verdict = judge(nodes, pod, row);
    if (!verdict) {
      feasible++;
      continue;
    }
    const key = `${verdict.plugin}\0${verdict.reason}`;
    let group = groups.get(key);
    if (!group) {
      const resolvable = [
        "NodeResourcesFit",
        "NodePorts",
        "InterPodAffinity",
        "PodTopologySpread",
        "DynamicResources",
      ];
      group = {
        nodes: 0,
        plugin: verdict.plugin,
        code: resolvable.includes(verdict.plugin) ? "Unschedulable" : "UnschedulableAndUnresolvable",
        reasons: [verdict.reason],
        examples: [],
        details: [],
        byDetail: new Map(),
      };
      groups.set(key, group);
    }
    group.nodes++;
    const name = nodes.names[row]!;
    if (group.examples.length < 3) group.examples.push(name);
    if (verdict.detail) {
      const list = group.byDetail.get(verdict.detail);
      if (list) list.push(name);
      else group.byDetail.set(verdict.detail, [name]);
    }
  }
  const list = [...groups.values()]
    .sort((a, b) => b.nodes - a.nodes)
    .map(({ byDetail, ...group }) => ({
      ...group,
      details: [...byDetail]
        .sort((a, b) => b[1].length - a[1].length)
        .slice(0, 5)
        .map(([text, names]) => ({ text, nodes: names.length, examples: names.slice(0, 3) })),
    }));
  return { groups: list, feasible };
}

function sentenceOf(pod: PendingPod, state: PodExplanation["state"], message?: string): string {
  const { gates, permit } = pod.kind;
  if (state === "Gated")
    return `It waits until its scheduling gate ${gates?.join(", ")} is removed, by the controller that added it`;
  if (state === "Waiting") return `It has a node, and waits at Permit for ${permit?.join(", ")}`;
  if (state === "Nominated") return `It fits on ${pod.nominatedNode} once its victims are gone`;
  return message
    ? `No node has what it needs: ${firstReason(message)}`
    : "It fits, and waits for its scheduler";
}

export class Explainer {
  private readonly cache = new Map<string, { groups: RejectedNodes[]; feasible: number }>();

  constructor(private readonly nodes: Nodes) {}

  rejected(pod: PendingPod) {
    let found = this.cache.get(pod.kind.workload);
    if (!found) {
      found = rejections(this.nodes, pod);
      this.cache.set(pod.kind.workload, found);
    }
    return found;
  }

  message(pod: PendingPod): string | undefined {
    if (pod.kind.message) return pod.kind.message;
    if (!pod.kind.judge) return undefined;
    const { groups } = this.rejected(pod);
    const parts = groups.map((group) => `${group.nodes} ${group.reasons[0]}`).join(", ");
    return `0/${this.nodes.count} nodes are available: ${parts}. preemption: 0/${this.nodes.count} nodes are available: ${this.nodes.count} Preemption is not helpful for scheduling.`;
  }

  plugins(pod: PendingPod): string[] {
    if (!pod.kind.judge) return pod.kind.queue === "backoff" ? ["DefaultBinder"] : [];
    return [...new Set(this.rejected(pod).groups.map((group) => group.plugin))];
  }

  private decision(pod: PendingPod): Decision {
    const { groups, feasible } = pod.kind.judge
      ? this.rejected(pod)
      : { groups: [], feasible: this.nodes.count };
    const explanation: Explanation = {
      nodes: this.nodes.count,
      feasibleNodes: feasible,
      rejected: groups,
      scores: [],
    };
    if (feasible > 0) {
      explanation.scores = candidates(this.nodes, pod, 8);
      explanation.why = `scores ${explanation.scores[0]!.total}, more than any other node`;
      const best = explanation.scores.map(({ node }) => node).slice(0, 1);
      return { outcome: "Fits", bestNodeCount: 1, bestNodes: best, explanation };
    }
    explanation.preemption = { eligible: true, priority: pod.priority, candidateNodes: 0, candidates: [] };
    const message = this.message(pod) ?? "";
    if (pod.kind.nominated && pod.nominatedNode) {
      const others = candidates(this.nodes, { name: `${pod.name}p` }, 3);
      explanation.preemption.candidateNodes = 37;
      explanation.preemption.candidates = [pod.nominatedNode, ...others.map(({ node }) => node)].map(
        (node, i) => ({
          node,
          victims: [`batch/report-${i}x`, `batch/worker-${i}y`],
          victimDetails: [
            { pod: `batch/report-${i}x`, priority: 0, breaksBudget: false },
            { pod: `batch/worker-${i}y`, priority: i * 10, breaksBudget: i === 2 },
          ],
          budgetViolations: i === 2 ? 1 : 0,
          chosen: i === 0,
          ...(i === 0
            ? {}
            : { whyNot: i === 2 ? "violates a PodDisruptionBudget" : "a victim has a higher priority" }),
        }),
      );
      return {
        outcome: "Preempts",
        nominatedNode: pod.nominatedNode,
        message,
        rejectedBy: this.plugins(pod),
        explanation,
      };
    }
    return {
      outcome: "Unschedulable",
      bestNodeCount: 0,
      bestNodes: [],
      message,
      rejectedBy: this.plugins(pod),
      explanation,
    };
  }

  explain(pod: PendingPod): PodExplanation {
    const { kind } = pod;
    const states = { gated: "Gated", waiting: "Waiting" } as const;
    const state = kind.nominated
      ? "Nominated"
      : kind.queue === "gated" || kind.queue === "waiting"
        ? states[kind.queue]
        : "Pending";
    const message = this.message(pod);
    const decision = state === "Waiting" ? undefined : this.decision(pod);
    const waitsAt = state === "Waiting" ? candidates(this.nodes, pod, 1)[0]?.node : undefined;
    return {
      apiVersion: "berth.dev/v1",
      kind: "PodExplanation",
      pod: { namespace: pod.namespace, name: pod.name, uid: pod.uid },
      sentence: sentenceOf(pod, state, message),
      state,
      terminating: false,
      schedulerName: "default-scheduler",
      priority: pod.priority,
      workload: {
        apiVersion: ["Job", "CronJob"].includes(kind.owner) ? "batch/v1" : "apps/v1",
        kind: kind.owner,
        namespace: pod.namespace,
        name: kind.workload,
      },
      ...(waitsAt ? { node: waitsAt } : {}),
      ...(pod.nominatedNode ? { nominatedNode: pod.nominatedNode } : {}),
      ...(kind.gates ? { gates: kind.gates } : {}),
      ...(kind.permit ? { permit: kind.permit } : {}),
      ...(message
        ? {
            condition: {
              status: "False",
              reason: kind.gates ? "SchedulingGated" : "Unschedulable",
              message,
              lastTransitionTime: pod.since,
            },
          }
        : {}),
      ...(decision ? { decision } : {}),
      notes: [],
    };
  }

  fixes(pod: PendingPod) {
    const list = pod.kind.fixes(this.nodes, pod);
    return { complete: pod.kind.workload !== "checkout", decisions: 214 + list.length * 90, list };
  }

  tryFix(pod: PendingPod, index: number): PodExplanation | undefined {
    const fix = this.fixes(pod).list[index - 1];
    if (!fix) return undefined;
    const scores = candidates(this.nodes, pod, 4).map((score) => ({ ...score, chosen: false }));
    const row = this.nodes.names.indexOf(fix.node);
    const chosen =
      row >= 0
        ? scoresOf(this.nodes, pod, row)
        : { node: fix.node, total: 560, plugins: { NodeResourcesFit: 100 }, chosen: true };
    const base = this.explain(pod);
    const rejected = this.rejected(pod).groups;
    const preempts = (fix.victims?.length ?? 0) > 0;
    return {
      ...base,
      sentence: `It fits on ${fix.node}`,
      decision: {
        outcome: preempts ? "Preempts" : "Fits",
        ...(preempts ? { nominatedNode: fix.node } : { bestNodeCount: 1, bestNodes: [fix.node] }),
        explanation: {
          nodes: this.nodes.count,
          feasibleNodes: preempts ? 0 : 1,
          rejected: rejected.map((group, i) =>
            i === 0 ? { ...group, nodes: Math.max(1, group.nodes - 1) } : group,
          ),
          scores: preempts
            ? []
            : [{ ...chosen, chosen: true }, ...scores.filter(({ node }) => node !== fix.node).slice(0, 0)],
          why: preempts ? "its victims are evicted first" : "it is the only node that fits",
        },
      },
    };
  }

  /** Explanation of a pod that runs on the node of `row`. */
  running(namespace: string, name: string, row: number): PodExplanation {
    const scores = candidates(this.nodes, { name }, 6);
    const own = scoresOf(this.nodes, { name }, row);
    const best = scores[0]!;
    const chosen = own.total >= best.total;
    return {
      apiVersion: "berth.dev/v1",
      kind: "PodExplanation",
      pod: { namespace, name, uid: `uid-${name}` },
      sentence: `It runs on ${this.nodes.names[row]!}`,
      state: "Running",
      terminating: false,
      schedulerName: "default-scheduler",
      priority: 0,
      workload: {
        apiVersion: "apps/v1",
        kind: "Deployment",
        namespace,
        name: name.replace(/-[^-]*-[^-]*$/, ""),
      },
      node: this.nodes.names[row]!,
      condition: { status: "True" },
      decision: {
        outcome: "Fits",
        bestNodeCount: 1,
        bestNodes: [chosen ? own.node : best.node],
        explanation: {
          nodes: this.nodes.count,
          feasibleNodes: Math.round(this.nodes.count * 0.61),
          rejected: [
            {
              nodes: Math.round(this.nodes.count * 0.24),
              plugin: "TaintToleration",
              code: "UnschedulableAndUnresolvable",
              reasons: ["node(s) had untolerated taint(s)"],
              examples: this.nodes.names.slice(0, 3),
              details: [],
            },
            {
              nodes: Math.round(this.nodes.count * 0.15),
              plugin: "NodeResourcesFit",
              code: "Unschedulable",
              reasons: ["Insufficient cpu"],
              examples: this.nodes.names.slice(5, 8),
              details: [],
            },
          ],
          scores: [
            { ...own, chosen },
            ...scores.map((score) => ({ ...score, chosen: !chosen && score === best })),
          ].sort((a, b) => b.total - a.total),
        },
      },
      placement: {
        node: own.node,
        nodeExists: true,
        fits: true,
        chosen,
        ...(chosen
          ? {}
          : {
              whyNot: `scores ${own.total}, ${best.total - own.total} less than ${best.node}: NodeResourcesFit −${Math.abs(best.total - own.total)}`,
            }),
      },
      notes: [],
    };
  }

  matrix(pod: PendingPod | { name: string; kind?: undefined }, first: number, limit: number): PodMatrix {
    const { nodes } = this;
    const last = Math.min(nodes.count, first + limit);
    const reasons: string[] = [];
    const matrix: PodMatrix = {
      apiVersion: "berth.dev/v1",
      kind: "PodMatrix",
      plugins: filterPlugins,
      reasons,
      total: nodes.count,
      feasible: pod.kind ? this.rejected(pod as PendingPod).feasible : nodes.count,
      nodes: nodes.names.slice(first, last),
      rejectedBy: [],
      reason: [],
      weights,
      scores: Object.fromEntries(Object.keys(weights).map((name) => [name, []])),
      totals: [],
      ...(last < nodes.count ? { continue: String(last) } : {}),
    };
    for (let row = first; row < last; row++) {
      const verdict = pod.kind
        ? judge(nodes, pod as PendingPod, row)
        : nodes.flags[row]
          ? { plugin: "TaintToleration", reason: "node(s) had untolerated taint(s)" }
          : undefined;
      if (verdict) {
        let reason = reasons.indexOf(verdict.reason);
        if (reason < 0) reason = reasons.push(verdict.reason) - 1;
        matrix.rejectedBy.push(filterPlugins.indexOf(verdict.plugin));
        matrix.reason.push(reason);
        for (const list of Object.values(matrix.scores)) list.push(null);
        matrix.totals.push(null);
      } else {
        matrix.rejectedBy.push(-1);
        matrix.reason.push(-1);
        const score = scoresOf(nodes, pod, row);
        for (const [name, list] of Object.entries(matrix.scores)) list.push(score.plugins[name] ?? 0);
        matrix.totals.push(score.total);
      }
    }
    return matrix;
  }

  attempts(pod: PendingPod, now: number): Attempt[] {
    const random = new Random(hash(pod.name, "attempts"));
    const start = Date.parse(pod.since);
    const groups = pod.kind.judge
      ? this.rejected(pod).groups.map((group) => ({
          plugin: group.plugin,
          reason: group.reasons[0]!,
          nodes: group.nodes,
        }))
      : [];
    const list: Attempt[] = [];
    let time = start + 20;
    for (let i = 0; i < pod.attempts; i++) {
      const outcome =
        pod.kind.nominated && i === pod.attempts - 1
          ? "nominated"
          : pod.kind.queue === "waiting"
            ? "waiting"
            : pod.kind.queue === "backoff"
              ? "error"
              : "unschedulable";
      const filter = random.between(0.0002, 0.004);
      const message = this.message(pod);
      list.push({
        sequence: 1000 + i * 37 + (hash(pod.name) % 30),
        time: new Date(Math.min(now - 50, time)).toISOString(),
        namespace: pod.namespace,
        name: pod.name,
        uid: pod.uid,
        attempt: i + 1,
        outcome,
        ...(pod.nominatedNode && outcome === "nominated" ? { node: pod.nominatedNode } : {}),
        ...(message ? { message } : {}),
        plugins: this.plugins(pod),
        groups,
        candidates: [],
        victims:
          outcome === "nominated"
            ? [
                { namespace: "batch", name: "report-0x" },
                { namespace: "batch", name: "worker-0y" },
              ]
            : [],
        victimCount: outcome === "nominated" ? 2 : 0,
        evaluated: this.nodes.count,
        feasible: 0,
        phases: {
          preFilter: random.between(0.00001, 0.0001),
          filter,
          postFilter: random.between(0.0001, 0.003),
        },
        ...(i > 0
          ? {
              wokenBy: {
                event: random.pick(pod.kind.waitsFor),
                object: random.pick(["shop/web-7xk", "node-a-00017", "data/redis-1"]),
                time: new Date(time - 300).toISOString(),
              },
            }
          : {}),
        waitedFor: i === 0 ? 0.02 : random.between(1, 60),
      });
      const step = (now - start) / Math.max(1, pod.attempts);
      time += step * random.between(0.5, 1.05);
    }
    return list.reverse();
  }
}
