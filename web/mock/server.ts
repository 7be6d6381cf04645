// The mock of /berth/v1: serves the dashboard's files and the API over HTTP with made-up data, and sends events.
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import path from "node:path";
import { gzipSync } from "node:zlib";
import {
  type Attempt,
  type Cluster,
  type Node,
  type NodeDelta,
  type Queue,
  type QueueCounts,
  type QueueFlow,
  type QueueGroup,
  type QueueName,
  queues,
} from "../src/api/types.ts";
import { History, step } from "./activity.ts";
import { Explainer } from "./explain.ts";
import { Nodes, resources, topologyKeys } from "./nodes.ts";
import { makePods, type PendingPod } from "./pods.ts";
import { hash, Random } from "./random.ts";

export interface MockOptions {
  nodes: number;
  seed: number;
  /** The folder with index.html. */
  files: string;
  /** Milliseconds to wait before each response. */
  delay?: number;
}

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const types: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".map": "application/json",
};

class Failure extends Error {
  constructor(
    readonly code: number,
    readonly reason: string,
    message: string,
  ) {
    super(message);
  }
}

const ageBounds = [1, 10, 60, 600, 3600];

export class Mock {
  readonly nodes: Nodes;
  readonly pods: PendingPod[];
  readonly explainer: Explainer;
  readonly history: History;
  private readonly random: Random;
  private readonly started = Date.now();
  private readonly streams = new Set<{ response: ServerResponse; topics: Set<string> }>();
  private sequence = 100_000;
  private attemptLog: Attempt[] = [];
  private flow: QueueFlow;
  private timers: ReturnType<typeof setInterval>[] = [];
  /** Set by tests: every API request fails with this status. */
  failWith = 0;

  constructor(private readonly options: MockOptions) {
    this.random = new Random(options.seed ^ 0xbe47);
    this.nodes = new Nodes(options.nodes, options.seed);
    this.pods = makePods(options.seed, this.started);
    this.explainer = new Explainer(this.nodes);
    for (const pod of this.pods) {
      if (pod.kind.nominated) {
        const row = hash(pod.name) % this.nodes.count;
        pod.nominatedNode = this.nodes.names[row]!;
        this.nodes.nominated[row] = this.nodes.nominated[row]! + 1;
      }
      pod.plugins = this.explainer.plugins(pod);
      const message = this.explainer.message(pod);
      if (message) pod.message = message;
    }
    this.history = new History(options.seed, this.started, this.counts());
    this.flow = this.nextFlow();
    for (let i = 0; i < 400; i++) this.makeAttempt(this.started - (400 - i) * 90);
  }

  start(): void {
    this.timers.push(setInterval(() => this.tick(), 1000));
    this.timers.push(
      setInterval(() => this.send("activity", this.history.add(Date.now(), this.counts())), step * 1000),
    );
    this.timers.push(setInterval(() => this.broadcast(": keep alive\n\n"), 15_000));
    for (const timer of this.timers) timer.unref();
  }

  stop(): void {
    for (const timer of this.timers) clearInterval(timer);
    this.dropStreams();
  }

  /** Ends all event streams, as a restart of the server does. */
  dropStreams(): void {
    for (const { response } of this.streams) response.destroy();
    this.streams.clear();
  }

  private counts(): QueueCounts {
    const counts = Object.fromEntries(queues.map((queue) => [queue, 0])) as QueueCounts;
    for (const pod of this.pods) if (pod.queue) counts[pod.queue]++;
    return counts;
  }

