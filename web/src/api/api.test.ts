import assert from "node:assert/strict";
import test from "node:test";
import { ApiError, address, apiBase, createClient } from "./client.ts";
import { EventStreamParser, type ServerEvent } from "./event_stream.ts";
import { Live, type LiveState, reconnectDelay, type Timers } from "./live.ts";

test("the API is found beside the page, also behind a proxy", () => {
  assert.equal(apiBase("http://127.0.0.1:8600/#/queue"), "http://127.0.0.1:8600/berth/v1");
  assert.equal(apiBase("https://host:10259/berth/dashboard/"), "https://host:10259/berth/v1");
  assert.equal(
    apiBase("http://localhost:8001/proxy/berth/dashboard/index.html?x"),
    "http://localhost:8001/proxy/berth/v1",
  );
});

test("names become one segment each, empty parameters none", () => {
  assert.equal(address("/b", ["pods", "a b", "c/../d?"]), "/b/pods/a%20b/c%2F..%2Fd%3F");
  assert.equal(
    address("/b", ["pods"], { queue: undefined, limit: 5, group: "a&b=c", name: "" }),
    "/b/pods?limit=5&group=a%26b%3Dc",
  );
});

function answering(status: number, body: string): typeof fetch {
  return async () => new Response(body, { status });
}

test("a Status becomes an error with what to do", async () => {
  const body = JSON.stringify({
    kind: "Status",
    status: "Failure",
    reason: "NotFound",
    message: 'pods "x" not found',
    code: 404,
  });
  await assert.rejects(
    createClient("http://x", answering(404, body)).get(["pods", "a", "x"]),
    (error: unknown) => {
      assert.ok(error instanceof ApiError);
      assert.equal(error.code, 404);
      assert.equal(error.message, 'pods "x" not found');
      assert.match(error.advice, /deleted/);
      return true;
    },
  );
});

test("errors without a Status and answers that are no JSON are errors too", async () => {
  await assert.rejects(createClient("http://x", answering(502, "<html>")).get(["a"]), /HTTP status 502/);
  await assert.rejects(createClient("http://x", answering(200, "<html>")).get(["a"]), /not JSON/);
  const dead: typeof fetch = async () => {
    throw new TypeError("fetch failed");
  };
  await assert.rejects(
    createClient("http://x", dead).get(["a"]),
    /No response from the server: fetch failed/,
  );
});

test("event streams are parsed wherever chunks end", () => {
  const text =
    ': comment\r\nid: 7\nevent: queue\ndata: {"a":\ndata: 1}\n\nretry: 1500\ndata:no space\r\r' +
    "event: empty\n\nid: 8\ndata: é日\n\n";
  const want: ServerEvent[] = [
    { event: "queue", data: '{"a":\n1}', id: "7" },
    { event: "message", data: "no space", id: "7" },
    { event: "message", data: "é日", id: "8" },
  ];
  for (let size = 1; size <= text.length; size++) {
    const got: ServerEvent[] = [];
    const parser = new EventStreamParser((event) => got.push(event));
    for (let at = 0; at < text.length; at += size) parser.push(text.slice(at, at + size));
    assert.deepEqual(got, want, `chunks of ${size}`);
    assert.equal(parser.retry, 1500);
  }
});

test("delays double up to 30 s and vary", () => {
  assert.equal(reconnectDelay(1, 1), 500);
  assert.equal(reconnectDelay(3, 1), 2000);
  assert.equal(reconnectDelay(50, 1), 30_000);
  assert.equal(reconnectDelay(50, 0), 22_500);
});

/** A clock that only moves when a test moves it. */
class FakeTimers implements Timers {
  time = 0;
  private timers: { at: number; callback: () => void }[] = [];
  now = () => this.time;
  random = () => 1;
  set = (callback: () => void, milliseconds: number) => {
    const timer = { at: this.time + milliseconds, callback };
    this.timers.push(timer);
    return timer;
  };
  clear = (timer: unknown) => {
    this.timers = this.timers.filter((entry) => entry !== timer);
  };
  async advance(milliseconds: number) {
    this.time += milliseconds;
    const due = this.timers.filter((timer) => timer.at <= this.time);
    this.timers = this.timers.filter((timer) => timer.at > this.time);
    for (const { callback } of due) callback();
    await settle();
  }
}

async function settle() {
  for (let i = 0; i < 30; i++) await Promise.resolve();
  await new Promise((resolve) => setImmediate(resolve));
}

interface Connection {
  url: string;
  lastEventId: string | undefined;
  write(text: string): void;
  end(): void;
  aborted: boolean;
}

