// The queues as boxes and the moves between them as arrows, as wide as the logarithm of their rate.
import { type QueueFlow, type QueueName, queues } from "../api/types.ts";
import { formatCount, formatRate } from "../format.ts";
import { queueLabels } from "../ui/controls.tsx";

type Place = QueueName | "new" | "bound";

interface Point {
  x: number;
  y: number;
}

interface Drawing {
  width: number;
  height: number;
  /** Of a box. */
  box: { width: number; height: number };
  places: Record<Place, Point>;
}

const wide: Drawing = {
  width: 960,
  height: 248,
  box: { width: 132, height: 62 },
  places: {
    new: { x: 4, y: 24 },
    gated: { x: 4, y: 178 },
    active: { x: 222, y: 24 },
    backoff: { x: 222, y: 178 },
    inFlight: { x: 440, y: 24 },
    unschedulable: { x: 440, y: 178 },
    waiting: { x: 658, y: 110 },
    bound: { x: 824, y: 24 },
  },
};
// For phones: from top to bottom.
const tall: Drawing = {
  width: 344,
  height: 424,
  box: { width: 136, height: 62 },
  places: {
    new: { x: 4, y: 4 },
    gated: { x: 204, y: 4 },
    active: { x: 4, y: 122 },
    backoff: { x: 204, y: 122 },
    inFlight: { x: 4, y: 240 },
    unschedulable: { x: 204, y: 240 },
    waiting: { x: 204, y: 358 },
    bound: { x: 4, y: 358 },
  },
};
const notes: Record<Place, string> = {
  new: "created",
  gated: "has scheduling gates",
  active: "next to be tried",
  backoff: "waits before a retry",
  inFlight: "in a scheduling cycle",
  unschedulable: "waits for an event",
  waiting: "at Permit",
  bound: "has a node",
};
const labels: Record<Place, string> = { ...queueLabels, new: "New", bound: "Bound" };

/** The ways that pods go, which are drawn when none goes there, too. */
const ways: [Place, Place][] = [
  ["new", "active"],
  ["new", "gated"],
  ["gated", "active"],
  ["active", "inFlight"],
  ["inFlight", "bound"],
  ["inFlight", "waiting"],
  ["waiting", "bound"],
  ["inFlight", "unschedulable"],
  ["inFlight", "backoff"],
  ["unschedulable", "backoff"],
  ["unschedulable", "active"],
  ["backoff", "active"],
];

interface Arrow extends Point {
  path: string;
}

export function arrow(from: Place, to: Place, { box, places }: Drawing): Arrow {
  const a = places[from];
  const b = places[to];
  const dx = b.x - a.x;
  const dy = b.y - a.y;
  const apart = Math.abs(dx) > box.width;
  const diagonal = apart && (Math.abs(dy) >= 2 * box.height || (box === tall.box && dy !== 0));
  let start: [number, number];
  let end: [number, number];
  let bend: [number, number, number, number];
  if (apart) {
    const right = dx > 0;
    const lift = dy === 0 ? 0 : Math.sign(dy) * 14;
    start = [a.x + (right ? box.width : 0), a.y + box.height / 2 + lift];
    end = [b.x + (right ? 0 : box.width), b.y + box.height / 2 - lift];
    const half = (end[0] - start[0]) / 2;
    bend = [start[0] + half, start[1], end[0] - half, end[1]];
  } else {
    const down = dy > 0;
    start = [a.x + box.width / 2, a.y + (down ? box.height : 0)];
    end = [b.x + box.width / 2, b.y + (down ? 0 : box.height)];
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
  return Object.hasOwn(labels, name);
}

export function QueueDiagram({
  flow,
  narrow,
  selected,
  onSelect,
}: {
  flow: QueueFlow;
  narrow: boolean;
  selected: string;
  onSelect(queue: string): void;
}) {
  const drawing = narrow ? tall : wide;
  const size = drawing.box;
  const moves = flow.moves.filter((move) => isPlace(move.from) && isPlace(move.to) && move.count > 0);
  const rate = (place: Place) =>
    moves
      .filter((move) => (place === "new" ? move.from === "new" : move.to === place))
      .reduce((sum, move) => sum + move.count, 0) / Math.max(0.001, flow.interval);
  const summary = queues
    .map((queue) => `${queueLabels[queue]} ${formatCount(flow.counts[queue])}`)
    .join(", ");
  const idle = ways.filter(([from, to]) => !moves.some((move) => move.from === from && move.to === to));
  return (
    <div>
      <svg
        class="flow"
        viewBox={`0 0 ${drawing.width} ${drawing.height}`}
        role="group"
        aria-label={`Queues: ${summary}`}
      >
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
        {idle.map(([from, to]) => (
          <path
            key={`${from}-${to}`}
            d={arrow(from, to, drawing).path}
            class="edge idle"
            stroke-width="1"
            marker-end="url(#arrow)"
          />
        ))}
        {moves.map((move) => {
          const { path, x, y } = arrow(move.from as Place, move.to as Place, drawing);
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
        {(Object.keys(notes) as Place[]).map((place) => {
          const { x, y } = drawing.places[place];
          const note = notes[place];
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
