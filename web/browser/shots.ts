// Takes pictures of pages: node scripts/run.mjs browser/shots.ts URL NAME [light|dark] [whole]...
import { Chromium } from "./chromium.ts";

const [url, name, theme = "light", whole] = process.argv.slice(2);
if (!url || !name) throw new Error("usage: shots.ts URL NAME [light|dark] [whole]");
const browser = await Chromium.start();
const page = await browser.open({ width: 1440, height: whole ? 2200 : 900 });
await page.prefer({ "prefers-color-scheme": theme, "prefers-reduced-motion": "reduce" });
await page.go(url);
await page.until("document.querySelector('main') && !document.querySelector('.loading')", "a loaded page");
await new Promise((resolve) => setTimeout(resolve, 1500));
await page.screenshot(`build/screenshots/${name}.png`);
for (const problem of page.problems) console.log(problem);
await browser.close();
