// What the scheduler does: rates, latency, reasons, API calls and the latest attempts.
import { useEffect, useMemo, useState } from "preact/hooks";
import {
  type Activity,
  type Attempt,
  type AttemptList,
  lanes,
  type QueueName,
  queues,
} from "../api/types.ts";
import { HeatMap } from "../charts/heat_map.tsx";
import { SeriesChart } from "../charts/series_chart.tsx";
import { formatClock, formatCount, formatDuration, formatRate } from "../format.ts";
import { setQuery, useGet, useLive, useRoute, useServices } from "../state/hooks.ts";
import { type Column, Table } from "../table/table.tsx";
import {
  Empty,
  NodeLink,
  OutcomeBadge,
  outcomeLabels,
  Plugins,
  PodLink,
  queueLabels,
  Segmented,
  Show,
} from "../ui/controls.tsx";
import { extend, largest, perSecond } from "./activity_model.ts";

// The server keeps a quarter of an hour.
const windows = [
  { value: "60", label: "1 m" },
  { value: "300", label: "5 m" },
  { value: "900", label: "15 m" },
];

export function ActivityPage() {
  const { query } = useRoute();
  const window = windows.some(({ value }) => value === query.window) ? query.window! : "900";
  const { result, reload } = useGet<Activity>(["activity"], { window });
  return (
    <div class="pad stack">
      <div class="page-head">
        <h1>Activity</h1>
        <span class="spring" />
        <Segmented
          label="Window"
          value={window}
          options={windows}
          onChange={(value) => setQuery({ window: value === "900" ? "" : value })}
        />
      </div>
      <Show result={result} what="activity" retry={reload} rows={12}>
        {(activity) => (
          <Charts key={window} first={activity} most={Math.round(Number(window) / activity.step)} />
        )}
      </Show>
      <Attempts />
    </div>
  );
}

// The same queue has the same colour on the queue page.
const queueColours: Record<QueueName, number> = {
  active: 0,
  backoff: 6,
  unschedulable: 1,
  gated: 7,
  inFlight: 4,
  waiting: 5,
};
const laneColours: Record<string, number> = { bind: 0, status: 5, event: 7, delete: 3 };
const reasonColours = [0, 5, 4, 6, 1, 2, 7];
const decisionColours: Record<string, number> = {
  bound: 0,
  unschedulable: 1,
  nominated: 2,
  error: 3,
  waiting: 4,
  assumed: 5,
};

function Charts({ first, most }: { first: Activity; most: number }) {
  const { theme } = useServices();
  const [activity, setActivity] = useState(first);
  useEffect(() => setActivity(first), [first]);
  useLive("activity", (step) => setActivity((old) => extend(old, step, most)));
  const { step } = activity;
  const start = Date.parse(activity.start);
  const rates = (
    columns: Record<string, number[]>,
    order: readonly string[],
    label: (name: string) => string,
    colour: (name: string, i: number) => number,
  ) =>
    order
      .filter((name) => columns[name])
      .map((name, i) => ({
        name: label(name),
        values: perSecond(columns[name]!, step),
        colour: colour(name, i),
      }));
  const decisions = Object.keys(decisionColours).filter((name) => activity.decisions[name]);
  const reasons = useMemo(
    () =>
      largest(activity.reasons, 6).map(({ name, values }, i) => ({
        name,
        values: perSecond(values, activity.step),
        colour: reasonColours[i] ?? 7,
      })),
    [activity],
  );
  const count = (values: readonly number[], from: number) =>
    values.slice(-from).reduce((a, b) => a + b, 0) / (Math.min(from, values.length) * step || 1);
  const minute = Math.max(1, Math.round(60 / step));
  const all = Object.values(activity.decisions).reduce((sum, values) => sum + count(values, minute), 0);
  if (activity.binds.length === 0)
    return <Empty title="Nothing has happened yet">Create a pod, and its decision appears here.</Empty>;
  const stats = [
    { label: "Decisions", value: all },
    { label: "Binds", value: count(activity.binds, minute) },
    { label: "Bind failures", value: count(activity.bindFailures, minute), bad: true },
    { label: "Preemptions", value: count(activity.preemptions, minute) },
    { label: "Unschedulable", value: count(activity.decisions.unschedulable ?? [], minute) },
  ];
  const chart = { start, step, unit: "a second", format: formatRate };
  return (
    <>
      <dl class="stats" aria-label="Rates of the last minute">
        {stats.map(({ label, value, bad }) => (
          <div key={label} class={bad && value > 0 ? "bad" : ""}>
            <dt>{label}</dt>
            <dd>
              {formatRate(value)}
              <span class="dim">/s</span>
            </dd>
          </div>
        ))}
      </dl>
      <div class="charts">
        <SeriesChart
          {...chart}
          title="Decisions"
          stacked
          series={rates(
            activity.decisions,
            decisions,
            (name) => outcomeLabels[name as keyof typeof outcomeLabels] ?? name,
            (name) => decisionColours[name] ?? 6,
          )}
        />
        <HeatMap
          title="Latency of decisions"
          bounds={activity.latency.bounds}
          counts={activity.latency.counts}
          start={start}
          step={step}
          theme={theme}
        />
        <SeriesChart
          {...chart}
          title="Failures and preemptions"
          series={[
            { name: "Bind failures", values: perSecond(activity.bindFailures, step), colour: 3 },
            { name: "Preemptions", values: perSecond(activity.preemptions, step), colour: 2 },
          ]}
        />
        <SeriesChart
          {...chart}
          title="Binds"
          series={[{ name: "Binds", values: perSecond(activity.binds, step), colour: 0 }]}
        />
        <SeriesChart {...chart} title="Reasons of rejections" stacked series={reasons} />
        <SeriesChart
          {...chart}
          title="API calls by lane"
          stacked
          series={rates(
            activity.apiCalls,
            [...lanes, ...Object.keys(activity.apiCalls).filter((name) => !lanes.includes(name as "bind"))],
            (name) => name,
            (name, i) => laneColours[name] ?? i,
          )}
        />
        <SeriesChart
          {...chart}
          title="Pods in queues"
          unit="pods"
          format={formatCount}
          series={queues
            .filter((name) => activity.queues[name])
            .map((name) => ({
              name: queueLabels[name],
              values: activity.queues[name],
              colour: queueColours[name],
            }))}
          stacked
        />
      </div>
    </>
  );
}

