// The attempts of a pod on a time axis.
import type { Attempt } from "../api/types.ts";
import { formatClock, formatDuration } from "../format.ts";
import { useSize } from "../state/hooks.ts";
import { outcomeLabels } from "../ui/controls.tsx";
import { timeTicks } from "./scale.ts";

const height = 64;
const pad = 14;

export interface TimelineProps {
  attempts: readonly Attempt[];
  since: number | undefined;
  now: number;
  selected: number;
  onSelect(sequence: number): void;
}

export function Timeline({ attempts, since, now, selected, onSelect }: TimelineProps) {
  const [box, { width }] = useSize<HTMLDivElement>();
  const times = attempts.map((attempt) => Date.parse(attempt.time));
  const start = Math.min(since ?? Number.POSITIVE_INFINITY, ...times, now - 1000);
  const x = (time: number) =>
    pad + ((time - start) / Math.max(1, now - start)) * Math.max(1, width - 2 * pad);
  const ticks = timeTicks(start, now, Math.max(2, Math.floor(width / 110)));
  const days = now - start > 86_400_000;
  return (
    <div ref={box} class="timeline">
      {width > 0 && (
        <svg
          width={width}
          height={height}
          role="group"
          aria-label={`${attempts.length} attempts on a time axis`}
        >
          <line class="axis" x1={pad} x2={width - pad} y1={24} y2={24} />
          {ticks.map((time) => (
            <g key={time}>
              <line class="grid" x1={x(time)} x2={x(time)} y1={16} y2={32} />
              <text class="tick" x={x(time)} y={54} text-anchor="middle">
                {days
                  ? new Date(time).toLocaleDateString(undefined, { month: "short", day: "numeric" })
                  : formatClock(time).slice(0, now - start > 600_000 ? 5 : 8)}
              </text>
            </g>
          ))}
          {since !== undefined && (
            <g>
              <title>{`Pending since ${formatClock(since)}`}</title>
              <path class="created" d={`M${x(since)} 15v18`} />
            </g>
          )}
          {attempts.map((attempt, i) => (
            <circle
              key={attempt.sequence}
              role="button"
              tabIndex={-1}
              cx={x(times[i]!)}
              cy={24}
              r={attempt.sequence === selected ? 7 : 5}
              class={`o-${attempt.outcome}${attempt.sequence === selected ? " selected" : ""}`}
              aria-label={`${outcomeLabels[attempt.outcome]} at ${formatClock(attempt.time)}`}
              onClick={() => onSelect(attempt.sequence)}
            >
              <title>{`${outcomeLabels[attempt.outcome]} at ${formatClock(attempt.time, true)}, waited ${formatDuration(attempt.waitedFor)}`}</title>
            </circle>
          ))}
        </svg>
      )}
    </div>
  );
}
