// Looks at every page in two widths and two themes: nothing scrolls sideways, nothing violates WCAG 2.2 AA, and the
// console is silent.
import type { Node, NodeMap, PodList, PodRow } from "../src/api/types.ts";
import { narrow, themes, type Visit, wide } from "./browser.ts";

interface Place {
  name: string;
  route: string;
  /** The page asks for something that does not exist, which is in the console of every browser. */
  missing?: boolean;
}

/** What the server has of each kind of page. */
async function places(visit: Visit): Promise<Place[]> {
  const map = await visit.get<NodeMap>("nodes?limit=500");
  const { items } = await visit.get<PodList>("pods?limit=5000");
  const found: Place[] = [
    { name: "cluster", route: "cluster" },
    { name: "cluster-selected", route: `cluster?node=${map.names[0]}` },
    { name: "cluster-table", route: "cluster?view=table" },
    { name: "queue", route: "queue" },
    { name: "activity", route: "activity" },
    { name: "not-found", route: "pod/nowhere/nothing", missing: true },
    { name: "no-such-page", route: "nonsense" },
  ];
  const row = (test: (row: number) => unknown) => map.names.findIndex((_, i) => test(i));
  const tainted = row((i) => map.taints.sets[map.taints.of[i]!]?.length);
  const busy = row((i) => map.pods[i]! > 0);
  if (tainted >= 0) found.push({ name: "node-tainted", route: `node/${map.names[tainted]}` });
  if (busy >= 0) {
    found.push({ name: "node-busy", route: `node/${map.names[busy]}` });
    const { pods } = await visit.get<Node>(`nodes/${map.names[busy]}`);
    const bound = pods.find(({ state }) => state === "bound");
    if (bound) found.push({ name: "pod-running", route: `pod/${bound.namespace}/${bound.name}` });
  }
  const pod = (name: string, test: (row: PodRow) => unknown, query = "") => {
    const one = items.find(test);
    if (one) found.push({ name: `pod-${name}`, route: `pod/${one.namespace}/${one.name}${query}` });
  };
  pod("unschedulable", ({ queue, attempts }) => queue === "unschedulable" && attempts > 1, "?fix=1");
  for (const queue of ["gated", "waiting", "active"]) pod(queue, (entry) => entry.queue === queue);
  pod("nominated", ({ nominatedNode }) => nominatedNode);
  const group = items.find(({ queue }) => queue === "unschedulable")?.group;
  if (group)
    found.push({
      name: "queue-group",
      route: `queue?queue=unschedulable&group=${encodeURIComponent(group)}`,
    });
  return found;
}

/** What is wrong with a page, each thing once. */
async function look(visit: Visit, base: string, place: Place): Promise<string[]> {
  const found: string[] = [];
  visit.problems.splice(0);
  await visit.go(`${base}#/${place.route}`);
  await visit.page.locator("main").waitFor();
  for (const [size, viewport] of Object.entries({ wide, narrow })) {
    await visit.page.setViewportSize(viewport);
    for (const theme of themes) {
      await visit.theme(theme);
      const picture = `${place.name}-${size}-${theme}`;
      await visit.shot(picture);
      const problems = new Set([...(await visit.sideways()), ...(await visit.accessibility())]);
      for (const problem of problems) found.push(`${picture}: ${problem}`);
    }
  }
  if (place.missing) visit.problems.splice(0);
  visit.clean(base);
  return found;
}

/** Reports all that is wrong at once. */
export async function everyPage(visit: Visit, base: string): Promise<void> {
  await visit.go(base);
  await visit.settled();
  const list = await places(visit);
  const failures: string[] = [];
  for (const place of list) failures.push(...(await look(visit, base, place)));
  if (failures.length > 0) throw new Error(failures.join("\n"));
  console.log(`      ${list.length} pages in two widths and two themes`);
}
