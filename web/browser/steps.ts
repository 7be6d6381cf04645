// What a person does on each page, and what they then see.
import assert from "node:assert/strict";
import type { Mock } from "../mock/server.ts";
import type { Cluster, Node, NodeMap, PodList, PodRow } from "../src/api/types.ts";
import type { Visit } from "./browser.ts";
import { everyPage } from "./every_page.ts";

export interface Step {
  name: string;
  /** Needs what only the mock has. */
  mock?: boolean;
  run(visit: Visit, base: string, mock: Mock | undefined): Promise<void>;
}

const hash = (visit: Visit, part: string) =>
  visit.until((text) => location.hash.includes(text), part, `"${part}" in the address`);

async function podOf(visit: Visit, base: string, test: (row: PodRow) => unknown): Promise<string> {
  await visit.go(base);
  await visit.settled();
  const { items } = await visit.get<PodList>("pods?limit=5000");
  const pod = items.find(test);
  assert.ok(pod, "there is no such pod");
  return `pod/${pod.namespace}/${pod.name}`;
}

/** How many different colours the map has: an empty canvas has one. */
function mapColours(): number {
  const canvas = document.querySelector<HTMLCanvasElement>(".map canvas")!;
  const { data } = canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height);
  const seen = new Set<number>();
  for (let i = 0; i < data.length; i += 4 * 7)
    seen.add((data[i]! << 16) | (data[i + 1]! << 8) | data[i + 2]!);
  return seen.size;
}

