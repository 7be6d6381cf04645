import assert from "node:assert/strict";
import test from "node:test";
import { layOut, neighbour, nodeAt } from "./layout.ts";

function cluster(count: number, zones: number, rackSize: number) {
  const perZone = Math.ceil(count / zones);
  const zone = Array.from({ length: count }, (_, i) => Math.floor(i / perZone));
  const rack = Array.from({ length: count }, (_, i) => Math.floor(i / rackSize));
  return layOut(
    count,
    { values: Array.from({ length: zones }, (_, i) => `zone-${i}`), of: zone },
    { values: Array.from({ length: Math.ceil(count / rackSize) }, (_, i) => `rack-${i}`), of: rack },
  );
}

test("every node has a cell of its own, within its zone", () => {
  for (const [count, zones, rackSize] of [
    [1, 1, 1],
    [7, 2, 3],
    [1000, 3, 24],
    [20_000, 6, 40],
  ] as const) {
    const layout = cluster(count, zones, rackSize);
    const seen = new Set<number>();
    for (let node = 0; node < count; node++) {
      const x = layout.cells[2 * node]!;
      const y = layout.cells[2 * node + 1]!;
      seen.add(x + y * layout.width);
      assert.equal(nodeAt(layout, x + 0.5, y + 0.5), node);
      const inside = layout.zones.filter(
        (zone) =>
          x >= zone.x && x < zone.x + zone.width && y >= zone.y + layout.header && y < zone.y + zone.height,
      );
      assert.equal(inside.length, 1);
    }
    assert.equal(seen.size, count);
    assert.equal(layout.grid.filter((node) => node >= 0).length, count);
  }
});

test("zones do not overlap, and neither do racks", () => {
  const layout = cluster(5000, 5, 40);
  for (const boxes of [layout.zones, layout.racks]) {
    for (const [i, a] of boxes.entries()) {
      for (const b of boxes.slice(i + 1)) {
        const apart =
          a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y;
        assert.ok(apart, `${a.name} and ${b.name}`);
      }
    }
  }
});

test("the same nodes give the same layout", () => {
  assert.deepEqual(cluster(3000, 3, 24), cluster(3000, 3, 24));
});

test("the shape is close to that of a window, and little of it is empty", () => {
  for (const count of [300, 1000, 10_000, 100_000]) {
    const { width, height } = cluster(count, 3, 40);
    assert.ok(width / height > 0.9 && width / height < 2.6, `${count}: ${width} by ${height}`);
    assert.ok(count / (width * height) > 0.35, `${count}: ${(count / (width * height)).toFixed(2)} used`);
  }
});

test("nodes without a zone or rack come last", () => {
  const layout = layOut(3, { values: ["b", "a"], of: [-1, 0, 1] }, { values: [], of: [-1, -1, -1] });
  assert.deepEqual(
    layout.zones.map(({ name }) => name),
    ["a", "b", ""],
  );
});

test("names with numbers sort by the numbers", () => {
  const layout = layOut(
    3,
    { values: ["zone-10", "zone-9", "zone-1"], of: [0, 1, 2] },
    { values: [], of: [] },
  );
  assert.deepEqual(
    layout.zones.map(({ name }) => name),
    ["zone-1", "zone-9", "zone-10"],
  );
});

test("no nodes are a layout too", () => {
  const layout = layOut(0, { values: [], of: [] }, { values: [], of: [] });
  assert.equal(nodeAt(layout, 0, 0), -1);
  assert.equal(layout.zones.length, 0);
});

test("points outside of the map hit nothing", () => {
  const layout = cluster(100, 2, 10);
  for (const [x, y] of [
    [-1, 0],
    [0, -0.1],
    [layout.width, 0],
    [0, layout.height + 5],
    [Number.NaN, 0],
  ] as const) {
    assert.ok(!(nodeAt(layout, x, y) >= 0));
  }
});

test("arrow keys reach every node from the first", () => {
  const layout = cluster(500, 3, 24);
  const reached = new Set([0]);
  const queue = [0];
  for (let node = queue.pop(); node !== undefined; node = queue.pop()) {
    for (const direction of ["left", "right", "up", "down"] as const) {
      const next = neighbour(layout, node, direction);
      if (!reached.has(next)) {
        reached.add(next);
        queue.push(next);
      }
    }
  }
  assert.equal(reached.size, 500);
});

test("an arrow key moves in its direction, or not at all", () => {
  const layout = cluster(500, 3, 24);
  for (let node = 0; node < 500; node++) {
    const right = neighbour(layout, node, "right");
    assert.ok(right === node || layout.cells[2 * right]! > layout.cells[2 * node]!);
    const up = neighbour(layout, node, "up");
    assert.ok(up === node || layout.cells[2 * up + 1]! < layout.cells[2 * node + 1]!);
  }
});
