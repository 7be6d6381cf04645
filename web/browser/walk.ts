// Walks every page of the dashboard in a real browser and looks at what a person would see. By default it starts the mock;
// with --url it walks a server that runs already: npm run test:browser -- --url http://127.0.0.1:8600/.
import assert from "node:assert/strict";
import path from "node:path";
import { parseArgs } from "node:util";
import { Mock } from "../mock/server.ts";
import { Chromium, type Page } from "./chromium.ts";

const { values } = parseArgs({ options: { url: { type: "string" }, only: { type: "string", default: "" } } });
const folder = path.resolve("build/screenshots");

interface Step {
  name: string;
  /** Needs what only the mock has. */
  mock?: boolean;
  run(page: Page, base: string): Promise<void>;
}

let mock: Mock | undefined;

/** Waits until nothing is loading and the last frame is drawn. */
async function settled(page: Page): Promise<void> {
  await page.until(
    "document.querySelector('main') && !document.querySelector('.loading')",
    "a page that has loaded",
  );
  await page.evaluate(
    "new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve, 250))))",
  );
}

async function shot(page: Page, name: string): Promise<void> {
  await settled(page);
  await page.screenshot(path.join(folder, `${name}.png`));
}

const get = <T>(page: Page, route: string) =>
  page.evaluate<T>(`fetch(${JSON.stringify(`berth/v1/${route}`)}).then((response) => response.json())`);

async function podOf(page: Page, base: string, test: string): Promise<{ namespace: string; name: string }> {
  await page.go(base);
  await settled(page);
  return page.evaluate(
    `fetch("berth/v1/pods?limit=5000").then((r) => r.json()).then((list) => { const pod = list.items.find((row) => ${test}); return { namespace: pod.namespace, name: pod.name }; })`,
  );
}

/** How many different colours the map has: an empty canvas has one. */
const mapColours = `(() => {
  const canvas = document.querySelector(".map canvas");
  const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
  const seen = new Set();
  for (let i = 0; i < data.length; i += 4 * 7) seen.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
  return seen.size;
})()`;

