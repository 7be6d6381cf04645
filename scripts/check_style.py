#!/usr/bin/env python3
"""Checks what the compiler and clang-format do not: dependencies, calls, names and sizes.

Prints "file:line: message" for each violation, and exits 1 if there is any. It is the test `style`.

    scripts/check_style.py [ROOT]
"""

import os
import re
import sys
from pathlib import Path

import libraries

# The engine side is a state machine on one thread: no I/O, no threads, no unseeded randomness.
ENGINE_SIDE = ("src/base/", "src/api/", "src/scheduler/")
ENGINE_SIDE_HEADERS = {
    "condition_variable", "filesystem", "fstream", "future", "mutex", "random", "semaphore",
    "shared_mutex", "stop_token", "thread", "fcntl.h", "poll.h", "pthread.h", "signal.h", "csignal",
    "unistd.h",
}  # fmt: skip

# The worker threads that an embedder may pass to the engine, which starts none itself, and the key
# of hashes, on which no decision depends.
EXEMPT = {"src/base/workers.h", "src/base/workers.cc", "src/base/string_hash.cc"}

# Only these read time, randomness, the environment and files; the others get them as arguments.
OUTSIDE_READERS = (
    "src/net/", "src/client/", "src/daemon/", "src/cmd/", "src/base/string_hash.cc",
    "src/base/time.cc", "src/runtime/recording_file.cc",
)  # fmt: skip
OUTSIDE_CALLS = re.compile(
    r"\b(system_clock|steady_clock|high_resolution_clock)::now\b"
    r"|\b(random_device|getrandom|getenv|clock_gettime|gettimeofday)\b"
    r"|\b(fopen|ifstream|ofstream|fstream)\b"
)

# Only these write to standard output and standard error: the first makes text harmless for
# terminals, the other prints what no stranger has written.
PRINTERS = ("src/base/terminal.cc", "src/base/check.cc")
PRINT_CALLS = re.compile(
    r"\bfmt::print\b|\bstd::(cout|cerr|clog)\b|\b(f?puts|fwrite|v?f?printf|putchar|fputc)\("
)

# Folders that do not name a namespace of their own: plugins in folders, and names that say Json.
ONE_NAMESPACE = {
    ("scheduler", "plugins"): ["scheduler", "plugins"],
    ("scheduler", "reference"): ["scheduler", "reference"],
    ("api", "json"): ["api"],
}

MAX_COLUMNS = 100
MAX_LINES = 700

CPP = {".h", ".cc"}
CODE = CPP | {".py", ".sh", ".cmake"}
TEXT = CODE | {".md", ".txt"}
FOLDERS = [".ci", "bench", "cmake", "deploy", "docs", "scripts", "src", "tests"]
# These two contain the text that they forbid.
OWN_FILES = {"scripts/check_style.py", "scripts/check_style_test.py"}

COMMENT = r"//[^\n]*|/\*.*?\*/"
# A quote after a digit separates digits: 1'000.
STRING = (
    r'R"(?P<tag>[^\s()\\"]*)\(.*?\)(?P=tag)"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'"
)
TOKEN = re.compile(rf"(?P<comment>{COMMENT})|(?P<string>{STRING})", re.DOTALL)
INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)[>"]')
BAD_NAME = re.compile(r"\b(?:class|struct)\s+(\w*(?:Manager|Helper|Helpers|Util|Utils|Impl))\b")
UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX)\b")
MACHINE_PATH = re.compile(r"(?<![\w.~})*-])/(work|home|root)/")


def without(text, *, comments=False, strings=False):
    """Returns `text` with comments or the contents of literals removed; line numbers stay."""

    def replace(match):
        newlines = "\n" * match.group().count("\n")
        if match["comment"] is not None:
            return newlines if comments else match.group()
        return '"' + newlines + '"' if strings else match.group()

    return TOKEN.sub(replace, text)


class File:
    def __init__(self, root, path):
        self.name = path.as_posix()
        self.suffix = path.suffix
        self.text = (root / path).read_text(encoding="utf-8")
        self.lines = self.text.split("\n")
        self.in_src = path.parts[0] == "src" and len(path.parts) > 2
        self.is_test = (
            re.search(r"_(test|bench|fuzz)\.cc$|_testing\.(h|cc)$", self.name) is not None
        )


def check_text(file):
    """Whitespace, unfinished work and machine paths: for every kind of file."""
    if file.text and not file.text.endswith("\n"):
        yield len(file.lines), "no newline at the end of the file"
    if file.text.endswith("\n\n"):
        yield len(file.lines) - 1, "blank line at the end of the file"
    for number, line in enumerate(file.lines, 1):
        if line != line.rstrip():
            yield number, "trailing whitespace"
        if "\t" in line and file.name != "Makefile":
            yield number, "tab"
        if file.name in OWN_FILES:
            continue
        if found := UNFINISHED.search(line):
            yield number, f"{found[1]}: finish it, or open an issue"
        if found := MACHINE_PATH.search(line):
            yield number, f"path of one machine: {found[0]}"


