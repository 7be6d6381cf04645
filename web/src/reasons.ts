// Why a pod has no node, from kube-scheduler's message: the reason that says most comes first.

export interface Reason {
  text: string;
  /** How many nodes have it; absent if it is not about nodes. */
  nodes?: number;
}

// Later filters judge nodes that earlier ones let pass, so what they say is about the pod and not about the node: that a
// node lacks a GPU says more than that others are cordoned.
const general = [
  /were unschedulable/,
  /untolerated taint/,
  /is not found|not ready/,
  /didn't match .*(affinity|selector)/,
];

function rank(text: string): number {
  const found = general.findIndex((pattern) => pattern.test(text));
  return found < 0 ? general.length : found;
}

/** Splits "0/5 nodes are available: 3 Insufficient cpu, 2 node(s) were unschedulable. preemption: …". */
export function reasonsOf(message: string): Reason[] {
  const match = /^0\/\d+ nodes are available: (.*)$/s.exec(message);
  if (!match) return message.trim() === "" ? [] : [{ text: message.trim() }];
  // After the first full stop PostFilter plugins say why they do not help, such as "preemption: 0/5 nodes are …".
  const text = match[1]!.replace(/\.(\s.*)?$/s, "");
  const reasons = text.split(/, (?=\d+ )/).map((part): Reason => {
    const [, nodes, reason] = /^(\d+) (.*)$/s.exec(part) ?? [];
    return reason === undefined ? { text: part } : { text: reason, nodes: Number(nodes) };
  });
  return reasons.sort((a, b) => rank(b.text) - rank(a.text) || (b.nodes ?? 0) - (a.nodes ?? 0));
}

/** The first reason, with the nodes that it holds for. */
export function firstReason(message: string): string {
  const [first] = reasonsOf(message);
  if (!first) return "";
  const text = first.text.replace(/^node\(s\) /, "");
  if (first.nodes === undefined) return text;
  return `${text} (${first.nodes} ${first.nodes === 1 ? "node" : "nodes"})`;
}
