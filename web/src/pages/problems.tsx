// What is wrong in the cluster, beside the map: groups of pods without a node, why, and what would let one run.
import { useEffect, useState } from "preact/hooks";
import type { PodFixes, Queue, QueueGroup, QueueName } from "../api/types.ts";
import { formatCount, plural } from "../format.ts";
import { useGet, useLive, useNarrow, useServices, useThrottled } from "../state/hooks.ts";
import { formatRoute, podLink } from "../state/route.ts";
import { Age, queueLabels, Show } from "../ui/controls.tsx";
import { groupReason } from "./queue.tsx";

/** How many groups are listed; on phones the map follows below them. */
const most = 8;
const mostOnPhones = 4;
// Pods that are about to be tried are no problem.
const order: QueueName[] = ["unschedulable", "backoff", "gated", "waiting"];

export function problemsOf(groups: readonly QueueGroup[]): QueueGroup[] {
  return groups
    .filter(({ queue }) => order.includes(queue))
    .sort((a, b) => order.indexOf(a.queue) - order.indexOf(b.queue) || b.count - a.count);
}

const keyOf = ({ group, queue, message }: QueueGroup) => `${queue} ${group} ${message ?? ""}`;

/** The first fix of each group's example by its key, looked for one after another: each is a search at the server. */
function useFirstFixes(groups: readonly QueueGroup[]): ReadonlyMap<string, string> {
  const { client, cluster } = useServices();
  const [fixes, setFixes] = useState<ReadonlyMap<string, string>>(new Map());
  const next = cluster.features.whatIf
    ? groups.find((group) => group.queue === "unschedulable" && !fixes.has(keyOf(group)))
    : undefined;
  const key = next && keyOf(next);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the group
  useEffect(() => {
    if (!next || !key) return;
    const controller = new AbortController();
    const { namespace, name } = next.example;
    client.get<PodFixes>(["pods", namespace, name, "fixes"], {}, controller.signal).then(
      ({ fixes: { list, complete } }) => {
        const text = list[0]?.changes.map((change) => change.text).join(", and ");
        const none = complete ? "no change that Berth tries lets it run" : "none was found so far";
        setFixes((old) => new Map(old).set(key, text ?? none));
      },
      () => {
        if (!controller.signal.aborted) setFixes((old) => new Map(old).set(key, ""));
      },
    );
    return () => controller.abort();
  }, [client, key]);
  return fixes;
}

export function Problems() {
  const { result, reload } = useGet<Queue>(["queue"]);
  const refresh = useThrottled(reload, 5000);
  useLive("queue", refresh);
  return (
    <section class="problems" aria-label="Pods without a node">
      <Show result={result} what="the pending pods" retry={reload} rows={3}>
        {(queue) => <List groups={problemsOf(queue.groups)} />}
      </Show>
    </section>
  );
}

function List({ groups }: { groups: QueueGroup[] }) {
  const shown = groups.slice(0, useNarrow() ? mostOnPhones : most);
  const fixes = useFirstFixes(shown);
  const pods = groups.reduce((sum, { count }) => sum + count, 0);
  if (pods === 0)
    return (
      <>
        <h2>Nothing is pending</h2>
        <p class="dim">Every pod has a node, or is about to be tried.</p>
      </>
    );
  return (
    <>
      <h2 class="bad">{plural(pods, "pod")} without a node</h2>
      <ul>
        {shown.map((group) => (
          <li key={keyOf(group)}>
            <p class="head">
              <a
                href={podLink(group.example)}
                title={`Why ${group.example.namespace}/${group.example.name} has no node`}
              >
                {group.group}
              </a>
              <span class="dim tabular">
                {group.count > 1 && <>{formatCount(group.count)} pods · </>}
                <Age time={group.oldest} />
              </span>
            </p>
            <p title={group.message ?? ""}>
              {group.queue !== "unschedulable" && <b>{queueLabels[group.queue]}: </b>}
              {groupReason(group)}
            </p>
            {fixes.get(keyOf(group)) && (
              <p class="fix">
                <b>Fix:</b> {fixes.get(keyOf(group))}
              </p>
            )}
          </li>
        ))}
      </ul>
      {groups.length > shown.length && (
        <p>
          <a href={formatRoute({ page: "queue" })}>
            {plural(groups.length - shown.length, "more group")} in the queue
          </a>
        </p>
      )}
    </>
  );
}
