// Takes a picture of a page: node scripts/run.mjs browser/shots.ts URL NAME [light|dark] [WIDTH] [whole].
import path from "node:path";
import { folder, signIn, start, type Theme, Visit, wide } from "./browser.ts";

const [url, name, theme = "light", width = String(wide.width), whole] = process.argv.slice(2);
if (!url || !name) throw new Error("usage: shots.ts URL NAME [light|dark] [WIDTH] [whole]");
const browser = await start();
try {
  const context = await browser.newContext();
  await signIn(context, url);
  const visit = await Visit.open(context, { width: Number(width), height: wide.height });
  await visit.theme(theme as Theme);
  const address = new URL(url);
  address.searchParams.delete("token");
  await visit.go(address.href);
  await visit.settled();
  await visit.page.screenshot({ path: path.join(folder, `${name}.png`), fullPage: whole === "whole" });
  for (const problem of visit.problems) console.log(problem);
} finally {
  await browser.close();
}
