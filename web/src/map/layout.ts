// Places nodes on a grid: one node per cell, racks as blocks of cells, zones as blocks of racks. All distances are whole
// cells, so the map is one small image with a pixel per cell, and finding the node below the pointer is an array access.

export interface Box {
  name: string;
  x: number;
  y: number;
  width: number;
  height: number;
  nodes: number;
}

export interface RackBox extends Box {
  zone: number;
}

export interface Layout {
  width: number;
  height: number;
  /** Cell of node i: x = cells[2i], y = cells[2i+1]. */
  cells: Int32Array;
  /** Node at cell x + y * width, or -1. */
  grid: Int32Array;
  zones: Box[];
  racks: RackBox[];
  /** Rows of cells above a zone's racks, for its name. */
  header: number;
}

export interface Grouping {
  values: readonly string[];
  of: ArrayLike<number>;
}

interface Item {
  width: number;
  height: number;
  x: number;
  y: number;
}

/** Puts items in rows from left to right; a row ends when it would be wider than `limit`. Returns the size. */
function pack(items: Item[], limit: number, gap: number): { width: number; height: number } {
  let x = 0;
  let y = 0;
  let row = 0;
  let width = 0;
  for (const item of items) {
    if (x > 0 && x + item.width > limit) {
      y += row + gap;
      x = 0;
      row = 0;
    }
    item.x = x;
    item.y = y;
    x += item.width + gap;
    row = Math.max(row, item.height);
    width = Math.max(width, item.x + item.width);
  }
  return { width, height: y + row };
}

/** Packs with the row width that brings the shape closest to `aspect` (width over height). */
function packTo(items: Item[], aspect: number, gap: number): { width: number; height: number } {
  let area = 0;
  let widest = 0;
  for (const item of items) {
    area += (item.width + gap) * (item.height + gap);
    widest = Math.max(widest, item.width);
  }
  const ideal = Math.sqrt(area * aspect);
  let best = Number.POSITIVE_INFINITY;
  let bestLimit = widest;
  for (let factor = 0.6; factor <= 2.01; factor += 0.1) {
    const limit = Math.max(widest, Math.round(ideal * factor));
    const size = pack(items, limit, gap);
    // The scale at which the shape fits into a window of this aspect: the larger the better.
    const cost = Math.max(size.width / aspect, size.height);
    if (cost < best - 1e-9) {
      best = cost;
      bestLimit = limit;
    }
  }
  return pack(items, bestLimit, gap);
}

interface Block extends Item {
  name: string;
  nodes: number[];
}

/** A rack is a tall block, 4 by 10 for 40 nodes; nodes without a rack form a wide one. */
function rackBlock(name: string, nodes: number[], isRack: boolean): Block {
  const aspect = isRack ? 0.4 : 1.6;
  const width = Math.max(1, Math.round(Math.sqrt(nodes.length * aspect)));
  return { name, nodes, width, height: Math.ceil(nodes.length / width), x: 0, y: 0 };
}

function byGroup(nodes: Iterable<number>, groups: Grouping): [string, number[], boolean][] {
  const buckets = new Map<number, number[]>();
  for (const node of nodes) {
    const value = groups.of[node] ?? -1;
    const bucket = buckets.get(value);
    if (bucket) bucket.push(node);
    else buckets.set(value, [node]);
  }
  const collator = new Intl.Collator("en", { numeric: true });
  return [...buckets]
    .map(([value, members]): [string, number[], boolean] => [groups.values[value] ?? "", members, value >= 0])
    .sort((a, b) => Number(b[2]) - Number(a[2]) || collator.compare(a[0], b[0]));
}

function* range(count: number): Iterable<number> {
  for (let i = 0; i < count; i++) yield i;
}

