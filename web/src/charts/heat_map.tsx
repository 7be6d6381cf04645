// Latency over time: one column per step, one row per bucket, darker where more decisions are.
import { useEffect, useRef, useState } from "preact/hooks";
import { formatClock, formatCount, formatShortDuration } from "../format.ts";
import { levels, pixel, scaleColours, type Theme } from "../map/colour.ts";
import { useSize } from "../state/hooks.ts";
import { CopyButton } from "../ui/controls.tsx";
import { timeTicks } from "./scale.ts";

/** Few and many must both be seen, so colours follow the logarithm. */
export function heat(count: number, largest: number): number {
  if (count <= 0 || largest <= 0) return 0;
  return 0.12 + 0.88 * (Math.log1p(count) / Math.log1p(largest));
}

/** The bound below which a share of all counts lies; Infinity if it is in the last bucket. */
export function quantile(bounds: readonly number[], counts: readonly number[], share: number): number {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return Number.NaN;
  let rest = total * share;
  for (const [i, count] of counts.entries()) {
    rest -= count;
    if (rest <= 1e-9) return bounds[i] ?? Number.POSITIVE_INFINITY;
  }
  return Number.POSITIVE_INFINITY;
}

const left = 52;
const bottom = 18;

export function HeatMap(props: {
  title: string;
  bounds: readonly number[];
  counts: readonly (readonly number[])[];
  start: number;
  step: number;
  theme: Theme;
  height?: number;
}) {
  const { bounds, counts, start, step, theme, height = 190 } = props;
  const [box, { width }] = useSize<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [at, setAt] = useState<{ column: number; row: number } | undefined>();
  const columns = counts.length;
  const rows = bounds.length + 1;
  const plot = { width: Math.max(10, width - left - 6), height: height - bottom };
  useEffect(() => {
    const element = canvas.current;
    if (!element || columns === 0) return;
    element.width = columns;
    element.height = rows;
    const context = element.getContext("2d");
    if (!context) return;
    const image = context.createImageData(columns, rows);
    const pixels = new Uint32Array(image.data.buffer);
    const largest = Math.max(1, ...counts.map((column) => Math.max(0, ...column)));
    const colours = scaleColours(theme);
    for (const [x, column] of counts.entries()) {
      for (let row = 0; row < rows; row++) {
        const value = heat(column[row] ?? 0, largest);
        const colour = pixel(colours[Math.round(value * (levels - 1))]!, value === 0 ? 0 : 255);
        pixels[x + (rows - 1 - row) * columns] = colour;
      }
    }
    context.putImageData(image, 0, 0);
  }, [counts, columns, rows, theme]);
  const label = (row: number) =>
    row < bounds.length
      ? `≤ ${formatShortDuration(bounds[row]!)}`
      : `> ${formatShortDuration(bounds.at(-1) ?? 0)}`;
  const recent = counts
    .slice(-12)
    .reduce<number[]>((sum, column) => column.map((count, i) => count + (sum[i] ?? 0)), []);
  const show = (seconds: number) =>
    Number.isFinite(seconds)
      ? `≤ ${formatShortDuration(seconds)}`
      : Number.isNaN(seconds)
        ? "–"
        : `> ${formatShortDuration(bounds.at(-1) ?? 0)}`;
  const summary = `p50 ${show(quantile(bounds, recent, 0.5))}, p99 ${show(quantile(bounds, recent, 0.99))}`;
  const end = start + Math.max(0, columns - 1) * step * 1000;
  return (
    <figure class="chart">
      <figcaption>
        <span class="chart-title">{props.title}</span> <span class="dim">decisions per bucket</span>
        <span class="spring" />
        <span class="dim tabular">
          {at
            ? `${formatClock(start + at.column * step * 1000)} · ${label(at.row)} · ${formatCount(counts[at.column]?.[at.row] ?? 0)}`
            : `last minute ${summary}`}
        </span>
        <CopyButton
          label="JSON"
          title={`Copy ${props.title} as JSON`}
          text={() => JSON.stringify({ start: new Date(start).toISOString(), step, bounds, counts }, null, 2)}
        />
      </figcaption>
      <div ref={box} class="chart-box heat" style={{ height: `${height}px` }}>
        <canvas
          ref={canvas}
          role="img"
          aria-label={`${props.title}, last minute: ${summary}`}
          style={{ left: `${left}px`, width: `${plot.width}px`, height: `${plot.height}px` }}
          onPointerMove={(event) =>
            setAt({
              column: Math.max(0, Math.min(columns - 1, Math.floor((event.offsetX / plot.width) * columns))),
              row: Math.max(
                0,
                Math.min(rows - 1, rows - 1 - Math.floor((event.offsetY / plot.height) * rows)),
              ),
            })
          }
          onPointerLeave={() => setAt(undefined)}
        />
        {width > 0 && (
          <svg width={width} height={height} aria-hidden="true">
            {Array.from({ length: rows }, (_, row) => row)
              .filter((row) => row % 2 === 0)
              .map((row) => (
                <text
                  key={row}
                  class="tick"
                  x={left - 6}
                  y={plot.height * (1 - (row + 0.5) / rows) + 3.5}
                  text-anchor="end"
                >
                  {label(row).replace("≤ ", "")}
                </text>
              ))}
            {timeTicks(start, end, Math.max(2, Math.floor(plot.width / 90))).map((time) => (
              <text
                key={time}
                class="tick"
                x={left + ((time - start) / Math.max(1, end - start)) * plot.width}
                y={height - 4}
                text-anchor="middle"
              >
                {formatClock(time).slice(0, 5)}
              </text>
            ))}
          </svg>
        )}
      </div>
    </figure>
  );
}
