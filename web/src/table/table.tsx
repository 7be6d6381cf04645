// A table that can be filtered, sorted and copied as JSON; its state is in the address. Long tables draw only the rows in
// sight.
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { formatCount } from "../format.ts";
import { setQuery, useNarrow, useRoute } from "../state/hooks.ts";
import { CopyButton } from "../ui/controls.tsx";
import { Icon } from "../ui/icons.tsx";
import {
  type ColumnModel,
  filledColumns,
  filterRows,
  nextSort,
  rowsAsJson,
  sortRows,
  visibleRange,
} from "./table_model.ts";

export interface Column<Row> extends ColumnModel<Row> {
  numeric?: boolean;
  /** Takes a share of the space that is left, and is cut with an ellipsis. */
  wide?: boolean | number;
  /** Shown on phones, too; "main" is the column that is cut there if the others need the space. */
  narrow?: boolean | "main";
  render?(row: Row): ComponentChildren;
  title?(row: Row): string;
}

export interface TableProps<Row> {
  /** Names the parameters in the address: `id.filter`, `id.sort`. */
  id: string;
  label: string;
  columns: Column<Row>[];
  rows: readonly Row[];
  rowKey(row: Row): string;
  defaultSort?: string;
  /** The largest height in rows; more are scrolled. */
  maxRows?: number;
  empty?: ComponentChildren;
  /** How many rows the server has, if these are only the first of them. */
  total?: number;
  more?: (() => void) | undefined;
  tools?: ComponentChildren;
  selected?: string;
  /** The table is part of a panel with a heading of its own. */
  nested?: boolean;
}

const rowHeight = 30;

function classOf<Row>({ numeric, wide, narrow }: Column<Row>): string {
  return [numeric && "numeric", wide && "wide", narrow === "main" && "main"].filter(Boolean).join(" ");
}

export function Table<Row>(props: TableProps<Row>) {
  const { id, label, rows, rowKey, defaultSort = "", maxRows = 16 } = props;
  const { query } = useRoute();
  const phone = useNarrow();
  const filter = query[`${id}.filter`] ?? "";
  const sort = query[`${id}.sort`] ?? defaultSort;
  const shown = useMemo(
    () => sortRows(filterRows(rows, props.columns, filter), props.columns, sort),
    [rows, props.columns, filter, sort],
  );
  const everyColumn = query[`${id}.columns`] === "all";
  const filled = useMemo(() => filledColumns(rows, props.columns, sort), [rows, props.columns, sort]);
  const columns = phone && !everyColumn ? filled.filter(({ narrow }) => narrow) : filled;
  const Heading = props.nested ? "h3" : "h2";
  const scroller = useRef<HTMLDivElement>(null);
  const [scroll, setScroll] = useState(0);
  const virtual = shown.length > 120;
  const height = maxRows * rowHeight;
  const range = virtual
    ? visibleRange(scroll, height, rowHeight, shown.length)
    : { first: 0, last: shown.length };
  // biome-ignore lint/correctness/useExhaustiveDependencies: another filter or order starts at the top
  useEffect(() => {
    if (scroller.current) scroller.current.scrollTop = 0;
    setScroll(0);
  }, [filter, sort]);

  const header = columns.map((column) => {
    const direction = sort === column.key ? "ascending" : sort === `-${column.key}` ? "descending" : "none";
    const next = nextSort(sort, column.key, column.numeric ?? false);
    return (
      <th key={column.key} scope="col" aria-sort={direction} class={classOf(column)}>
        <button
          type="button"
          class="sort"
          onClick={() => setQuery({ [`${id}.sort`]: next === defaultSort ? "" : next || "none" })}
        >
          <span>{column.label}</span>
          <span class={`arrow ${direction}`} aria-hidden="true">
            <Icon name={direction === "descending" ? "down" : "up"} />
          </span>
        </button>
      </th>
    );
  });

  const total = props.total ?? rows.length;
  const count =
    shown.length === total ? formatCount(total) : `${formatCount(shown.length)} of ${formatCount(total)}`;
  return (
    <section class="table-box" aria-label={label}>
      <div class="table-tools">
        <Heading>
          {label} <span class="count">{count}</span>
        </Heading>
        {props.tools}
        <span class="spring" />
        <label class="search small">
          <Icon name="filter" />
          <input
            type="search"
            value={filter}
            placeholder="Filter"
            aria-label={`Filter ${label}`}
            title={`Words, or column:word, column>5, -word. Columns: ${props.columns.map(({ key }) => key).join(", ")}`}
            onInput={(event) => setQuery({ [`${id}.filter`]: event.currentTarget.value })}
          />
        </label>
        {phone && (everyColumn || columns.length < filled.length) && (
          <button
            type="button"
            class="button quiet"
            aria-pressed={everyColumn}
            onClick={() => setQuery({ [`${id}.columns`]: everyColumn ? "" : "all" })}
          >
            All columns
          </button>
        )}
        <CopyButton
          label="JSON"
          title={`Copy ${formatCount(shown.length)} rows of ${label} as JSON`}
          text={() => rowsAsJson(shown, props.columns)}
        />
      </div>
      {shown.length === 0 ? (
        <div class="empty-rows">
          {rows.length === 0 ? (props.empty ?? "Nothing here.") : "No row matches the filter."}
        </div>
      ) : (
        <div
          class="scroller"
          role="region"
          aria-label={`${label}, rows`}
          ref={scroller}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
          tabIndex={0}
          style={{ maxHeight: `${height + 31}px` }}
          onScroll={(event) => virtual && setScroll(event.currentTarget.scrollTop)}
        >
          <table aria-rowcount={shown.length + 1}>
            <thead>
              <tr>{header}</tr>
            </thead>
            <tbody>
              {range.first > 0 && <tr class="spacer" style={{ height: `${range.first * rowHeight}px` }} />}
              {shown.slice(range.first, range.last).map((row, i) => {
                const key = rowKey(row);
                return (
                  <tr
                    key={key}
                    aria-rowindex={range.first + i + 2}
                    class={key === props.selected ? "selected" : ""}
                  >
                    {columns.map((column) => {
                      const value = column.value(row);
                      const title = column.title?.(row) ?? (column.wide ? String(value ?? "") : undefined);
                      return (
                        <td
                          key={column.key}
                          class={classOf(column)}
                          style={column.wide ? { width: `${30 * Number(column.wide)}%` } : {}}
                          title={title}
                        >
                          {column.render ? column.render(row) : (value ?? "–")}
                        </td>
                      );
                    })}
                  </tr>
                );
              })}
              {range.last < shown.length && (
                <tr class="spacer" style={{ height: `${(shown.length - range.last) * rowHeight}px` }} />
              )}
            </tbody>
          </table>
        </div>
      )}
      {props.more && (
        <div class="more">
          <button type="button" class="button" onClick={props.more}>
            Load more
          </button>
        </div>
      )}
    </section>
  );
}
