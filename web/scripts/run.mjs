// Bundles one TypeScript program for node and runs it: node scripts/run.mjs mock/main.ts [arguments].
import { spawn } from "node:child_process";
import path from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
const [entry, ...rest] = process.argv.slice(2);
if (!entry) throw new Error("usage: run.mjs FILE [ARGUMENT...]");
const outfile = path.join(root, "build", "programs", entry.replace(/\.ts$/, ".mjs"));
await esbuild.build({
  absWorkingDir: root,
  entryPoints: [entry],
  outfile,
  bundle: true,
  packages: "external",
  platform: "node",
  format: "esm",
  target: "node18",
  sourcemap: "inline",
  logLevel: "warning",
});
const child = spawn(process.execPath, ["--enable-source-maps", outfile, ...rest], {
  cwd: root,
  stdio: "inherit",
});
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
child.on("exit", (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
