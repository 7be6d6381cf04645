#!/usr/bin/env python3
"""Builds the dashboard and writes its files as a C++ source, which the programs embed.

    scripts/build_dashboard.py --web web --output dashboard_files.cc [--mode auto|on|off]

It needs node 18 or later and npm, which installs the packages of web/package-lock.json. With the
mode `auto`, the default, a machine without them, or without network for the packages, gets a page
that says so instead of the dashboard, and a warning; with `on` that is an error. An error in the
dashboard's own sources is always one.
"""

import argparse
import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

FILES = ["index.html", "dashboard.js", "dashboard.css", "icon.svg"]
OLDEST_NODE = 18
PLACEHOLDER = """<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>Berth</title>
  </head>
  <body>
    <h1>This program was built without the dashboard</h1>
    <p>Install nodejs (18 or later) and npm, which must be able to fetch packages, and build it
    again.</p>
    <p>The API is there: <code>berth/v1/cluster</code>.</p>
  </body>
</html>
"""


class Unavailable(Exception):
    """What the build needs is missing; the message says what."""


def run(command: list[str], folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


def check_node() -> None:
    for program in ["node", "npm"]:
        if shutil.which(program) is None:
            raise Unavailable(f"{program} is not installed (Debian packages: nodejs npm)")
    version = run(["node", "--version"]).stdout.strip()
    if int(version.lstrip("v").split(".")[0]) < OLDEST_NODE:
        raise Unavailable(f"node {version} is too old: {OLDEST_NODE} or later is needed")


def install_packages(web: Path) -> None:
    """Installs the packages of the lock file, unless they are there."""
    installed = web / "node_modules" / ".package-lock.json"
    lock = web / "package-lock.json"
    if installed.exists() and installed.stat().st_mtime >= lock.stat().st_mtime:
        return
    command = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline",
               "--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=5000"]
    done = run(command, web)
    if done.returncode != 0:
        shutil.rmtree(web / "node_modules", ignore_errors=True)
        last = [line for line in done.stderr.splitlines() if line.strip()][:3]
        raise Unavailable("npm ci failed: " + " / ".join(last))
    installed.touch()


def build(web: Path) -> dict[str, bytes]:
    check_node()
    # Builds in several folders share the sources.
    with open(web / ".build.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        install_packages(web)
        done = run(["node", "scripts/build.mjs"], web)
        if done.returncode != 0:
            sys.exit(f"{done.stdout}{done.stderr}build_dashboard.py: the dashboard has errors")
        return {name: (web / "dist" / name).read_bytes() for name in FILES}


def source(files: dict[str, bytes]) -> str:
    lines = ["// Written by scripts/build_dashboard.py.",
             '#include "inspect/http/dashboard_files.h"', "",
             "namespace berth::inspect::http {", "namespace {", ""]
    for number, data in enumerate(files.values()):
        lines.append(f"const unsigned char kFile{number}[] = {{")
        for start in range(0, len(data), 32):
            lines.append(",".join(str(byte) for byte in data[start:start + 32]) + ",")
        lines.append("};")
    lines.append("const DashboardFile kFiles[] = {")
    for number, name in enumerate(files):
        bytes_at = f"reinterpret_cast<const char*>(kFile{number}), sizeof(kFile{number})"
        lines.append(f'    {{"{name}", {{{bytes_at}}}}},')
    lines += ["};", "", "}  // namespace", "",
              "std::span<const DashboardFile> DashboardFiles() { return kFiles; }", "",
              "}  // namespace berth::inspect::http", ""]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--web", type=Path, required=True)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--mode", choices=["auto", "on", "off"], default="auto")
    options = parser.parse_args()
    built = options.mode != "off"
    if built:
        try:
            files = build(options.web)
        except Unavailable as missing:
            if options.mode == "on":
                sys.exit(f"build_dashboard.py: {missing}")
            print(f"warning: building without the dashboard: {missing}", file=sys.stderr)
            built = False
    if not built:
        files = {"index.html": PLACEHOLDER.encode()}
    text = source(files)
    if not options.output.exists() or options.output.read_text() != text:
        options.output.write_text(text)
    else:
        options.output.touch()
    if not built and options.mode == "auto":
        # Older than the sources, so that the next build tries again.
        os.utime(options.output, (1, 1))


if __name__ == "__main__":
    main()