const steps: Step[] = [
  {
    name: "The map has the nodes, with a legend and totals",
    async run(page, base) {
      await page.go(base);
      await page.sees("All nodes");
      await settled(page);
      const cluster = await get<{ counts: { nodes: number } }>(page, "cluster");
      const count = String(cluster.counts.nodes).replace(
        /\B(?=(\d{3})+$)/g,
        cluster.counts.nodes > 9999 ? "," : "",
      );
      await page.sees(count);
      for (const text of ["cpu", "memory", "Assumed pods", "Nominated pods"]) await page.sees(text);
      assert.ok((await page.evaluate<number>(mapColours)) > 20, "the map is coloured");
      await shot(page, "cluster-light");
      await page.prefer({ "prefers-color-scheme": "dark", "prefers-reduced-motion": "reduce" });
      await shot(page, "cluster-dark");
      await page.prefer({ "prefers-color-scheme": "light", "prefers-reduced-motion": "reduce" });
    },
  },
  {
    name: "A node is found by pointer, selected, and opened by keyboard",
    async run(page, base) {
      await page.go(base);
      await page.until("document.querySelector('.map canvas')");
      await settled(page);
      await page.evaluate("document.querySelector('.map-keys').focus()");
      await page.key("ArrowRight");
      await page.until("location.hash.includes('node=')", "a selected node in the address");
      await page.sees("Open node");
      const first = await page.evaluate<string>("location.hash");
      await page.key("ArrowDown");
      await page.until(`location.hash !== ${JSON.stringify(first)}`, "another selected node");
      // Announced for screen readers.
      await page.until("document.querySelector('.map [aria-live]').textContent.includes('cpu')");
      await page.wheel(500, 450, -600);
      await page.wheel(500, 450, -600);
      await page.until("location.hash.includes('at=')", "the part of the map in the address");
      // Points may be between nodes, or between zones.
      const box = await page.evaluate<{ x: number; y: number; width: number; height: number }>(
        "(({ x, y, width, height }) => ({ x, y, width, height }))(document.querySelector('.map canvas').getBoundingClientRect())",
      );
      for (let i = 1; i < 150; i++) {
        await page.hover(box.x + box.width * ((i * 0.618) % 1), box.y + (box.height * i) / 150);
        if (await page.evaluate<boolean>("document.querySelector('.tip') !== null")) break;
      }
      await page.until("document.querySelector('.tip')", "a tip at the pointer");
      await shot(page, "cluster-zoomed");
      for (let i = 0; i < 4; i++) await page.wheel(500, 450, -600);
      await shot(page, "cluster-near");
      await page.evaluate("document.querySelector('.map-keys').focus()");
      await page.key("0");
      await page.until("!location.hash.includes('at=')", "the whole map");
      await page.key("Enter");
      await page.until("location.hash.startsWith('#/node/')");
      await page.sees("What is left");
    },
  },
  {
    name: "Filters dim the others, are in the address, and say what is wrong with them",
    async run(page, base) {
      await page.go(`${base}#/cluster?labels=kubernetes.io/os%3Dlinux,!nothing&state=cordoned`);
      await page.sees("Shown");
      await shot(page, "cluster-filtered");
      await page.go(`${base}#/cluster?labels=a%20b`);
      await page.sees('"a b" is not a label selector');
      await page.press(".toolbar button", "Clear");
      await page.until("!document.querySelector('.field-error')");
    },
  },
  {
    name: "The table has the same nodes, filtered, sorted and copied as JSON",
    async run(page, base) {
      await page.go(`${base}#/cluster?view=table&nodes.sort=-cpu`);
      await page.until("document.querySelectorAll('tbody tr').length > 10");
      await page.until("document.querySelector('th[aria-sort=descending]').innerText.includes('cpu')");
      await page.press("button.sort", "Node");
      await page.until("location.hash.includes('nodes.sort=name')");
      await page.evaluate("document.querySelector('.table-tools input').focus()");
      const map = await get<{ names: string[] }>(page, "nodes?limit=1");
      const word = map.names[0]!.slice(-3);
      await page.type(word);
      await page.until(`location.hash.includes(${JSON.stringify(`nodes.filter=${word}`)})`);
      await page.evaluate(
        "Object.defineProperty(navigator, 'clipboard', { configurable: true, value: { writeText: async (text) => { window.copied = text; } } })",
      );
      await page.press(".table-tools button", "JSON");
      await page.until(
        "window.copied && Array.isArray(JSON.parse(window.copied)) && JSON.parse(window.copied)[0].name",
      );
      await page.sees("Copied");
      await shot(page, "cluster-table");
    },
  },
  {
    name: "The queue shows its flow, groups and what they wait for",
    async run(page, base) {
      await page.go(`${base}#/queue`);
      for (const text of [
        "Unschedulable",
        "Backoff",
        "In flight",
        "Gated",
        "Waits for",
        "Oldest by priority",
        "Ages",
      ]) {
        await page.sees(text);
      }
      await shot(page, "queue-light");
      await page.prefer({ "prefers-color-scheme": "dark", "prefers-reduced-motion": "reduce" });
      await shot(page, "queue-dark");
      await page.prefer({ "prefers-color-scheme": "light", "prefers-reduced-motion": "reduce" });
      await page.press(".queue-button", "Unschedulable");
      await page.until("location.hash.includes('queue=unschedulable')");
      await page.sees("Pods: Unschedulable");
      await page.press("button.as-link");
      await page.until("location.hash.includes('group=')");
      await page.sees("Pods of ");
      await shot(page, "queue-group");
    },
  },
  {
    name: "The queue is live",
    async run(page, base) {
      await page.go(`${base}#/queue`);
      await page.until("document.querySelector('.live.is-live')", "the live state");
      const before = await page.evaluate<string>("document.querySelector('.flow').textContent");
      await page.until(
        `document.querySelector('.flow').textContent !== ${JSON.stringify(before)}`,
        "a change by an event",
      );
      await page.press(".live");
      await page.sees("Paused");
      await page.press(".live");
      await page.sees("Live");
    },
  },
  {
    name: "A lost connection is shown and comes back",
    mock: true,
    async run(page, base) {
      await page.go(`${base}#/queue`);
      await page.until("document.querySelector('.live.is-live')", "the live state");
      mock!.failWith = 503;
      mock!.dropStreams();
      await page.sees("Offline, retry in");
      await shot(page, "offline");
      mock!.failWith = 0;
      await page.press(".live");
      await page.until("document.querySelector('.live.is-live')", "the live state again");
      page.problems.splice(0);
    },
  },
  {
    name: "A pending pod names the plugin and the node; a fix is tried",
    async run(page, base) {
      const pod = await podOf(
        page,
        base,
        "row.queue === 'unschedulable' && row.plugins.includes('NodeResourcesFit') && row.attempts > 1",
      );
      await page.go(`${base}#/pod/${pod.namespace}/${pod.name}`);
      await page.sees(pod.name);
      await page.sees("Fits on none of");
      await page.sees("NodeResourcesFit");
      await page.sees("nodes are available");
      await page.sees("What would let it run");
      await page.sees("Timeline");
      await page.until("document.querySelectorAll('.matrix .cell.rejects').length > 5", "a matrix");
      await shot(page, "pod-light");
      await page.press(".fixes button", "Try");
      await page.sees("With this change the pod");
      await page.until("location.hash.includes('fix=1')");
      const link = await page.evaluate<string>("location.href");
      await page.go(link);
      await page.sees("With this change the pod");
      await page.prefer({ "prefers-color-scheme": "dark", "prefers-reduced-motion": "reduce" });
      await page.resize({ width: 1440, height: 2100 });
      await shot(page, "pod-dark");
      await page.prefer({ "prefers-color-scheme": "light", "prefers-reduced-motion": "reduce" });
      await page.resize({ width: 1440, height: 900 });
    },
  },
  {
    name: "A gated pod names its gates",
    async run(page, base) {
      const pod = await podOf(page, base, "row.queue === 'gated'");
      await page.go(`${base}#/pod/${pod.namespace}/${pod.name}`);
      await page.sees("Waits for its scheduling gates: example.com/quota.");
      await shot(page, "pod-gated");
    },
  },
  {
    name: "Pods that are waiting, nominated and active have pages",
    mock: true,
    async run(page, base) {
      const kinds: [string, string, string][] = [
        ["row.queue === 'waiting'", "waits at Permit for Coscheduling", "pod-waiting"],
        ["row.nominatedNode", "Fits after preemption on", "pod-nominated"],
        ["row.queue === 'active'", "the scheduler is about to choose", "pod-active"],
      ];
      for (const [test, text, name] of kinds) {
        const pod = await podOf(page, base, test);
        await page.go(`${base}#/pod/${pod.namespace}/${pod.name}`);
        await page.sees(text);
        await shot(page, name);
      }
    },
  },
  {
    name: "A running pod shows its scores as a waterfall",
    async run(page, base) {
      await page.go(base);
      await settled(page);
      const name = await page.evaluate<string>(
        "fetch('berth/v1/nodes?limit=500').then((r) => r.json()).then((map) => map.names[map.pods.findIndex((count) => count > 0)])",
      );
      const node = await get<{ pods: { namespace: string; name: string; state: string }[] }>(
        page,
        `nodes/${name}`,
      );
      const pod = node.pods.find(({ state }) => state === "bound");
      assert.ok(pod, `a bound pod on ${name}`);
      await page.go(`${base}#/pod/${pod.namespace}/${pod.name}`);
      await page.sees("Why this node");
      await page.until("document.querySelectorAll('.waterfall .step').length > 3", "a waterfall");
      assert.equal(
        await page.evaluate("/waiting for|\\d\\.\\d{6}/.test(document.querySelector('main').innerText)"),
        false,
      );
      await page.resize({ width: 1440, height: 1500 });
      await shot(page, "pod-running");
      await page.resize({ width: 1440, height: 900 });
    },
  },
  {
    name: "A node shows who is here, what is left and who was rejected",
    async run(page, base) {
      await page.go(base);
      await settled(page);
      const name = await page.evaluate<string>(
        "fetch('berth/v1/nodes?limit=500').then((r) => r.json()).then((map) => map.names[Math.max(0, map.taints.of.findIndex((set) => map.taints.sets[set]?.length > 0))])",
      );
      await page.go(`${base}#/node/${name}`);
      for (const text of [name, "What is left", "Pods here", "Rejected here", "Labels and taints"])
        await page.sees(text);
      await page.until("document.querySelectorAll('.taints li').length > 0");
      await shot(page, "node-light");
      await page.prefer({ "prefers-color-scheme": "dark", "prefers-reduced-motion": "reduce" });
      await shot(page, "node-dark");
      await page.prefer({ "prefers-color-scheme": "light", "prefers-reduced-motion": "reduce" });
      await page.press(".title a", "Show on the map");
      await page.sees("Open node");
    },
  },
  {
    name: "Activity shows rates, latency, reasons and lanes",
    async run(page, base) {
      await page.resize({ width: 1440, height: 1500 });
      await page.go(`${base}#/activity`);
      for (const text of [
        "Decisions",
        "Latency of decisions",
        "Failures and preemptions",
        "Reasons of rejections",
        "API calls by lane",
        "Latest attempts",
      ]) {
        await page.sees(text);
      }
      await page.until("document.querySelectorAll('.chart path.area').length > 6", "charts");
      await shot(page, "activity-light");
      await page.prefer({ "prefers-color-scheme": "dark", "prefers-reduced-motion": "reduce" });
      await shot(page, "activity-dark");
      await page.prefer({ "prefers-color-scheme": "light", "prefers-reduced-motion": "reduce" });
      await page.press(".segmented button", "5 m");
      await page.until("location.hash.includes('window=300')");
      await settled(page);
      await page.resize({ width: 1440, height: 900 });
    },
  },
  {
    name: "Search finds pods and nodes by keyboard",
    async run(page, base) {
      await page.go(base);
      await settled(page);
      const pod = await podOf(page, base, "row.queue === 'unschedulable'");
      await page.key("/");
      await page.until("document.activeElement.getAttribute('role') === 'combobox'");
      await page.type(pod.name.slice(0, -1));
      await page.until(
        `[...document.querySelectorAll('[role=option]')].some((e) => e.innerText.includes(${JSON.stringify(pod.name)}))`,
        "the pod in the list",
      );
      await shot(page, "search");
      await page.key("Enter");
      await page.until("location.hash.startsWith('#/pod/')");
    },
  },
  {
    name: "What does not exist says so and what to do",
    async run(page, base) {
      await page.go(`${base}#/pod/nowhere/nothing`);
      await page.sees("not found");
      await page.sees("It may have been deleted");
      await shot(page, "not-found");
      await page.go(`${base}#/nonsense`);
      await page.sees("There is no such page");
      // A 404 of a request is in the console of every browser.
      const expected = page.problems.filter((problem) => problem.includes("404"));
      for (const problem of expected) page.problems.splice(page.problems.indexOf(problem), 1);
    },
  },
  {
    name: "Hostile names, labels and messages are text",
    mock: true,
    async run(page, base) {
      const pod = await podOf(page, base, "row.group.includes('odd-names')");
      await page.go(`${base}#/pod/${pod.namespace}/${pod.name}?fix=1`);
      await page.sees("<img src=x onerror=");
      await page.sees("<script>window.hacked=1</script>");
      await page.sees("<svg onload=window.hacked=1>");
      await shot(page, "hostile");
      await page.go(`${base}#/queue?groups.filter=odd`);
      await page.sees("odd-names");
      await page.go(`${base}#/node/node-a-00005`);
      await page.sees('<img src=x onerror="window.hacked=1">');
      await page.go(`${base}#/cluster?name=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E&view=%3Cscript%3E`);
      await settled(page);
      assert.equal(await page.evaluate("window.hacked"), undefined);
      assert.equal(
        await page.evaluate<number>("document.querySelectorAll('main img, main script').length"),
        0,
      );
    },
  },
  {
    name: "The theme can be switched and is remembered",
    async run(page, base) {
      await page.go(base);
      await settled(page);
      await page.press(".bar-top .segmented button", "Dark theme");
      await page.until("document.documentElement.dataset.theme === 'dark'");
      await page.go(`${base}#/queue`);
      await page.until("document.documentElement.dataset.theme === 'dark'");
      await page.press(".bar-top .segmented button", "Theme of the system");
      await page.until("document.documentElement.dataset.theme === 'light'");
    },
  },
  {
    name: "Every control has a name, every page a heading and landmarks, and texts have contrast",
    async run(page, base) {
      const pod = await podOf(page, base, "row.queue === 'unschedulable'");
      for (const theme of ["light", "dark"]) {
        await page.prefer({ "prefers-color-scheme": theme, "prefers-reduced-motion": "reduce" });
        for (const route of [
          "cluster",
          "cluster?view=table",
          "queue",
          "activity",
          `pod/${pod.namespace}/${pod.name}?fix=1`,
        ]) {
          await page.go(`${base}#/${route}`);
          await page.until("document.querySelector('h1')");
          await settled(page);
          assert.deepEqual(
            await page.evaluate<string[]>(`(${accessibilityProblems.toString()})()`),
            [],
            `${theme} ${route}`,
          );
        }
      }
      await page.prefer({ "prefers-color-scheme": "light", "prefers-reduced-motion": "reduce" });
    },
  },
  {
    name: "Pages fit on a narrow window",
    async run(page, base) {
      await page.resize({ width: 420, height: 900 });
      for (const route of ["cluster", "queue", "activity"]) {
        await page.go(`${base}#/${route}`);
        await settled(page);
        const overflow = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
        assert.ok(overflow <= 0, `${route} is ${overflow} pixels too wide`);
        await shot(page, `narrow-${route}`);
      }
      await page.resize({ width: 1440, height: 900 });
    },
  },
];

