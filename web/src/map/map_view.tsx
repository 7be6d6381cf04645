// The map as a component: pointer and keyboard, and a description of the selected node for screen readers.
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useSize } from "../state/hooks.ts";
import { Icon } from "../ui/icons.tsx";
import type { Theme } from "./colour.ts";
import { type Direction, type Layout, neighbour, nodeAt } from "./layout.ts";
import type { NodeStore } from "./node_store.ts";
import { type MapColours, MapRenderer } from "./renderer.ts";
import { fit, formatViewport, pan, parseViewport, reveal, type Viewport, zoomAt } from "./viewport.ts";

export interface MapViewProps {
  store: NodeStore;
  layout: Layout;
  /** Changes when the content of the store does. */
  version: number;
  resource: string;
  theme: Theme;
  shown: Uint8Array;
  selected: number;
  view: string | undefined;
  onView(view: string | undefined): void;
  onSelect(row: number): void;
  onOpen(row: number): void;
  describe(row: number): string;
  /** Receives the function that draws one frame with a given viewport, for the benchmark. */
  onReady?: (controls: MapControls) => void;
}

export interface MapControls {
  world: { width: number; height: number };
  window: { width: number; height: number };
  draw(view: Viewport): void;
}

function readColours(element: HTMLElement): MapColours {
  const style = getComputedStyle(element);
  const read = (name: string) => style.getPropertyValue(name).trim();
  return {
    background: read("--surface"),
    line: read("--line-strong"),
    text: read("--text"),
    dim: read("--dim"),
    focus: read("--accent"),
  };
}

