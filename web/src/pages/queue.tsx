// The queue: what flows where, how long pods have been waiting, and what for.
import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import {
  type PodList,
  type PodRow,
  type PriorityRow,
  type Queue,
  type QueueFlow,
  type QueueGroup,
  type QueueName,
  queues,
} from "../api/types.ts";
import { heat } from "../charts/heat_map.tsx";
import { QueueDiagram } from "../charts/queue_flow.tsx";
import { asSentence, formatCount, formatShortDuration, plural } from "../format.ts";
import { colourOf, textOn } from "../map/colour.ts";
import { firstReason, reasonsOf } from "../reasons.ts";
import {
  asApiError,
  setQuery,
  useGet,
  useLive,
  useNarrow,
  useRoute,
  useServices,
  useThrottled,
} from "../state/hooks.ts";
import { podLink } from "../state/route.ts";
import { type Column, Table } from "../table/table.tsx";
import {
  Age,
  Empty,
  ErrorBox,
  NodeLink,
  Panel,
  Plugins,
  PodLink,
  QueueBadge,
  queueLabels,
  Show,
  Until,
} from "../ui/controls.tsx";
import { Icon } from "../ui/icons.tsx";

export function QueuePage() {
  const { result, reload } = useGet<Queue>(["queue"]);
  return (
    <div class="pad stack">
      <h1 class="offscreen">Queue</h1>
      <Show result={result} what="the queue" retry={reload} rows={10}>
        {(queue) => <Queues queue={queue} reload={reload} />}
      </Show>
    </div>
  );
}

function Queues({ queue, reload }: { queue: Queue; reload: () => void }) {
  const { query } = useRoute();
  const [flow, setFlow] = useState<QueueFlow>(queue);
  useEffect(() => setFlow(queue), [queue]);
  // Counts and moves arrive with events; groups and ages are fetched again now and then.
  const refresh = useThrottled(reload, 5000);
  useLive("queue", (event) => {
    setFlow(event);
    refresh();
  });
  const selected = queues.includes(query.queue as QueueName) ? (query.queue as QueueName) : undefined;
  const group = query.group;
  const narrow = useNarrow();
  const total = queues.reduce((sum, name) => sum + flow.counts[name], 0);
  return (
    <>
      <div class="columns two-one">
        <Panel
          title="Queue"
          note={total === 0 ? "no pod is waiting" : `${formatCount(total)} pods without a node`}
        >
          <QueueDiagram
            narrow={narrow}
            flow={flow}
            selected={selected ?? ""}
            onSelect={(name) => setQuery({ queue: name === selected ? "" : name, group: "" })}
          />
        </Panel>
        <Ages queue={queue} />
      </div>
      {total === 0 && queue.groups.length === 0 ? (
        <Empty title="Every pod has a node">Pods appear here while they wait for one.</Empty>
      ) : (
        <>
          <Groups groups={queue.groups} selected={selected} group={group} />
          {queue.groups
            .filter((entry) => entry.group === group && (!selected || entry.queue === selected))
            .map((entry) => (
              <GroupFacts key={`${entry.queue} ${entry.message}`} group={entry} />
            ))}
          {selected || group ? (
            <Pods key={`${selected} ${group}`} queue={selected} group={group} />
          ) : (
            <div class="columns two-one">
              <Oldest rows={queue.oldest} />
              <Priorities rows={queue.priorities} />
            </div>
          )}
        </>
      )}
    </>
  );
}

/** What decides about a group, or what it waits for in a few words. */
export function groupReason({ sentence, message, queue, waitsFor }: QueueGroup): string {
  if (sentence) return asSentence(sentence);
  if (message) return firstReason(message);
  return queue === "active" || queue === "inFlight" ? "" : `waits for ${waitsFor.join(", ")}`;
}

/** All that is known of a group, above its pods. */
function GroupFacts({ group }: { group: QueueGroup }) {
  const reasons = reasonsOf(group.message ?? "");
  const facts = {
    "Rejected by": group.plugins.length > 0 && <Plugins names={group.plugins} all />,
    Reasons: reasons.length > 0 && (
      <ul>
        {reasons.map(({ nodes, text }) => (
          <li key={text}>
            {nodes !== undefined && <b class="tabular">{formatCount(nodes)}</b>} {text}
          </li>
        ))}
      </ul>
    ),
    "Waits for": group.waitsFor.join(", "),
  };
  return (
    <Panel title={group.group} note={`${plural(group.count, "pod")} · ${queueLabels[group.queue]}`}>
      <dl class="facts-list">
        {Object.entries(facts).map(
          ([label, value]) =>
            value && (
              <div key={label}>
                <dt>{label}</dt>
                <dd>{value}</dd>
              </div>
            ),
        )}
      </dl>
    </Panel>
  );
}

