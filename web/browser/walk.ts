// Walks the dashboard in a real browser and looks at what a person would see. By default it starts the mock; with --url it
// walks a server that runs already: npm run test:browser -- --url http://127.0.0.1:8600/.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import type { Browser } from "playwright-core";
import { Mock } from "../mock/server.ts";
import { folder, signIn, start, Visit } from "./browser.ts";
import { steps } from "./steps.ts";

const { values } = parseArgs({ options: { url: { type: "string" }, only: { type: "string", default: "" } } });

/** A link opens in any browser of the machine, and from a file, as `berth dashboard --open` leads to it. */
async function opensAnywhere(browser: Browser, link: string): Promise<void> {
  if (!new URL(link).searchParams.has("token")) return;
  const folder = await mkdtemp(path.join(tmpdir(), "berth-link-"));
  const file = path.join(folder, "open.html");
  await writeFile(file, `<!doctype html><meta http-equiv="refresh" content="0; url=${link}">`);
  for (const address of [link, `file://${file}`]) {
    const stranger = await browser.newContext();
    const visit = await Visit.open(stranger);
    await visit.page.goto(address);
    await visit.page.locator("main").waitFor();
    assert.equal(new URL(visit.page.url()).search, "", "the token stays in the address");
    await stranger.close();
  }
  await rm(folder, { recursive: true });
  console.log("ok    The link opens in any browser and from a file");
}

async function main(): Promise<number> {
  let base = values.url ?? "";
  let mock: Mock | undefined;
  let close = () => undefined as unknown;
  if (!base) {
    const made = new Mock({ nodes: 1000, seed: 1, files: path.resolve("dist") });
    made.start();
    const { server, url } = await made.listen(0);
    mock = made;
    base = url;
    close = () => {
      made.stop();
      server.closeAllConnections();
      return server.close();
    };
  }
  const browser = await start();
  let failures = 0;
  try {
    await opensAnywhere(browser, base);
    const context = await browser.newContext();
    base = await signIn(context, base);
    for (const step of steps) {
      if (!step.name.toLowerCase().includes(values.only.toLowerCase()) || (step.mock && !mock)) continue;
      const visit = await Visit.open(context);
      const begin = Date.now();
      try {
        await step.run(visit, base, mock);
        visit.clean(base);
        console.log(`ok    ${step.name} (${((Date.now() - begin) / 1000).toFixed(1)} s)`);
      } catch (error) {
        failures++;
        console.log(`FAIL  ${step.name}\n${error instanceof Error ? error.message : String(error)}`);
        const file = path.join(folder, `failed-${failures}.png`);
        await visit.page.screenshot({ path: file }).catch(() => undefined);
      }
      await visit.close();
    }
  } finally {
    await browser.close();
    close();
  }
  console.log(failures === 0 ? `Screenshots: ${folder}` : `${failures} of ${steps.length} steps failed.`);
  return failures === 0 ? 0 : 1;
}

process.exitCode = await main();