export function MapView(props: MapViewProps) {
  const { store, layout, version, resource, theme, shown, selected } = props;
  const [box, size] = useSize<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const renderer = useRef<MapRenderer | undefined>(undefined);
  const view = useRef<Viewport>({ x: 0, y: 0, scale: 1 });
  const colours = useRef<MapColours | undefined>(undefined);
  const frame = useRef(0);
  const [hovered, setHovered] = useState<{ row: number; x: number; y: number } | undefined>();
  const [focused, setFocused] = useState(false);
  const latest = useRef({ hovered: -1, selected, focused });
  latest.current = { hovered: hovered?.row ?? -1, selected, focused };
  const ready = size.width > 0 && size.height > 0;

  const drawNow = useCallback(() => {
    frame.current = 0;
    if (colours.current) renderer.current?.draw(view.current, colours.current, latest.current);
  }, []);
  const draw = useCallback(() => {
    if (frame.current === 0) frame.current = requestAnimationFrame(drawNow);
  }, [drawNow]);
  useEffect(() => () => cancelAnimationFrame(frame.current), []);

  // A new map, or a window of another size: the same part of the map stays in sight.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the view in the address is read once, then written
  useEffect(() => {
    if (!canvas.current || !ready) return;
    renderer.current = new MapRenderer(canvas.current, store, layout);
    renderer.current.resize(size, devicePixelRatio || 1);
    view.current = parseViewport(props.view, layout, size);
    colours.current = readColours(canvas.current);
    props.onReady?.({
      world: layout,
      window: size,
      draw(next) {
        view.current = next;
        drawNow();
      },
    });
  }, [store, layout, size.width, size.height, ready]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: version stands for the content of the store
  useEffect(() => {
    if (!canvas.current || !renderer.current) return;
    colours.current = readColours(canvas.current);
    renderer.current.paint(resource, theme, shown);
    draw();
  }, [store, layout, version, resource, theme, shown, size.width, size.height, ready]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: drawn again when one of these changes
  useEffect(draw, [selected, hovered?.row, focused]);

  const saveTimer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(saveTimer.current), []);
  const move = useCallback(
    (next: Viewport) => {
      view.current = next;
      draw();
      clearTimeout(saveTimer.current);
      saveTimer.current = setTimeout(() => {
        const whole = fit(layout, size);
        const same =
          Math.abs(next.scale / whole.scale - 1) < 0.005 &&
          Math.abs(next.x - whole.x) < 1 &&
          Math.abs(next.y - whole.y) < 1;
        props.onView(same ? undefined : formatViewport(next, layout, size));
      }, 300);
    },
    [draw, layout, size, props.onView],
  );

  // Wheel listeners of the framework are passive; this one must keep the page from scrolling.
  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const wheel = (event: WheelEvent) => {
      event.preventDefault();
      const unit = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
      if (event.shiftKey) {
        move(pan(view.current, -event.deltaY * unit - event.deltaX * unit, 0, layout, size));
      } else {
        const factor = Math.exp(
          -Math.max(-240, Math.min(240, event.deltaY * unit)) * (event.ctrlKey ? 0.01 : 0.002),
        );
        move(zoomAt(view.current, { x: event.offsetX, y: event.offsetY }, factor, layout, size));
      }
    };
    element.addEventListener("wheel", wheel, { passive: false });
    return () => element.removeEventListener("wheel", wheel);
  }, [move, layout, size]);

  const pointers = useRef(new Map<number, { x: number; y: number }>());
  const dragged = useRef(0);
  const pointAt = (event: PointerEvent) =>
    nodeAt(
      layout,
      view.current.x + event.offsetX / view.current.scale,
      view.current.y + event.offsetY / view.current.scale,
    );
  const pointerDown = (event: PointerEvent) => {
    canvas.current?.setPointerCapture(event.pointerId);
    if (pointers.current.size === 0) dragged.current = 0;
    pointers.current.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
  };
  const pointerMove = (event: PointerEvent) => {
    const old = pointers.current.get(event.pointerId);
    if (!old) {
      const row = pointAt(event);
      setHovered(row < 0 ? undefined : { row, x: event.offsetX, y: event.offsetY });
      return;
    }
    const now = { x: event.offsetX, y: event.offsetY };
    const others = [...pointers.current].filter(([id]) => id !== event.pointerId).map(([, point]) => point);
    const other = others[0];
    if (other) {
      // Two fingers: the point between them stays between them.
      const before = Math.hypot(old.x - other.x, old.y - other.y);
      const after = Math.hypot(now.x - other.x, now.y - other.y);
      const middle = { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 };
      if (before > 0) move(zoomAt(view.current, middle, after / before, layout, size));
    } else {
      move(pan(view.current, now.x - old.x, now.y - old.y, layout, size));
    }
    dragged.current += Math.hypot(now.x - old.x, now.y - old.y);
    pointers.current.set(event.pointerId, now);
    setHovered(undefined);
  };
  const pointerUp = (event: PointerEvent) => {
    pointers.current.delete(event.pointerId);
    if (dragged.current < 4) {
      const row = pointAt(event);
      if (row >= 0 && row === selected) props.onOpen(row);
      else props.onSelect(row);
    }
  };

  const zoom = (factor: number) =>
    move(zoomAt(view.current, { x: size.width / 2, y: size.height / 2 }, factor, layout, size));
  const keyDown = (event: KeyboardEvent) => {
    const arrows: Record<string, Direction> = {
      ArrowLeft: "left",
      ArrowRight: "right",
      ArrowUp: "up",
      ArrowDown: "down",
    };
    const direction = arrows[event.key];
    if (direction && event.shiftKey) {
      const dx = direction === "left" ? 80 : direction === "right" ? -80 : 0;
      const dy = direction === "up" ? 80 : direction === "down" ? -80 : 0;
      move(pan(view.current, dx, dy, layout, size));
    } else if (direction) {
      const centre = nodeAt(
        layout,
        view.current.x + size.width / 2 / view.current.scale,
        view.current.y + size.height / 2 / view.current.scale,
      );
      const next = selected >= 0 ? neighbour(layout, selected, direction) : Math.max(0, centre);
      props.onSelect(next);
      const target = reveal(view.current, layout.cells[2 * next]!, layout.cells[2 * next + 1]!, size);
      if (target.x !== view.current.x || target.y !== view.current.y) move(target);
    } else if (event.key === "Enter" && selected >= 0) props.onOpen(selected);
    else if (event.key === "+" || event.key === "=") zoom(1.4);
    else if (event.key === "-") zoom(1 / 1.4);
    else if (event.key === "0") move(fit(layout, size));
    else if (event.key === "Escape") props.onSelect(-1);
    else return;
    event.preventDefault();
  };

  const tip = useMemo(() => (hovered ? props.describe(hovered.row) : ""), [hovered, props.describe]);
  const tipLeft = hovered ? Math.min(hovered.x + 14, Math.max(0, size.width - 260)) : 0;
  const tipTop = hovered ? (hovered.y + 140 > size.height ? hovered.y - 110 : hovered.y + 14) : 0;
  return (
    <div class="map" ref={box}>
      <div
        role="application"
        aria-label="Map of nodes. Arrow keys select a node, Enter opens it, plus and minus zoom, zero shows all. The table has the same nodes."
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the map is operated by keyboard
        tabIndex={0}
        class="map-keys"
        onKeyDown={keyDown}
        onFocus={() => setFocused(true)}
        onBlur={() => setFocused(false)}
      >
        <canvas
          ref={canvas}
          onPointerDown={pointerDown}
          onPointerMove={pointerMove}
          onPointerUp={pointerUp}
          onPointerCancel={(event) => pointers.current.delete(event.pointerId)}
          onPointerLeave={() => setHovered(undefined)}
          onDblClick={(event) =>
            move(zoomAt(view.current, { x: event.offsetX, y: event.offsetY }, 2.5, layout, size))
          }
        />
      </div>
      <div class="offscreen" aria-live="polite">
        {selected >= 0 ? props.describe(selected) : ""}
      </div>
      {hovered && (
        <div class="tip" style={{ left: `${tipLeft}px`, top: `${tipTop}px` }} aria-hidden="true">
          {tip.split("\n").map((line, i) => (
            <div key={line} class={i === 0 ? "first" : ""}>
              {line}
            </div>
          ))}
        </div>
      )}
      <div class="map-buttons">
        <button
          type="button"
          class="button"
          aria-label="Zoom in"
          title="Zoom in (+)"
          onClick={() => zoom(1.6)}
        >
          <Icon name="plus" />
        </button>
        <button
          type="button"
          class="button"
          aria-label="Zoom out"
          title="Zoom out (−)"
          onClick={() => zoom(1 / 1.6)}
        >
          <Icon name="minus" />
        </button>
        <button
          type="button"
          class="button"
          aria-label="Show all"
          title="Show all (0)"
          onClick={() => move(fit(layout, size))}
        >
          <Icon name="fit" />
        </button>
      </div>
    </div>
  );
}