function Groups({
  groups,
  selected,
  group,
}: {
  groups: QueueGroup[];
  selected: QueueName | undefined;
  group: string | undefined;
}) {
  const rows = useMemo(
    () => (selected ? groups.filter((entry) => entry.queue === selected) : groups),
    [groups, selected],
  );
  const columns = useMemo(
    (): Column<QueueGroup>[] => [
      {
        key: "group",
        label: "Group",
        narrow: "main",
        value: (row) => row.group,
        render: (row) => (
          <button
            type="button"
            class="as-link"
            title={`Show the pods of ${row.group}`}
            onClick={() => setQuery({ group: row.group, queue: row.queue }, true)}
          >
            {row.group}
          </button>
        ),
      },
      {
        key: "queue",
        label: "Queue",
        value: (row) => queueLabels[row.queue],
        render: (row) => <QueueBadge queue={row.queue} />,
      },
      { key: "pods", label: "Pods", numeric: true, narrow: true, value: (row) => row.count },
      {
        key: "oldest",
        label: "Oldest",
        numeric: true,
        narrow: true,
        value: (row) => -Date.parse(row.oldest),
        json: (row) => row.oldest,
        render: (row) => (
          <a href={podLink(row.example)} title={`${row.example.namespace}/${row.example.name}`}>
            <Age time={row.oldest} />
          </a>
        ),
      },
      { key: "priority", label: "Priority", numeric: true, value: (row) => row.maxPriority },
      {
        key: "reason",
        label: "Reason",
        wide: 3,
        value: groupReason,
        json: ({ message, plugins, waitsFor }) => ({ message, plugins, waitsFor }),
        text: (row) => [row.message, ...row.plugins, ...row.waitsFor].join(" "),
        title: ({ message }) => message ?? "",
      },
    ],
    [],
  );
  return (
    <Table
      id="groups"
      label={selected ? `Groups: ${queueLabels[selected]}` : "Groups"}
      columns={columns}
      rows={rows}
      rowKey={(row) => `${row.queue} ${row.group}`}
      selected={group ?? ""}
      maxRows={15}
      empty="No group is waiting."
    />
  );
}

