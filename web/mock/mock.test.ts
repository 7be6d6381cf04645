// The mock answers for every pod and node. That its documents are as docs/schema says is checked by
// tests/browser/mock_test.py.
import assert from "node:assert/strict";
import test from "node:test";
import type { NodeMap, PodExplanation, PodFixes, PodList, PodMatrix } from "../src/api/types.ts";
import { Mock } from "./server.ts";

async function withMock<T>(
  nodes: number,
  run: (get: <D>(path: string) => Promise<D>) => Promise<T>,
): Promise<T> {
  const mock = new Mock({ nodes, seed: 1, files: "." });
  const { server, url } = await mock.listen(0);
  try {
    return await run(async <D>(path: string) => (await (await fetch(`${url}berth/v1/${path}`)).json()) as D);
  } finally {
    mock.stop();
    server.closeAllConnections();
    server.close();
  }
}

test("the same seed gives the same nodes", () => {
  const map = () => JSON.stringify(new Mock({ nodes: 300, seed: 5, files: "." }).nodes.map(0, 300));
  assert.equal(map(), map());
});

test("pages of the map hold every node once", () =>
  withMock(250, async (get) => {
    const names: string[] = [];
    let token: string | undefined = "0";
    while (token !== undefined) {
      const page: NodeMap = await get<NodeMap>(`nodes?limit=100&continue=${token}`);
      for (const column of [
        page.pods,
        page.flags,
        page.zones.of,
        page.labels.of,
        page.resources.cpu!.requested,
      ]) {
        assert.equal(column.length, page.names.length);
      }
      names.push(...page.names);
      token = page.continue;
    }
    assert.equal(new Set(names).size, 250);
  }));

test("every pending pod has an explanation, a matrix and fixes", () =>
  withMock(200, async (get) => {
    const { items, total } = await get<PodList>("pods?limit=5000");
    assert.equal(items.length, total);
    const groups = new Map(items.map((pod) => [pod.group, pod]));
    for (const pod of groups.values()) {
      const path = `pods/${pod.namespace}/${pod.name}`;
      const explanation = await get<PodExplanation>(path);
      assert.equal(explanation.kind, "PodExplanation", path);
      const matrix = await get<PodMatrix>(`${path}/matrix?limit=200`);
      assert.equal(matrix.rejectedBy.length, 200);
      const { fixes } = await get<PodFixes>(`${path}/fixes`);
      for (const i of fixes.list.keys()) {
        const tried = await get<PodExplanation>(`${path}/fixes/${i + 1}/try?revision=1`);
        assert.ok(["Fits", "Preempts"].includes(tried.decision?.outcome ?? ""), `${path} fix ${i + 1}`);
      }
    }
  }));
