#!/usr/bin/env python3
"""Tests of verify.py, with steps that take no time. It is the test `verify_self_test`."""

import argparse
import contextlib
import io
import sys
import tempfile
import unittest
from pathlib import Path

import verify

OPTIONS = argparse.Namespace(jobs=2, fuzz_seconds=1, seeds=10)


def python(code):
    """Returns a step that runs `code` in a Python of its own."""
    return lambda run, options: run.command("script", sys.executable, "-c", code)


def lines(run):
    return f"{run.count('line')} lines"


def interrupt(run, options):
    raise KeyboardInterrupt


class VerifyTest(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name) / "verify"

    def verify(self, **steps):
        """Runs the steps; returns the exit code and the lines of the summary."""
        steps = {name: (step, lines) for name, step in steps.items()}
        out = io.StringIO()
        code = verify.verify(list(steps), steps, OPTIONS, self.directory, out)
        text = (self.directory / "summary.txt").read_text(encoding="utf-8")
        self.assertTrue(out.getvalue().endswith("Summary:\n" + text))
        return code, text.splitlines()

    def test_passes_if_all_steps_pass(self):
        code, summary = self.verify(one=python("print('line 1\\nline 2')"), two=python(""))
        self.assertEqual(code, 0)
        self.assertRegex(summary[0], r"^one +passed +[0-9]+ s  2 lines$")
        self.assertRegex(summary[1], r"^two +passed +[0-9]+ s  0 lines$")

    def test_goes_on_after_a_failed_step(self):
        bad = python("print('line'); raise SystemExit(3)")
        code, summary = self.verify(bad=bad, good=python(""))
        self.assertEqual(code, 1)
        self.assertRegex(summary[0], r"^bad +FAILED .* 1 lines  \(script failed: exit code 3; see ")
        self.assertRegex(summary[1], r"^good +passed")
        self.assertIn("line\n", (self.directory / "bad.log").read_text(encoding="utf-8"))

    def test_names_the_signal_that_ended_a_command(self):
        code, summary = self.verify(bad=python("import os; os.abort()"))
        self.assertEqual(code, 1)
        self.assertIn("script failed: SIGABRT", summary[0])

    def test_a_missing_program_fails_its_step_only(self):
        code, summary = self.verify(
            bad=lambda run, options: run.command("tool", "/no/such/program"), good=python("")
        )
        self.assertEqual(code, 1)
        self.assertIn("/no/such/program: No such file or directory", summary[0])
        self.assertRegex(summary[1], r"^good +passed")

    def test_says_what_an_interrupt_left_out(self):
        code, summary = self.verify(one=python(""), two=interrupt, three=python(""))
        self.assertEqual(code, 130)
        self.assertRegex(summary[0], r"^one +passed")
        self.assertEqual(summary[1:], ["two      interrupted", "three    not run"])

    def test_stops_running_commands(self):
        run = verify.Run("one", io.StringIO(), verify.Progress(io.StringIO()))
        code = "import time; print('line', flush=True); time.sleep(600)"
        run.report = lambda text: run.stop()
        with self.assertRaisesRegex(verify.Failed, "SIGTERM"):
            run.command("script", sys.executable, "-c", code)
        with self.assertRaisesRegex(verify.Failed, "interrupted"):
            run.command("script", sys.executable, "-c", code)


class CountsTest(unittest.TestCase):
    """What the counts read from the output of real tools."""

    def counts(self, step, *output):
        run = verify.Run(step, io.StringIO(), verify.Progress(io.StringIO()))
        run.lines = list(output)
        return verify.STEPS[step][1](run)

    def test_ctest(self):
        line = "99% tests passed, 2 tests failed out of 1234"
        self.assertEqual(self.counts("asan", line), "1234 tests, 2 failed")

    def test_fuzz(self):
        passed, failed = "== json: passed, 1500 inputs in 60 seconds", "== url: FAILED, see x"
        self.assertEqual(self.counts("fuzz", passed, failed), "2 targets, 1 failed, 1,500 inputs")

    def test_tidy_counts_a_finding_in_a_header_once(self):
        finding = "src/a.h:3:4: error: wrong [bugprone-x,-warnings-as-errors]"
        self.assertEqual(
            self.counts("tidy", "[9/10] src/a.cc", finding,
                        "[10/10] src/b.cc", finding),
            "2 units, 1 findings",
        )  # fmt: skip

    def test_simtest_adds_up_its_parts(self):
        part = "5000 seeds, 1 failed; 900 decisions, 268 binds, 15 victims, 16 restarts"
        counts = self.counts("simtest", part, part)
        self.assertEqual(counts, "10,000 worlds, 2 failed, 1,800 decisions")


    def test_mutants(self):
        line = "213 changes, 210 noticed, 1 equivalent, 2 unnoticed"
        self.assertEqual(self.counts("mutants", line), "213 changes, 2 unnoticed")


class ParseTest(unittest.TestCase):
    def test_refuses_unknown_steps(self):
        error = io.StringIO()
        with self.assertRaises(SystemExit) as exit_, contextlib.redirect_stderr(error):
            verify.parse(["asan", "nonsense"])
        self.assertEqual(exit_.exception.code, 2)
        self.assertIn("unknown step 'nonsense': choose from simtest, mutants", error.getvalue())

    def test_runs_all_steps_unless_some_are_named(self):
        self.assertEqual(verify.parse([]).steps, [])
        self.assertEqual(verify.parse(["asan", "simtest"]).steps, ["asan", "simtest"])


if __name__ == "__main__":
    unittest.main()
