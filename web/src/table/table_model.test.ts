import assert from "node:assert/strict";
import test from "node:test";
import {
  type ColumnModel,
  compareValues,
  filledColumns,
  filterRows,
  nextSort,
  rowsAsJson,
  sortRows,
  visibleRange,
} from "./table_model.ts";

interface Row {
  name: string;
  queue: string;
  pods: number | null;
}

const rows: Row[] = [
  { name: "web-10", queue: "Active", pods: 3 },
  { name: "web-9", queue: "Backoff", pods: null },
  { name: "Kafka <b>", queue: "In flight", pods: 12 },
  { name: "cart", queue: "Active", pods: 3 },
];
const columns: ColumnModel<Row>[] = [
  { key: "name", label: "Name", value: (row) => row.name },
  { key: "queue", label: "Queue", value: (row) => row.queue },
  { key: "pods", label: "Pods", value: (row) => row.pods, json: (row) => ({ count: row.pods }) },
];
const names = (list: Row[]) => list.map(({ name }) => name).join(" | ");

test("filters hold for all words, in any column or one", () => {
  const cases: [string, string][] = [
    ["", "web-10 | web-9 | Kafka <b> | cart"],
    ["  ", "web-10 | web-9 | Kafka <b> | cart"],
    ["active", "web-10 | cart"],
    ["ACTIVE web", "web-10"],
    ["queue:active", "web-10 | cart"],
    ["name:active", ""],
    ['"in flight"', "Kafka <b>"],
    ['queue:"in flight"', "Kafka <b>"],
    ["-active", "web-9 | Kafka <b>"],
    ["-queue:active", "web-9 | Kafka <b>"],
    ["pods>3", "Kafka <b>"],
    ["pods<4 -cart", "web-10 | web-9"],
    ["<b>", "Kafka <b>"],
    ["web-1", "web-10"],
    ["unknown:word", ""],
    ["(", ""],
  ];
  for (const [filter, want] of cases) assert.equal(names(filterRows(rows, columns, filter)), want, filter);
});

test("numbers in texts sort as numbers, equal rows keep their order, empty ones come last", () => {
  assert.equal(names(sortRows(rows, columns, "name")), "cart | Kafka <b> | web-9 | web-10");
  assert.equal(names(sortRows(rows, columns, "-pods")), "Kafka <b> | web-10 | cart | web-9");
  assert.equal(names(sortRows(rows, columns, "pods")), "web-10 | cart | Kafka <b> | web-9");
  assert.equal(names(sortRows(rows, columns, "nothing")), names(rows));
  assert.ok(compareValues(Number.NaN, 1, false) > 0 && compareValues(Number.NaN, 1, true) > 0);
});

test("sorting leaves the rows of the caller alone", () => {
  const before = names(rows);
  sortRows(rows, columns, "-name");
  assert.equal(names(rows), before);
});

test("a header goes through two directions and back to none", () => {
  assert.deepEqual(
    [nextSort("", "a", false), nextSort("a", "a", false), nextSort("-a", "a", false)],
    ["a", "-a", ""],
  );
  assert.deepEqual(
    [nextSort("b", "a", true), nextSort("-a", "a", true), nextSort("a", "a", true)],
    ["-a", "a", ""],
  );
});

test("columns without a value hide, unless they come first or sort the rows", () => {
  const list: ColumnModel<Row>[] = [
    { key: "first", label: "First", value: () => "" },
    ...columns,
    { key: "gap", label: "Gap", value: () => null },
    { key: "none", label: "None", value: () => Number.NaN },
    { key: "zero", label: "Zero", value: () => 0 },
  ];
  const keys = (sort: string) => filledColumns(rows, list, sort).map(({ key }) => key);
  assert.deepEqual(keys(""), ["first", "name", "queue", "pods", "zero"]);
  assert.deepEqual(keys("-gap"), ["first", "name", "queue", "pods", "gap", "zero"]);
});

test("rows are copied as JSON with the keys of the columns", () => {
  assert.deepEqual(JSON.parse(rowsAsJson(rows.slice(1, 2), columns)), [
    { name: "web-9", queue: "Backoff", pods: { count: null } },
  ]);
});

test("a long list has the rows in sight and a margin", () => {
  assert.deepEqual(visibleRange(0, 300, 30, 100_000), { first: 0, last: 22 });
  assert.deepEqual(visibleRange(30_000, 300, 30, 100_000), { first: 988, last: 1022 });
  assert.deepEqual(visibleRange(1e9, 300, 30, 50), { first: 50, last: 50 });
  assert.deepEqual(visibleRange(0, 300, 30, 3), { first: 0, last: 3 });
});