/** Runs in the page: names of controls, landmarks, headings, contrast of visible texts. */
function accessibilityProblems(): string[] {
  const problems: string[] = [];
  const nameOf = (element: Element) => {
    const labels = (element as HTMLInputElement).labels;
    return (
      element.getAttribute("aria-label") ||
      [...(labels ?? [])].map((label) => label.textContent?.trim()).join("") ||
      element.textContent?.trim() ||
      element.getAttribute("title") ||
      ""
    );
  };
  for (const control of document.querySelectorAll(
    "button, a, input, select, [role=button], [role=application]",
  )) {
    if (!nameOf(control)) problems.push(`no name: ${control.outerHTML.slice(0, 120)}`);
  }
  if (document.querySelectorAll("main").length !== 1) problems.push("not one main landmark");
  if (document.querySelectorAll("h1").length !== 1)
    problems.push(`${document.querySelectorAll("h1").length} h1`);
  if (!document.querySelector("nav[aria-label]")) problems.push("no navigation landmark");
  if (!document.documentElement.lang) problems.push("no language");
  const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
  if (new Set(ids).size !== ids.length) problems.push("an id twice");

  const parse = (text: string) => (text.match(/[\d.]+/g) ?? []).map(Number);
  const luminance = (rgb: number[]) => {
    const linear = rgb.slice(0, 3).map((value) => {
      const c = value / 255;
      return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * linear[0]! + 0.7152 * linear[1]! + 0.0722 * linear[2]!;
  };
  const background = (start: Element) => {
    for (let element: Element | null = start; element; element = element.parentElement) {
      const colour = parse(getComputedStyle(element).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const seen = new Set<string>();
  for (const element of document.querySelectorAll(
    "p, td, th, dt, dd, li, a, button, span, h1, h2, h3, b, label",
  )) {
    const text = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim());
    const box = element.getBoundingClientRect();
    if (!text || box.width === 0 || element.closest(".offscreen, .not-asked, [aria-hidden=true]")) continue;
    const style = getComputedStyle(element);
    const front = luminance(parse(style.color));
    const back = luminance(background(element));
    const contrast = (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05);
    const key = `${element.tagName}.${element.className} ${style.color}`;
    if (contrast < 4.5 && !seen.has(key)) {
      seen.add(key);
      problems.push(`contrast ${contrast.toFixed(2)}: ${key} "${element.textContent?.slice(0, 30)}"`);
    }
  }
  return problems;
}

async function main(): Promise<number> {
  let base = values.url ?? "";
  let close = () => undefined as unknown;
  if (!base) {
    mock = new Mock({ nodes: 1000, seed: 1, files: path.resolve("dist") });
    mock.start();
    const { server, url } = await mock.listen(0);
    base = url;
    close = () => {
      mock?.stop();
      server.closeAllConnections();
      return server.close();
    };
  }
  const browser = await Chromium.start();
  if (new URL(base).searchParams.has("token")) {
    // The address that Berth prints has a token, for which the browser gets a cookie.
    const page = await browser.open({ width: 1440, height: 900 });
    await page.go(base);
    await page.until("document.querySelector('main')", "a page behind the token");
    await page.send("Page.close").catch(() => undefined);
    base = new URL("/", base).href;
  }
  let failures = 0;
  try {
    for (const step of steps) {
      if (!step.name.toLowerCase().includes(values.only.toLowerCase()) || (step.mock && !mock)) continue;
      const page = await browser.open({ width: 1440, height: 900 });
      await page.prefer({ "prefers-color-scheme": "light", "prefers-reduced-motion": "reduce" });
      const start = Date.now();
      try {
        await step.run(page, base);
        assert.deepEqual(page.problems, [], "the console has problems");
        const origin = new URL(base).origin;
        const foreign = page.requests.filter(
          (url) => !url.startsWith(`${origin}/`) && !url.startsWith("about:") && !url.startsWith("data:"),
        );
        assert.deepEqual(foreign, [], "requests to other hosts");
        console.log(`ok    ${step.name} (${((Date.now() - start) / 1000).toFixed(1)} s)`);
      } catch (error) {
        failures++;
        console.log(`FAIL  ${step.name}\n${error instanceof Error ? error.message : String(error)}`);
        await page.screenshot(path.join(folder, `failed-${failures}.png`)).catch(() => undefined);
      }
      await page.send("Page.close").catch(() => undefined);
    }
  } finally {
    await browser.close();
    close();
  }
  console.log(failures === 0 ? `Screenshots: ${folder}` : `${failures} of ${steps.length} steps failed.`);
  return failures === 0 ? 0 : 1;
}

process.exitCode = await main();
