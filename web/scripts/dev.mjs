// Rebuilds dist/ on every change and serves it with the mock server: npm run dev [-- --nodes 100000].
import { spawn } from "node:child_process";
import path from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import { copyStatic, options } from "./build.mjs";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
await copyStatic();
const context = await esbuild.context({ ...options({ minify: false }), sourcemap: true, logLevel: "info" });
await context.watch();
const arguments_ = ["scripts/run.mjs", "mock/main.ts", ...process.argv.slice(2)];
const mock = spawn(process.execPath, arguments_, { cwd: root, stdio: "inherit" });
mock.on("exit", () => process.exit(0));
