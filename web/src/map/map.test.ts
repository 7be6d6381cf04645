import assert from "node:assert/strict";
import test from "node:test";
import type { NodeMap } from "../api/types.ts";
import { contrast, levelOf, luminance, markColours, parseHex, scaleColours, textOn } from "./colour.ts";
import { applyFilter } from "./node_filter.ts";
import { NodeStore } from "./node_store.ts";
import { matches, parseSelector } from "./selector.ts";
import { clamp, fit, formatViewport, parseViewport, reveal, zoomAt } from "./viewport.ts";

test("lightness of the scales is monotonic, so that they are read without hue", () => {
  for (const [theme, sign] of [
    ["light", -1],
    ["dark", 1],
  ] as const) {
    const values = scaleColours(theme).map(luminance);
    for (let i = 1; i < values.length; i++)
      assert.ok(sign * (values[i]! - values[i - 1]!) >= -1e-3, `${theme} ${i}`);
    assert.ok(contrast(scaleColours(theme)[0]!, scaleColours(theme).at(-1)!) > 8);
  }
});

test("text on every colour of the scale has a contrast of 4.5", () => {
  for (const theme of ["light", "dark"] as const) {
    for (let i = 0; i <= 100; i++) {
      const text = parseHex(textOn(i / 100, theme));
      const colour = scaleColours(theme)[levelOf(i / 100)]!;
      assert.ok(contrast(text, colour) >= 4.5, `${theme} ${i}: ${contrast(text, colour)}`);
    }
  }
});

/** What a person without red or green cones sees (Viénot 1999, simplified). */
function asDichromat([r, g, b]: readonly [number, number, number]): [number, number, number] {
  const yellow = 0.11 * r + 0.89 * g;
  return [yellow, yellow, b];
}

test("marks differ from each other and from the scale without red and green cones", () => {
  const distance = (a: readonly number[], b: readonly number[]) =>
    Math.hypot(...a.map((value, i) => value - (b[i] ?? 0)));
  for (const theme of ["light", "dark"] as const) {
    const { assumed, nominated } = markColours[theme];
    assert.ok(distance(asDichromat(parseHex(assumed)), asDichromat(parseHex(nominated))) > 50, theme);
  }
});

test("use outside of 0 to 1 has the colours of the ends", () => {
  assert.equal(levelOf(Number.NaN), 0);
  assert.equal(levelOf(-1), 0);
  assert.equal(levelOf(0.5), 128);
  assert.equal(levelOf(3), 255);
});

const world = { width: 400, height: 250 };
const window = { width: 1200, height: 700 };

test("the cell below the pointer stays there while zooming", () => {
  let view = fit(world, window);
  const point = { x: 300, y: 410 };
  const cell = (at: typeof view) => [at.x + point.x / at.scale, at.y + point.y / at.scale];
  const before = cell(view);
  for (let i = 0; i < 5; i++) view = zoomAt(view, point, 1.7, world, window);
  const after = cell(view);
  assert.ok(Math.abs(before[0]! - after[0]!) < 1e-6 && Math.abs(before[1]! - after[1]!) < 1e-6);
});

test("the map cannot be lost", () => {
  const view = clamp({ x: 1e6, y: -1e6, scale: 1e-9 }, world, window);
  assert.ok(view.x < world.width && view.y + window.height / view.scale > 0);
  assert.ok(view.scale >= fit(world, window).scale / 2 - 1e-9);
});

test("a viewport in the address means the same place in another window", () => {
  const view = zoomAt(fit(world, window), { x: 900, y: 200 }, 6, world, window);
  const text = formatViewport(view, world, window);
  const same = parseViewport(text, world, window);
  assert.ok(Math.abs(same.x - view.x) < 0.5 && Math.abs(same.y - view.y) < 0.5);
  const small = { width: 600, height: 700 };
  const other = parseViewport(text, world, small);
  const centre = (at: typeof view, size: typeof window) => at.x + size.width / at.scale / 2;
  assert.ok(Math.abs(centre(other, small) - centre(view, window)) < 1);
});

test("nonsense in the address shows the whole map", () => {
  for (const text of [undefined, "", "1,2", "a,b,c", "1,1,-5", "Infinity,0,1", "<script>"]) {
    assert.deepEqual(parseViewport(text, world, window), fit(world, window));
  }
});

test("a selected node is brought into sight by the shortest way", () => {
  const view = { x: 0, y: 0, scale: 10 };
  const moved = reveal(view, 200, 5, window);
  assert.ok(moved.x > 0 && 201 <= moved.x + window.width / 10);
  assert.deepEqual(reveal({ x: 0, y: 0, scale: 10 }, 50, 30, window), view);
});

