#!/usr/bin/env python3
"""Builds everything that a release of Berth consists of, in dist/: see docs/packaging.md.

    scripts/package/build.py [--architectures amd64,arm64] [--jobs N] [--output dist] [--url URL]

Two builds of one commit give equal files, whatever the folder, as long as the packages of Debian
that they are built with do not change.
"""

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import archive
import artefacts

ROOT = Path(__file__).resolve().parent.parent.parent
BUILD = ROOT / "build/package"
ARCHITECTURES = ("amd64", "arm64")


def version():
    text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    return re.search(r"^project\(berth VERSION (\S+)", text, re.M)[1]


def epoch():
    """SOURCE_DATE_EPOCH, or else the date of the commit."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if given is None:
        given = archive.run(["git", "-C", ROOT, "log", "-1", "--format=%ct"])
    return int(given)


class Report:
    """Prints what is being done, with the minutes since the start."""

    def __init__(self):
        self.started = time.monotonic()

    def __call__(self, text):
        minutes, seconds = divmod(int(time.monotonic() - self.started), 60)
        print(f"[{minutes}:{seconds:02d}] {text}", flush=True)


def compile_programs(architecture, jobs, environment):
    for command in (
        ["cmake", "--preset", architecture, "--log-level=NOTICE"],
        ["cmake", "--build", BUILD / architecture, "-j", str(jobs), "--target", "packaged",
         "libraries"],
    ):  # fmt: skip
        subprocess.run(command, cwd=ROOT, env=environment, check=True)


def write_sums(output):
    """SHA256SUMS of all files below `output`, as `sha256sum -c` reads it."""
    files = sorted(path for path in output.rglob("*") if path.is_file())
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(output)}\n"
             for path in files]  # fmt: skip
    (output / "SHA256SUMS").write_text("".join(lines), encoding="utf-8")


def table(output):
    """The artefacts with their sizes."""
    lines = []
    for path in sorted(path for path in output.rglob("*") if path.is_file()):
        lines.append(f"  {path.stat().st_size:>12,}  {path.relative_to(output)}")
    return "\n".join(lines)


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--architectures", default=",".join(ARCHITECTURES), metavar="LIST",
                        help="comma-separated (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N",
                        help="compilers to run in parallel (default: %(default)s)")  # fmt: skip
    parser.add_argument("--output", type=Path, default=ROOT / "dist", metavar="FOLDER",
                        help="where the artefacts go (default: dist)")  # fmt: skip
    parser.add_argument("--url", default="https://example.com/berth", metavar="URL",
                        help="where you publish the files; the krew manifest names it "
                             "(default: %(default)s)")  # fmt: skip
    options = parser.parse_args(arguments)
    options.architectures = options.architectures.replace(",", " ").split()
    for architecture in options.architectures:
        if architecture not in ARCHITECTURES:
            parser.error(f"--architectures: {architecture!r} is none of {', '.join(ARCHITECTURES)}")
    if not options.architectures:
        parser.error("--architectures: is empty")
    return options


def main(arguments):
    options = parse(arguments)
    report = Report()
    release = artefacts.Release(ROOT, BUILD, options.output, version(), epoch(), options.url)
    environment = {**os.environ, "SOURCE_DATE_EPOCH": str(release.epoch)}
    try:
        archive.prepare(BUILD, options.architectures, report)
        for architecture in options.architectures:
            report(f"{architecture}: compiling")
            compile_programs(architecture, options.jobs, environment)
        shutil.rmtree(options.output, ignore_errors=True)
        options.output.mkdir(parents=True)
        release.write(options.architectures, report)
    except archive.Unavailable as error:
        sys.exit(f"build.py: {error}")
    except subprocess.CalledProcessError as error:
        sys.exit(f"build.py: {error}")
    write_sums(options.output)
    report(f"{options.output}:")
    print(table(options.output))


if __name__ == "__main__":
    main(sys.argv[1:])
