import assert from "node:assert/strict";
import test from "node:test";
import { firstReason, reasonsOf } from "./reasons.ts";

const message =
  "0/1000 nodes are available: 157 node(s) had untolerated taint(s), 12 Insufficient nvidia.com/gpu, 4 node(s) were " +
  "unschedulable, 827 node(s) didn't match Pod's node affinity/selector. preemption: 0/1000 nodes are available: " +
  "1000 Preemption is not helpful for scheduling.";

test("the reason that says most about the pod comes first", () => {
  assert.deepEqual(
    reasonsOf(message).map(({ nodes }) => nodes),
    [12, 827, 157, 4],
  );
  assert.equal(firstReason(message), "Insufficient nvidia.com/gpu (12 nodes)");
});

test("reasons of many nodes come before those of few", () => {
  assert.equal(
    firstReason("0/5 nodes are available: 1 Insufficient memory, 4 Insufficient cpu."),
    "Insufficient cpu (4 nodes)",
  );
});

test("commas and braces within a reason stay in it", () => {
  const taints =
    "0/3 nodes are available: 1 node(s) had untolerated taint {a: 1, b}, 2 node(s) were unschedulable.";
  assert.deepEqual(reasonsOf(taints), [
    { text: "node(s) had untolerated taint {a: 1, b}", nodes: 1 },
    { text: "node(s) were unschedulable", nodes: 2 },
  ]);
  assert.equal(
    firstReason("0/1 nodes are available: 1 node(s) were unschedulable."),
    "were unschedulable (1 node)",
  );
});

test("what is said about preemption is no reason", () => {
  const end = "preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.";
  for (const middle of ["", "no new claims to deallocate, "]) {
    const whole = `0/2 nodes are available: 2 Insufficient example.com/fpga. ${middle}${end}`;
    assert.deepEqual(reasonsOf(whole), [{ text: "Insufficient example.com/fpga", nodes: 2 }]);
  }
});

test("a reason that is not about nodes has no number of them", () => {
  const missing = '0/3 nodes are available: persistentvolumeclaim "data" not found. not found';
  assert.equal(firstReason(missing), 'persistentvolumeclaim "data" not found');
});

test("other messages stay as they are", () => {
  assert.equal(
    firstReason('persistentvolumeclaim "data" not found'),
    'persistentvolumeclaim "data" not found',
  );
  assert.equal(firstReason(""), "");
  const none = "0/0 nodes are available: no nodes available to schedule pods";
  assert.equal(firstReason(none), "no nodes available to schedule pods");
});