export const steps: Step[] = [
  {
    name: "The map has the nodes, with a legend and totals",
    async run(visit, base) {
      await visit.go(base);
      await visit.sees("All nodes");
      await visit.settled();
      const { counts } = await visit.get<Cluster>("cluster");
      await visit.sees(counts.nodes > 9999 ? counts.nodes.toLocaleString("en") : String(counts.nodes));
      for (const text of ["cpu", "memory", "Assumed pods", "Nominated pods"]) await visit.sees(text);
      assert.ok((await visit.page.evaluate(mapColours)) > 20, "the map is coloured");
    },
  },
  {
    name: "A node is found by pointer, selected, and opened by keyboard",
    async run(visit, base) {
      const { page } = visit;
      await visit.go(base);
      const canvas = page.locator(".map canvas");
      await canvas.waitFor();
      await visit.settled();
      await page.locator(".map-keys").focus();
      await page.keyboard.press("ArrowRight");
      await hash(visit, "node=");
      await visit.sees("Open node");
      const first = new URL(page.url()).hash;
      await page.keyboard.press("ArrowDown");
      await visit.until((old) => location.hash !== old, first, "other selected node");
      // Announced for screen readers.
      await page.locator(".map [aria-live]", { hasText: "cpu" }).waitFor({ state: "attached" });
      await page.mouse.move(500, 450);
      for (let i = 0; i < 2; i++) await page.mouse.wheel(0, -600);
      await hash(visit, "at=");
      // Points may be between nodes, or between zones.
      const box = (await canvas.boundingBox())!;
      for (let i = 1; i < 150; i++) {
        await page.mouse.move(box.x + box.width * ((i * 0.618) % 1), box.y + (box.height * i) / 150);
        await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
        if ((await page.locator(".tip").count()) > 0) break;
      }
      await page.locator(".tip").waitFor();
      await visit.shot("cluster-zoomed");
      for (let i = 0; i < 4; i++) await page.mouse.wheel(0, -600);
      await visit.shot("cluster-near");
      await page.locator(".map-keys").focus();
      await page.keyboard.press("0");
      await visit.until(() => !location.hash.includes("at="), undefined, "whole map");
      await page.keyboard.press("Enter");
      await hash(visit, "#/node/");
      await visit.sees("What is left");
    },
  },
  {
    name: "Filters dim the others, are in the address, and say what is wrong with them",
    async run(visit, base) {
      await visit.go(`${base}#/cluster?labels=kubernetes.io/os%3Dlinux,!nothing&state=cordoned`);
      await visit.sees("Shown");
      await visit.shot("cluster-filtered");
      await visit.go(`${base}#/cluster?labels=a%20b`);
      await visit.sees('"a b" is not a label selector');
      await visit.press(".toolbar button", "Clear");
      await visit.page.locator(".field-error").waitFor({ state: "detached" });
    },
  },
  {
    name: "The table has the same nodes, filtered, sorted and copied as JSON",
    async run(visit, base) {
      const { page } = visit;
      await visit.go(`${base}#/cluster?view=table&nodes.sort=-cpu`);
      await page.locator("tbody tr").nth(10).waitFor();
      await page.locator("th[aria-sort=descending]", { hasText: "cpu" }).waitFor();
      await visit.press("button.sort", "Node");
      await hash(visit, "nodes.sort=name");
      const map = await visit.get<NodeMap>("nodes?limit=1");
      const word = map.names[0]!.slice(-3);
      await page.locator(".table-tools input").fill(word);
      await hash(visit, `nodes.filter=${word}`);
      await page.evaluate(() => {
        const writeText = async (text: string) => Object.assign(globalThis, { copied: text });
        Object.defineProperty(navigator, "clipboard", { configurable: true, value: { writeText } });
      });
      await visit.press(".table-tools button", "JSON");
      await visit.sees("Copied");
      const copied = await page.evaluate(() => (globalThis as unknown as { copied: string }).copied);
      assert.ok(JSON.parse(copied)[0].name.includes(word), copied);
    },
  },
  {
    name: "The queue shows its flow, groups and what they wait for",
    async run(visit, base) {
      await visit.go(`${base}#/queue`);
      const texts = ["Unschedulable", "Backoff", "In flight", "Gated", "Oldest by priority", "Ages"];
      for (const text of texts) await visit.sees(text);
      await visit.press(".queue-button", "Unschedulable");
      await hash(visit, "queue=unschedulable");
      await visit.sees("Pods: Unschedulable");
      await visit.press("button.as-link");
      await hash(visit, "group=");
      await visit.sees("Pods of ");
      await visit.sees("Waits for");
    },
  },
  {
    name: "The queue is live",
    async run(visit, base) {
      await visit.go(`${base}#/queue`);
      await visit.page.locator(".live.is-live").waitFor();
      const before = await visit.page.locator(".flow").first().textContent();
      const changed = (old: string | null) => document.querySelector(".flow")?.textContent !== old;
      await visit.until(changed, before, "change by an event");
      await visit.press(".live");
      await visit.sees("Paused");
      await visit.press(".live");
      await visit.sees("Live");
    },
  },
  {
    name: "A lost connection is shown and comes back",
    mock: true,
    async run(visit, base, mock) {
      await visit.go(`${base}#/queue`);
      await visit.page.locator(".live.is-live").waitFor();
      mock!.failWith = 503;
      mock!.dropStreams();
      await visit.sees("Offline, retry in");
      await visit.shot("offline");
      mock!.failWith = 0;
      await visit.press(".live");
      await visit.page.locator(".live.is-live").waitFor();
      visit.problems.splice(0);
    },
  },
  {
    name: "A pending pod names the plugin and the node; a fix is tried",
    async run(visit, base) {
      const pod = await podOf(
        visit,
        base,
        (row) =>
          row.queue === "unschedulable" && row.plugins.includes("NodeResourcesFit") && row.attempts > 1,
      );
      await visit.go(`${base}#/${pod}`);
      const texts = [
        "No node ",
        "NodeResourcesFit",
        "nodes are available",
        "What would let it run",
        "Timeline",
      ];
      for (const text of [pod.slice(pod.lastIndexOf("/") + 1), ...texts]) await visit.sees(text);
      await visit.page.locator(".matrix .cell.rejects").nth(5).waitFor();
      await visit.press(".fixes button", "Try");
      await visit.sees("With this change the pod");
      await hash(visit, "fix=1");
      await visit.go(visit.page.url());
      await visit.sees("With this change the pod");
      await visit.page.setViewportSize({ width: 1440, height: 2100 });
      await visit.shot("pod-whole");
    },
  },
  {
    name: "A gated pod names its gates",
    async run(visit, base) {
      await visit.go(`${base}#/${await podOf(visit, base, ({ queue }) => queue === "gated")}`);
      await visit.sees("scheduling gate example.com/quota");
    },
  },
  {
    name: "Pods that are waiting, nominated and active have pages",
    mock: true,
    async run(visit, base) {
      const kinds: [(row: PodRow) => unknown, string][] = [
        [({ queue }) => queue === "waiting", "waits at Permit for Coscheduling"],
        [({ nominatedNode }) => nominatedNode, "once its victims are gone"],
        [({ queue }) => queue === "active", "waits for its scheduler"],
      ];
      for (const [test, text] of kinds) {
        await visit.go(`${base}#/${await podOf(visit, base, test)}`);
        await visit.sees(text);
      }
    },
  },
  {
    name: "A running pod shows its scores as a waterfall",
    async run(visit, base) {
      await visit.go(base);
      await visit.settled();
      const map = await visit.get<NodeMap>("nodes?limit=500");
      const name = map.names[map.pods.findIndex((count) => count > 0)];
      const node = await visit.get<Node>(`nodes/${name}`);
      const pod = node.pods.find(({ state }) => state === "bound");
      assert.ok(pod, `a bound pod on ${name}`);
      await visit.go(`${base}#/pod/${pod.namespace}/${pod.name}`);
      await visit.sees("Why this node");
      await visit.page.locator(".waterfall .step").nth(3).waitFor();
      assert.doesNotMatch(await visit.page.locator("main").innerText(), /waiting for|\d\.\d{6}/);
    },
  },
  {
    name: "A node shows who is here, what is left and who was rejected",
    async run(visit, base) {
      await visit.go(base);
      await visit.settled();
      const map = await visit.get<NodeMap>("nodes?limit=500");
      const row = map.taints.of.findIndex((set) => (map.taints.sets[set]?.length ?? 0) > 0);
      const name = map.names[Math.max(0, row)]!;
      await visit.go(`${base}#/node/${name}`);
      for (const text of [name, "What is left", "Pods here", "Rejected here", "Labels and taints"])
        await visit.sees(text);
      await visit.page.locator(".taints li").first().waitFor();
      await visit.press(".title a", "Show on the map");
      await visit.sees("Open node");
    },
  },
  {
    name: "Activity shows rates, latency, reasons and lanes",
    async run(visit, base) {
      await visit.go(`${base}#/activity`);
      for (const text of [
        "Decisions",
        "Latency of decisions",
        "Failures and preemptions",
        "Reasons of rejections",
        "API calls by lane",
        "Latest attempts",
      ]) {
        await visit.sees(text);
      }
      await visit.page.locator(".chart path.area").nth(6).waitFor({ state: "attached" });
      await visit.press(".segmented button", "5 m");
      await hash(visit, "window=300");
      await visit.settled();
    },
  },
  {
    name: "Search finds pods and nodes by keyboard",
    async run(visit, base) {
      const { page } = visit;
      const pod = (await podOf(visit, base, ({ queue }) => queue === "unschedulable")).split("/")[2]!;
      await page.keyboard.press("/");
      await page.locator("[role=combobox]:focus").waitFor();
      await page.keyboard.insertText(pod.slice(0, -1));
      await page.locator("[role=option]", { hasText: pod }).first().waitFor();
      await visit.shot("search");
      await page.keyboard.press("Enter");
      await hash(visit, "#/pod/");
    },
  },
  {
    name: "What does not exist says so and what to do",
    async run(visit, base) {
      await visit.go(`${base}#/pod/nowhere/nothing`);
      await visit.sees("not found");
      await visit.sees("It may have been deleted");
      await visit.go(`${base}#/nonsense`);
      await visit.sees("There is no such page");
      // A 404 of a request is in the console of every browser.
      for (const problem of visit.problems.filter((text) => text.includes("404")))
        visit.problems.splice(visit.problems.indexOf(problem), 1);
    },
  },
  {
    name: "Hostile names, labels and messages are text",
    mock: true,
    async run(visit, base) {
      const pod = await podOf(visit, base, ({ group }) => group.includes("odd-names"));
      await visit.go(`${base}#/${pod}?fix=1`);
      await visit.sees("<img src=x onerror=");
      await visit.sees("<script>window.hacked=1</script>");
      await visit.sees("<svg onload=window.hacked=1>");
      await visit.shot("hostile");
      await visit.go(`${base}#/queue?groups.filter=odd`);
      await visit.sees("odd-names");
      await visit.go(`${base}#/node/node-a-00005`);
      await visit.sees('<img src=x onerror="window.hacked=1">');
      await visit.go(`${base}#/cluster?name=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E&view=%3Cscript%3E`);
      await visit.settled();
      assert.equal(await visit.page.evaluate(() => "hacked" in globalThis), false);
      assert.equal(await visit.page.locator("main img, main script").count(), 0);
    },
  },
  {
    name: "The theme can be switched and is remembered",
    async run(visit, base) {
      const theme = (wanted: string) => visit.page.locator(`html[data-theme=${wanted}]`).waitFor();
      await visit.go(base);
      await visit.settled();
      await visit.press(".bar-top .segmented button", "Dark theme");
      await theme("dark");
      await visit.go(`${base}#/queue`);
      await theme("dark");
      await visit.press(".bar-top .segmented button", "Theme of the system");
      await theme("light");
    },
  },
  { name: "Every page fits its window and is accessible", run: everyPage },
];
