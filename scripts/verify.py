#!/usr/bin/env python3
"""Runs the checks that are too slow for every change, and prints one summary line for each.

    scripts/verify.py [--jobs N] [--fuzz-seconds N] [--seeds N] [STEP...]

`make verify` installs what the steps need and runs them all, or those in STEPS:

    make verify STEPS="asan simtest"

A step that fails does not stop the others. The output of step NAME is in build/verify/NAME.log, the
summary in build/verify/summary.txt. Exits 0 if every step passed, 1 if one failed, 130 on Ctrl-C.
"""

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# How often progress is reported when the output is not a terminal.
REPORT_SECONDS = 60

# Ninja and tidy.py print "[3/551] ...", ctest " 3/1200 Test ...".
PROGRESS = re.compile(r"^\s*\[?\s*(\d+)/(\d+)(?:\]| Test)")


class Failed(Exception):
    """A command of a step failed."""


class Progress:
    """Shows what a step is doing: in place on a terminal, else one line a minute."""

    def __init__(self, out):
        self.out = out
        self.in_place = out.isatty()
        self.shown = time.monotonic()
        self.lock = threading.Lock()

    def show(self, text):
        now = time.monotonic()
        with self.lock:
            if now - self.shown < (0.2 if self.in_place else REPORT_SECONDS):
                return
            self.shown = now
            if self.in_place:
                width = shutil.get_terminal_size().columns - 1
                self.out.write(f"\r\x1b[K{text[:width]}")
            else:
                self.out.write(text + "\n")
            self.out.flush()

    def line(self, text):
        with self.lock:
            self.out.write(("\r\x1b[K" if self.in_place else "") + text + "\n")
            self.out.flush()


class Run:
    """One run of one step: executes its commands, writes its log and collects its output.

    Commands may run on several threads at a time.
    """

    def __init__(self, name, log, progress):
        self.name = name
        self.started = time.monotonic()
        self.lines = []
        self._log = log
        self._progress = progress
        self._lock = threading.Lock()
        self._processes = set()
        self._stopped = False

    def command(self, what, *argv, env=None):
        """Executes a command in the root directory; raises Failed if it fails."""
        self._write("$ " + " ".join(map(str, argv)))
        with self._lock:
            if self._stopped:
                raise Failed("interrupted")
            # In a session of its own, so that it can be ended with all its children.
            process = subprocess.Popen(
                list(map(str, argv)), cwd=ROOT, env={**os.environ, **(env or {})},
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                text=True, errors="replace", start_new_session=True,
            )  # fmt: skip
            self._processes.add(process)
        try:
            self.report(what)
            for line in process.stdout:
                self._write(line.rstrip("\n"))
                self.lines.append(line.rstrip("\n"))
                if found := PROGRESS.match(line):
                    self.report(f"{what} {found[1]}/{found[2]}")
            status = process.wait()
        finally:
            process.stdout.close()
            with self._lock:
                self._processes.discard(process)
        if status != 0:
            raise Failed(f"{what} failed: {last_words(status)}")

    def report(self, text):
        minutes, seconds = divmod(int(time.monotonic() - self.started), 60)
        self._progress.show(f"{self.name}: {text} ({minutes}:{seconds:02d})")

    def count(self, pattern):
        """Returns how many different lines of output contain `pattern`."""
        return len({line for line in self.lines if re.search(pattern, line)})

    def total(self, pattern):
        """Returns the sum of the numbers that the group of `pattern` matches."""
        found = (re.search(pattern, line) for line in self.lines)
        return sum(int(match[1]) for match in found if match)

    def stop(self):
        """Ends the commands that are running and starts no more."""
        with self._lock:
            self._stopped = True
            for process in self._processes:
                try:
                    os.killpg(process.pid, signal.SIGTERM)
                except ProcessLookupError:
                    pass

    def _write(self, line):
        with self._lock:
            self._log.write(line + "\n")
            self._log.flush()


def last_words(status):
    return signal.Signals(-status).name if status < 0 else f"exit code {status}"


# A step is a function of (run, options): it executes commands, and its counts, a function of the
# same, says what was done; the counts are printed for a failed step, too.


def build(run, options, preset, *targets):
    run.command("configure", "cmake", "--preset", preset, "--log-level=NOTICE")
    arguments = ["--target", *targets] if targets else []
    # Goes on after an error: one run then shows all of them.
    run.command(
        "build", "cmake", "--build", f"build/{preset}", "-j", options.jobs, *arguments,
        "--", "-k", "0",
    )  # fmt: skip


def run_tests(preset):
    def step(run, options):
        build(run, options, preset)
        run.command(
            "tests", "ctest", "--test-dir", f"build/{preset}", "-j", options.jobs,
            "--output-on-failure", "--no-tests=error",
        )  # fmt: skip

    return step


def count_tests(run):
    tests, failed = run.total(r"tests failed out of (\d+)"), run.total(r"(\d+) tests failed")
    return f"{tests} tests, {failed} failed"


def fuzz(run, options):
    build(run, options, "fuzz", "fuzzers")
    run.command("fuzz targets", "scripts/fuzz.sh", options.fuzz_seconds, options.jobs)


def count_fuzz(run):
    passed, failed = run.count(r"^== .*: passed"), run.count(r"^== .*: FAILED")
    inputs = run.total(r"^== .* (\d+) inputs")
    return f"{passed + failed} targets, {failed} failed, {inputs:,} inputs"


def clang(run, options):
    build(run, options, "clang", "all", "benchmarks")


def count_clang(run):
    objects = sum(1 for _ in (ROOT / "build/clang").rglob("*.o"))
    return f"{objects} object files, {run.count(' error: ')} errors"


