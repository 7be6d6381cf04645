// Builds the dashboard into dist/: index.html, dashboard.js, dashboard.css, icon.svg. The same sources give the same
// bytes, and no file name has a hash, since the C++ build embeds the files by name.
import { cp, mkdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import * as esbuild from "esbuild";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
export const dist = path.join(root, "dist");

export function options({ minify }) {
  return {
    absWorkingDir: root,
    entryPoints: { dashboard: "src/main.tsx" },
    outdir: dist,
    bundle: true,
    format: "esm",
    target: ["es2022", "chrome111", "firefox113", "safari16.4"],
    jsx: "automatic",
    jsxImportSource: "preact",
    minify,
    legalComments: "none",
    charset: "utf8",
    logLevel: "warning",
  };
}

export async function copyStatic() {
  await mkdir(dist, { recursive: true });
  for (const name of ["index.html", "icon.svg"])
    await cp(path.join(root, "src", name), path.join(dist, name));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const limit = 200 * 1024;
  await rm(dist, { recursive: true, force: true });
  await esbuild.build(options({ minify: true }));
  await copyStatic();
  let total = 0;
  for (const name of ["index.html", "dashboard.js", "dashboard.css", "icon.svg"]) {
    const bytes = await readFile(path.join(dist, name));
    const zipped = gzipSync(bytes, { level: 9 }).length;
    total += zipped;
    console.log(
      `${name.padEnd(16)}${String(bytes.length).padStart(8)} bytes${String(zipped).padStart(8)} gzip`,
    );
  }
  console.log(`${"total".padEnd(16)}${String(total).padStart(22)} gzip`);
  if (total > limit) {
    console.error(`The bundle is ${total} bytes gzip, more than the limit of ${limit}.`);
    process.exit(1);
  }
}
