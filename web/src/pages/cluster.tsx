// The cluster as a map of zones, racks and nodes, or as a table of the same nodes.
import { useCallback, useMemo, useState } from "preact/hooks";
import { type NodeMap, nodeFlags } from "../api/types.ts";
import { formatAmount, formatCount, formatPercent, plural } from "../format.ts";
import { colourOf, markColours } from "../map/colour.ts";
import { layOut } from "../map/layout.ts";
import { MapView } from "../map/map_view.tsx";
import { applyFilter, isFiltering, type NodeFilter, nodeStates } from "../map/node_filter.ts";
import { colourResources, dominant, NodeStore } from "../map/node_store.ts";
import { setQuery, useLive, useLoad, useRoute, useServices, useThrottled } from "../state/hooks.ts";
import { nodeLink } from "../state/route.ts";
import { type Column, Table } from "../table/table.tsx";
import { Bar, BarLegend, Empty, NodeLink, Segmented, Select, Show, useColours } from "../ui/controls.tsx";
import { Icon } from "../ui/icons.tsx";
import { Problems } from "./problems.tsx";

const pageSize = 20_000;

const stateLabels: Record<(typeof nodeStates)[number], string> = {
  cordoned: "Cordoned",
  notReady: "Not ready",
  assumed: "With assumed pods",
  nominated: "With nominated pods",
  full: "Full (95% and more)",
  empty: "Without pods",
};

export function resourceLabel(name: string): string {
  return name === dominant ? "most used resource" : name;
}

function stateOf(flags: number): string {
  const states: string[] = [];
  if (flags & nodeFlags.notReady) states.push("not ready");
  if (flags & nodeFlags.unschedulable) states.push("cordoned");
  if (flags & (nodeFlags.noSchedule | nodeFlags.noExecute)) states.push("tainted");
  return states.join(", ");
}

export function ClusterPage() {
  const { client, cluster } = useServices();
  const [progress, setProgress] = useState("");
  const { result, reload } = useLoad<NodeStore>("nodes", async (signal) => {
    const pages: NodeMap[] = [];
    let token: string | undefined;
    do {
      const page: NodeMap = await client.get<NodeMap>(
        ["nodes"],
        { limit: pageSize, continue: token },
        signal,
      );
      // The set of nodes changed between two pages: begin again.
      if (pages[0] && page.generation !== pages[0].generation) {
        pages.length = 0;
        token = undefined;
        continue;
      }
      pages.push(page);
      token = page.continue;
      setProgress(`${formatCount(page.first + page.names.length)} of ${formatCount(page.total)} nodes`);
    } while (token !== undefined);
    return NodeStore.from(pages);
  });
  return (
    <>
      <h1 class="offscreen">Cluster</h1>
      <Show result={result} what={`nodes ${progress}`} retry={reload} rows={8}>
        {(store) =>
          store.count === 0 ? (
            <Empty title="The cluster has no nodes">
              Nodes appear here as soon as the API server has them
              {cluster.server === "up" ? ". Start with --nodes N to have some" : ""}.
            </Empty>
          ) : (
            <Nodes store={store} reload={reload} />
          )
        }
      </Show>
    </>
  );
}

interface Row {
  row: number;
  name: string;
}

