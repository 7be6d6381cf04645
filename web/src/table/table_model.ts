// Filtering, sorting and copying of tables, without a browser.

export type Value = string | number | null | undefined;

export interface ColumnModel<Row> {
  key: string;
  label: string;
  value(row: Row): Value;
  /** What the filter searches, if people see something else than the value. */
  text?(row: Row): string;
  /** What is copied, if it is more than the value. */
  json?(row: Row): unknown;
}

interface Term {
  key: string | undefined;
  operator: ":" | "<" | ">";
  text: string;
  number: number;
  negated: boolean;
}

/**
 * Terms are separated by spaces and must all hold: `word` in any column, `column:word` in one, `column>5`, `column<5`, and
 * `-` before a term for its opposite. Quotes hold words together.
 */
function parse(filter: string, keys: ReadonlySet<string>): Term[] {
  const terms: Term[] = [];
  const pattern = /(-?)(?:([A-Za-z][\w.]*)([:<>]))?(?:"([^"]*)"?|(\S+))/g;
  for (const match of filter.matchAll(pattern)) {
    const [whole, minus, name, operator, quoted, word] = match;
    const text = quoted ?? word ?? "";
    if (name && operator && keys.has(name.toLowerCase())) {
      terms.push({
        key: name.toLowerCase(),
        operator: operator as Term["operator"],
        text: text.toLowerCase(),
        number: Number(text),
        negated: minus === "-",
      });
    } else {
      const plain = minus === "-" ? whole.slice(1) : whole;
      if (plain === "") continue;
      terms.push({
        key: undefined,
        operator: ":",
        text: plain.replaceAll('"', "").toLowerCase(),
        number: Number.NaN,
        negated: minus === "-",
      });
    }
  }
  return terms;
}

function textOf<Row>(column: ColumnModel<Row>, row: Row): string {
  return (column.text ? column.text(row) : String(column.value(row) ?? "")).toLowerCase();
}

function holds<Row>(term: Term, columns: readonly ColumnModel<Row>[], row: Row): boolean {
  for (const column of columns) {
    if (term.key !== undefined && column.key.toLowerCase() !== term.key) continue;
    if (term.operator === ":") {
      if (textOf(column, row).includes(term.text)) return true;
    } else {
      const value = Number(column.value(row));
      if (term.operator === ">" ? value > term.number : value < term.number) return true;
    }
  }
  return false;
}

export function filterRows<Row>(
  rows: readonly Row[],
  columns: readonly ColumnModel<Row>[],
  filter: string,
): Row[] {
  const terms = parse(filter, new Set(columns.map((column) => column.key.toLowerCase())));
  if (terms.length === 0) return [...rows];
  return rows.filter((row) => terms.every((term) => holds(term, columns, row) !== term.negated));
}

function isEmpty(value: Value): boolean {
  return value === null || value === undefined || value === "" || Number.isNaN(value);
}

/** The columns that have a value in any row, the first one, and the one that the rows are sorted by. */
export function filledColumns<Row, Column extends ColumnModel<Row>>(
  rows: readonly Row[],
  columns: readonly Column[],
  sort: string,
): Column[] {
  const sorted = sort.replace(/^-/, "");
  return columns.filter(
    (column, i) => i === 0 || column.key === sorted || rows.some((row) => !isEmpty(column.value(row))),
  );
}

const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

/** Empty values come last in both directions; texts with numbers in them sort by the numbers. */
export function compareValues(a: Value, b: Value, descending: boolean): number {
  if (isEmpty(a) || isEmpty(b)) return Number(isEmpty(a)) - Number(isEmpty(b));
  const order =
    typeof a === "number" && typeof b === "number" ? a - b : collator.compare(String(a), String(b));
  return descending ? -order : order;
}

/** `sort` is the key of a column, with `-` before it for descending. Equal rows keep their order. */
export function sortRows<Row>(
  rows: readonly Row[],
  columns: readonly ColumnModel<Row>[],
  sort: string,
): Row[] {
  const descending = sort.startsWith("-");
  const column = columns.find(({ key }) => key === sort.replace(/^-/, ""));
  if (!column) return [...rows];
  const keyed = rows.map((row) => ({ row, value: column.value(row) }));
  keyed.sort((a, b) => compareValues(a.value, b.value, descending));
  return keyed.map(({ row }) => row);
}

/** The next state of a column's header when it is pressed: ascending, descending, unsorted; numbers descend first. */
export function nextSort(sort: string, key: string, numeric: boolean): string {
  const [first, second] = numeric ? [`-${key}`, key] : [key, `-${key}`];
  if (sort === first) return second;
  if (sort === second) return "";
  return first;
}

export function rowsAsJson<Row>(rows: readonly Row[], columns: readonly ColumnModel<Row>[]): string {
  const list = rows.map((row) =>
    Object.fromEntries(
      columns.map((column) => [column.key, (column.json ? column.json(row) : column.value(row)) ?? null]),
    ),
  );
  return JSON.stringify(list, null, 2);
}

/** The rows of a scrolled list that must exist. */
export function visibleRange(
  scroll: number,
  height: number,
  rowHeight: number,
  count: number,
  margin = 12,
): { first: number; last: number } {
  const first = Math.max(0, Math.min(count, Math.floor(scroll / rowHeight) - margin));
  const last = Math.max(first, Math.min(count, Math.ceil((scroll + height) / rowHeight) + margin));
  return { first, last };
}
