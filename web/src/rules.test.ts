// Rules that keep strings of users from becoming code, and pages from needing other hosts.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import test from "node:test";

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const name = path.join(folder, entry.name);
    return entry.isDirectory() ? sources(name) : [name];
  });
}

const files = sources("src").filter((name) => !name.includes(".test."));

test("nothing turns strings into HTML or code", () => {
  const forbidden =
    /innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|document\.write|createContextualFragment|DOMParser|srcdoc|\beval\(|new Function|javascript:/;
  for (const file of files) assert.doesNotMatch(readFileSync(file, "utf8"), forbidden, file);
});

test("nothing is loaded from another host", () => {
  for (const file of files.filter((name) => /\.(html|css|svg|tsx?)$/.test(name))) {
    const text = readFileSync(file, "utf8").replaceAll("http://www.w3.org/2000/svg", "");
    const addresses = text
      .split("\n")
      .filter((line) => /https?:\/\/|url\(/.test(line) && !line.trim().startsWith("//"));
    assert.deepEqual(
      addresses.filter((line) => !line.includes('marker-end="url(#arrow)"')),
      [],
      file,
    );
  }
});

test("the page has no inline script or style", () => {
  const page = readFileSync("src/index.html", "utf8");
  assert.doesNotMatch(page, /<style|style=|<script(?![^>]*src=)|\son\w+=/);
});