function Ages({ queue }: { queue: Queue }) {
  const { theme } = useServices();
  const { bounds, counts } = queue.ages;
  const largest = Math.max(1, ...queues.flatMap((name) => counts[name] ?? []));
  const labels = [
    ...bounds.map((bound) => `≤ ${formatShortDuration(bound)}`),
    `> ${formatShortDuration(bounds.at(-1) ?? 0)}`,
  ];
  return (
    <Panel title="Ages" note="pods by time since they were created or last bound">
      <table class="heat-table">
        <thead>
          <tr>
            <th scope="col">
              <span class="offscreen">Queue</span>
            </th>
            {labels.map((label) => (
              <th key={label} scope="col" class="numeric">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {queues.map((name) => (
            <tr key={name}>
              <th scope="row">{queueLabels[name]}</th>
              {labels.map((label, i) => {
                const count = counts[name]?.[i] ?? 0;
                const value = heat(count, largest);
                return (
                  <td
                    key={label}
                    style={
                      count > 0 ? { background: colourOf(value, theme), color: textOn(value, theme) } : {}
                    }
                  >
                    {count > 0 ? formatCount(count) : <span class="dim">·</span>}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  );
}

// The PriorityClasses that every cluster has.
const systemClasses: Record<number, string> = {
  2000001000: "system-node-critical",
  2000000000: "system-cluster-critical",
};

function Priorities({ rows }: { rows: PriorityRow[] }) {
  const columns = useMemo(
    (): Column<PriorityRow>[] => [
      { key: "priority", label: "Priority", numeric: true, narrow: true, value: (row) => row.priority },
      {
        key: "class",
        label: "Class",
        value: (row) => row.className ?? systemClasses[row.priority],
      },
      { key: "pods", label: "Pods", numeric: true, narrow: true, value: (row) => row.count },
      {
        key: "oldest",
        label: "Oldest",
        numeric: true,
        value: (row) => -Date.parse(row.oldest),
        json: (row) => row.oldest,
        render: (row) => <Age time={row.oldest} />,
      },
      {
        key: "pod",
        label: "Oldest pod",
        wide: true,
        narrow: true,
        value: (row) => `${row.example.namespace}/${row.example.name}`,
        render: (row) => <PodLink pod={row.example} />,
      },
    ],
    [],
  );
  return (
    <Table
      id="priorities"
      label="Oldest by priority"
      columns={columns}
      rows={rows}
      rowKey={(row) => String(row.priority)}
      defaultSort="-priority"
      maxRows={8}
    />
  );
}

const podColumns: Column<PodRow>[] = [
  {
    key: "pod",
    label: "Pod",
    narrow: "main",
    value: (row) => `${row.namespace}/${row.name}`,
    render: (row) => <PodLink pod={row} />,
  },
  {
    key: "queue",
    label: "Queue",
    value: (row) => (row.queue ? queueLabels[row.queue] : ""),
    render: (row) => <QueueBadge queue={row.queue} />,
  },
  {
    key: "age",
    label: "Age",
    numeric: true,
    narrow: true,
    value: (row) => -Date.parse(row.since),
    json: (row) => row.since,
    render: (row) => <Age time={row.since} />,
  },
  { key: "priority", label: "Priority", numeric: true, value: (row) => row.priority },
  { key: "attempts", label: "Attempts", numeric: true, value: (row) => row.attempts },
  {
    key: "next",
    label: "Next attempt",
    numeric: true,
    value: (row) => (row.nextAttempt ? Date.parse(row.nextAttempt) : null),
    json: (row) => row.nextAttempt,
    render: (row) => (row.nextAttempt ? <Until time={row.nextAttempt} /> : <span class="dim">–</span>),
  },
  {
    key: "nominated",
    label: "Nominated",
    value: (row) => row.nominatedNode,
    render: (row) => (row.nominatedNode ? <NodeLink name={row.nominatedNode} /> : <span class="dim">–</span>),
  },
  {
    key: "reason",
    label: "Reason",
    wide: 2,
    value: (row) => firstReason(row.message ?? ""),
    json: ({ message, plugins, group }) => ({ message, plugins, group }),
    text: (row) => [row.message, row.group, ...row.plugins].join(" "),
    title: (row) => row.message ?? "",
  },
];
// Beside another table there is room for less.
const oldestColumns = podColumns.filter(({ key }) => !["next", "nominated"].includes(key));

function Oldest({ rows }: { rows: PodRow[] }) {
  return (
    <Table
      id="oldest"
      label="Oldest pods"
      columns={oldestColumns}
      rows={rows}
      rowKey={(row) => row.uid}
      maxRows={14}
    />
  );
}

function Pods({ queue, group }: { queue: QueueName | undefined; group: string | undefined }) {
  const { client } = useServices();
  const { result, reload } = useGet<PodList>(["pods"], { queue, group, limit: 500 });
  const [more, setMore] = useState<
    { items: PodRow[]; token: string | undefined; error?: unknown } | undefined
  >();
  const items = useMemo(() => [...(result.data?.items ?? []), ...(more?.items ?? [])], [result.data, more]);
  const token = more ? more.token : result.data?.continue;
  const loadMore = useCallback(() => {
    client.get<PodList>(["pods"], { queue, group, limit: 2000, continue: token }).then(
      (page) => setMore((old) => ({ items: [...(old?.items ?? []), ...page.items], token: page.continue })),
      (error: unknown) => setMore((old) => ({ items: old?.items ?? [], token, error })),
    );
  }, [client, queue, group, token]);
  const title = group ? `Pods of ${group}` : queue ? `Pods: ${queueLabels[queue]}` : "Pods";
  return (
    <>
      {more?.error !== undefined && <ErrorBox error={asApiError(more.error)} retry={loadMore} />}
      <Show result={result} what="pods" retry={reload}>
        {(list) => (
          <Table
            id="pods"
            label={title}
            columns={podColumns}
            rows={items}
            rowKey={(row) => row.uid}
            total={list.total}
            maxRows={18}
            more={token ? loadMore : undefined}
            empty="No pod is here now."
            tools={
              <button
                type="button"
                class="button quiet"
                onClick={() => setQuery({ queue: "", group: "" }, true)}
              >
                <Icon name="close" /> Close
              </button>
            }
          />
        )}
      </Show>
    </>
  );
}