test("selectors have the syntax of kubectl", () => {
  const labels = { "topology.kubernetes.io/zone": "a", pool: "gpu", empty: "" };
  const cases: [string, boolean][] = [
    ["", true],
    ["pool=gpu", true],
    ["pool==gpu", true],
    ["pool = spot", false],
    ["pool!=spot", true],
    ["absent!=x", true],
    ["pool in (spot, gpu)", true],
    ["pool notin (spot,gpu)", false],
    ["absent notin (x)", true],
    ["pool", true],
    ["!pool", false],
    ["! absent", true],
    ["empty=", true],
    ["topology.kubernetes.io/zone in (a,b),pool=gpu", true],
    ["pool=gpu,pool=spot", false],
    ["toString", false],
  ];
  for (const [text, want] of cases) {
    const parsed = parseSelector(text);
    assert.ok(parsed.ok, text);
    assert.equal(matches(parsed.requirements, labels), want, text);
  }
});

test("selectors that are none say so", () => {
  for (const text of ["a=b=c", "in (a)", "a in b", "a>5", "<b>", "a in (b"]) {
    const parsed = parseSelector(text);
    assert.ok(!parsed.ok && parsed.error.includes("label selector"), text);
  }
});

function page(first: number, names: string[], zone: string, taints: string[], more: boolean): NodeMap {
  const zeros = names.map(() => 0);
  return {
    apiVersion: "berth.dev/v1",
    kind: "NodeMap",
    generation: 3,
    sequence: 1,
    first,
    total: 4,
    names,
    zones: { key: "zone", values: [zone], of: zeros },
    racks: { key: "", values: [], of: names.map(() => -1) },
    pools: { key: "pool", values: ["p"], of: zeros },
    resources: { cpu: { allocatable: names.map(() => 1000), requested: names.map((_, i) => 250 * (i + 1)) } },
    pods: zeros,
    assumed: zeros,
    nominated: zeros,
    flags: zeros,
    labels: { sets: [{ zone }], of: zeros },
    taints: { sets: [taints], of: zeros },
    ...(more ? { continue: "2" } : {}),
  };
}

function store(): NodeStore {
  return NodeStore.from([
    page(0, ["n0", "n1"], "a", [], true),
    page(2, ["n2", "n3"], "b", ["k=v:NoSchedule"], false),
  ]);
}

test("pages with tables of their own are joined", () => {
  const nodes = store();
  assert.equal(nodes.count, 4);
  assert.deepEqual(
    [0, 1, 2, 3].map((row) => nodes.zone(row)),
    ["a", "a", "b", "b"],
  );
  assert.deepEqual(nodes.taints(3), ["k=v:NoSchedule"]);
  assert.equal(nodes.use(1, "cpu"), 0.5);
  assert.ok(Number.isNaN(nodes.use(1, "gpu")));
  assert.equal(nodes.use(1, "dominant"), 0.5);
  assert.equal(nodes.row("n2"), 2);
  assert.equal(nodes.row("nowhere"), -1);
});

test("events change rows in place; others ask for a new map", () => {
  const nodes = store();
  const delta = {
    generation: 3,
    rows: [2],
    pods: [5],
    assumed: [1],
    nominated: [0],
    flags: [1],
    requested: { cpu: [990] },
  };
  assert.ok(nodes.apply(delta));
  assert.equal(nodes.pods[2], 5);
  assert.equal(nodes.use(2, "cpu"), 0.99);
  assert.ok(!nodes.apply({ ...delta, generation: 4 }));
  assert.ok(!nodes.apply({ ...delta, reset: true }));
  assert.ok(!nodes.apply({ ...delta, rows: [99] }));
});

test("filters combine", () => {
  const nodes = store();
  const none = { labels: "", taint: "", pool: "", name: "", state: "" };
  const names = (filter: Partial<typeof none>) => {
    const { shown } = applyFilter(nodes, { ...none, ...filter });
    return nodes.names.filter((_, row) => shown[row]).join(" ");
  };
  assert.equal(names({}), "n0 n1 n2 n3");
  assert.equal(names({ labels: "zone=b" }), "n2 n3");
  assert.equal(names({ taint: "none" }), "n0 n1");
  assert.equal(names({ taint: "k=v:NoSchedule", name: "N3" }), "n3");
  assert.equal(names({ pool: "other" }), "");
  assert.equal(names({ state: "empty" }), "n0 n1 n2 n3");
  assert.ok(applyFilter(nodes, { ...none, labels: "a b" }).error);
});
