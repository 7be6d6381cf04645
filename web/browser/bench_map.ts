// Zooms over a map of 100,000 nodes in a headless browser and prints frames per second:
// npm run bench:map [-- --nodes 100000 --seconds 8 --at-least 30].
import path from "node:path";
import { parseArgs } from "node:util";
import { Mock } from "../mock/server.ts";
import { start, Visit } from "./browser.ts";

const { values } = parseArgs({
  options: {
    nodes: { type: "string", default: "100000" },
    seconds: { type: "string", default: "8" },
    "at-least": { type: "string", default: "30" },
  },
});
const mock = new Mock({ nodes: 10, seed: 1, files: path.resolve("dist") });
const { server, url } = await mock.listen(0);
const browser = await start();
let result: { fps: number; p50: number; p99: number; draw: number; frames: number; seconds: number };
try {
  const visit = await Visit.open(await browser.newContext());
  await visit.go(`${url}#/benchmark?nodes=${values.nodes}&seconds=${values.seconds}`);
  const done = visit.page.locator('#benchmark:not([data-result=""])');
  await done.waitFor({ timeout: 120_000 });
  result = JSON.parse((await done.getAttribute("data-result")) ?? "") as typeof result;
  await visit.shot("benchmark");
} finally {
  await browser.close();
  server.closeAllConnections();
  server.close();
}
console.log(
  `${values.nodes} nodes, 1440 by 900, software rendering: ${result.fps.toFixed(1)} frames a second over ${result.seconds.toFixed(1)} s; ` +
    `interval p50 ${result.p50.toFixed(1)} ms, p99 ${result.p99.toFixed(1)} ms; drawing p50 ${result.draw.toFixed(2)} ms`,
);
if (result.fps < Number(values["at-least"])) {
  console.error(`Fewer than ${values["at-least"]} frames a second.`);
  process.exitCode = 1;
}
