#!/usr/bin/env python3
"""Makes small wrong changes to src/scheduler, one at a time; reports those that no test notices.

    scripts/mutants.py [--jobs N] [--quick] [--build-only | --check | --list] [PATTERN...]

tests/mutants/*.toml lists the changes ("mutants"): for each source its mutants by name, the text
that is replaced, which occurs once in the source, and what replaces it:

    ["engine/submit_group.cc"]
    one-more-than-min-count = ['members >= min_count', 'members > min_count']

Texts that end in ; and blocks of if or for are statements, others are expressions. Any white space
stands for any other. A third text says why no test can notice the mutant; it is an error if one
does.

All mutants are compiled at once, beside the release build and from its commands (build/mutants):
what contains no mutant is taken from there. The environment variable BERTH_MUTANT switches one on:

    BERTH_MUTANT=one-more-than-min-count build/mutants/src/scheduler_engine_tests

Each mutant meets the test programs, that of its own library first, until one fails, crashes or does
not end. --quick asks only the first. PATTERN, as in "queue/*" or "*min-count", selects mutants by
folder and name. Exits 0 if all of them were noticed or have a reason, 1 if not, 2 if a table is
wrong.
"""

import argparse
import fnmatch
import os
import re
import resource
import subprocess
import sys
import threading
import time
import tomllib
from collections import Counter
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "src" / "scheduler"
TABLES = ROOT / "tests" / "mutants"
RELEASE = ROOT / "build" / "release"
OUT = ROOT / "build" / "mutants"

DECLARATION = "namespace berth::mutants { extern const int active; }\n"
MEMORY_LIMIT = 8 << 30  # Of one test program; a mutant may allocate without end.


class Wrong(Exception):
    """A table, or what it refers to, is wrong."""


@dataclass
class Mutant:
    number: int
    name: str
    source: str  # Relative to src/scheduler.
    old: str
    new: str
    reason: str = ""  # Why nothing can notice it.
    table: str = ""

    @property
    def folder(self):
        return self.source.split("/")[0]

    @property
    def own_tests(self):
        """The program with the tests of its library."""
        return "reference_tests" if self.folder == "reference" else f"scheduler_{self.folder}_tests"

    def __str__(self):
        return f"{self.folder}/{self.name}"


# --- tables ---


def read_tables(directory=TABLES):
    mutants, table_of = [], {}
    for path in sorted(directory.glob("*.toml")):
        try:
            tables = tomllib.loads(path.read_text(encoding="utf-8"))
        except tomllib.TOMLDecodeError as error:
            raise Wrong(f"{path.name}: {error}") from error
        for source, entries in tables.items():
            if not source.endswith(".cc"):
                raise Wrong(f"{path.name}: {source}: only .cc files can be changed")
            for name, texts in entries.items():
                if name in table_of:
                    raise Wrong(f"{path.name}: {name}: {table_of[name]} has this name, too")
                if not isinstance(texts, list) or len(texts) not in (2, 3):
                    raise Wrong(f"{path.name}: {name}: want [old, new] or [old, new, reason]")
                if not all(is_whole(text) for text in texts[:2]):
                    raise Wrong(f"{path.name}: {name}: is no whole expression or statement")
                table_of[name] = path.name
                mutants.append(Mutant(len(mutants) + 1, name, source, *texts, table=path.name))
    return mutants


STATEMENT = re.compile(r";\s*$|^\s*(if|for|while)\b.*\}\s*$", re.DOTALL)


def is_whole(code):
    """Reports whether all brackets are closed, in order, and no comma divides the code: in the
    conditional expression it would be an operator."""
    open_brackets = []
    for bracket in re.findall(r"[][(){},]", re.sub(r'"(\\.|[^"\\])*"', "", code)):
        if bracket == ",":
            if not open_brackets:
                return False
        elif bracket in "([{":
            open_brackets.append(bracket)
        elif not open_brackets or open_brackets.pop() + bracket not in ("()", "[]", "{}"):
            return False
    return not open_brackets