def tidy(run, options):
    # Nothing is built: clang-tidy needs the compilation database only.
    run.command("configure", "cmake", "--preset", "tidy", "--log-level=NOTICE")
    run.command("clang-tidy", "scripts/tidy.py", "--jobs", options.jobs)


def count_tidy(run):
    files, findings = run.count(r"^\[\d+/\d+\]"), run.count(r" (error|warning): ")
    return f"{files} units, {findings} findings"


def simtest(run, options):
    build(run, options, "release", "programs")
    size = max(1, min(5000, -(-options.seeds // options.jobs)))
    firsts = range(1, options.seeds + 1, size)
    done = 0

    def part(first):
        nonlocal done
        last = min(first + size - 1, options.seeds)
        run.command(
            f"worlds {done}/{options.seeds}",
            "build/release/src/berth", "simtest", "--seeds", f"{first}..{last}",
        )  # fmt: skip
        done += last - first + 1

    with ThreadPoolExecutor(options.jobs) as pool:
        parts = [pool.submit(part, first) for first in firsts]
    for failed in [p.exception() for p in parts if p.exception()]:
        raise failed


def count_simtest(run):
    worlds, failed = run.total(r"^(\d+) seeds, "), run.total(r"^\d+ seeds, (\d+) ")
    return f"{worlds:,} worlds, {failed} failed, {run.total(r'([0-9]+) decisions'):,} decisions"


def package(run, options):
    run.command("make package", "scripts/package/build.py", "--jobs", options.jobs)
    run.command("tests of the release", "tests/package/release_test.py", "dist")


def count_package(run):
    tests, failed = run.total(r"^Ran (\d+) tests?"), run.total(r"^FAILED \(.*?(\d+)")
    return f"{tests} tests, {failed} failed"


def mutants(run, options):
    build(run, options, "release")
    run.command("mutants", "scripts/mutants.py", "--jobs", options.jobs)


def count_mutants(run):
    changes, unnoticed = run.total(r"^(\d+) changes, "), run.total(r", (\d+) unnoticed$")
    return f"{changes} changes, {unnoticed} unnoticed"


# In the order in which they run: what is most likely to find something comes first.
STEPS = {
    "simtest": (simtest, count_simtest),
    "mutants": (mutants, count_mutants),
    "clang": (clang, count_clang),
    "tidy": (tidy, count_tidy),
    "asan": (run_tests("asan"), count_tests),
    "tsan": (run_tests("tsan"), count_tests),
    "fuzz": (fuzz, count_fuzz),
    "package": (package, count_package),
}


def run_step(name, steps, options, directory, progress):
    """Runs one step; returns whether it passed, and its summary line."""
    step, counts = steps[name]
    with open(directory / f"{name}.log", "w", encoding="utf-8") as log:
        run = Run(name, log, progress)
        problem = None
        try:
            step(run, options)
        except Failed as error:
            problem = str(error)
        except OSError as error:  # A program is not installed.
            problem = f"{error.filename}: {error.strerror}"
        except KeyboardInterrupt:
            run.stop()
            raise
        seconds = time.monotonic() - run.started
        summary = f"{name:<8} {'FAILED' if problem else 'passed'} {seconds:7.0f} s  {counts(run)}"
        if problem:
            summary += f"  ({problem}; see {directory / name}.log)"
        log.write(summary + "\n")
    return problem is None, summary


def verify(names, steps, options, directory, out):
    """Runs the named steps and prints their summary; returns the exit code."""
    directory.mkdir(parents=True, exist_ok=True)
    progress = Progress(out)
    summaries, passed, interrupted = [], True, False
    for number, name in enumerate(names, 1):
        progress.line(f"[{number}/{len(names)}] {name}: log in {directory / name}.log")
        try:
            step_passed, summary = run_step(name, steps, options, directory, progress)
        except KeyboardInterrupt:
            interrupted = True
            break
        passed = passed and step_passed
        summaries.append(summary)
        progress.line(summary)
    if interrupted:
        stopped, *rest = names[len(summaries):]  # fmt: skip
        summaries += [f"{stopped:<8} interrupted", *(f"{name:<8} not run" for name in rest)]
    text = "\n".join(summaries) + "\n"
    (directory / "summary.txt").write_text(text, encoding="utf-8")
    progress.line("\nSummary:\n" + text.rstrip("\n"))
    return 130 if interrupted else 0 if passed else 1


def parse(arguments):
    parser = argparse.ArgumentParser(
        description="Run the slow checks and print one summary line for each."
    )
    parser.add_argument(
        "steps", nargs="*", metavar="STEP", help=f"steps to run (default: {' '.join(STEPS)})"
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N",
                        help="commands to run in parallel (default: %(default)s)")  # fmt: skip
    parser.add_argument("--fuzz-seconds", type=int, default=60, metavar="N",
                        help="seconds for each fuzz target (default: %(default)s)")  # fmt: skip
    parser.add_argument("--seeds", type=int, default=100_000, metavar="N",
                        help="worlds to simulate (default: %(default)s)")  # fmt: skip
    options = parser.parse_args(arguments)
    if unknown := [name for name in options.steps if name not in STEPS]:
        parser.error(f"unknown step {unknown[0]!r}: choose from {', '.join(STEPS)}")
    options.jobs = max(1, options.jobs)
    return options


def main(arguments):
    options = parse(arguments)
    directory = Path(os.path.relpath(ROOT / "build" / "verify"))
    return verify(options.steps or list(STEPS), STEPS, options, directory, sys.stdout)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
