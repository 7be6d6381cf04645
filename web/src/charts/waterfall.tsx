// The score of a node as a waterfall: each plugin's part begins where the previous ended. A second node can be compared.
import type { NodeScore } from "../api/types.ts";
import { formatCount } from "../format.ts";

export interface WaterfallRow {
  plugin: string;
  from: number;
  to: number;
  /** How much more than the compared node. */
  difference: number | undefined;
}

/** Plugins in order of their part, largest first, so that the first bars explain most. */
export function waterfall(score: NodeScore, other: NodeScore | undefined): WaterfallRow[] {
  const names = [...new Set([...Object.keys(score.plugins), ...Object.keys(other?.plugins ?? {})])];
  names.sort((a, b) => (score.plugins[b] ?? 0) - (score.plugins[a] ?? 0) || a.localeCompare(b));
  let sum = 0;
  return names.map((plugin) => {
    const value = score.plugins[plugin] ?? 0;
    const from = sum;
    sum += value;
    return { plugin, from, to: sum, difference: other ? value - (other.plugins[plugin] ?? 0) : undefined };
  });
}

export function Waterfall({ score, other }: { score: NodeScore; other: NodeScore | undefined }) {
  const rows = waterfall(score, other);
  const largest = Math.max(1, score.total, other?.total ?? 0, ...rows.map(({ to }) => to));
  const percent = (value: number) => `${(Math.max(0, value) / largest) * 100}%`;
  const signed = (value: number) => (value > 0 ? `+${formatCount(value)}` : formatCount(value));
  return (
    <table class="waterfall">
      <caption class="offscreen">
        Score of {score.node}
        {other ? ` compared with ${other.node}` : ""}
      </caption>
      <thead>
        <tr>
          <th scope="col">Plugin</th>
          <th scope="col" class="numeric">
            Score
          </th>
          <th scope="col" class="track-head">
            <span class="offscreen">Sum so far</span>
          </th>
          {other && (
            <th scope="col" class="numeric">
              vs {other.node}
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ plugin, from, to, difference }) => (
          <tr key={plugin} class={from === to ? "zero" : ""}>
            <th scope="row">{plugin}</th>
            <td class="numeric">{formatCount(to - from)}</td>
            <td class="track">
              <span
                class="step"
                style={{ left: percent(Math.min(from, to)), width: percent(Math.abs(to - from)) }}
              />
            </td>
            {difference !== undefined && (
              <td class={`numeric ${difference > 0 ? "more" : difference < 0 ? "less" : "dim"}`}>
                {signed(difference)}
              </td>
            )}
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">Total</th>
          <td class="numeric">{formatCount(score.total)}</td>
          <td class="track">
            <span class="step total" style={{ left: "0%", width: percent(score.total) }} />
            {other && (
              <span
                class="mark"
                style={{ left: percent(other.total) }}
                title={`${other.node}: ${formatCount(other.total)}`}
              />
            )}
          </td>
          {other && <td class="numeric">{signed(score.total - other.total)}</td>}
        </tr>
      </tfoot>
    </table>
  );
}