def span_of(mutant, text):
    """Returns where the text is that the mutant replaces."""
    words = [re.escape(word) for word in mutant.old.split()]
    found = list(re.finditer(r"\s+".join(words), text)) if words else []
    if len(found) != 1:
        times = "is not found" if not found else f"is found {len(found)} times"
        raise Wrong(f"{mutant.table}: {mutant.name}: {times} in {mutant.source}: {mutant.old}")
    return found[0].span()


def choose(mutants, old):
    """Returns code that does what the active one of `mutants` says, or `old` if none is."""
    if STATEMENT.search(mutants[0].old):
        cases = "".join(
            f"if (berth::mutants::active == {m.number}) {{ {m.new} }} else " for m in mutants
        )
        return f"{{ {cases}{{ {old} }} }}"
    cases = "".join(f"berth::mutants::active == {m.number} ? ({m.new}) : " for m in mutants)
    return f"({cases}({old}))"


def render(text, spans, low, high):
    """Returns text[low:high] with the mutants of `spans`, {span: mutants}, which may be nested."""
    out, at = "", low
    for (start, end), mutants in sorted(spans.items(), key=lambda item: (item[0][0], -item[0][1])):
        if start < at:  # Inside the one before.
            continue
        inner = {s: m for s, m in spans.items() if start <= s[0] and s[1] <= end}
        del inner[start, end]
        out += text[at:start] + choose(mutants, render(text, inner, start, end))
        at = end
    return out + text[at:high]


def with_mutants(text, mutants, path):
    """Returns the source with all its mutants, each switched off."""
    spans, problems = {}, []
    for mutant in mutants:
        try:
            spans.setdefault(span_of(mutant, text), []).append(mutant)
        except Wrong as problem:
            problems.append(str(problem))
    for a in spans:
        for b in spans:
            if a[0] < b[0] < a[1] < b[1]:
                names = f"{spans[a][0].name} and {spans[b][0].name}"
                problems.append(f"{mutants[0].table}: {names} overlap")
    if problems:
        raise Wrong("\n".join(problems))
    return f'{DECLARATION}#line 1 "{path}"\n' + render(text, spans, 0, len(text))


def all_sources(mutants, sources=SOURCES):
    """Returns the changed sources by path; raises Wrong if a mutant does not fit its source."""
    by_source = {}
    for mutant in mutants:
        by_source.setdefault(mutant.source, []).append(mutant)
    changed, problems = {}, []
    for source, of_source in by_source.items():
        path = sources / source
        try:
            if not path.is_file():
                raise Wrong(f"{of_source[0].table}: {source}: there is no such file")
            changed[path] = with_mutants(path.read_text(encoding="utf-8"), of_source, path)
        except Wrong as problem:
            problems.append(str(problem))
    if problems:
        raise Wrong("\n".join(problems))
    return changed


def definition(mutants):
    """Returns the source that reads BERTH_MUTANT."""
    names = ", ".join(f'"{m.name}"' for m in mutants)
    return f"""#include <cstdio>
#include <cstdlib>
#include <string_view>
{DECLARATION}
namespace {{
constexpr std::string_view kNames[] = {{{names}}};
int Find(const char* name) {{
  if (name == nullptr) return 0;
  for (size_t i = 0; i < std::size(kNames); ++i)
    if (kNames[i] == name) return static_cast<int>(i) + 1;
  std::fprintf(stderr, "BERTH_MUTANT: there is no mutant %s\\n", name);
  std::_Exit(2);
}}
}}  // namespace
const int berth::mutants::active = Find(std::getenv("BERTH_MUTANT"));
"""


# --- build ---

TOKEN = re.compile(r"[^\s\"\\=]+")
OUTPUT = re.compile(r" -o (\S+)| qc (\S+)")
UNIT = re.compile(r" -c (\S+)$")