def check_columns(file):
    """Long literals and links may exceed the limit, as clang-format does not break them."""
    text = without(file.text, strings=True) if file.suffix in CPP else file.text
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > MAX_COLUMNS and "://" not in line:
            yield number, f"{len(line)} columns; the limit is {MAX_COLUMNS}"


def check_cpp(file):
    """Size and names: for every C++ file."""
    count = len(file.lines) - 1
    if count > MAX_LINES:
        yield count, f"{count} lines; the limit is {MAX_LINES}: split the file"
    for number, line in enumerate(without(file.text, comments=True, strings=True).split("\n"), 1):
        if re.search(r"\busing\s+namespace\b", line):
            yield number, "using namespace"
        if found := BAD_NAME.search(line):
            yield number, f"name says nothing: {found[1]}; name it after what it is"


def check_header(file):
    """A header starts with a comment that says what it is, then #pragma once."""
    if not file.lines[0].startswith("// "):
        yield 1, "a header starts with a comment that says what it is"
    for number, line in enumerate(file.lines, 1):
        if line and not line.startswith("//"):
            if line != "#pragma once":
                yield number, "#pragma once comes right after the opening comment"
            return
    yield len(file.lines), "no #pragma once"


def includes(file):
    for number, line in enumerate(without(file.text, comments=True).split("\n"), 1):
        if found := INCLUDE.match(line):
            yield number, found[1], found[2]


def check_own_header_first(file, root):
    """x.cc includes x.h first, which shows that x.h is self-contained."""
    own = file.name.removesuffix(".cc") + ".h"
    if not (root / own).exists():
        return
    for number, _, path in includes(file):
        if path != own.removeprefix("src/"):
            yield number, f'the first include must be "{own.removeprefix("src/")}"'
        return


def check_includes(file):
    for number, kind, path in includes(file):
        if kind == '"':
            if "/" not in path:
                yield number, f'"{path}": write the whole path below src/'
            continue
        if path == "iostream":
            yield number, "<iostream>: use fmt"
        if file.name.startswith(ENGINE_SIDE) and file.name not in EXEMPT and (
            path in ENGINE_SIDE_HEADERS or path.startswith(("sys/", "netinet/"))
        ):
            yield number, f"<{path}>: the engine side has no I/O and no threads"


def check_namespace(file):
    """A folder of src/ is a namespace; names of base/ live in `berth` itself."""
    folder = file.name.split("/")[1:-1]
    if folder[0] == "base":
        folder = []
    for library, namespace in ONE_NAMESPACE.items():
        if folder[: len(library)] == list(library):
            folder = namespace
    want = "::".join(["berth", *folder])
    ends = [
        (number, found[1])
        for number, line in enumerate(file.lines, 1)
        if (found := re.match(r"\}  // namespace (berth[\w:]*)$", line))
    ]
    # The last one is the file's; others may hold forward declarations.
    if ends and ends[-1][1] != want:
        yield ends[-1][0], f"namespace {ends[-1][1]}: the folder's is {want}"


def check_calls(file):
    if file.name.startswith(OUTSIDE_READERS):
        return
    for number, line in enumerate(without(file.text, comments=True, strings=True).split("\n"), 1):
        if found := OUTSIDE_CALLS.search(line):
            yield number, (
                f"{found[0]}: only {', '.join(sorted(OUTSIDE_READERS))} read time, randomness, "
                "environment or files"
            )


def check_printing(file):
    if file.name in PRINTERS:
        return
    for number, line in enumerate(without(file.text, comments=True, strings=True).split("\n"), 1):
        if found := PRINT_CALLS.search(line):
            name = found[0].rstrip("(")
            yield number, f"{name}: print with base/terminal.h, as strangers write names"


def check(root, path):
    file = File(root, path)
    yield from check_text(file)
    if file.suffix in CODE:
        yield from check_columns(file)
    if file.suffix not in CPP:
        return
    yield from check_cpp(file)
    if file.suffix == ".h":
        yield from check_header(file)
    if not file.in_src:
        return
    yield from check_namespace(file)
    if not file.is_test:
        yield from check_own_header_first(file, root)
        yield from check_includes(file)
        yield from check_calls(file)
        yield from check_printing(file)


def files_to_check(root):
    for path in sorted(root.iterdir()):
        if path.is_file() and (path.suffix in TEXT or path.name == "Makefile"):
            yield path.relative_to(root)
    for folder in FOLDERS:
        for directory, folders, names in os.walk(root / folder):
            if "node_modules" in folders:
                folders.remove("node_modules")
            for name in sorted(names):
                path = Path(directory, name)
                if path.suffix in TEXT or folder == ".ci":
                    yield path.relative_to(root)


def main(arguments):
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parent.parent
    count = 0
    for path in files_to_check(root):
        for line, message in check(root, path):
            print(f"{path.as_posix()}:{line}: {message}")
            count += 1
    if (root / libraries.DECLARATION).exists():
        for name, line, message in libraries.check(root):
            print(f"{name}:{line}: {message}")
            count += 1
    if count:
        print(f"{count} violation{'s' if count > 1 else ''}")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