  private nextFlow(): QueueFlow {
    const { random } = this;
    const counts = this.counts();
    const rate = random.between(90, 240);
    const vary = (queue: QueueName, by: number) => {
      counts[queue] = Math.max(0, Math.round(counts[queue] + random.bell() * by));
    };
    vary("active", 60);
    vary("backoff", 12);
    vary("inFlight", 6);
    const n = (share: number) => Math.max(0, Math.round(rate * share * random.between(0.8, 1.2)));
    return {
      counts,
      interval: 1,
      moves: [
        { from: "new", to: "active", count: n(0.9) },
        { from: "new", to: "gated", count: n(0.02) },
        { from: "gated", to: "active", count: n(0.02) },
        { from: "active", to: "inFlight", count: n(1.1) },
        { from: "inFlight", to: "bound", count: n(0.86) },
        { from: "inFlight", to: "unschedulable", count: n(0.14) },
        { from: "inFlight", to: "backoff", count: n(0.03) },
        { from: "inFlight", to: "waiting", count: n(0.05) },
        { from: "waiting", to: "bound", count: n(0.05) },
        { from: "unschedulable", to: "backoff", count: n(0.1) },
        { from: "unschedulable", to: "active", count: n(0.03) },
        { from: "backoff", to: "active", count: n(0.12) },
      ],
    };
  }

  private makeAttempt(time: number): Attempt {
    const { random, nodes } = this;
    const failing = this.pods.filter((pod) => pod.kind.judge);
    this.sequence++;
    let attempt: Attempt;
    if (random.next() < 0.2) {
      const pod = random.pick(failing);
      const latest = this.explainer.attempts(pod, time)[0]!;
      attempt = { ...latest, sequence: this.sequence, time: new Date(time).toISOString() };
    } else {
      const row = random.below(nodes.count);
      const score = random.between(500, 760);
      attempt = {
        sequence: this.sequence,
        time: new Date(time).toISOString(),
        namespace: "web",
        name: `frontend-${random.word(5)}-${row.toString(36)}x0`,
        uid: random.word(8),
        attempt: 1,
        outcome: random.next() < 0.9 ? "bound" : "assumed",
        node: nodes.names[row]!,
        plugins: [],
        groups: [
          {
            plugin: "TaintToleration",
            reason: "node(s) had untolerated taint(s)",
            nodes: Math.round(nodes.count * 0.2),
          },
        ],
        candidates: [{ node: nodes.names[row]!, score: Math.round(score) }],
        victims: [],
        victimCount: 0,
        evaluated: nodes.count,
        feasible: Math.round(nodes.count * random.between(0.3, 0.8)),
        phases: {
          preFilter: 0.00002,
          filter: random.between(0.0001, 0.002),
          score: random.between(0.0001, 0.001),
          reserve: 0.00001,
          bind: random.between(0.001, 0.02),
        },
        waitedFor: random.between(0.001, 0.4),
      };
    }
    this.attemptLog.push(attempt);
    if (this.attemptLog.length > 5000) this.attemptLog.shift();
    return attempt;
  }

  private tick(): void {
    this.flow = this.nextFlow();
    this.send("queue", this.flow);
    const now = Date.now();
    const items = Array.from({ length: 8 }, () => this.makeAttempt(now));
    this.send("attempt", { items, dropped: this.random.below(120) });
    this.send("nodes", this.changeNodes());
  }

  private changeNodes(): NodeDelta {
    const { nodes, random } = this;
    const rows = [
      ...new Set(
        Array.from({ length: Math.min(300, Math.max(6, nodes.count >> 7)) }, () => random.below(nodes.count)),
      ),
    ];
    // What was assumed is bound a moment later.
    for (let row = 0; row < nodes.count; row++) {
      if (nodes.assumed[row]! > 0 && random.next() < 0.25) {
        nodes.assumed[row] = 0;
        rows.push(row);
      }
    }
    const changed = [...new Set(rows)];
    for (const row of changed) {
      if (nodes.flags[row]! & 3) continue;
      const cpu = nodes.requested.cpu!;
      const by = Math.round(random.bell() * 12) * 100;
      cpu[row] = Math.min(nodes.allocatable.cpu![row]!, Math.max(0, cpu[row]! + by));
      if (by > 0 && random.next() < Math.min(0.5, 100 / changed.length)) nodes.assumed[row] = 1;
      nodes.pods[row] = Math.max(0, nodes.pods[row]! + Math.sign(by));
      nodes.requested.pods![row] = nodes.pods[row]!;
    }
    return {
      generation: nodes.generation,
      rows: changed,
      pods: changed.map((row) => nodes.pods[row]!),
      assumed: changed.map((row) => nodes.assumed[row]!),
      nominated: changed.map((row) => nodes.nominated[row]!),
      flags: changed.map((row) => nodes.flags[row]!),
      requested: {
        cpu: changed.map((row) => nodes.requested.cpu![row]!),
        pods: changed.map((row) => nodes.pods[row]!),
      },
    };
  }