function Nodes({ store, reload }: { store: NodeStore; reload: () => void }) {
  const { cluster, theme } = useServices();
  const { query } = useRoute();
  const [version, setVersion] = useState(0);
  // The map is painted in milliseconds; a table of many rows is sorted again, which takes longer.
  const redraw = useCallback(() => setVersion((value) => value + 1), []);
  const redrawSlowly = useThrottled(redraw, 5000);
  useLive("nodes", (delta) => {
    if (!store.apply(delta)) reload();
    else if (query.view === "table" && store.count > 5000) redrawSlowly();
    else redraw();
  });
  const resource = colourResources(cluster.resources).includes(query.resource ?? "")
    ? query.resource!
    : dominant;
  const filter: NodeFilter = useMemo(
    () => ({
      labels: query.labels ?? "",
      taint: query.taint ?? "",
      pool: query.pool ?? "",
      name: query.name ?? "",
      state: query.state ?? "",
    }),
    [query.labels, query.taint, query.pool, query.name, query.state],
  );
  // States follow events; other filters depend on what does not change within a generation.
  const filterVersion = filter.state === "" ? 0 : version;
  // biome-ignore lint/correctness/useExhaustiveDependencies: filterVersion stands for the content of the store
  const filtered = useMemo(() => applyFilter(store, filter), [store, filter, filterVersion]);
  const layout = useMemo(() => layOut(store.count, store.zones, store.racks), [store]);
  const selected = query.node ? store.row(query.node) : -1;
  const view = query.view === "table" ? "table" : "map";

  const describe = useCallback(
    (row: number) => {
      const lines = [store.names[row]!];
      const place = [store.zone(row), store.rack(row), store.pool(row)]
        .filter((part) => part !== "")
        .join(" · ");
      if (place) lines.push(place);
      for (const { name, unit } of cluster.resources) {
        const column = store.resources.get(name);
        const allocatable = column?.allocatable[row] ?? 0;
        if (!column || allocatable === 0) continue;
        lines.push(
          `${name} ${formatPercent(column.requested[row]! / allocatable)} (${formatAmount(column.requested[row]!, unit)} of ${formatAmount(allocatable, unit)})`,
        );
      }
      if (store.assumed[row]) lines.push(plural(store.assumed[row]!, "assumed pod"));
      if (store.nominated[row]) lines.push(plural(store.nominated[row]!, "nominated pod"));
      const state = stateOf(store.flags[row]!);
      if (state) lines.push(state);
      return lines.join("\n");
    },
    [store, cluster],
  );
  const onView = useCallback((at: string | undefined) => setQuery({ at }), []);

  const totals = useMemo(() => {
    void version;
    return cluster.resources
      .map(({ name, unit }) => {
        const column = store.resources.get(name);
        let allocatable = 0;
        let requested = 0;
        for (let row = 0; row < store.count; row++) {
          if (filtered.shown[row] === 0) continue;
          allocatable += column?.allocatable[row] ?? 0;
          requested += column?.requested[row] ?? 0;
        }
        return { name, unit, allocatable, requested };
      })
      .filter(({ allocatable }) => allocatable > 0);
  }, [store, cluster, filtered, version]);
  let assumed = 0;
  let nominated = 0;
  for (let row = 0; row < store.count; row++) {
    if (filtered.shown[row] === 0) continue;
    assumed += store.assumed[row]!;
    nominated += store.nominated[row]!;
  }

  const columns = useMemo((): Column<Row>[] => {
    void version;
    return [
      {
        key: "name",
        label: "Node",
        narrow: "main",
        value: ({ name }) => name,
        render: ({ name }) => <NodeLink name={name} />,
      },
      { key: "zone", label: "Zone", value: ({ row }) => store.zone(row) },
      { key: "rack", label: "Rack", value: ({ row }) => store.rack(row) },
      { key: "pool", label: "Pool", value: ({ row }) => store.pool(row) },
      ...cluster.resources.map(
        ({ name, unit }): Column<Row> => ({
          key: name,
          // The last part: nvidia.com/gpu is as wide as its values.
          label: name.slice(name.lastIndexOf("/") + 1),
          numeric: true,
          narrow: name === "cpu" || name === "memory",
          value: ({ row }) => store.use(row, name),
          json: ({ row }) => ({
            allocatable: store.resources.get(name)?.allocatable[row],
            requested: store.resources.get(name)?.requested[row],
          }),
          title: ({ row }) => {
            const column = store.resources.get(name);
            return column
              ? `${formatAmount(column.requested[row]!, unit)} of ${formatAmount(column.allocatable[row]!, unit)}`
              : "";
          },
          render: ({ row }) => {
            const use = store.use(row, name);
            return Number.isNaN(use) ? (
              <span class="dim">–</span>
            ) : (
              <span class="with-bar">
                {formatPercent(use)}
                <Bar ratio={use} label={`${name} ${formatPercent(use)}`} />
              </span>
            );
          },
        }),
      ),
      { key: "assumed", label: "Assumed", numeric: true, value: ({ row }) => store.assumed[row] || null },
      {
        key: "nominated",
        label: "Nominated",
        numeric: true,
        value: ({ row }) => store.nominated[row] || null,
      },
      { key: "state", label: "State", value: ({ row }) => stateOf(store.flags[row]!) },
    ];
  }, [store, cluster, version]);
  const rows = useMemo(() => {
    if (view !== "table") return [];
    const list: Row[] = [];
    for (let row = 0; row < store.count; row++)
      if (filtered.shown[row]) list.push({ row, name: store.names[row]! });
    return list;
  }, [store, filtered, view]);

  return (
    <div class="cluster">
      <div class="toolbar">
        <Segmented
          label="View"
          value={view}
          options={[
            { value: "map", label: "Map" },
            { value: "table", label: "Table" },
          ]}
          onChange={(value) => setQuery({ view: value === "map" ? "" : value }, true)}
        />
        <Select
          label="Colour"
          value={resource}
          options={colourResources(cluster.resources).map((name) => ({
            value: name,
            label: resourceLabel(name),
          }))}
          onChange={(value) => setQuery({ resource: value === dominant ? "" : value })}
        />
        <Select
          label="Pool"
          value={filter.pool}
          options={[
            { value: "", label: "all" },
            ...[...store.pools.values].sort().map((value) => ({ value, label: value })),
          ]}
          onChange={(pool) => setQuery({ pool })}
        />
        <Select
          label="Taint"
          value={filter.taint}
          options={[
            { value: "", label: "any" },
            { value: "none", label: "without taints" },
            ...cluster.taints.map((value) => ({ value, label: value })),
          ]}
          onChange={(taint) => setQuery({ taint })}
        />
        <Select
          label="State"
          value={filter.state}
          options={[
            { value: "", label: "any" },
            ...nodeStates.map((value) => ({ value, label: stateLabels[value] })),
          ]}
          onChange={(state) => setQuery({ state })}
        />
        <label class="search">
          <Icon name="filter" />
          <input
            type="search"
            list="label-keys"
            placeholder="Labels: key=value, key in (a,b)"
            aria-label="Label selector"
            aria-invalid={filtered.error !== undefined}
            value={filter.labels}
            onInput={(event) => setQuery({ labels: event.currentTarget.value })}
          />
          <datalist id="label-keys">
            {cluster.labelKeys.map((key) => (
              <option key={key} value={`${key}=`} />
            ))}
          </datalist>
        </label>
        <label class="search small">
          <Icon name="search" />
          <input
            type="search"
            placeholder="Name"
            aria-label="Part of the name"
            value={filter.name}
            onInput={(event) => setQuery({ name: event.currentTarget.value })}
          />
        </label>
        {isFiltering(filter) && (
          <button
            type="button"
            class="button quiet"
            onClick={() => setQuery({ labels: "", taint: "", pool: "", name: "", state: "" })}
          >
            <Icon name="close" /> Clear
          </button>
        )}
      </div>
      {filtered.error && (
        <p class="field-error" role="alert">
          {filtered.error}
        </p>
      )}
      <div class="cluster-body">
        {view === "map" ? (
          <MapView
            store={store}
            layout={layout}
            version={version}
            resource={resource}
            theme={theme}
            shown={filtered.shown}
            selected={selected}
            view={query.at}
            onView={onView}
            onSelect={(row) => setQuery({ node: row >= 0 ? store.names[row] : "" })}
            onOpen={(row) => {
              location.hash = nodeLink(store.names[row]!);
            }}
            describe={describe}
          />
        ) : (
          <div class="table-page">
            <Table
              id="nodes"
              label="Nodes"
              columns={columns}
              rows={rows}
              rowKey={({ name }) => name}
              maxRows={24}
              empty="No node matches the filters above."
            />
          </div>
        )}
        <Problems />
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
        <aside class="side" aria-label="Summary" tabIndex={0}>
          {selected >= 0 && (
            <section class="selected-node">
              <h2>Selected</h2>
              <p>
                <NodeLink name={store.names[selected]!} />
              </p>
              {describe(selected)
                .split("\n")
                .slice(1)
                .map((line) => (
                  <p key={line} class="dim tabular">
                    {line}
                  </p>
                ))}
              {store.taints(selected).map((taint) => (
                <p key={taint}>
                  <span class="tag">{taint}</span>
                </p>
              ))}
              <a class="button primary" href={nodeLink(store.names[selected]!)}>
                Open node
              </a>
            </section>
          )}
          <section>
            <h2>{isFiltering(filter) ? "Shown" : "All nodes"}</h2>
            <p class="big tabular">
              {formatCount(filtered.count)}
              {filtered.count !== store.count && <span class="dim"> of {formatCount(store.count)}</span>}
            </p>
            <dl class="uses">
              {totals.map(({ name, unit, allocatable, requested }) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>
                    <Bar
                      ratio={requested / allocatable}
                      label={`${name}: ${formatPercent(requested / allocatable)} requested`}
                    />
                    <b class="tabular">{formatPercent(requested / allocatable)}</b>
                    <span class="dim tabular">
                      {formatAmount(requested, unit)} of {formatAmount(allocatable, unit)}
                    </span>
                  </dd>
                </div>
              ))}
            </dl>
            <BarLegend colours={useColours} />
          </section>
          <Legend assumed={assumed} nominated={nominated} />
        </aside>
      </div>
    </div>
  );
}

