#!/usr/bin/env python3
"""Installs Berth's libraries into a folder, builds examples/ against them and runs what was built.

    tests/install/examples_test.py --build BUILD [--cmake CMAKE] [-- CMAKE_ARGUMENT...]

BUILD is Berth's build folder, with everything built; the installed copy and the examples go below
it. The other arguments configure the examples, for example with the compiler to use.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import time
import unittest
import urllib.request
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent.parent
EXAMPLES = SOURCE / "examples"
TIMEOUT = 60  # Seconds, for what takes a fraction of one.


def run(*command):
    """Runs a command to its end; its output is a part of the failure."""
    return subprocess.run(
        [str(word) for word in command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


def must(*command):
    done = run(*command)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}:\n{done.stdout}")
    return done.stdout


def build_examples(options):
    """Returns the folder with a folder of programs for each example."""
    prefix = options.build / "installed"
    # Afresh, so that no header of an earlier version hides that one is missing.
    shutil.rmtree(prefix, ignore_errors=True)
    must(options.cmake, "--install", options.build, "--prefix", prefix,
         "--component", "development")  # fmt: skip
    built = options.build / "examples"
    for example in ("custom-scheduler", "embedding"):
        must(options.cmake, "-S", EXAMPLES / example, "-B", built / example, "-G", "Ninja",
             f"-DCMAKE_PREFIX_PATH={prefix}", *options.arguments)  # fmt: skip
        must(options.cmake, "--build", built / example)
    return built


class Program:
    """A program that runs until the test ends it."""

    def __init__(self, *command):
        self.process = subprocess.Popen(
            [str(word) for word in command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def wait_for(self, pattern):
        for line in self.process.stdout:
            if found := re.search(pattern, line):
                return found
        raise AssertionError(f"ended without printing {pattern}")

    def end(self):
        self.process.terminate()
        self.process.communicate(timeout=TIMEOUT)
        return self.process.returncode


class Embedding(unittest.TestCase):
    def test_prints_its_decisions(self):
        expected = (EXAMPLES / "embedding/expected.txt").read_text(encoding="utf-8")
        self.assertEqual(must(BUILT / "embedding/embedding"), expected)


    def test_the_guide_shows_its_code_and_output(self):
        guide = (SOURCE / "docs/embedding.md").read_text(encoding="utf-8")
        code = (EXAMPLES / "embedding/main.cc").read_text(encoding="utf-8")
        blocks = re.findall(r"```cpp\n(.*?)```", guide, re.DOTALL)
        self.assertGreater(len(blocks), 0)
        for block in blocks:
            self.assertIn(block, code)
        self.assertIn((EXAMPLES / "embedding/expected.txt").read_text(encoding="utf-8"), guide)


class CustomScheduler(unittest.TestCase):
    folder = EXAMPLES / "custom-scheduler"
    config = folder / "scheduler.yaml"

    def program(self, name):
        return BUILT / "custom-scheduler" / name

    def test_has_the_flags_of_the_scheduler(self):
        self.assertIn("--leader-elect", must(self.program("custom-scheduler"), "--help"))

    def test_configurations_may_name_the_plugin(self):
        printed = must(self.program("custom-berth"), "config", "validate", self.config)
        self.assertEqual(printed, f"{self.config}: valid\n")
        shown = must(self.program("custom-berth"), "config", "show", self.config)
        self.assertIn("maxPrice: 50", shown)

    def test_the_plugin_validates_its_arguments(self):
        bad = BUILT / "bad.yaml"
        text = self.config.read_text(encoding="utf-8").replace("maxPrice: 50", "maxPrice: low")
        bad.write_text(text, encoding="utf-8")
        reason = 'initializing plugin "NodePrice": maxPrice: must be an integer greater than 0'
        for command in (
            [self.program("custom-berth"), "config", "validate", bad],
            [self.program("custom-scheduler"), "--config", bad, "--master", "http://127.0.0.1:1"],
        ):
            done = run(*command)
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertIn(reason, done.stdout.replace('\\"', '"'))

    def test_decides_offline(self):
        printed = must(self.program("custom-berth"), "schedule", "-f", self.folder / "cluster.yaml",
                       "--config", self.config, "--paranoid", "-o", "json")  # fmt: skip
        pods = {pod["name"]: pod for pod in json.loads(printed)["pods"]}
        self.assertEqual(pods["web"]["node"], "cheap")
        self.assertIn("1 node(s) had no price", pods["giant"]["message"])
        self.assertIn("1 node(s) were too expensive", pods["giant"]["message"])

    def test_replays_its_recordings(self):
        recording = BUILT / "recording"
        must(self.program("custom-berth"), "schedule", "-f", self.folder / "cluster.yaml",
             "--config", self.config, "--record", recording)  # fmt: skip
        self.assertIn("\nidentical\n", must(self.program("custom-berth"), "replay", recording))

    def test_decides_in_a_cluster(self):
        self.check_cluster(["--scheduler", "none"], with_daemon=True)

    def test_decides_in_berth_up(self):
        for scheduler in ("embedded", "http"):
            with self.subTest(scheduler):
                self.check_cluster(["--scheduler", scheduler, "--config", self.config])

    def check_cluster(self, arguments, with_daemon=False):
        cluster = Program(self.program("custom-berth"), "up", "--port", "0",
                          "-f", self.folder / "cluster.yaml", *arguments)  # fmt: skip
        scheduler = None
        try:
            url = cluster.wait_for(r"listening on (http://\S+)")[1]
            if with_daemon:
                scheduler = Program(self.program("custom-scheduler"), "--config", self.config,
                                    "--master", url, "--secure-port", "0")  # fmt: skip
            self.assertEqual(self.wait_for_node(url, "web"), "cheap")
        finally:
            if scheduler is not None:
                self.assertEqual(scheduler.end(), 0)
            self.assertEqual(cluster.end(), 0)

    def wait_for_node(self, url, pod):
        deadline = time.monotonic() + TIMEOUT
        while time.monotonic() < deadline:
            path = f"{url}/api/v1/namespaces/default/pods/{pod}"
            with urllib.request.urlopen(path, timeout=TIMEOUT) as response:
                if node := json.load(response)["spec"].get("nodeName"):
                    return node
            time.sleep(0.05)
        raise AssertionError(f"pod {pod} is not bound")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--build", type=lambda path: Path(path).resolve(), required=True)
    parser.add_argument("--cmake", default="cmake")
    parser.add_argument("arguments", nargs="*")
    return parser.parse_args()


if __name__ == "__main__":
    BUILT = build_examples(parse_arguments())
    unittest.main(argv=sys.argv[:1])