/** Lays out `count` nodes for a window whose width over height is `aspect`. The same input gives the same layout. */
export function layOut(count: number, zones: Grouping, racks: Grouping, aspect = 1.55): Layout {
  const header = Math.max(2, Math.round(0.045 * Math.sqrt(count)));
  const zoneGap = Math.max(1, Math.round(header / 2));
  const padding = Math.max(1, Math.round(header / 3));
  const placed = byGroup(range(count), zones).map(([name, nodes]) => {
    const blocks = byGroup(nodes, racks).map(([rack, members, isRack]) => rackBlock(rack, members, isRack));
    return { name, nodes, blocks };
  });
  // Zones in one row are tall, in one column wide: the shape that makes cells largest is taken.
  const arrange = (zoneAspect: number) => {
    const items = placed.map((zone) => {
      const blocks = zone.blocks.map((block) => ({ ...block }));
      const inner = packTo(blocks, zoneAspect, 1);
      return {
        ...zone,
        blocks,
        width: inner.width + 2 * padding,
        height: inner.height + header + padding,
        x: 0,
        y: 0,
      };
    });
    const outer = packTo(items, aspect, zoneGap);
    return { items, outer, cost: Math.max(outer.width / aspect, outer.height) };
  };
  let best = arrange(aspect);
  for (let columns = 1; columns <= Math.min(4, placed.length); columns++) {
    const rows = Math.ceil(placed.length / columns);
    for (const factor of [0.85, 1, 1.15]) {
      const tried = arrange((aspect * rows * factor) / columns);
      if (tried.cost < best.cost - 1e-9) best = tried;
    }
  }
  const { items: zoneItems, outer: size } = best;
  const width = Math.max(1, size.width);
  const height = Math.max(1, size.height);
  const cells = new Int32Array(2 * count);
  const grid = new Int32Array(width * height).fill(-1);
  const zoneBoxes: Box[] = [];
  const rackBoxes: RackBox[] = [];
  for (const zone of zoneItems) {
    const { x, y } = zone;
    const box = { name: zone.name, x, y, width: zone.width, height: zone.height, nodes: zone.nodes.length };
    zoneBoxes.push(box);
    for (const block of zone.blocks) {
      const left = x + padding + block.x;
      const top = y + header + block.y;
      rackBoxes.push({
        name: block.name,
        x: left,
        y: top,
        width: block.width,
        height: block.height,
        nodes: block.nodes.length,
        zone: zoneBoxes.length - 1,
      });
      for (const [i, node] of block.nodes.entries()) {
        const cellX = left + (i % block.width);
        const cellY = top + Math.floor(i / block.width);
        cells[2 * node] = cellX;
        cells[2 * node + 1] = cellY;
        grid[cellX + cellY * width] = node;
      }
    }
  }
  return { width, height, cells, grid, zones: zoneBoxes, racks: rackBoxes, header };
}

/** The node at a point in cells, or -1. */
export function nodeAt(layout: Layout, x: number, y: number): number {
  const cellX = Math.floor(x);
  const cellY = Math.floor(y);
  if (cellX < 0 || cellY < 0 || cellX >= layout.width || cellY >= layout.height) return -1;
  return layout.grid[cellX + cellY * layout.width]!;
}

export type Direction = "left" | "right" | "up" | "down";

/**
 * The node that an arrow key selects: the nearest one in a widening cone from the current node, or the same node at the
 * edge of the map.
 */
export function neighbour(layout: Layout, node: number, direction: Direction): number {
  const x = layout.cells[2 * node]!;
  const y = layout.cells[2 * node + 1]!;
  const horizontal = direction === "left" || direction === "right";
  const sign = direction === "left" || direction === "up" ? -1 : 1;
  const reach = horizontal ? layout.width : layout.height;
  for (let step = 1; step < reach; step++) {
    for (let side = 0; side <= step; side++) {
      for (const offset of side === 0 ? [0] : [-side, side]) {
        const found = horizontal
          ? nodeAt(layout, x + sign * step, y + offset)
          : nodeAt(layout, x + offset, y + sign * step);
        if (found >= 0) return found;
      }
    }
  }
  return node;
}
