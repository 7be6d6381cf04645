#!/usr/bin/env python3
"""Runs clang-tidy over the sources without the tests, which would take too long.

    scripts/tidy.py [--jobs N]

Needs the compilation database of build/tidy (`cmake --preset tidy`), whose units are several
sources each: most of the time goes into headers. Prints a line for each unit and the findings;
exits 1 if there are any. A unit without findings is not looked at again until its preprocessed text
or .clang-tidy changes: build/tidy/clean has a file for each such text.
"""

import argparse
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DATABASE = ROOT / "build" / "tidy"
CLEAN = DATABASE / "clean"
TIDY = "clang-tidy-19"
GENERATED = "dashboard_files.cc"
# CMake's name of a unit of several sources.
UNIT = re.compile(r".*/CMakeFiles/berth_(.*)\.dir/Unity/(unity_\d+)_cxx\.cxx$")


def preprocess_command(command):
    """Returns the command that preprocesses instead of compiling. Comments remain: some silence
    a finding."""
    words = shlex.split(command)
    output = words.index("-o")
    del words[output : output + 2]
    words = [word for word in words if word != "-c" and not word.endswith("ccache")]
    return [*words, "-E", "-C"]


def key_of(entry, settings):
    """Returns what identifies the text that clang-tidy would look at, or None if there is none."""
    done = subprocess.run(
        preprocess_command(entry["command"]), cwd=entry["directory"], capture_output=True,
        check=False,
    )  # fmt: skip
    if done.returncode != 0:
        return None  # clang-tidy says why.
    return hashlib.sha256(settings + done.stdout).hexdigest()


def check(entry, settings):
    """Returns whether the unit has no findings, and what clang-tidy printed about it."""
    key = key_of(entry, settings)
    if key and (CLEAN / key).exists():
        return True, ""
    done = subprocess.run(
        [TIDY, "-quiet", "-p", DATABASE, entry["file"]], cwd=ROOT, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL if key else subprocess.STDOUT, text=True, check=False,
    )  # fmt: skip
    passed = done.returncode == 0
    if passed and key:
        (CLEAN / key).touch()
    return passed, done.stdout


def name_of(entry):
    return UNIT.sub(r"\1 \2", os.path.relpath(entry["file"], ROOT))


def main():
    parser = argparse.ArgumentParser(description="Run clang-tidy over the sources that changed.")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N",
                        help="units to look at in parallel (default: %(default)s)")  # fmt: skip
    options = parser.parse_args()
    entries = [
        entry
        for entry in json.loads((DATABASE / "compile_commands.json").read_text(encoding="utf-8"))
        if not entry["file"].endswith(GENERATED)
    ]
    version = subprocess.run([TIDY, "--version"], capture_output=True, check=True).stdout
    settings = version + (ROOT / ".clang-tidy").read_bytes()
    CLEAN.mkdir(exist_ok=True)
    failed = 0
    with ThreadPoolExecutor(max(1, options.jobs)) as pool:
        checks = {pool.submit(check, entry, settings): name_of(entry) for entry in entries}
        for number, done in enumerate(as_completed(checks), 1):
            passed, output = done.result()
            failed += not passed
            print(f"[{number}/{len(entries)}] {checks[done]}\n{output}", end="", flush=True)
    print(f"{len(entries)} units, {failed} with findings")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
