// The queues as boxes and the moves between them as arrows, as wide as the logarithm of their rate.
import { type QueueFlow, type QueueName, queues } from "../api/types.ts";
import { formatCount, formatRate } from "../format.ts";
import { queueLabels } from "../ui/controls.tsx";

type Place = QueueName | "new" | "bound";

const size = { width: 132, height: 62 };
const places: Record<Place, { x: number; y: number; note: string }> = {
  new: { x: 4, y: 24, note: "created" },
  gated: { x: 4, y: 178, note: "has scheduling gates" },
  active: { x: 222, y: 24, note: "next to be tried" },
  backoff: { x: 222, y: 178, note: "waits before a retry" },
  inFlight: { x: 440, y: 24, note: "in a scheduling cycle" },
  unschedulable: { x: 440, y: 178, note: "waits for an event" },
  waiting: { x: 658, y: 110, note: "at Permit" },
  bound: { x: 824, y: 24, note: "has a node" },
};
const labels: Record<Place, string> = { ...queueLabels, new: "New", bound: "Bound" };

interface Arrow {
  path: string;
  x: number;
  y: number;
}

export function arrow(from: Place, to: Place): Arrow {
  const a = places[from];
  const b = places[to];
  const dx = b.x - a.x;
  const dy = b.y - a.y;
  const sideways = Math.abs(dx) > size.width && Math.abs(dy) < 2 * size.height;
  const diagonal = Math.abs(dx) > size.width && !sideways;
  let start: [number, number];
  let end: [number, number];
  let bend: [number, number, number, number];
  if (sideways || diagonal) {
    const right = dx > 0;
    const lift = diagonal ? (dy > 0 ? 14 : -14) : dy === 0 ? 0 : Math.sign(dy) * 14;
    start = [a.x + (right ? size.width : 0), a.y + size.height / 2 + lift];
    end = [b.x + (right ? 0 : size.width), b.y + size.height / 2 - lift];
    const half = (end[0] - start[0]) / 2;
    bend = [start[0] + half, start[1], end[0] - half, end[1]];
  } else {
    const down = dy > 0;
    start = [a.x + size.width / 2, a.y + (down ? size.height : 0)];
    end = [b.x + size.width / 2, b.y + (down ? 0 : size.height)];
    const half = (end[1] - start[1]) / 2;
    bend = [start[0], start[1] + half, end[0], end[1] - half];
  }
  // Diagonal arrows cross in the middle, so their labels stand nearer to where they begin.
  const t = diagonal ? 0.26 : 0.5;
  const middle = (p: number, q: number, r: number, s: number) =>
    (1 - t) ** 3 * p + 3 * (1 - t) ** 2 * t * q + 3 * (1 - t) * t ** 2 * r + t ** 3 * s;
  return {
    path: `M${start[0]} ${start[1]}C${bend[0]} ${bend[1]} ${bend[2]} ${bend[3]} ${end[0]} ${end[1]}`,
    x: middle(start[0], bend[0], bend[2], end[0]),
    y: middle(start[1], bend[1], bend[3], end[1]),
  };
}

function isPlace(name: string): name is Place {
  return Object.hasOwn(places, name);
}

export function QueueDiagram({
  flow,
  selected,
  onSelect,
}: {
  flow: QueueFlow;
  selected: string;
  onSelect(queue: string): void;
}) {
  const moves = flow.moves.filter((move) => isPlace(move.from) && isPlace(move.to) && move.count > 0);
  const rate = (place: Place) =>
    moves
      .filter((move) => (place === "new" ? move.from === "new" : move.to === place))
      .reduce((sum, move) => sum + move.count, 0) / Math.max(0.001, flow.interval);
  const summary = queues
    .map((queue) => `${queueLabels[queue]} ${formatCount(flow.counts[queue])}`)
    .join(", ");
  return (
    <div class="flow-scroll">
      <svg class="flow" viewBox="0 0 960 248" role="group" aria-label={`Queues: ${summary}`}>
        <defs>
          <marker
            id="arrow"
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerWidth="8"
            markerHeight="8"
            markerUnits="userSpaceOnUse"
            orient="auto"
          >
            <path d="M0 0.5L8 4 0 7.5z" class="arrow-head" />
          </marker>
        </defs>
        {moves.map((move) => {
          const { path, x, y } = arrow(move.from as Place, move.to as Place);
          const perSecond = move.count / Math.max(0.001, flow.interval);
          const text = `${formatRate(perSecond)}/s`;
          const width = 1 + Math.log10(1 + perSecond) * 1.3;
          return (
            <g key={`${move.from}-${move.to}`}>
              <title>{`${labels[move.from as Place]} to ${labels[move.to as Place]}: ${text}`}</title>
              <path d={path} class="edge" stroke-width={width} marker-end="url(#arrow)" />
              <path d={path} class="edge-flow" stroke-width={Math.max(1, width - 1)} />
              <rect
                class="edge-label-box"
                x={x - text.length * 3.1 - 4}
                y={y - 8}
                width={text.length * 6.2 + 8}
                height={16}
                rx={8}
              />
              <text class="edge-label" x={x} y={y + 3.5} text-anchor="middle">
                {text}
              </text>
            </g>
          );
        })}
        {(Object.keys(places) as Place[]).map((place) => {
          const { x, y, note } = places[place];
          const isQueue = place !== "new" && place !== "bound";
          const text = isQueue ? formatCount(flow.counts[place]) : `${formatRate(rate(place))}/s`;
          const content = (
            <>
              <rect
                x={x}
                y={y}
                width={size.width}
                height={size.height}
                rx={8}
                class={`queue-box q-${place}${selected === place ? " selected" : ""}`}
              />
              <rect
                x={x}
                y={y + 12}
                width={3}
                height={size.height - 24}
                rx={1.5}
                class={`queue-edge q-${place}`}
              />
              <text x={x + 14} y={y + 18} class="queue-name">
                {labels[place]}
              </text>
              <text x={x + 14} y={y + 39} class="queue-count">
                {text}
              </text>
              <text x={x + 14} y={y + 53} class="queue-note">
                {note}
              </text>
            </>
          );
          return isQueue ? (
            <g
              key={place}
              role="button"
              tabIndex={0}
              aria-pressed={selected === place}
              aria-label={`${labels[place]}: ${text} pods`}
              class="queue-button"
              onClick={() => onSelect(place)}
              onKeyDown={(event) => {
                if (event.key === "Enter" || event.key === " ") {
                  event.preventDefault();
                  onSelect(place);
                }
              }}
            >
              {content}
            </g>
          ) : (
            <g key={place}>{content}</g>
          );
        })}
      </svg>
    </div>
  );
}
