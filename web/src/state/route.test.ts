import assert from "node:assert/strict";
import test from "node:test";
import { formatRoute, nodeLink, parseRoute, podLink } from "./route.ts";

test("a state survives the way through the address", () => {
  const hostile = `a/b?c&d=e#f%41 "<script>alert(1)</script>' \u202e é 日本 +`;
  const routes = [
    { page: "cluster", segments: [], query: {} },
    { page: "pod", segments: ["shop", "web-1"], query: { fix: "2", "matrix.filter": "reason:cpu -spot" } },
    { page: "node", segments: [hostile], query: { name: hostile, labels: "a in (b,c),!d" } },
    { page: "queue", segments: [], query: { group: "Deployment shop/web", "groups.sort": "-pods" } },
  ];
  for (const route of routes) {
    const parsed = parseRoute(formatRoute(route));
    assert.deepEqual({ ...parsed, query: { ...parsed.query } }, route);
  }
});

test("equal states have equal addresses", () => {
  assert.equal(
    formatRoute({ page: "cluster", query: { b: "2", a: "1", c: "", d: undefined } }),
    formatRoute({ page: "cluster", query: { a: "1", b: "2" } }),
  );
  assert.equal(formatRoute({ page: "cluster" }), "#/cluster");
});

test("addresses that people mistype do not fail", () => {
  assert.deepEqual(parseRoute("").segments, []);
  assert.equal(parseRoute("#").page, "");
  assert.equal(parseRoute("#cluster").page, "cluster");
  assert.deepEqual(parseRoute("#/pod/%E0%A4%A/x").segments, ["%E0%A4%A", "x"]);
  assert.deepEqual(parseRoute("#/node//a/").segments, ["a"]);
});

test("names of Object's own properties are plain parameters", () => {
  const { query } = parseRoute("#/cluster?__proto__=1&toString=2");
  assert.equal(query.toString, "2");
  assert.equal(({} as Record<string, unknown>)["1"], undefined);
  assert.equal(parseRoute("#/cluster").query.constructor, undefined);
});

test("links to pods and nodes encode their names", () => {
  assert.equal(podLink({ namespace: "a", name: "b/../c" }), "#/pod/a/b%2F..%2Fc");
  assert.equal(nodeLink("javascript:alert(1)"), "#/node/javascript%3Aalert(1)");
});
