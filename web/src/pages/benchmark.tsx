// Measures frames per second of the map while it zooms: #/benchmark?nodes=100000. The nodes are made here, so it needs
// no cluster of that size.
import { useMemo, useRef, useState } from "preact/hooks";
import { formatCount } from "../format.ts";
import { layOut } from "../map/layout.ts";
import { type MapControls, MapView } from "../map/map_view.tsx";
import { dominant, NodeStore } from "../map/node_store.ts";
import { fit, largestScale, zoomAt } from "../map/viewport.ts";
import { useRoute, useServices } from "../state/hooks.ts";

function syntheticStore(count: number): NodeStore {
  const store = new NodeStore();
  store.count = count;
  store.names = Array.from({ length: count }, (_, i) => `node-${i}`);
  store.zones = {
    key: "",
    values: ["a", "b", "c", "d", "e", "f"],
    of: Int32Array.from({ length: count }, (_, i) => Math.floor((6 * i) / count)),
  };
  store.racks = {
    key: "",
    values: Array.from({ length: Math.ceil(count / 40) }, (_, i) => `r${i}`),
    of: Int32Array.from({ length: count }, (_, i) => Math.floor(i / 40)),
  };
  store.pools = { key: "", values: [], of: new Int32Array(count).fill(-1) };
  const requested = Float64Array.from({ length: count }, (_, i) => (Math.imul(i, 2654435761) >>> 16) % 1000);
  store.resources.set("cpu", { allocatable: new Float64Array(count).fill(1000), requested });
  store.pods = new Int32Array(count).fill(20);
  store.assumed = Int32Array.from({ length: count }, (_, i) => (i % 211 === 0 ? 1 : 0));
  store.nominated = Int32Array.from({ length: count }, (_, i) => (i % 509 === 0 ? 1 : 0));
  store.flags = Uint8Array.from({ length: count }, (_, i) => (i % 97 === 0 ? 1 : 0));
  store.labelsOf = new Int32Array(count).fill(-1);
  store.taintsOf = new Int32Array(count).fill(-1);
  return store;
}

interface Figures {
  frames: number;
  seconds: number;
  fps: number;
  p50: number;
  p99: number;
  draw: number;
}

const none = () => undefined;

export function BenchmarkPage() {
  const { theme } = useServices();
  const { query } = useRoute();
  const count = Math.max(1, Math.min(500_000, Number(query.nodes ?? 100_000) || 100_000));
  const seconds = Math.max(1, Number(query.seconds ?? 8) || 8);
  const store = useMemo(() => syntheticStore(count), [count]);
  const layout = useMemo(() => layOut(count, store.zones, store.racks), [store, count]);
  const shown = useMemo(() => new Uint8Array(count).fill(1), [count]);
  const [figures, setFigures] = useState<Figures | undefined>();
  const started = useRef(false);

  const run = ({ world, window, draw }: MapControls) => {
    if (started.current) return;
    started.current = true;
    const whole = fit(world, window);
    const intervals: number[] = [];
    const costs: number[] = [];
    let first = 0;
    let last = 0;
    const frame = (time: number) => {
      if (last > 0) intervals.push(time - last);
      else first = time;
      last = time;
      const at = (time - first) / 1000;
      // In and out every four seconds, at a point that wanders over the map.
      const depth = (1 - Math.cos((at / 4) * 2 * Math.PI)) / 2;
      const factor = Math.exp(depth * Math.log(largestScale / whole.scale));
      const point = {
        x: window.width * (0.5 + 0.3 * Math.sin(at)),
        y: window.height * (0.5 + 0.3 * Math.cos(at * 0.7)),
      };
      const before = performance.now();
      draw(zoomAt(whole, point, factor, world, window));
      costs.push(performance.now() - before);
      if (at < seconds) {
        requestAnimationFrame(frame);
        return;
      }
      intervals.sort((a, b) => a - b);
      costs.sort((a, b) => a - b);
      setFigures({
        frames: intervals.length,
        seconds: at,
        fps: intervals.length / at,
        p50: intervals[Math.floor(intervals.length / 2)] ?? 0,
        p99: intervals[Math.floor(intervals.length * 0.99)] ?? 0,
        draw: costs[Math.floor(costs.length / 2)] ?? 0,
      });
    };
    // The first frames paint the page itself.
    setTimeout(() => requestAnimationFrame(frame), 500);
  };

  return (
    <div class="cluster">
      <div class="toolbar">
        <h1>Benchmark of the map</h1>
        <span
          id="benchmark"
          data-result={figures ? JSON.stringify(figures) : ""}
          role="status"
          class="tabular"
        >
          {figures
            ? `${formatCount(count)} nodes: ${figures.fps.toFixed(1)} frames a second; interval p50 ${figures.p50.toFixed(1)} ms, p99 ${figures.p99.toFixed(1)} ms; drawing p50 ${figures.draw.toFixed(2)} ms`
            : `Zooming over ${formatCount(count)} nodes …`}
        </span>
      </div>
      <div class="cluster-body">
        <MapView
          store={store}
          layout={layout}
          version={0}
          resource={dominant}
          theme={theme}
          shown={shown}
          selected={-1}
          view={undefined}
          onView={none}
          onSelect={none}
          onOpen={none}
          describe={(row) => store.names[row]!}
          onReady={run}
        />
      </div>
    </div>
  );
}
