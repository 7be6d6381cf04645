// Bundles every *.test.ts(x) and runs them with node's test runner: node scripts/unit_tests.mjs [part of a path].
import { spawnSync } from "node:child_process";
import { readdir, rm } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
const outdir = path.join(root, "build", "unit");

async function find(folder) {
  const found = [];
  for (const entry of await readdir(path.join(root, folder), { withFileTypes: true })) {
    const name = `${folder}/${entry.name}`;
    if (entry.isDirectory()) found.push(...(await find(name)));
    else if (/\.test\.tsx?$/.test(entry.name)) found.push(name);
  }
  return found.sort();
}

const tests = [...(await find("src")), ...(await find("mock"))].filter((name) =>
  name.includes(process.argv[2] ?? ""),
);
await rm(outdir, { recursive: true, force: true });
const result = await esbuild.build({
  absWorkingDir: root,
  entryPoints: tests,
  outdir,
  outbase: ".",
  outExtension: { ".js": ".mjs" },
  bundle: true,
  splitting: false,
  platform: "node",
  format: "esm",
  target: "node18",
  jsx: "automatic",
  jsxImportSource: "preact",
  sourcemap: "inline",
  metafile: true,
  logLevel: "warning",
});
const files = Object.keys(result.metafile.outputs).map((name) => path.join(root, name));
const run = spawnSync(process.execPath, ["--enable-source-maps", "--test", ...files], {
  cwd: root,
  stdio: "inherit",
});
process.exit(run.status ?? 1);
