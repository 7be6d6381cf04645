// What pages share: the API client, the live connection, the address, the theme and the clock.
import { createContext } from "preact";
import { useCallback, useContext, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { ApiError, type Client, type Query } from "../api/client.ts";
import type { Events, Live, Topic } from "../api/live.ts";
import type { Cluster } from "../api/types.ts";
import type { Theme } from "../map/colour.ts";
import { formatRoute, parseRoute, type Route } from "./route.ts";

export interface Services {
  client: Client;
  live: Live;
  cluster: Cluster;
  theme: Theme;
  /** Milliseconds that the server's clock is ahead of the browser's. */
  clockOffset: number;
}

export const ServicesContext = createContext<Services | undefined>(undefined);

export function useServices(): Services {
  const services = useContext(ServicesContext);
  if (!services) throw new Error("useServices outside of ServicesContext");
  return services;
}

export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const update = () => setHash(location.hash);
    addEventListener("hashchange", update);
    addEventListener("popstate", update);
    addEventListener("berth:route", update);
    return () => {
      removeEventListener("hashchange", update);
      removeEventListener("popstate", update);
      removeEventListener("berth:route", update);
    };
  }, []);
  return useMemo(() => parseRoute(hash), [hash]);
}

/** Changes parameters of the address. Replaces the entry of the history unless `push`. */
export function setQuery(changes: Record<string, string | undefined>, push = false): void {
  const route = parseRoute(location.hash);
  const hash = formatRoute({ ...route, query: { ...route.query, ...changes } });
  if (hash === location.hash) return;
  if (push) history.pushState(null, "", hash);
  else history.replaceState(null, "", hash);
  dispatchEvent(new Event("berth:route"));
}

export type Loaded<T> =
  | { state: "loading"; data?: T | undefined }
  | { state: "ready"; data: T }
  | { state: "error"; error: ApiError; data?: T | undefined };

export interface Resource<T> {
  result: Loaded<T>;
  reload(): void;
}

export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new ApiError(
    0,
    "Bug",
    message,
    "This is a bug of the dashboard. Reload the page, and report it if it stays.",
  );
}

/** Runs `load` when `key` changes. While it loads again, the last data of the same key stays visible. */
export function useLoad<T>(key: string, load: (signal: AbortSignal) => Promise<T>): Resource<T> {
  const [result, setResult] = useState<{ key: string; loaded: Loaded<T> }>({
    key,
    loaded: { state: "loading" },
  });
  const [round, setRound] = useState(0);
  const current = useRef(load);
  current.current = load;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new round loads the same key again
  useEffect(() => {
    const controller = new AbortController();
    setResult((old) => ({
      key,
      loaded: old.key === key ? { state: "loading", data: old.loaded.data } : { state: "loading" },
    }));
    current.current(controller.signal).then(
      (data) => {
        if (!controller.signal.aborted) setResult({ key, loaded: { state: "ready", data } });
      },
      (error: unknown) => {
        if (controller.signal.aborted) return;
        setResult((old) => ({
          key,
          loaded: {
            state: "error",
            error: asApiError(error),
            data: old.key === key ? old.loaded.data : undefined,
          },
        }));
      },
    );
    return () => controller.abort();
  }, [key, round]);
  const reload = useCallback(() => setRound((value) => value + 1), []);
  return { result: result.key === key ? result.loaded : { state: "loading" }, reload };
}

export function useGet<T>(segments: readonly string[], query: Query = {}): Resource<T> {
  const { client } = useServices();
  const key = JSON.stringify([segments, query]);
  return useLoad<T>(key, (signal) => client.get<T>(segments, query, signal));
}

export function useLive<T extends Topic>(topic: T, listener: (value: Events[T]) => void): void {
  const { live } = useServices();
  const current = useRef(listener);
  current.current = listener;
  useEffect(() => live.on(topic, (value) => current.current(value)), [live, topic]);
}

// One timer per period for all components that show ages.
const tickers = new Map<
  number,
  { listeners: Set<(now: number) => void>; timer: ReturnType<typeof setInterval> }
>();

function onTick(period: number, listener: (now: number) => void): () => void {
  let ticker = tickers.get(period);
  if (!ticker) {
    const listeners = new Set<(now: number) => void>();
    const timer = setInterval(() => {
      if (document.hidden) return;
      const now = Date.now();
      for (const each of [...listeners]) each(now);
    }, period);
    ticker = { listeners, timer };
    tickers.set(period, ticker);
  }
  const { listeners, timer } = ticker;
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) {
      clearInterval(timer);
      tickers.delete(period);
    }
  };
}

/** The time at the server in milliseconds; the component is drawn again every `period` milliseconds. */
export function useNow(period = 1000): number {
  const { clockOffset } = useServices();
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => onTick(period, setNow), [period]);
  return now + clockOffset;
}

export interface ElementSize {
  width: number;
  height: number;
}

export function useSize<T extends HTMLElement>(): [{ current: T | null }, ElementSize] {
  const ref = useRef<T>(null);
  const [size, setSize] = useState<ElementSize>({ width: 0, height: 0 });
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    const update = () => {
      const { clientWidth: width, clientHeight: height } = element;
      setSize((old) => (old.width === width && old.height === height ? old : { width, height }));
    };
    update();
    const observer = new ResizeObserver(update);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [ref, size];
}

const phone = "(max-width: 720px)";

/** Whether the window is as narrow as a phone's. */
export function useNarrow(): boolean {
  const [narrow, setNarrow] = useState(() => matchMedia(phone).matches);
  useEffect(() => {
    const list = matchMedia(phone);
    const update = () => setNarrow(list.matches);
    list.addEventListener("change", update);
    return () => list.removeEventListener("change", update);
  }, []);
  return narrow;
}

/** Calls `action` at most once in `milliseconds`, and once at the end. */
export function useThrottled(action: () => void, milliseconds: number): () => void {
  const current = useRef(action);
  current.current = action;
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return useCallback(() => {
    if (timer.current !== undefined) return;
    timer.current = setTimeout(() => {
      timer.current = undefined;
      current.current();
    }, milliseconds);
  }, [milliseconds]);
}