class Rewriter:
    """Turns the commands of the release build into those that build what contains mutants.

    What a command writes, and what it reads of the others' outputs, moves to `out`.
    """

    def __init__(self, changed, release=RELEASE, out=OUT):
        self.changed = {str(path) for path in changed}
        self.release = release
        self.out = out
        # Tests that start the programs know where they are.
        self.moved = {"src/berth", "src/berth-scheduler"}
        self.edges = []  # (outputs, inputs, command)

    def unit_with_mutants(self, path):
        """Returns the unit to compile instead, and its text, if it contains a changed source."""
        if path in self.changed:
            return self.copy_of(path), None
        if "/Unity/" not in path:
            return None, None
        text = Path(path).read_text(encoding="utf-8")
        included = re.findall(r'#include "([^"]+)"', text)
        if not self.changed.intersection(included):
            return None, None
        for source in self.changed.intersection(included):
            text = text.replace(f'"{source}"', f'"{self.copy_of(source)}"')
        return f"{self.out}/units/{os.path.relpath(path, self.release)}", text

    def copy_of(self, source):
        return f"{self.out}/sources/{os.path.relpath(source, SOURCES)}"

    def add(self, command):
        """Takes the next command; returns the unit that it compiles and its text if that is new."""
        output = OUTPUT.search(command)
        if not output:
            return None
        output = output[1] or output[2]
        compiles = UNIT.search(command)
        unit, text = self.unit_with_mutants(compiles[1]) if compiles else (None, None)
        tokens = {self.relative(token) for token in TOKEN.findall(command)}
        if not unit and not tokens & (self.moved - {output}):
            return None
        self.moved.add(output)
        if compiles:
            head = command[: compiles.start()]
            command = f"{self.rewrite(head)} -w -c {unit or compiles[1]}"
            inputs = [unit or compiles[1]]
        else:
            if " qc " not in command:  # Only the link, not the tests' discovery after it.
                command = next(part for part in command.split(" && ") if " -o " in part)
                command += f" {self.out}/mutants.o"
                tokens.add(f"{self.out}/mutants.o")
            command = self.rewrite(command)
            inputs = [self.path(token) for token in tokens if token.endswith((".o", ".a"))]
            inputs = [i for i in inputs if i != self.path(output)]
        self.edges.append((self.path(output), sorted(inputs), command, bool(compiles)))
        return (unit, text) if text is not None else None

    def relative(self, token):
        return token.removeprefix(f"{self.release}/")

    def path(self, token):
        return f"{self.out}/{token}" if token in self.moved else token

    def rewrite(self, command):
        def moved(match):
            token = self.relative(match[0])
            if token in self.moved or (token.endswith(".d") and token[:-2] in self.moved):
                return f"{self.out}/{token}"
            return match[0]

        return TOKEN.sub(moved, command)

    def ninja(self, compiler):
        lines = [
            f"builddir = {self.out}",
            "rule compile",
            "  command = $cmd",
            "  description = $out",
            "  depfile = $out.d",
            "  deps = gcc",
            "rule run",
            "  command = rm -f $out && $cmd",
            "  description = $out",
            f"build {self.out}/mutants.o: run {self.out}/mutants.cc",
            f"  cmd = {compiler} -std=c++23 -O2 -c {self.out}/mutants.cc -o {self.out}/mutants.o",
        ]
        for output, inputs, command, compiles in self.edges:
            lines.append(f"build {output}: {'compile' if compiles else 'run'} {' '.join(inputs)}")
            lines.append("  cmd = " + command.replace("$", "$$"))
        return "\n".join(lines) + "\n"


