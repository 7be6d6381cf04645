#!/usr/bin/env python3
"""Counts the instructions of one decision, for kinds of pods: `scripts/instructions.py bin/berth`.

With two programs, prints what the second costs compared with the first. The counts repeat exactly,
on a noisy machine too. Requires valgrind. A decision is what one more pod costs: each kind is run
with two numbers of pods, and the difference of the counts is divided by that of the pods.
"""
import argparse
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
FEW, MANY = 500, 2500
SYNTHETIC = {
    "copies": ["--classes", "1"],
    "each its own class": ["--classes", "each"],
    "mixed": ["--classes", "200", "--mix", "mixed"],
    "spread": ["--classes", "20", "--mix", "spread"],
    "affinity": ["--classes", "20", "--mix", "affinity"],
    "preemption": ["--classes", "20", "--mix", "preemption"],
    "volumes": ["--classes", "20", "--mix", "volumes"],
    "devices": ["--classes", "20", "--mix", "devices"],
}


def instructions(program, arguments):
    with tempfile.TemporaryDirectory() as folder:
        command = ["valgrind", "--tool=cachegrind", "--cache-sim=no",
                   f"--cachegrind-out-file={folder}/out", program, "bench", *arguments]  # fmt: skip
        run = subprocess.run(command, capture_output=True, text=True)
    found = re.search(r"I\s+refs:\s+([\d,]+)", run.stderr)
    if run.returncode != 0 or not found:
        sys.exit(f"{' '.join(command)} failed:\n{run.stdout}{run.stderr}")
    return int(found[1].replace(",", ""))


def per_decision(program, arguments, nodes):
    few, many = (
        instructions(program, ["--nodes", str(nodes), "--pods", str(pods), *arguments])
        for pods in (FEW, MANY)
    )
    return (many - few) / (MANY - FEW)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("programs", nargs="+", help="one berth program, or two to compare")
    parser.add_argument("--nodes", type=int, default=2000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", help="only kinds that match this regular expression")
    options = parser.parse_args()
    kinds = {k: v for k, v in SYNTHETIC.items() if not options.only or re.search(options.only, k)}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        runs = {
            (kind, program): pool.submit(per_decision, program, arguments, options.nodes)
            for kind, arguments in kinds.items()
            for program in options.programs
        }
        sums = [0.0] * len(options.programs)
        for kind in kinds:
            counts = [runs[kind, program].result() for program in options.programs]
            sums = [a + b for a, b in zip(sums, counts)]
            show(kind, counts)
    show("sum", sums)


def show(kind, counts):
    row = f"{kind:20}" + "".join(f"{count:14,.0f}" for count in counts)
    if len(counts) == 2:
        row += f"{100 * (counts[1] / counts[0] - 1):+9.1f} %"
    print(row, flush=True)


if __name__ == "__main__":
    main()
