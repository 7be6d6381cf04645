// Node × plugin: for each node, which plugins accept it and which one rejects it first.
import { useMemo, useState } from "preact/hooks";
import type { PodMatrix } from "../api/types.ts";
import { formatCount } from "../format.ts";
import { asApiError, setQuery, useGet, useRoute, useServices } from "../state/hooks.ts";
import { type Column, Table } from "../table/table.tsx";
import { ErrorBox, NodeLink, Panel, Segmented, Show } from "../ui/controls.tsx";

export interface MatrixRow {
  node: string;
  /** Index of the plugin that rejects it first, or -1. */
  rejectedBy: number;
  reason: string;
  total: number | null;
}

const pageSize = 2000;

/** Nodes that came furthest come first: those that fit by score, then those that the last plugins rejected. */
export function matrixRows(pages: readonly PodMatrix[]): MatrixRow[] {
  const rows: MatrixRow[] = [];
  for (const page of pages) {
    for (const [i, node] of page.nodes.entries()) {
      rows.push({
        node,
        rejectedBy: page.rejectedBy[i] ?? -1,
        reason: page.reasons[page.reason[i] ?? -1] ?? "",
        total: page.totals[i] ?? null,
      });
    }
  }
  const stage = (row: MatrixRow) => (row.rejectedBy < 0 ? Number.POSITIVE_INFINITY : row.rejectedBy);
  return rows.sort((a, b) =>
    stage(a) === stage(b) ? (b.total ?? 0) - (a.total ?? 0) : stage(b) > stage(a) ? 1 : -1,
  );
}

/** What a plugin said about a node: it stops at the first plugin that rejects it. */
export function verdict(row: MatrixRow, plugin: number): "accepts" | "rejects" | "not asked" {
  if (row.rejectedBy < 0 || plugin < row.rejectedBy) return "accepts";
  return plugin === row.rejectedBy ? "rejects" : "not asked";
}

export function Matrix({ namespace, name }: { namespace: string; name: string }) {
  const { result, reload } = useGet<PodMatrix>(["pods", namespace, name, "matrix"], { limit: pageSize });
  return (
    <Panel
      title="Nodes and plugins"
      note="nodes that came furthest first; the first plugin that rejects a node is the last that is asked"
    >
      <Show result={result} what="the matrix" retry={reload} rows={8}>
        {(first) => <MatrixTable namespace={namespace} name={name} first={first} />}
      </Show>
    </Panel>
  );
}

function MatrixTable({ namespace, name, first }: { namespace: string; name: string; first: PodMatrix }) {
  const { client } = useServices();
  const { query } = useRoute();
  const [state, setState] = useState<{ first: PodMatrix; more: PodMatrix[]; error?: unknown }>({
    first,
    more: [],
  });
  const more = state.first === first ? state.more : [];
  const pages = useMemo(() => [first, ...more], [first, more]);
  const rows = useMemo(() => matrixRows(pages), [pages]);
  const all = query.plugins === "all";
  const plugins = useMemo(() => {
    const rejecting = new Set(rows.map(({ rejectedBy }) => rejectedBy));
    const list = first.plugins.map((plugin, index) => ({ plugin, index }));
    const shown = all ? list : list.filter(({ index }) => rejecting.has(index));
    return shown.length > 0 ? shown : list;
  }, [first, rows, all]);
  const token = pages.at(-1)?.continue;
  const loadMore = () => {
    client.get<PodMatrix>(["pods", namespace, name, "matrix"], { limit: 5000, continue: token }).then(
      (page) => setState({ first, more: [...more, page] }),
      (error: unknown) => setState({ first, more, error }),
    );
  };
  const columns = useMemo(
    (): Column<MatrixRow>[] => [
      {
        key: "node",
        label: "Node",
        narrow: "main",
        value: (row) => row.node,
        render: (row) => <NodeLink name={row.node} />,
      },
      ...plugins.map(
        ({ plugin, index }): Column<MatrixRow> => ({
          key: plugin,
          label: plugin,
          value: (row) => verdict(row, index),
          title: (row) =>
            `${plugin} ${verdict(row, index)}${verdict(row, index) === "rejects" ? `: ${row.reason}` : ""}`,
          render: (row) => {
            const said = verdict(row, index);
            return (
              <span class={`cell ${said.replace(" ", "-")}`}>
                <span aria-hidden="true">{said === "accepts" ? "✓" : said === "rejects" ? "✕" : "·"}</span>
                <span class="offscreen">{said}</span>
              </span>
            );
          },
        }),
      ),
      {
        key: "score",
        label: "Score",
        numeric: true,
        value: (row) => row.total,
        render: (row) => (row.total === null ? <span class="dim">–</span> : formatCount(row.total)),
      },
      {
        key: "reason",
        label: "Reason",
        wide: true,
        narrow: true,
        value: (row) => row.reason,
        render: (row) => row.reason || <span class="fits">fits</span>,
      },
    ],
    [plugins],
  );
  return (
    <>
      {state.error !== undefined && <ErrorBox error={asApiError(state.error)} retry={loadMore} />}
      <div class="matrix">
        <Table
          nested
          id="matrix"
          label="Verdicts"
          columns={columns}
          rows={rows}
          rowKey={(row) => row.node}
          total={first.total}
          maxRows={16}
          more={token ? loadMore : undefined}
          tools={
            <Segmented
              label="Plugins"
              value={all ? "all" : "rejecting"}
              options={[
                { value: "rejecting", label: "Rejecting plugins" },
                { value: "all", label: "All plugins" },
              ]}
              onChange={(value) => setQuery({ plugins: value === "all" ? "all" : "" })}
            />
          }
        />
      </div>
    </>
  );
}
