// Prints the names of the npm packages that the dashboard is bundled from, as JSON. Run in web/.
import path from "node:path";
import { pathToFileURL } from "node:url";
import { createRequire } from "node:module";

const web = process.cwd();
const { options } = await import(pathToFileURL(path.join(web, "scripts/build.mjs")));
const esbuild = createRequire(path.join(web, "package.json"))("esbuild");
const built = await esbuild.build({ ...options({ minify: true }), write: false, metafile: true });
const names = Object.keys(built.metafile.inputs)
  .map((input) => input.match(/(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)\//)?.[1])
  .filter((name) => name !== undefined);
console.log(JSON.stringify([...new Set(names)].sort()));