function Legend({ assumed, nominated }: { assumed: number; nominated: number }) {
  const { theme } = useServices();
  const marks = markColours[theme];
  return (
    <section>
      <h2>Legend</h2>
      <svg
        class="scale"
        width="100%"
        height="12"
        preserveAspectRatio="none"
        viewBox="0 0 32 1"
        role="img"
        aria-label="Colour scale from unused to full"
      >
        {Array.from({ length: 32 }, (_, i) => (
          <rect key={i} x={i} y={0} width={1.05} height={1} fill={colourOf(i / 31, theme)} />
        ))}
      </svg>
      <div class="scale-ends dim">
        <span>0%</span>
        <span>requested of allocatable</span>
        <span>100%</span>
      </div>
      <ul class="marks">
        <li>
          <svg width="14" height="14" aria-hidden="true">
            <circle cx="7" cy="7" r="4.5" fill={marks.assumed} />
          </svg>
          Assumed pods <b class="tabular">{formatCount(assumed)}</b>
        </li>
        <li>
          <svg width="14" height="14" aria-hidden="true">
            <path d="M7 1.5L12.5 7 7 12.5 1.5 7z" fill={marks.nominated} />
          </svg>
          Nominated pods <b class="tabular">{formatCount(nominated)}</b>
        </li>
        <li>
          <svg width="14" height="14" aria-hidden="true">
            <path d="M1 13L13 1M1 7L7 1M7 13l6-6" stroke={marks.cordoned} stroke-width="2" />
          </svg>
          Cordoned
        </li>
        <li>
          <svg width="14" height="14" aria-hidden="true">
            <rect x="1" y="1" width="12" height="12" fill={marks.notReady} />
          </svg>
          Not ready
        </li>
        <li>
          <svg width="14" height="14" aria-hidden="true">
            <path d="M1 13V3L11 13z" fill={marks.tainted} />
          </svg>
          Tainted
        </li>
      </ul>
    </section>
  );
}
