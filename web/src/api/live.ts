// The live connection: one event stream per page that reconnects by itself, resumes after the last event seen, and
// says what state it is in. It reads the stream with fetch, since EventSource hides status codes.
import { errorOf, networkError } from "./client.ts";
import { EventStreamParser } from "./event_stream.ts";
import type { ActivityStep, AttemptBatch, NodeDelta, QueueFlow } from "./types.ts";

export interface Events {
  activity: ActivityStep;
  queue: QueueFlow;
  attempt: AttemptBatch;
  nodes: NodeDelta;
}
export type Topic = keyof Events;

export type LiveState =
  | { kind: "off" }
  | { kind: "paused" }
  | { kind: "connecting" }
  | { kind: "live"; since: number }
  | { kind: "waiting"; until: number; error: string }
  | { kind: "failed"; error: string; advice: string };

export interface Timers {
  now(): number;
  set(callback: () => void, milliseconds: number): unknown;
  clear(timer: unknown): void;
  random(): number;
}

const realTimers: Timers = {
  now: () => Date.now(),
  set: (callback, milliseconds) => setTimeout(callback, milliseconds),
  clear: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
  random: () => Math.random(),
};

const firstDelay = 500;
const longestDelay = 30_000;
/** The server sends a comment every 15 s; a stream that is silent for longer is dead. */
const silence = 40_000;

export function reconnectDelay(failures: number, random: number): number {
  const full = Math.min(longestDelay, firstDelay * 2 ** Math.min(failures - 1, 10));
  return Math.round(full * (0.75 + 0.25 * random));
}

type Listener<T extends Topic> = (value: Events[T]) => void;

export class Live {
  private listeners = new Map<Topic, Set<Listener<Topic>>>();
  private watchers = new Set<(state: LiveState) => void>();
  private controller: AbortController | undefined;
  private timer: unknown;
  private watchdog: unknown;
  private failures = 0;
  private lastId = "";
  private topics = "";
  private paused = false;
  private stopped = true;
  private restartQueued = false;
  state: LiveState = { kind: "off" };

  constructor(
    private readonly base: string,
    private readonly request: typeof fetch = fetch.bind(globalThis),
    private readonly timers: Timers = realTimers,
  ) {}

  /** Calls `listener` for every event of `topic`; the stream carries only topics that have a listener. */
  on<T extends Topic>(topic: T, listener: Listener<T>): () => void {
    const set = this.listeners.get(topic) ?? new Set();
    this.listeners.set(topic, set);
    set.add(listener as Listener<Topic>);
    this.topicsChanged();
    return () => {
      set.delete(listener as Listener<Topic>);
      this.topicsChanged();
    };
  }

  watch(watcher: (state: LiveState) => void): () => void {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  }

  start(): void {
    this.stopped = false;
    this.topicsChanged();
  }

  stop(): void {
    this.stopped = true;
    this.close();
    this.become({ kind: "off" });
  }

  pause(): void {
    this.paused = true;
    this.close();
    this.become({ kind: "paused" });
  }

  resume(): void {
    this.paused = false;
    this.failures = 0;
    this.connect();
  }

  /** Reconnects now, whatever the remaining delay. */
  retry(): void {
    this.failures = 0;
    this.connect();
  }

  private wanted(): string {
    return [...this.listeners]
      .filter(([, set]) => set.size > 0)
      .map(([topic]) => topic)
      .sort()
      .join(",");
  }

  // A page change removes and adds listeners; one microtask later the set of topics is known.
  private topicsChanged(): void {
    if (this.restartQueued) return;
    this.restartQueued = true;
    queueMicrotask(() => {
      this.restartQueued = false;
      const topics = this.wanted();
      if (this.stopped || this.paused || topics === this.topics) return;
      // Events of new topics before now are part of the documents that the page fetches.
      this.lastId = "";
      this.failures = 0;
      this.connect();
    });
  }

  private become(state: LiveState): void {
    this.state = state;
    for (const watcher of this.watchers) watcher(state);
  }

  private close(): void {
    this.controller?.abort();
    this.controller = undefined;
    this.topics = "";
    if (this.timer !== undefined) this.timers.clear(this.timer);
    if (this.watchdog !== undefined) this.timers.clear(this.watchdog);
    this.timer = undefined;
    this.watchdog = undefined;
  }

  private connect(): void {
    this.close();
    if (this.stopped || this.paused) return;
    const topics = this.wanted();
    if (topics === "") {
      this.become({ kind: "off" });
      return;
    }
    this.topics = topics;
    const controller = new AbortController();
    this.controller = controller;
    this.become({ kind: "connecting" });
    void this.read(controller, topics);
  }

  private async read(controller: AbortController, topics: string): Promise<void> {
    try {
      const headers: Record<string, string> = { Accept: "text/event-stream" };
      if (this.lastId) headers["Last-Event-ID"] = this.lastId;
      const response = await this.request(`${this.base}/events?topics=${encodeURIComponent(topics)}`, {
        headers,
        credentials: "same-origin",
        cache: "no-store",
        signal: controller.signal,
      });
      if (controller.signal.aborted) return;
      if (!response.ok || !response.body) {
        const error = errorOf(response.status, await response.json().catch(() => undefined));
        if (controller.signal.aborted) return;
        // Only what may change by itself is retried.
        if ([400, 401, 403, 404, 501].includes(error.code)) {
          this.close();
          this.become({ kind: "failed", error: error.message, advice: error.advice });
        } else {
          this.fail(error.message);
        }
        return;
      }
      this.failures = 0;
      this.become({ kind: "live", since: this.timers.now() });
      const parser = new EventStreamParser(({ event, data, id }) => {
        if (id) this.lastId = id;
        this.dispatch(event, data);
      });
      const reader = response.body.getReader();
      const decoder = new TextDecoder();
      for (;;) {
        this.feedWatchdog(controller);
        const { done, value } = await reader.read();
        if (controller.signal.aborted) return;
        if (done) break;
        parser.push(decoder.decode(value, { stream: true }));
      }
      this.fail("The server closed the connection.");
    } catch (error) {
      if (controller.signal.aborted && this.controller !== controller) return;
      this.fail(networkError(error).message);
    }
  }

  private feedWatchdog(controller: AbortController): void {
    if (this.watchdog !== undefined) this.timers.clear(this.watchdog);
    this.watchdog = this.timers.set(() => {
      if (this.controller === controller) this.fail("The connection was silent for 40 s.");
    }, silence);
  }

  private dispatch(event: string, data: string): void {
    const set = this.listeners.get(event as Topic);
    if (!set || set.size === 0) return;
    let value: unknown;
    try {
      value = JSON.parse(data);
    } catch {
      return;
    }
    for (const listener of [...set]) listener(value as Events[Topic]);
  }

  private fail(error: string): void {
    const topics = this.topics;
    this.close();
    this.topics = topics;
    this.failures++;
    const delay = reconnectDelay(this.failures, this.timers.random());
    this.become({ kind: "waiting", until: this.timers.now() + delay, error });
    this.timer = this.timers.set(() => this.connect(), delay);
  }
}