  private broadcast(text: string): void {
    for (const { response } of this.streams) response.write(text);
  }

  private send(topic: string, value: unknown): void {
    const text = `id: ${++this.sequence}\nevent: ${topic}\ndata: ${JSON.stringify(value)}\n\n`;
    for (const { response, topics } of this.streams) if (topics.has(topic)) response.write(text);
  }

  listen(port: number): Promise<{ server: Server; url: string }> {
    const server = createServer((request, response) => {
      void this.handle(request, response);
    });
    return new Promise((resolve) => {
      server.listen(port, "127.0.0.1", () => {
        const address = server.address();
        const actual = typeof address === "object" && address ? address.port : port;
        resolve({ server, url: `http://127.0.0.1:${actual}/` });
      });
    });
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://mock");
    try {
      if (!url.pathname.startsWith("/berth/v1/")) {
        await this.file(url.pathname, response);
        return;
      }
      if (this.failWith) throw new Failure(this.failWith, "Unavailable", "the mock fails on purpose");
      if (request.method !== "GET") throw new Failure(405, "MethodNotAllowed", "the API is read-only");
      if (this.options.delay) await new Promise((resolve) => setTimeout(resolve, this.options.delay));
      const segments = url.pathname.slice("/berth/v1/".length).split("/").map(decodeURIComponent);
      if (segments[0] === "events") {
        this.stream(url, request, response);
        return;
      }
      this.json(request, response, 200, this.route(segments, url.searchParams));
    } catch (error) {
      const failure = error instanceof Failure ? error : new Failure(500, "InternalError", String(error));
      const { code, reason, message } = failure;
      this.json(request, response, code, {
        kind: "Status",
        apiVersion: "v1",
        status: "Failure",
        reason,
        message,
        code,
      });
    }
  }

  private json(request: IncomingMessage, response: ServerResponse, code: number, value: unknown): void {
    let body = Buffer.from(JSON.stringify(value));
    const headers: Record<string, string | number> = {
      "Content-Type": "application/json",
      "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
    };
    if (body.length > 1024 && /\bgzip\b/.test(String(request.headers["accept-encoding"]))) {
      body = gzipSync(body, { level: 1 });
      headers["Content-Encoding"] = "gzip";
    }
    response.writeHead(code, { ...headers, "Content-Length": body.length });
    response.end(body);
  }

  private async file(name: string, response: ServerResponse): Promise<void> {
    const clean = name.endsWith("/") ? "/index.html" : name;
    const file = path.join(this.options.files, path.basename(clean));
    try {
      const body = await readFile(file);
      response.writeHead(200, {
        "Content-Type": types[path.extname(file)] ?? "application/octet-stream",
        "Content-Security-Policy": policy,
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cache-Control": "no-cache",
      });
      response.end(body);
    } catch {
      response.writeHead(404, { "Content-Type": "text/plain" });
      response.end("not found\n");
    }
  }

  private stream(url: URL, request: IncomingMessage, response: ServerResponse): void {
    const all = ["activity", "queue", "attempt", "nodes"];
    const topics = new Set((url.searchParams.get("topics") ?? all.join(",")).split(","));
    for (const topic of topics)
      if (!all.includes(topic)) throw new Failure(400, "BadRequest", `unknown topic "${topic}"`);
    response.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-store" });
    response.write(`retry: 1000\n: resumes after ${request.headers["last-event-id"] ?? "now"}\n\n`);
    const stream = { response, topics };
    this.streams.add(stream);
    request.on("close", () => this.streams.delete(stream));
  }

