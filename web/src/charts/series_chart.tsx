// Values over time as lines or as a stack, with the values at the pointer.
import { useMemo, useState } from "preact/hooks";
import { formatClock } from "../format.ts";
import { useSize } from "../state/hooks.ts";
import { CopyButton } from "../ui/controls.tsx";
import { axis, sums, timeTicks } from "./scale.ts";

export interface Series {
  name: string;
  values: readonly number[];
  /** Number of the colour in the palette: c0 to c7. */
  colour: number;
}

export interface SeriesChartProps {
  title: string;
  unit: string;
  series: Series[];
  /** Milliseconds. */
  start: number;
  /** Seconds. */
  step: number;
  stacked?: boolean;
  height?: number;
  format(value: number): string;
}

const left = 44;
const bottom = 18;
const top = 6;

export function SeriesChart(props: SeriesChartProps) {
  const { title, unit, series, start, step, stacked = false, height = 150, format } = props;
  const [box, { width }] = useSize<HTMLDivElement>();
  const [at, setAt] = useState(-1);
  const count = Math.max(0, ...series.map(({ values }) => values.length));
  const plot = { width: Math.max(10, width - left - 6), height: height - bottom - top };
  const layers = useMemo(() => {
    if (!stacked) return series.map(({ values }) => ({ low: undefined, high: values }));
    const total = new Array<number>(count).fill(0);
    return series.map(({ values }) => {
      const low = [...total];
      for (let i = 0; i < count; i++) total[i] = total[i]! + (values[i] ?? 0);
      return { low, high: [...total] };
    });
  }, [series, stacked, count]);
  const largest = Math.max(0, ...layers.flatMap(({ high }) => high));
  const scale = axis(largest || 1, 3);
  const x = (i: number) => left + (count <= 1 ? 0 : (i / (count - 1)) * plot.width);
  const y = (value: number) => top + plot.height * (1 - value / scale.top);
  const end = start + Math.max(0, count - 1) * step * 1000;
  const ticks = timeTicks(start, end, Math.max(2, Math.floor(plot.width / 90)));
  const index = at >= 0 && at < count ? at : count - 1;
  const path = (values: readonly number[]) =>
    values.map((value, i) => `${i ? "L" : "M"}${x(i).toFixed(1)} ${y(value).toFixed(1)}`).join("");
  const area = (low: readonly number[], high: readonly number[]) => {
    const back = low.map((value, i) => `L${x(i).toFixed(1)} ${y(value).toFixed(1)}`).reverse();
    return `${path(high)}${back.join("")}Z`;
  };
  const totals = sums(series.map(({ values }) => values));
  const summary = `${title}: now ${series.map(({ name, values }) => `${name} ${format(values.at(-1) ?? 0)}`).join(", ")} ${unit}`;
  const json = () =>
    JSON.stringify(
      {
        title,
        unit,
        start: new Date(start).toISOString(),
        step,
        series: Object.fromEntries(series.map(({ name, values }) => [name, values])),
      },
      null,
      2,
    );
  return (
    <figure class="chart">
      <figcaption>
        <span class="chart-title">{title}</span> <span class="dim">{unit}</span>
        <span class="spring" />
        <span class="dim tabular">
          {at >= 0
            ? formatClock(start + index * step * 1000)
            : stacked
              ? `total ${format(totals[index] ?? 0)}`
              : "now"}
        </span>
        <CopyButton label="JSON" title={`Copy ${title} as JSON`} text={json} />
      </figcaption>
      <div ref={box} class="chart-box">
        {width > 0 && (
          <svg
            width={width}
            height={height}
            role="img"
            aria-label={summary}
            onPointerMove={(event) =>
              setAt(
                Math.max(
                  0,
                  Math.min(count - 1, Math.round(((event.offsetX - left) / plot.width) * (count - 1))),
                ),
              )
            }
            onPointerLeave={() => setAt(-1)}
          >
            {scale.values.map((value) => (
              <g key={value}>
                <line class="grid" x1={left} x2={left + plot.width} y1={y(value)} y2={y(value)} />
                <text class="tick" x={left - 6} y={y(value) + 3.5} text-anchor="end">
                  {format(value)}
                </text>
              </g>
            ))}
            {ticks.map((time) => (
              <text
                key={time}
                class="tick"
                x={left + ((time - start) / Math.max(1, end - start)) * plot.width}
                y={height - 4}
                text-anchor="middle"
              >
                {formatClock(time).slice(0, step >= 60 || end - start > 600_000 ? 5 : 8)}
              </text>
            ))}
            {layers.map(({ low, high }, i) =>
              low ? (
                <path key={series[i]!.name} class={`area c${series[i]!.colour}`} d={area(low, high)} />
              ) : (
                <path key={series[i]!.name} class={`line c${series[i]!.colour}`} d={path(high)} />
              ),
            )}
            {at >= 0 && <line class="cursor" x1={x(index)} x2={x(index)} y1={top} y2={top + plot.height} />}
          </svg>
        )}
      </div>
      <ul class="legend">
        {series.map(({ name, values, colour }) => (
          <li key={name}>
            <span class={`swatch c${colour}`} aria-hidden="true" />
            <span class="legend-name" title={name}>
              {name}
            </span>
            <b class="tabular">{format(values[index] ?? 0)}</b>
          </li>
        ))}
      </ul>
    </figure>
  );
}