/** A server that accepts connections, or refuses with the next status. */
function fakeServer() {
  const connections: Connection[] = [];
  const refusals: number[] = [];
  const request = (async (url: string, init: RequestInit) => {
    const status = refusals.shift();
    if (status === 0) throw new TypeError("refused");
    if (status) return new Response(JSON.stringify({ message: `status ${status}` }), { status });
    let controller!: ReadableStreamDefaultController<Uint8Array>;
    const body = new ReadableStream<Uint8Array>({
      start(value) {
        controller = value;
      },
    });
    const headers = init.headers as Record<string, string>;
    const connection: Connection = {
      url,
      lastEventId: headers["Last-Event-ID"],
      write: (text) => controller.enqueue(new TextEncoder().encode(text)),
      end: () => controller.close(),
      aborted: false,
    };
    init.signal?.addEventListener("abort", () => {
      connection.aborted = true;
    });
    connections.push(connection);
    return new Response(body, { status: 200 });
  }) as typeof fetch;
  return { connections, refusals, request };
}

function setUp() {
  const server = fakeServer();
  const timers = new FakeTimers();
  const live = new Live("/berth/v1", server.request, timers);
  const states: LiveState["kind"][] = [];
  live.watch((state) => states.push(state.kind));
  return { ...server, timers, live, states };
}

test("a lost stream is resumed after the last event", async () => {
  const { live, connections, timers, states } = setUp();
  const got: number[] = [];
  live.on("queue", (flow) => got.push(flow.interval));
  live.start();
  await settle();
  assert.equal(connections[0]!.url, "/berth/v1/events?topics=queue");
  assert.equal(connections[0]!.lastEventId, undefined);
  connections[0]!.write(
    'id: 41\nevent: queue\ndata: {"interval": 1}\n\nid: 42\nevent: queue\ndata: {"interval": 2}\n\nid: 4',
  );
  await settle();
  connections[0]!.end();
  await settle();
  assert.deepEqual(got, [1, 2]);
  assert.equal(live.state.kind, "waiting");
  await timers.advance(499);
  assert.equal(connections.length, 1);
  await timers.advance(1);
  assert.equal(connections[1]!.lastEventId, "42");
  assert.deepEqual(states, ["connecting", "live", "waiting", "connecting", "live"]);
});

test("an unreachable server is asked again, ever more rarely", async () => {
  const { live, connections, refusals, timers } = setUp();
  refusals.push(0, 503, 0);
  live.on("activity", () => undefined);
  live.start();
  await settle();
  for (const delay of [500, 1000, 2000]) {
    assert.equal(live.state.kind, "waiting");
    assert.equal(live.state.kind === "waiting" && live.state.until - timers.time, delay);
    await timers.advance(delay);
  }
  assert.equal(live.state.kind, "live");
  assert.equal(connections.length, 1);
});

test("what cannot change by itself is not asked again", async () => {
  const { live, connections, refusals, timers } = setUp();
  refusals.push(401);
  live.on("activity", () => undefined);
  live.start();
  await settle();
  assert.equal(live.state.kind, "failed");
  assert.ok(live.state.kind === "failed" && /session has ended/.test(live.state.advice));
  await timers.advance(3_600_000);
  assert.equal(connections.length, 0);
  live.retry();
  await settle();
  assert.equal(connections.length, 1);
});

test("a silent stream is dead", async () => {
  const { live, connections, timers } = setUp();
  live.on("nodes", () => undefined);
  live.start();
  await settle();
  await timers.advance(39_000);
  connections[0]!.write(": keep alive\n\n");
  await settle();
  await timers.advance(39_000);
  assert.equal(live.state.kind, "live");
  await timers.advance(1000);
  assert.equal(live.state.kind, "waiting");
  assert.ok(connections[0]!.aborted);
});

test("topics follow the listeners; without any the connection ends", async () => {
  const { live, connections } = setUp();
  const off = live.on("queue", () => undefined);
  live.start();
  await settle();
  const other = live.on("attempt", () => undefined);
  await settle();
  assert.equal(connections[1]!.url, "/berth/v1/events?topics=attempt%2Cqueue");
  assert.ok(connections[0]!.aborted);
  off();
  other();
  await settle();
  assert.ok(connections[1]!.aborted);
  assert.equal(live.state.kind, "off");
});

test("pause ends the stream, and resume continues after the last event", async () => {
  const { live, connections } = setUp();
  live.on("queue", () => undefined);
  live.start();
  await settle();
  connections[0]!.write("id: 9\nevent: queue\ndata: {}\n\n");
  await settle();
  live.pause();
  assert.equal(live.state.kind, "paused");
  assert.ok(connections[0]!.aborted);
  await settle();
  live.resume();
  await settle();
  assert.equal(connections[1]!.lastEventId, "9");
});

test("events that are no JSON are skipped", async () => {
  const { live, connections } = setUp();
  const got: unknown[] = [];
  live.on("queue", (value) => got.push(value));
  live.start();
  await settle();
  connections[0]!.write("event: queue\ndata: {oops\n\nevent: unknown\ndata: 1\n\nevent: queue\ndata: {}\n\n");
  await settle();
  assert.deepEqual(got, [{}]);
});