  private pod(namespace: string, name: string): PendingPod | undefined {
    return this.pods.find((pod) => pod.name === name && pod.namespace === namespace);
  }

  /** Names of running pods end in the row of their node: NAME-ROWxINDEX. */
  private rowOf(name: string): number {
    const match = /-([0-9a-z]+)x\d+$/.exec(name);
    const row = match ? Number.parseInt(match[1]!, 36) : Number.NaN;
    return row >= 0 && row < this.nodes.count ? row : -1;
  }

  private route(segments: string[], query: URLSearchParams): unknown {
    const limit = (most: number) => Math.min(most, Math.max(1, Number(query.get("limit") ?? 500) || 500));
    const first = Math.max(0, Number(query.get("continue") ?? 0) || 0);
    const [resource, a, b, action, index, verb] = segments;
    if (resource === "cluster" && a === undefined) return this.cluster();
    if (resource === "nodes") return a === undefined ? this.nodes.map(first, limit(20_000)) : this.node(a);
    if (resource === "queue") return this.queue();
    if (resource === "activity") return this.history.activity(Number(query.get("window") ?? 900));
    if (resource === "attempts") return this.attempts(query, limit(5000));
    if (resource === "search") return this.search(query.get("q") ?? "");
    if (resource === "pods" && a === undefined) return this.podList(query, first, limit(5000));
    if (resource === "pods" && a !== undefined && b !== undefined) {
      const pod = this.pod(a, b);
      if (!pod) {
        const row = this.rowOf(b);
        if (row < 0) throw new Failure(404, "NotFound", `pods "${b}" not found in namespace "${a}"`);
        if (action === undefined) return this.explainer.running(a, b, row);
        if (action === "matrix") return this.explainer.matrix({ name: b }, first, limit(5000));
        if (action === "fixes")
          return {
            apiVersion: "berth.dev/v1",
            kind: "PodFixes",
            pod: { namespace: a, name: b },
            revision: "1",
            fixes: { complete: true, decisions: 0, list: [] },
          };
      } else {
        if (action === undefined) return this.explainer.explain(pod);
        if (action === "matrix") return this.explainer.matrix(pod, first, limit(5000));
        if (action === "fixes" && index === undefined) {
          return {
            apiVersion: "berth.dev/v1",
            kind: "PodFixes",
            pod: { namespace: a, name: b },
            revision: "1",
            fixes: this.explainer.fixes(pod),
          };
        }
        if (action === "fixes" && verb === "try") {
          if ((query.get("revision") ?? "1") !== "1")
            throw new Failure(409, "Conflict", "the fixes of this pod have changed");
          const tried = this.explainer.tryFix(pod, Number(index));
          if (tried) return tried;
        }
      }
    }
    throw new Failure(404, "NotFound", "the server could not find the requested resource");
  }

  private cluster(): Cluster {
    const bound = this.nodes.pods.reduce((sum, pods) => sum + pods, 0);
    return {
      apiVersion: "berth.dev/v1",
      kind: "Cluster",
      version: "v0.0.0-mock",
      server: "up",
      schedulers: ["default-scheduler"],
      time: new Date().toISOString(),
      sequence: this.sequence,
      counts: { nodes: this.nodes.count, pods: bound + this.pods.length, pending: this.pods.length },
      resources,
      topologyKeys,
      labelKeys: [...new Set(this.nodes.labelSets.flatMap((set) => Object.keys(set)))].sort(),
      taints: [...new Set(this.nodes.taintSets.flat())].sort(),
      features: { ledger: true, whatIf: true, live: true },
    };
  }