const kept = 1000;

function Attempts() {
  const { cluster } = useServices();
  const { result, reload } = useGet<AttemptList>(["attempts"], { limit: 200 });
  const [newer, setNewer] = useState<Attempt[]>([]);
  const [dropped, setDropped] = useState(0);
  useLive("attempt", (batch) => {
    setNewer((old) => [...[...batch.items].reverse(), ...old].slice(0, kept));
    setDropped((old) => old + batch.dropped);
  });
  const columns = useMemo(
    (): Column<Attempt>[] => [
      {
        key: "time",
        label: "Time",
        narrow: true,
        value: (row) => Date.parse(row.time),
        json: (row) => row.time,
        render: (row) => <time dateTime={row.time}>{formatClock(row.time, true)}</time>,
      },
      {
        key: "pod",
        label: "Pod",
        narrow: "main",
        value: (row) => `${row.namespace}/${row.name}`,
        render: (row) => <PodLink pod={row} />,
      },
      {
        key: "outcome",
        label: "Outcome",
        narrow: true,
        value: (row) => row.outcome,
        render: (row) => <OutcomeBadge outcome={row.outcome} />,
      },
      {
        key: "node",
        label: "Node",
        value: (row) => row.node,
        render: (row) => (row.node ? <NodeLink name={row.node} /> : <span class="dim">–</span>),
      },
      {
        key: "plugins",
        label: "Rejected by",
        value: (row) => row.plugins.join(" "),
        json: (row) => row.plugins,
        render: (row) => <Plugins names={row.plugins} />,
      },
      { key: "feasible", label: "Feasible", numeric: true, value: (row) => row.feasible },
      {
        key: "duration",
        label: "Duration",
        numeric: true,
        value: (row) => Object.values(row.phases).reduce((a, b) => a + b, 0),
        render: (row) => {
          const sum = Object.values(row.phases).reduce((a, b) => a + b, 0);
          return sum === 0 ? "–" : formatDuration(sum);
        },
      },
      {
        key: "waited",
        label: "Waited",
        numeric: true,
        value: (row) => row.waitedFor,
        render: (row) => formatDuration(row.waitedFor),
      },
      { key: "message", label: "Message", wide: true, value: (row) => row.message },
    ],
    [],
  );
  const rows = useMemo(() => {
    const seen = new Set<number>();
    return [...newer, ...(result.data?.items ?? [])].filter(
      ({ sequence }) => !seen.has(sequence) && seen.add(sequence),
    );
  }, [newer, result.data]);
  if (!cluster.features.ledger)
    return <Empty title="Attempts are not kept">This server keeps no ledger of attempts.</Empty>;
  return (
    <Show result={result} what="attempts" retry={reload}>
      {() => (
        <Table
          id="attempts"
          label="Latest attempts"
          columns={columns}
          rows={rows}
          rowKey={(row) => String(row.sequence)}
          maxRows={14}
          empty="No pod has been tried yet."
          tools={
            dropped > 0 ? (
              <span class="dim">{formatCount(dropped)} more are only in the ledger</span>
            ) : undefined
          }
        />
      )}
    </Show>
  );
}
