// Draws the map on a canvas. The colours of all nodes are one small image with a pixel per cell, which each frame
// stretches over the canvas: its cost does not depend on the number of nodes. What is added when cells are large enough
// to see it (gaps, marks, names) is drawn for visible nodes only.
import { nodeFlags } from "../api/types.ts";
import { formatCount, formatPercent, plural } from "../format.ts";
import { hexPixel, levelOf, levels, markColours, pixel, scaleColours, type Theme, textOn } from "./colour.ts";
import type { Layout } from "./layout.ts";
import type { NodeStore } from "./node_store.ts";
import type { Size, Viewport } from "./viewport.ts";

export interface MapColours {
  background: string;
  line: string;
  text: string;
  dim: string;
  focus: string;
}

export interface DrawOptions {
  hovered: number;
  selected: number;
  focused: boolean;
}

/** Cells of at least this many CSS pixels get: gaps, marks in shape, use in percent, names. */
const detail = { gaps: 4, shapes: 9, percent: 36, names: 64, more: 104 };
/** How visible nodes are that the filter hides, of 255. */
const hiddenAlpha = 28;

export class MapRenderer {
  private readonly texture: HTMLCanvasElement;
  private readonly image: ImageData;
  private readonly pixels: Uint32Array;
  private readonly context: CanvasRenderingContext2D;
  private marked: number[] = [];
  private size: Size = { width: 1, height: 1 };
  private ratio = 1;
  private resource = "";
  private theme: Theme = "light";
  private shown: Uint8Array;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly store: NodeStore,
    private readonly layout: Layout,
  ) {
    const context = canvas.getContext("2d", { alpha: false });
    if (!context) throw new Error("This browser has no 2D canvas.");
    this.context = context;
    this.texture = document.createElement("canvas");
    this.texture.width = layout.width;
    this.texture.height = layout.height;
    this.image = new ImageData(layout.width, layout.height);
    this.pixels = new Uint32Array(this.image.data.buffer);
    this.shown = new Uint8Array(store.count).fill(1);
  }

  resize(size: Size, ratio: number): void {
    this.size = size;
    this.ratio = ratio;
    this.canvas.width = Math.max(1, Math.round(size.width * ratio));
    this.canvas.height = Math.max(1, Math.round(size.height * ratio));
  }

  /** Colours every node anew. */
  paint(resource: string, theme: Theme, shown: Uint8Array): void {
    this.resource = resource;
    this.theme = theme;
    this.shown = shown;
    const { store, layout, pixels } = this;
    const table = new Uint32Array(levels);
    const faded = new Uint32Array(levels);
    for (const [level, colour] of scaleColours(theme).entries()) {
      table[level] = pixel(colour);
      faded[level] = pixel(colour, hiddenAlpha);
    }
    const marks = markColours[theme];
    const [notReady, none] = [hexPixel(marks.notReady), hexPixel(marks.none)];
    const fadedNone = hexPixel(marks.none, hiddenAlpha);
    this.marked = [];
    for (let row = 0; row < store.count; row++) {
      const cell = layout.cells[2 * row]! + layout.cells[2 * row + 1]! * layout.width;
      const use = store.use(row, resource);
      if (shown[row] === 0) {
        pixels[cell] = Number.isNaN(use) ? fadedNone : faded[levelOf(use)]!;
        continue;
      }
      const flags = store.flags[row]!;
      if (flags & nodeFlags.notReady) pixels[cell] = notReady;
      else pixels[cell] = Number.isNaN(use) ? none : table[levelOf(use)]!;
      if (flags !== 0 || store.assumed[row]! > 0 || store.nominated[row]! > 0) this.marked.push(row);
    }
    this.texture.getContext("2d")?.putImageData(this.image, 0, 0);
  }

  draw(view: Viewport, colours: MapColours, options: DrawOptions): void {
    const { context, ratio } = this;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.fillStyle = colours.background;
    context.fillRect(0, 0, this.canvas.width, this.canvas.height);
    this.drawCells(view);
    if (view.scale >= detail.gaps) this.drawGaps(view, colours);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.drawZones(view, colours);
    if (view.scale >= detail.percent) this.drawTexts(view);
    this.drawMarks(view, colours);
    for (const [node, width, colour] of [
      [options.hovered, 1.5, colours.text],
      [options.selected, options.focused ? 3 : 2, colours.focus],
    ] as const) {
      if (node < 0) continue;
      const x = (this.layout.cells[2 * node]! - view.x) * view.scale;
      const y = (this.layout.cells[2 * node + 1]! - view.y) * view.scale;
      const side = Math.max(view.scale, 7);
      const inset = (view.scale - side) / 2;
      context.lineWidth = width;
      context.strokeStyle = colour;
      context.strokeRect(x + inset - 0.5, y + inset - 0.5, side + 1, side + 1);
    }
  }

  private visible(view: Viewport): { left: number; top: number; right: number; bottom: number } {
    return {
      left: Math.max(0, Math.floor(view.x)),
      top: Math.max(0, Math.floor(view.y)),
      right: Math.min(this.layout.width, Math.ceil(view.x + this.size.width / view.scale)),
      bottom: Math.min(this.layout.height, Math.ceil(view.y + this.size.height / view.scale)),
    };
  }

  private drawCells(view: Viewport): void {
    const { left, top, right, bottom } = this.visible(view);
    if (right <= left || bottom <= top) return;
    const scale = view.scale * this.ratio;
    const x = Math.round((left - view.x) * scale);
    const y = Math.round((top - view.y) * scale);
    const width = Math.round((right - view.x) * scale) - x;
    const height = Math.round((bottom - view.y) * scale) - y;
    this.context.imageSmoothingEnabled = scale < 1;
    this.context.drawImage(this.texture, left, top, right - left, bottom - top, x, y, width, height);
  }

  // Lines between cells in the colour of the background: a few hundred rectangles, whatever the number of nodes.
  private drawGaps(view: Viewport, colours: MapColours): void {
    const { left, top, right, bottom } = this.visible(view);
    const scale = view.scale * this.ratio;
    const gap = Math.max(1, Math.min(Math.round(4 * this.ratio), Math.round(scale * 0.09)));
    this.context.fillStyle = colours.background;
    for (let column = left; column <= right; column++) {
      const x = Math.round((column - view.x) * scale);
      this.context.fillRect(x - (gap >> 1), 0, gap, this.canvas.height);
    }
    for (let row = top; row <= bottom; row++) {
      const y = Math.round((row - view.y) * scale);
      this.context.fillRect(0, y - (gap >> 1), this.canvas.width, gap);
    }
  }

  private drawZones(view: Viewport, colours: MapColours): void {
    const { context, layout, size } = this;
    context.textBaseline = "middle";
    context.textAlign = "left";
    for (const zone of layout.zones) {
      const x = (zone.x - view.x) * view.scale;
      const y = (zone.y - view.y) * view.scale;
      const width = zone.width * view.scale;
      const height = zone.height * view.scale;
      if (x > size.width || y > size.height || x + width < 0 || y + height < 0) continue;
      context.strokeStyle = colours.line;
      context.lineWidth = 1;
      context.beginPath();
      context.roundRect(x, y, width, height, 6);
      context.stroke();
      const header = layout.header * view.scale;
      if (header < 11 || width < 30) continue;
      // The name stays in sight while a part of the zone is.
      const left = Math.min(Math.max(x, 0) + 10, x + width - 40);
      const middle = y + Math.min(header / 2, 22);
      const limit = x + width - left - 8;
      context.font = `600 ${header >= 18 ? 12 : 10}px system-ui, sans-serif`;
      context.fillStyle = colours.text;
      const name = shorten(context, zone.name || "no zone", limit);
      context.fillText(name, left, middle);
      const used = context.measureText(name).width + 8;
      context.font = "11px system-ui, sans-serif";
      context.fillStyle = colours.dim;
      const count = `${formatCount(zone.nodes)} nodes`;
      if (used + context.measureText(count).width < limit) context.fillText(count, left + used, middle);
    }
    if (view.scale < 13) return;
    context.font = "10px system-ui, sans-serif";
    context.fillStyle = colours.dim;
    for (const rack of layout.racks) {
      if (rack.name === "") continue;
      const x = (rack.x - view.x) * view.scale;
      const y = (rack.y - view.y) * view.scale;
      const width = rack.width * view.scale;
      if (x > size.width || y > size.height + 20 || x + width < 0 || y < 0) continue;
      context.fillText(shorten(context, rack.name, width), x + 1, y - 6);
    }
  }

  private drawTexts(view: Viewport): void {
    const { context, layout, store } = this;
    const { left, top, right, bottom } = this.visible(view);
    const pad = 9;
    for (let y = top; y < bottom; y++) {
      for (let x = left; x < right; x++) {
        const row = layout.grid[x + y * layout.width]!;
        if (row < 0 || this.shown[row] === 0) continue;
        const use = store.use(row, this.resource);
        const px = (x - view.x) * view.scale;
        const py = (y - view.y) * view.scale;
        const notReady = store.flags[row]! & nodeFlags.notReady;
        context.fillStyle = notReady
          ? this.theme === "dark"
            ? "#000000"
            : "#ffffff"
          : textOn(Number.isNaN(use) ? 0 : use, this.theme);
        context.textAlign = "left";
        context.textBaseline = "top";
        const percent = Number.isNaN(use) ? "none" : formatPercent(use);
        if (view.scale < detail.names) {
          context.font = "11px system-ui, sans-serif";
          context.textAlign = "center";
          context.textBaseline = "middle";
          context.fillText(percent, px + view.scale / 2, py + view.scale / 2);
          continue;
        }
        const room = view.scale - 2 * pad - (store.assumed[row] ? 12 : 2);
        context.font = "600 11px system-ui, sans-serif";
        context.fillText(shorten(context, store.names[row]!, room, true), px + pad, py + pad);
        context.font = "600 18px system-ui, sans-serif";
        context.fillText(percent, px + pad, py + pad + 17);
        context.font = "11px system-ui, sans-serif";
        for (const [i, line] of this.linesOf(row, view.scale).entries())
          context.fillText(shorten(context, line, room), px + pad, py + pad + 38 + 14 * i);
      }
    }
  }

  /** What is said below a node's use: what keeps pods away comes first. */
  private linesOf(row: number, scale: number): string[] {
    const { store } = this;
    const flags = store.flags[row]!;
    const pods = store.pods[row]!;
    const lines = [
      flags & nodeFlags.notReady ? "not ready" : "",
      flags & nodeFlags.unschedulable ? "cordoned" : "",
      // Those of the state are said by it.
      ...store.taints(row).filter((taint) => !taint.startsWith("node.kubernetes.io/")),
      plural(pods, "pod"),
      store.pool(row),
    ].filter((line) => line !== "");
    return lines.slice(0, scale >= detail.more ? 3 : 1);
  }

  // Assumed and nominated pods and the state of nodes. Far away they are dots, so that a few among 100,000 are seen.
  private drawMarks(view: Viewport, colours: MapColours): void {
    const { context, layout, store, theme } = this;
    const { left, top, right, bottom } = this.visible(view);
    const marks = markColours[theme];
    const side = view.scale;
    const shapes = side >= detail.shapes;
    for (const row of this.marked) {
      const cellX = layout.cells[2 * row]!;
      const cellY = layout.cells[2 * row + 1]!;
      if (cellX < left || cellY < top || cellX >= right || cellY >= bottom) continue;
      const x = (cellX - view.x) * side;
      const y = (cellY - view.y) * side;
      const flags = store.flags[row]!;
      const assumed = store.assumed[row]! > 0;
      const nominated = store.nominated[row]! > 0;
      if (!shapes) {
        if (!assumed && !nominated) {
          if (side >= detail.gaps && flags & nodeFlags.unschedulable) {
            context.fillStyle = marks.cordoned;
            context.fillRect(x + side * 0.2, y + side * 0.4, side * 0.6, Math.max(1, side * 0.2));
          }
          continue;
        }
        const dot = Math.max(2.5, side * 0.6);
        context.fillStyle = nominated ? marks.nominated : marks.assumed;
        context.fillRect(x + (side - dot) / 2, y + (side - dot) / 2, dot, dot);
        continue;
      }
      if (flags & nodeFlags.unschedulable) {
        // Hatched: no new pods come here.
        context.save();
        context.beginPath();
        const inset = Math.max(1, side * 0.06);
        // Texts stay readable above a strip.
        const height = side >= detail.names ? 8 : side - 2 * inset;
        context.rect(x + inset, y + side - inset - height, side - 2 * inset, height);
        context.clip();
        context.beginPath();
        const step = side >= detail.names ? 8 : Math.max(5, side / 4);
        for (let offset = -side; offset < side; offset += step) {
          context.moveTo(x + offset, y + side);
          context.lineTo(x + offset + side, y);
        }
        // Two colours, so that the hatching is seen on any use.
        context.strokeStyle = colours.background;
        context.lineWidth = Math.max(2, Math.min(5, side * 0.12));
        context.stroke();
        context.strokeStyle = marks.cordoned;
        context.lineWidth = Math.max(1, Math.min(2, side * 0.05));
        context.stroke();
        context.restore();
      }
      if (flags & (nodeFlags.noSchedule | nodeFlags.noExecute) && !(flags & 3)) {
        const height = Math.min(10, side * 0.3);
        const corner = Math.max(1.5, side * 0.06);
        context.fillStyle = marks.tainted;
        context.strokeStyle = colours.background;
        context.lineWidth = 1;
        context.beginPath();
        context.moveTo(x + corner, y + side - corner);
        context.lineTo(x + corner, y + side - corner - height);
        context.lineTo(x + corner + height, y + side - corner);
        context.closePath();
        context.fill();
        context.stroke();
      }
      if (flags & nodeFlags.notReady) {
        const inset = side * 0.3;
        context.strokeStyle = colours.background;
        context.lineWidth = Math.max(1.5, Math.min(3, side * 0.1));
        if (side < detail.percent) {
          context.beginPath();
          context.moveTo(x + inset, y + inset);
          context.lineTo(x + side - inset, y + side - inset);
          context.moveTo(x + side - inset, y + inset);
          context.lineTo(x + inset, y + side - inset);
          context.stroke();
        }
      }
      const radius = Math.min(7, Math.max(2.5, side * 0.2));
      const edge = radius + Math.max(1.5, side * 0.1);
      if (assumed) {
        context.fillStyle = marks.assumed;
        context.strokeStyle = colours.background;
        context.lineWidth = 1;
        context.beginPath();
        context.arc(x + side - edge, y + edge, radius, 0, 2 * Math.PI);
        context.fill();
        context.stroke();
      }
      if (nominated) {
        context.fillStyle = marks.nominated;
        context.strokeStyle = colours.background;
        context.lineWidth = 1;
        context.beginPath();
        const centreX = x + side - edge;
        const centreY = y + side - edge;
        context.moveTo(centreX, centreY - radius * 1.2);
        context.lineTo(centreX + radius * 1.2, centreY);
        context.lineTo(centreX, centreY + radius * 1.2);
        context.lineTo(centreX - radius * 1.2, centreY);
        context.closePath();
        context.fill();
        context.stroke();
      }
    }
  }
}

/** The text, cut so that it is at most `room` pixels wide; `fromEnd` keeps the end, where names differ. */
function shorten(context: CanvasRenderingContext2D, text: string, room: number, fromEnd = false): string {
  if (context.measureText(text).width <= room) return text;
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    const part = fromEnd ? `…${text.slice(text.length - middle)}` : `${text.slice(0, middle)}…`;
    if (context.measureText(part).width <= room) low = middle;
    else high = middle - 1;
  }
  if (low === 0) return "";
  return fromEnd ? `…${text.slice(text.length - low)}` : `${text.slice(0, low)}…`;
}