  private node(name: string): Node {
    const row = this.nodes.names.indexOf(name);
    if (row < 0) throw new Failure(404, "NotFound", `nodes "${name}" not found`);
    const { nodes } = this;
    const now = Date.now();
    const random = new Random(hash(name, "rejections"));
    const pods = nodes.podsOf(row, now);
    for (const pod of this.pods) {
      if (pod.nominatedNode === name) {
        pods.push({
          namespace: pod.namespace,
          name: pod.name,
          priority: pod.priority,
          requests: { cpu: 15_000 },
          state: "nominated",
          since: pod.since,
        });
      }
    }
    const failing = this.pods.filter((pod) => pod.kind.judge);
    const rejections = new Map<string, Node["rejections"][number]>();
    for (const pod of failing) {
      const matrix = this.explainer.matrix(pod, row, 1);
      if (matrix.rejectedBy[0]! < 0) continue;
      const plugin = matrix.plugins[matrix.rejectedBy[0]!]!;
      const reason = matrix.reasons[matrix.reason[0]!]!;
      const key = `${plugin} ${reason} ${pod.kind.workload}`;
      const found = rejections.get(key);
      if (found) {
        found.count += pod.attempts;
        if (found.examples.length < 3) found.examples.push({ namespace: pod.namespace, name: pod.name });
      } else {
        const last = new Date(now - random.between(0.2, 600) * 1000).toISOString();
        rejections.set(key, {
          plugin,
          reason,
          count: pod.attempts,
          last,
          examples: [{ namespace: pod.namespace, name: pod.name }],
        });
      }
    }
    return {
      apiVersion: "berth.dev/v1",
      kind: "Node",
      name,
      labels: { "kubernetes.io/hostname": name, ...nodes.labelSets[nodes.labels[row]!]! },
      taints: nodes.taintSets[nodes.taints[row]!]!,
      flags: nodes.flags[row]!,
      zone: nodes.zoneValues[nodes.zone[row]!]!,
      ...(nodes.rack[row]! >= 0 ? { rack: nodes.rackValues[nodes.rack[row]!]! } : {}),
      pool: nodes.poolName(row),
      resources: Object.fromEntries(
        resources.map(({ name: key }) => [
          key,
          { allocatable: nodes.allocatable[key]![row]!, requested: nodes.requested[key]![row]! },
        ]),
      ),
      pods,
      rejections: [...rejections.values()].sort((x, y) => y.count - x.count),
    };
  }

  private row({ kind: _, ...row }: PendingPod) {
    return row;
  }

  private podList(query: URLSearchParams, first: number, limit: number) {
    const wanted = (name: string, value: string | undefined) => !query.get(name) || query.get(name) === value;
    const found = this.pods.filter(
      (pod) =>
        wanted("queue", pod.queue) &&
        wanted("namespace", pod.namespace) &&
        wanted("name", pod.name) &&
        wanted("group", pod.group) &&
        (!query.get("plugin") || pod.plugins.includes(query.get("plugin")!)),
    );
    const sort = query.get("sort") ?? "age";
    found.sort((x, y) =>
      sort === "priority"
        ? y.priority - x.priority
        : sort === "name"
          ? x.name.localeCompare(y.name)
          : Date.parse(x.since) - Date.parse(y.since),
    );
    const last = Math.min(found.length, first + limit);
    return {
      apiVersion: "berth.dev/v1",
      kind: "PodList",
      total: found.length,
      items: found.slice(first, last).map((pod) => this.row(pod)),
      ...(last < found.length ? { continue: String(last) } : {}),
    };
  }

