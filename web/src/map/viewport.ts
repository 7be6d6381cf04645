// The part of the map that is visible: `scale` is the size of a cell in CSS pixels, (x, y) the cell at the left top.

export interface Viewport {
  x: number;
  y: number;
  scale: number;
}

export interface Size {
  width: number;
  height: number;
}

export const largestScale = 160;
/** A map of few nodes is drawn this large: names, taints and cordons can be read. */
const largestFit = 120;

export function fit(world: Size, window: Size, padding = 12): Viewport {
  const width = Math.max(1, window.width - 2 * padding);
  const height = Math.max(1, window.height - 2 * padding);
  const scale = Math.min(largestFit, width / world.width, height / world.height);
  return {
    scale,
    x: (world.width - window.width / scale) / 2,
    y: (world.height - window.height / scale) / 2,
  };
}

/** Keeps at least a part of the map in the window, and the scale between half of `fit` and the largest. */
export function clamp(view: Viewport, world: Size, window: Size): Viewport {
  const smallest = fit(world, window).scale / 2;
  const scale = Math.min(largestScale, Math.max(smallest, view.scale));
  const width = window.width / scale;
  const height = window.height / scale;
  return {
    scale,
    x: Math.min(world.width - width * 0.2, Math.max(-width * 0.8, view.x)),
    y: Math.min(world.height - height * 0.2, Math.max(-height * 0.8, view.y)),
  };
}

/** Zooms by `factor`; the cell below the point (in CSS pixels) stays below it. */
export function zoomAt(
  view: Viewport,
  point: { x: number; y: number },
  factor: number,
  world: Size,
  window: Size,
): Viewport {
  const smallest = fit(world, window).scale / 2;
  const scale = Math.min(largestScale, Math.max(smallest, view.scale * factor));
  return clamp(
    {
      scale,
      x: view.x + point.x / view.scale - point.x / scale,
      y: view.y + point.y / view.scale - point.y / scale,
    },
    world,
    window,
  );
}

export function pan(view: Viewport, dx: number, dy: number, world: Size, window: Size): Viewport {
  return clamp({ ...view, x: view.x - dx / view.scale, y: view.y - dy / view.scale }, world, window);
}

/** Moves the map as little as possible so that the cell is visible with a margin. */
export function reveal(view: Viewport, cellX: number, cellY: number, window: Size): Viewport {
  const margin = Math.min(48, window.width / 4, window.height / 4) / view.scale;
  const width = window.width / view.scale;
  const height = window.height / view.scale;
  return {
    scale: view.scale,
    x: Math.min(cellX - margin, Math.max(cellX + 1 + margin - width, view.x)),
    y: Math.min(cellY - margin, Math.max(cellY + 1 + margin - height, view.y)),
  };
}

/** The viewport in an address: centre and zoom relative to `fit`, so that it means the same in another window. */
export function formatViewport(view: Viewport, world: Size, window: Size): string {
  const base = fit(world, window).scale;
  const x = (view.x + window.width / view.scale / 2) / world.width;
  const y = (view.y + window.height / view.scale / 2) / world.height;
  return [x.toFixed(4), y.toFixed(4), (view.scale / base).toFixed(2)].join(",");
}

export function parseViewport(text: string | undefined, world: Size, window: Size): Viewport {
  const parts = (text ?? "").split(",").map(Number);
  const whole = fit(world, window);
  if (parts.length !== 3 || !parts.every(Number.isFinite) || parts[2]! <= 0) return whole;
  const scale = whole.scale * parts[2]!;
  return clamp(
    {
      scale,
      x: parts[0]! * world.width - window.width / scale / 2,
      y: parts[1]! * world.height - window.height / scale / 2,
    },
    world,
    window,
  );
}
