import assert from "node:assert/strict";
import test from "node:test";
import type { Activity, ActivityStep, NodeScore } from "../api/types.ts";
import { extend, largest } from "../pages/activity_model.ts";
import { verdict } from "../pages/matrix.tsx";
import { heat, quantile } from "./heat_map.tsx";
import { axis, niceStep, timeTicks } from "./scale.ts";
import { waterfall } from "./waterfall.tsx";

test("axes have round steps and hold the largest value", () => {
  assert.equal(niceStep(100, 3), 50);
  assert.equal(niceStep(0.7, 3), 0.5);
  assert.deepEqual(axis(350, 3).values, [0, 200, 400]);
  for (const value of [0.001, 1, 7, 99, 100, 101, 12_345]) {
    const { top, values } = axis(value);
    assert.ok(top >= value && values.length <= 5, String(value));
  }
});

test("ticks of time are at round times", () => {
  const start = Date.parse("2026-01-01T10:00:07Z");
  const ticks = timeTicks(start, start + 900_000, 5);
  assert.ok(ticks.length <= 6 && ticks.every((time) => time % 300_000 === 0));
});

test("heat shows one among many", () => {
  assert.equal(heat(0, 100), 0);
  assert.ok(heat(1, 1e6) > 0.12);
  assert.equal(heat(100, 100), 1);
});

test("quantiles are upper bounds of buckets", () => {
  assert.equal(quantile([1, 2, 3], [50, 49, 1, 0], 0.5), 1);
  assert.equal(quantile([1, 2, 3], [50, 49, 1, 0], 0.99), 2);
  assert.equal(quantile([1, 2, 3], [0, 0, 0, 5], 0.5), Number.POSITIVE_INFINITY);
  assert.ok(Number.isNaN(quantile([1], [0, 0], 0.5)));
});

test("each bar of a waterfall begins where the previous ends", () => {
  const a: NodeScore = { node: "a", total: 350, chosen: true, plugins: { Fit: 50, Taints: 300, Zero: 0 } };
  const b: NodeScore = { node: "b", total: 340, chosen: false, plugins: { Fit: 40, Taints: 300, Image: 10 } };
  assert.deepEqual(
    waterfall(a, b).map(({ plugin, from, to, difference }) => [plugin, from, to, difference]),
    [
      ["Taints", 0, 300, 0],
      ["Fit", 300, 350, 10],
      ["Image", 350, 350, -10],
      ["Zero", 350, 350, 0],
    ],
  );
});

test("plugins after the first rejection are not asked", () => {
  const row = { node: "n", rejectedBy: 1, reason: "r", total: null };
  assert.deepEqual(
    [0, 1, 2].map((plugin) => verdict(row, plugin)),
    ["accepts", "rejects", "not asked"],
  );
  assert.equal(verdict({ ...row, rejectedBy: -1 }, 2), "accepts");
});

test("a step of an event continues the series and drops the oldest", () => {
  const counts = { active: 1, backoff: 0, unschedulable: 0, gated: 0, inFlight: 0, waiting: 0 };
  const activity: Activity = {
    apiVersion: "berth.dev/v1",
    kind: "Activity",
    start: "2026-01-01T00:00:00.000Z",
    step: 5,
    decisions: { bound: [1, 2] },
    binds: [1, 2],
    bindFailures: [0, 0],
    preemptions: [0, 0],
    latency: {
      bounds: [1],
      counts: [
        [1, 0],
        [2, 0],
      ],
    },
    reasons: { a: [3, 4] },
    apiCalls: {},
    queues: {
      active: [0, 0],
      backoff: [0, 0],
      unschedulable: [0, 0],
      gated: [0, 0],
      inFlight: [0, 0],
      waiting: [0, 0],
    },
  };
  const step: ActivityStep = {
    time: "",
    decisions: { bound: 3, error: 1 },
    binds: 3,
    bindFailures: 0,
    preemptions: 0,
    latency: [3, 0],
    reasons: { b: 9 },
    apiCalls: { bind: 3 },
    queues: counts,
  };
  const next = extend(activity, step, 2);
  assert.equal(next.start, "2026-01-01T00:00:05.000Z");
  assert.deepEqual(next.decisions, { bound: [2, 3], error: [0, 1] });
  assert.deepEqual(next.reasons, { a: [4, 0], b: [0, 9] });
  assert.deepEqual(next.latency.counts, [
    [2, 0],
    [3, 0],
  ]);
  assert.deepEqual(next.queues.active, [0, 1]);
  assert.equal(extend(activity, step, 10).binds.length, 3);
});

test("small reasons are summed up", () => {
  assert.deepEqual(largest({ a: [1, 1], b: [5, 5], c: [2, 0], d: [0, 0], e: [0, 1] }, 2), [
    { name: "b", values: [5, 5] },
    { name: "a", values: [1, 1] },
    { name: "other (2)", values: [2, 1] },
  ]);
});