def write_if_changed(path, text):
    path = Path(path)
    if path.is_file() and path.read_text(encoding="utf-8") == text:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def build(mutants, targets, jobs):
    """Builds the targets with all mutants, below build/mutants."""
    changed = all_sources(mutants)
    commands = subprocess.run(
        ["ninja", "-C", RELEASE, "-t", "commands", *targets],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if commands.returncode != 0:
        raise Wrong(f"build/release is not complete: {commands.stderr.strip()}")
    rewriter = Rewriter(changed)
    for path, text in changed.items():
        write_if_changed(rewriter.copy_of(path), text)
    write_if_changed(OUT / "mutants.cc", definition(mutants))
    compiler = None
    for command in commands.stdout.splitlines():
        new = rewriter.add(command)
        if new:
            write_if_changed(*new)
        if compiler is None and UNIT.search(command):
            compiler = next(w for w in command.split() if re.search(r"(c|g|clang)\+\+[-\d]*$", w))
    write_if_changed(OUT / "build.ninja", rewriter.ninja(compiler))
    for output, *_ in rewriter.edges:
        Path(output).parent.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        ["ninja", "-C", RELEASE, "-f", OUT / "build.ninja", "-j", str(jobs), "-k", "0"], check=False
    )
    if done.returncode != 0:
        raise Wrong("a mutant does not compile: its old and its new text must be of one type")


# --- tests ---


@dataclass
class Program:
    name: str
    target: str
    arguments: list
    seconds: float = 0.0  # Without a mutant.

    def command(self):
        return [OUT / self.target, *self.arguments]


def unit_tests(library):
    return Program(
        f"{library}_tests", f"src/{library}_tests", ["--gtest_fail_fast", "--gtest_brief=1"]
    )


def programs():
    """The test programs that know the scheduler, those for few mutants last."""
    libraries = ["devices", "model", "framework", "plugins", "queue", "groups", "engine", "config",
                 "recording"]  # fmt: skip
    all_programs = [unit_tests(f"scheduler_{library}") for library in libraries]
    others = ["runtime", "observability_scheduling", "simulation", "explain", "inspect"]
    all_programs += [unit_tests(library) for library in others]
    crossing = ["properties", "reference", "cli"]
    for name in crossing:
        program = unit_tests(name)
        program.target = f"tests/{name}_tests"
        all_programs.append(program)
    for path in sorted((ROOT / "tests" / "conformance").glob("*.jsonl*")):
        group = path.name.split(".")[0]
        all_programs.append(Program(f"conformance.{group}", "src/berth", ["conformance", path]))
    simulation = ROOT / "tests" / "simulation"
    for name, arguments in {
        "simtest": ["--seeds", "1..300"],
        "simtest_found": ["--seed-file", simulation / "found.seeds"],
        "simtest_paranoid": ["--seeds", "1..20", "--seed-file", simulation / "paranoid.seeds",
                             "--paranoid"],
    }.items():  # fmt: skip
        all_programs.append(Program(name, "src/berth", ["simtest", *arguments]))
    return all_programs


FAILED_TEST = re.compile(r"^\[  FAILED  \] ([\w/.]+)", re.MULTILINE)


def run(program, mutant, seconds):
    """Runs the program; returns "" if it passes, else what failed."""
    environment = {**os.environ, "RC_PARAMS": "seed=1"}
    environment.pop("BERTH_MUTANT", None)
    if mutant:
        environment["BERTH_MUTANT"] = mutant
    process = subprocess.Popen(
        program.command(), cwd=ROOT, env=environment, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
        start_new_session=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT)),
    )  # fmt: skip
    try:
        output, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        process.communicate()
        return f"{program.name} (does not end)"
    if process.returncode == 0:
        return ""
    test = FAILED_TEST.search(output)
    crashed = f"signal {-process.returncode}" if process.returncode < 0 else ""
    return f"{program.name} ({test[1] if test else crashed or 'fails'})"


def measure(all_programs, jobs):
    """Runs the programs without a mutant: they pass, and take a while."""

    def one(program):
        started = time.monotonic()
        failed = run(program, None, 3600)
        program.seconds = time.monotonic() - started
        return failed

    with ThreadPoolExecutor(jobs) as pool:
        for failed in pool.map(one, all_programs):
            if failed:
                raise Wrong(f"without a mutant, {failed} fails")


def order_for(mutant, all_programs):
    """The unit tests of its library come first, then what is quickest."""
    own = mutant.own_tests
    return sorted(all_programs, key=lambda program: (program.name != own, program.seconds))