  private queue(): Queue {
    const now = Date.now();
    const groups = new Map<string, QueueGroup>();
    const ages = {
      bounds: ageBounds,
      counts: Object.fromEntries(queues.map((queue) => [queue, ageBounds.concat(0).map(() => 0)])) as Record<
        QueueName,
        number[]
      >,
    };
    const priorities = new Map<number, Queue["priorities"][number]>();
    for (const pod of this.pods) {
      if (!pod.queue) continue;
      const example = { namespace: pod.namespace, name: pod.name };
      const key = `${pod.queue} ${pod.group}`;
      const group = groups.get(key);
      if (group) {
        group.count++;
        if (pod.since < group.oldest) Object.assign(group, { oldest: pod.since, example });
        group.maxPriority = Math.max(group.maxPriority, pod.priority);
      } else {
        groups.set(key, {
          group: pod.group,
          queue: pod.queue,
          plugins: pod.plugins,
          ...(pod.message ? { message: pod.message } : {}),
          count: 1,
          oldest: pod.since,
          maxPriority: pod.priority,
          waitsFor: pod.kind.waitsFor,
          example,
        });
      }
      const seconds = (now - Date.parse(pod.since)) / 1000;
      const bucket = ageBounds.findIndex((bound) => seconds <= bound);
      ages.counts[pod.queue][bucket < 0 ? ageBounds.length : bucket]!++;
      const priority = priorities.get(pod.priority);
      if (priority) {
        priority.count++;
        if (pod.since < priority.oldest) Object.assign(priority, { oldest: pod.since, example });
      } else {
        priorities.set(pod.priority, {
          priority: pod.priority,
          ...(pod.kind.className ? { className: pod.kind.className } : {}),
          count: 1,
          oldest: pod.since,
          example,
        });
      }
    }
    const oldest = [...this.pods].sort((x, y) => Date.parse(x.since) - Date.parse(y.since)).slice(0, 50);
    return {
      apiVersion: "berth.dev/v1",
      kind: "Queue",
      ...this.flow,
      ages,
      groups: [...groups.values()].sort((x, y) => y.count - x.count),
      priorities: [...priorities.values()].sort((x, y) => y.priority - x.priority),
      oldest: oldest.map((pod) => this.row(pod)),
    };
  }

  private attempts(query: URLSearchParams, limit: number) {
    let list = [...this.attemptLog].reverse();
    const pod = query.get("pod");
    if (pod) {
      const [namespace, name] = pod.split("/");
      const found = this.pod(namespace ?? "", name ?? "");
      const row = found ? -1 : this.rowOf(name ?? "");
      if (found) list = this.explainer.attempts(found, Date.now());
      else if (row >= 0) {
        const random = new Random(hash(name ?? ""));
        list = list.filter((attempt) => attempt.name === name);
        if (list.length === 0) {
          const time = this.started - random.between(60, 9000) * 1000;
          list = [
            {
              sequence: 500,
              time: new Date(time).toISOString(),
              namespace: namespace!,
              name: name!,
              attempt: 1,
              uid: "",
              outcome: "bound",
              node: this.nodes.names[row]!,
              plugins: [],
              groups: [],
              candidates: [],
              victims: [],
              victimCount: 0,
              evaluated: this.nodes.count,
              feasible: 600,
              phases: { preFilter: 0.00002, filter: 0.0004, score: 0.0003, reserve: 0.00001, bind: 0.006 },
              waitedFor: 0.03,
            },
          ];
        }
      } else list = [];
    }
    const outcome = query.get("outcome");
    if (outcome) list = list.filter((attempt) => attempt.outcome === outcome);
    const node = query.get("node");
    if (node) list = list.filter((attempt) => attempt.node === node);
    return { apiVersion: "berth.dev/v1", kind: "AttemptList", complete: true, items: list.slice(0, limit) };
  }

  private search(text: string) {
    const words = text.toLowerCase();
    const pods = this.pods.filter((pod) => `${pod.namespace}/${pod.name}`.includes(words)).slice(0, 12);
    const found: string[] = [];
    for (const name of this.nodes.names) {
      if (found.length >= 8) break;
      if (name.includes(words)) found.push(name);
    }
    return {
      apiVersion: "berth.dev/v1",
      kind: "SearchResult",
      pods: pods.map(({ namespace, name, queue }) => ({ namespace, name, queue })),
      nodes: found,
    };
  }
}
