// A node: who is here, what is left, and who was rejected here and why.
import { useMemo } from "preact/hooks";
import { type Node, type NodePod, nodeFlags, type Rejection } from "../api/types.ts";
import { formatAmount, formatCount, formatPercent, plural } from "../format.ts";
import { useGet, useLive, useServices, useThrottled } from "../state/hooks.ts";
import { formatRoute } from "../state/route.ts";
import { type Column, Table } from "../table/table.tsx";
import { Age, Bar, BarLegend, CopyButton, Empty, Panel, PodLink, Show, useColours } from "../ui/controls.tsx";

export function NodePage({ name }: { name: string }) {
  const { result, reload } = useGet<Node>(["nodes", name]);
  const refresh = useThrottled(reload, 4000);
  useLive("attempt", ({ items }) => {
    if (items.some((attempt) => attempt.node === name)) refresh();
  });
  return (
    <div class="pad stack">
      {!result.data && <h1 class="offscreen">Node {name}</h1>}
      <Show result={result} what={`node ${name}`} retry={reload} rows={10}>
        {(node) => <NodeView node={node} />}
      </Show>
    </div>
  );
}

const podStates = { bound: "Bound", assumed: "Assumed", nominated: "Nominated" } as const;

function NodeView({ node }: { node: Node }) {
  const { cluster } = useServices();
  const unitOf = useMemo(() => new Map(cluster.resources.map(({ name, unit }) => [name, unit])), [cluster]);
  const names = useMemo(() => {
    const known = cluster.resources.map(({ name }) => name).filter((name) => node.resources[name]);
    return [...known, ...Object.keys(node.resources).filter((name) => !unitOf.has(name))].filter(
      (name) => node.resources[name]!.allocatable > 0,
    );
  }, [cluster, node, unitOf]);
  const podColumns = useMemo(
    (): Column<NodePod>[] => [
      {
        key: "pod",
        label: "Pod",
        narrow: "main",
        value: (row) => `${row.namespace}/${row.name}`,
        render: (row) => <PodLink pod={row} />,
      },
      {
        key: "state",
        label: "State",
        narrow: true,
        value: (row) => podStates[row.state],
        render: (row) => <span class={`badge s-${row.state}`}>{podStates[row.state]}</span>,
      },
      { key: "priority", label: "Priority", numeric: true, value: (row) => row.priority },
      ...names
        .filter((name) => name !== "pods" && node.pods.some((pod) => pod.requests[name]))
        .map(
          (name): Column<NodePod> => ({
            key: name,
            label: name,
            numeric: true,
            value: (row) => row.requests[name] ?? null,
            render: (row) =>
              row.requests[name] ? (
                formatAmount(row.requests[name], unitOf.get(name) ?? "count")
              ) : (
                <span class="dim">–</span>
              ),
          }),
        ),
      {
        key: "since",
        label: "Here for",
        numeric: true,
        value: (row) => -Date.parse(row.since),
        json: (row) => row.since,
        render: (row) => <Age time={row.since} />,
      },
    ],
    [names, unitOf, node],
  );
  const rejectionColumns = useMemo(
    (): Column<Rejection>[] => [
      {
        key: "plugin",
        label: "Plugin",
        value: (row) => row.plugin,
        render: (row) => <span class="tag">{row.plugin}</span>,
      },
      { key: "reason", label: "Reason", wide: true, narrow: true, value: (row) => row.reason },
      { key: "attempts", label: "Attempts", numeric: true, narrow: true, value: (row) => row.count },
      {
        key: "last",
        label: "Last",
        numeric: true,
        value: (row) => Date.parse(row.last),
        json: (row) => row.last,
        render: (row) => <Age time={row.last} />,
      },
      {
        key: "examples",
        label: "Pods",
        value: (row) => row.examples.map((pod) => `${pod.namespace}/${pod.name}`).join(" "),
        json: (row) => row.examples,
        render: (row) => (
          <span class="list">
            {row.examples.slice(0, 2).map((pod) => (
              <PodLink key={pod.name} pod={pod} />
            ))}
          </span>
        ),
      },
    ],
    [],
  );
  const counts = { assumed: 0, nominated: 0, bound: 0 };
  for (const pod of node.pods) counts[pod.state]++;
  return (
    <>
      <header class="title">
        <div>
          <p class="kind">Node</p>
          <h1>{node.name}</h1>
          <p class="facts-line">
            {node.zone && <span>zone {node.zone}</span>}
            {node.rack && <span>rack {node.rack}</span>}
            {node.pool && <span>pool {node.pool}</span>}
            {node.flags & nodeFlags.notReady ? (
              <span class="badge bad">Not ready</span>
            ) : (
              <span class="badge good">Ready</span>
            )}
            {(node.flags & nodeFlags.unschedulable) !== 0 && <span class="badge warn">Cordoned</span>}
          </p>
        </div>
        <a class="button" href={formatRoute({ page: "cluster", query: { node: node.name } })}>
          Show on the map
        </a>
      </header>
      <div class="columns two-one">
        <Panel
          title="What is left"
          note={`${plural(node.pods.length, "pod")}: ${counts.bound} bound, ${counts.assumed} assumed, ${counts.nominated} nominated`}
        >
          <table class="left-table">
            <thead>
              <tr>
                <th scope="col">Resource</th>
                <th scope="col">
                  <span class="offscreen">Use</span>
                </th>
                <th scope="col" class="numeric">
                  Requested
                </th>
                <th scope="col" class="numeric">
                  Allocatable
                </th>
                <th scope="col" class="numeric">
                  Left
                </th>
              </tr>
            </thead>
            <tbody>
              {names.map((name) => {
                const { allocatable, requested } = node.resources[name]!;
                const unit = unitOf.get(name) ?? "count";
                return (
                  <tr key={name}>
                    <th scope="row">{name}</th>
                    <td class="bar-cell">
                      <Bar
                        ratio={requested / allocatable}
                        label={`${name}: ${formatPercent(requested / allocatable)} requested`}
                      />
                    </td>
                    <td class="numeric">
                      {formatAmount(requested, unit)}{" "}
                      <span class="dim share">{formatPercent(requested / allocatable)}</span>
                    </td>
                    <td class="numeric">{formatAmount(allocatable, unit)}</td>
                    <td class="numeric strong">{formatAmount(allocatable - requested, unit)}</td>
                  </tr>
                );
              })}
            </tbody>
          </table>
          <BarLegend colours={useColours} />
        </Panel>
        <Panel
          title="Labels and taints"
          tools={
            <CopyButton
              label="JSON"
              title="Copy labels and taints as JSON"
              text={() => JSON.stringify({ labels: node.labels, taints: node.taints }, null, 2)}
            />
          }
        >
          {node.taints.length > 0 && (
            <ul class="taints" aria-label="Taints">
              {node.taints.map((taint) => (
                <li key={taint}>
                  <a
                    class="tag warn"
                    href={formatRoute({ page: "cluster", query: { taint } })}
                    title="Show the nodes with this taint"
                  >
                    {taint}
                  </a>
                </li>
              ))}
            </ul>
          )}
          <dl class="labels">
            {Object.entries(node.labels)
              .sort(([a], [b]) => a.localeCompare(b))
              .map(([key, value]) => (
                <div key={key}>
                  <dt>{key}</dt>
                  <dd>{value}</dd>
                </div>
              ))}
          </dl>
        </Panel>
      </div>
      <Table
        id="here"
        label="Pods here"
        columns={podColumns}
        rows={node.pods}
        rowKey={(row) => `${row.namespace}/${row.name}`}
        maxRows={14}
        empty="No pod runs here."
      />
      {cluster.features.ledger ? (
        <Table
          id="rejected"
          label="Rejected here"
          columns={rejectionColumns}
          rows={node.rejections}
          rowKey={(row) => `${row.plugin} ${row.reason} ${row.examples[0]?.name ?? ""}`}
          defaultSort="-attempts"
          maxRows={12}
          empty="The ledger has no attempt that rejected this node."
        />
      ) : (
        <Empty title="Rejections are not known">
          This server keeps no ledger of attempts, so it cannot say which pods were rejected here (
          {formatCount(node.pods.length)} pods are here).
        </Empty>
      )}
    </>
  );
}