def notice(mutant, all_programs, quick):
    """Returns who notices the mutant, or ""."""
    order = order_for(mutant, all_programs)
    for program in order[:1] if quick else order:
        if by := run(program, mutant.name, 60 + 10 * program.seconds):
            return by
    return ""


def try_all(mutants, all_programs, jobs, quick=False, out=sys.stdout):
    """Prints who notices each mutant, then the counts; returns whether all is as it should be."""
    counts, wrong, lock = {}, [], threading.Lock()
    with ThreadPoolExecutor(jobs) as pool:
        tries = {pool.submit(notice, m, all_programs, quick): m for m in mutants}
        for number, done in enumerate(as_completed(tries), 1):
            mutant, by = tries[done], done.result()
            kind = "noticed" if by else "equivalent" if mutant.reason else "unnoticed"
            of_folder = counts.setdefault(mutant.folder, Counter())
            of_folder[kind] += 1
            text = f"noticed by {by}" if by else kind
            if by and mutant.reason:
                text += ", but its reason says that nothing can notice it"
            if kind == "unnoticed" or (by and mutant.reason):
                place = f"{mutant.source}\n  - {mutant.old}\n  + {mutant.new}"
                wrong.append(f"{mutant}: {text}\n  {place}")
            with lock:
                print(f"[{number}/{len(mutants)}] {mutant}: {text}", file=out, flush=True)
    print(f"\n{'folder':<12} {'changes':>8} {'noticed':>8} {'equivalent':>11} {'unnoticed':>10}",
          file=out)  # fmt: skip
    total = sum(counts.values(), Counter())
    for folder, of_folder in [*sorted(counts.items()), ("total", total)]:
        print(
            f"{folder:<12} {of_folder.total():>8} {of_folder['noticed']:>8} "
            f"{of_folder['equivalent']:>11} {of_folder['unnoticed']:>10}", file=out)  # fmt: skip
    for text in sorted(wrong):
        print(text, file=out)
    print(f"{total.total()} changes, {total['noticed']} noticed, {total['equivalent']} equivalent, "
          f"{total['unnoticed']} unnoticed", file=out, flush=True)  # fmt: skip
    return not wrong


def select(mutants, patterns):
    if not patterns:
        return mutants
    def matches(mutant):
        return any(fnmatch.fnmatch(str(mutant), p) or mutant.name == p for p in patterns)

    chosen = [mutant for mutant in mutants if matches(mutant)]
    if not chosen:
        raise Wrong(f"no mutant matches {' '.join(patterns)}")
    return chosen


def parse(arguments):
    parser = argparse.ArgumentParser(description="Report small wrong changes that no test notices.")
    parser.add_argument("patterns", nargs="*", metavar="PATTERN", help="folder/name of mutants")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N",
                        help="programs to run in parallel (default: %(default)s)")  # fmt: skip
    parser.add_argument("--quick", action="store_true", help="run only the tests of its library")
    parser.add_argument("--build-only", action="store_true", help="run nothing")
    parser.add_argument("--check", action="store_true", help="only compare tables with sources")
    parser.add_argument("--list", action="store_true", help="only print the mutants")
    return parser.parse_args(arguments)


def main(arguments):
    options = parse(arguments)
    try:
        mutants = read_tables()
        chosen = select(mutants, options.patterns)
        if options.list:
            print("\n".join(f"{m}: {m.source}: {m.old}  ->  {m.new}" for m in chosen))
            return 0
        if options.check:
            all_sources(mutants)
            print(f"{len(mutants)} changes in {len({m.source for m in mutants})} sources")
            return 0
        all_programs = programs()
        if options.quick:
            own = {mutant.own_tests for mutant in chosen}
            all_programs = [p for p in all_programs if p.name in own]
        build(mutants, sorted({p.target for p in all_programs}), options.jobs)
        if options.build_only:
            return 0
        measure(all_programs, options.jobs)
        return 0 if try_all(chosen, all_programs, options.jobs, options.quick) else 1
    except Wrong as error:
        print(f"mutants.py: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
