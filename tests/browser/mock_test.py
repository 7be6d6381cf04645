#!/usr/bin/env python3
"""Checks that the mock of /berth/v1, which the dashboard is developed with, is as docs/schema says.

Exit code 77, skipped: node or the packages of web/ are not installed.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.parse
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/docs"))
import json_schema  # noqa: E402

SKIPPED = 77
API = json_schema.Schema("api.schema.json")
WHY = json_schema.Schema("why.schema.json")


class Mock:
    def __init__(self):
        self.process = subprocess.Popen(
            ["node", "scripts/run.mjs", "mock/main.ts", "--nodes", "200", "--port", "0"],
            cwd=ROOT / "web", stdout=subprocess.PIPE, text=True)  # fmt: skip
        line = self.process.stdout.readline()
        found = re.search(r"http://\S+", line)
        if not found:
            sys.exit(f"the mock did not start: {line}")
        self.url = found[0]

    def get(self, path):
        with urllib.request.urlopen(f"{self.url}berth/v1/{path}", timeout=30) as response:
            return json.load(response)

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=30)


def check_all(mock):
    """Requests a path of each kind, and all of one pod of each group; returns the problems."""
    problems, documents = [], 0

    def look(path, schema=API):
        nonlocal documents
        documents += 1
        document, found = mock.get(path), []
        schema.check(document, found)
        problems.extend(f"{path}: {problem}" for problem in found)
        return document

    node = look("nodes")["names"][0]
    for path in ("cluster", f"nodes/{node}", "queue", "attempts", "activity", "search?q=web"):
        look(path)
    groups = {pod["group"]: pod for pod in look("pods?limit=5000")["items"]}
    for pod in groups.values():
        names = [urllib.parse.quote(pod[key], safe="") for key in ("namespace", "name")]
        path = "pods/" + "/".join(names)
        look(path, WHY)
        look(f"{path}/matrix?limit=20")
        fixes = look(f"{path}/fixes")
        for number in range(len(fixes["fixes"]["list"])):
            look(f"{path}/fixes/{number + 1}/try?revision={fixes['revision']}", WHY)
    return documents, problems


def main():
    if shutil.which("node") is None or not (ROOT / "web/node_modules/esbuild").exists():
        print("skipped: node, or the packages of web/, are not installed")
        sys.exit(SKIPPED)
    mock = Mock()
    try:
        documents, problems = check_all(mock)
    finally:
        mock.stop()
    for problem in problems[:20]:
        print(problem)
    print(f"{documents} documents, {len(problems)} problems")
    sys.exit(1 if problems or documents < 30 else 0)


if __name__ == "__main__":
    main()
