#!/usr/bin/env python3
"""Tests of mutants.py, with sources and programs of a line. It is the test `mutants_self_test`."""

import contextlib
import io
import stat
import tempfile
import unittest
from pathlib import Path

import mutants
from mutants import Mutant


def mutant(number, old, new, reason="", source="engine/a.cc"):
    return Mutant(number, f"m{number}", source, old, new, reason, "engine.toml")


class TablesTest(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)

    def read(self, text):
        (self.directory / "engine.toml").write_text(text, encoding="utf-8")
        return mutants.read_tables(self.directory)

    def test_reads_mutants_by_source(self):
        read = self.read(
            "['engine/a.cc']\none = ['a < b', 'a <= b']\n"
            "['queue/b.cc']\ntwo = ['x();', '', 'x does nothing']\n"
        )
        self.assertEqual([str(m) for m in read], ["engine/one", "queue/two"])
        self.assertEqual([m.number for m in read], [1, 2])
        self.assertEqual(read[1].reason, "x does nothing")

    def test_refuses_what_is_no_mutant(self):
        for text, problem in {
            "['engine/a.h']\none = ['a', 'b']\n": "engine/a.h: only .cc files",
            "['engine/a.cc']\none = ['a']\n": r"one: want \[old, new\]",
            "['engine/a.cc']\none = ['a(', 'b(']\n": "one: is no whole expression",
            "['a.cc']\none = ['a', 'b']\n['b.cc']\none = ['a', 'b']\n": "one: engine.toml has",
            "['engine/a.cc'\n": "engine.toml: ",
        }.items():
            with self.subTest(text), self.assertRaisesRegex(mutants.Wrong, problem):
                self.read(text)


class WithMutantsTest(unittest.TestCase):
    def change(self, text, *of):
        """Returns the changed source without what is put before it."""
        return mutants.with_mutants(text, list(of), "a.cc").split("\n", 2)[2]

    def test_expressions_and_statements(self):
        self.assertEqual(
            self.change("if (a < b) go();", mutant(7, "a < b", "a <= b")),
            "if ((berth::mutants::active == 7 ? (a <= b) : (a < b))) go();",
        )
        self.assertEqual(
            self.change("if (a) go(); else stop();", mutant(7, "go();", "")),
            "if (a) { if (berth::mutants::active == 7) {  } else { go(); } } else stop();",
        )
        self.assertEqual(
            self.change("if (a) { go(); }", mutant(7, "if (a) { go(); }", "go();")),
            "{ if (berth::mutants::active == 7) { go(); } else { if (a) { go(); } } }",
        )
        self.assertEqual(
            self.change("x = Row{1};", mutant(7, "Row{1}", "Row{2}")),
            "x = (berth::mutants::active == 7 ? (Row{2}) : (Row{1}));",
        )

    def test_white_space_of_the_source_does_not_matter(self):
        self.assertIn("(a <\n    b)", self.change("x = a <\n    b;", mutant(1, "a < b", "true")))

    def test_mutants_of_one_place_and_inside_of_another(self):
        self.assertEqual(
            self.change("x = a && b;", mutant(1, "a && b", "a"), mutant(2, "a && b", "b"),
                        mutant(3, "x = a && b;", "")),
            "{ if (berth::mutants::active == 3) {  } else { x = "
            "(berth::mutants::active == 1 ? (a) : "
            "berth::mutants::active == 2 ? (b) : (a && b)); } }",
        )  # fmt: skip

    def test_names_the_mutant_that_does_not_fit(self):
        for text, problem in {
            "x = b;": "engine.toml: m1: is not found in engine/a.cc: a",
            "x = a + a;": "engine.toml: m1: is found 2 times in engine/a.cc: a",
        }.items():
            with self.subTest(text), self.assertRaisesRegex(mutants.Wrong, problem):
                self.change(text, mutant(1, "a", "b"))
        with self.assertRaisesRegex(mutants.Wrong, "m1 and m2 overlap"):
            self.change("x = a + b + c;", mutant(1, "a + b", "a"), mutant(2, "b + c", "c"))

    def test_brackets(self):
        for code in ["f(a[0], {1})", 'f("(")', ""]:
            self.assertTrue(mutants.is_whole(code), code)
        for code in ["f(", "} else {", "(]", "f(a), b"]:
            self.assertFalse(mutants.is_whole(code), code)


class RewriterTest(unittest.TestCase):
    """The commands are those that ninja prints for the release build."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.release = Path(directory.name)
        self.unit = self.release / "src/CMakeFiles/x.dir/Unity/unity_0.cxx"
        self.unit.parent.mkdir(parents=True)
        self.source = mutants.SOURCES / "engine/a.cc"
        self.unit.write_text(f'#include "{self.source}"\n#include "/b.cc"\n', encoding="utf-8")
        self.rewriter = mutants.Rewriter([self.source], self.release, Path("/out"))

    def commands(self):
        return [command for _, _, command, _ in self.rewriter.edges]

    def test_what_contains_a_mutant_is_built_again_elsewhere(self):
        object_ = "src/CMakeFiles/x.dir/Unity/unity_0.cxx.o"
        unit, text = self.rewriter.add(f"c++ -MF {object_}.d -o {object_} -c {self.unit}")
        self.assertEqual(unit, "/out/units/src/CMakeFiles/x.dir/Unity/unity_0.cxx")
        self.assertEqual(text, '#include "/out/sources/engine/a.cc"\n#include "/b.cc"\n')
        self.rewriter.add("c++ -o src/other.o -c /b.cc")
        self.rewriter.add(f": && rm -f src/libx.a && ar qc src/libx.a {object_} && :")
        self.rewriter.add(": && ar qc src/liby.a src/other.o && :")
        self.rewriter.add(": && c++ src/t.o -o src/t src/libx.a src/liby.a && cmake -D T=src/t")
        self.assertEqual(
            self.commands(),
            [f"c++ -MF /out/{object_}.d -o /out/{object_} -w -c {unit}",
             f": && rm -f /out/src/libx.a && ar qc /out/src/libx.a /out/{object_} && :",
             "c++ src/t.o -o /out/src/t /out/src/libx.a src/liby.a /out/mutants.o"],
        )  # fmt: skip

    def test_tests_start_the_programs_with_mutants(self):
        self.rewriter.add(f'c++ -DBINARY=\\"{self.release}/src/berth\\" -o t.o -c /t.cc')
        moved = 'c++ -DBINARY=\\"/out/src/berth\\" -o /out/t.o -w -c /t.cc'
        self.assertEqual(self.commands(), [moved])


class TryAllTest(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)

    def program(self, name, script):
        path = self.directory / name
        path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return mutants.Program(name, path, [])

    def try_all(self, chosen, *programs):
        out = io.StringIO()
        passed = mutants.try_all(chosen, list(programs), 2, out=out)
        return passed, out.getvalue()

    def test_says_who_notices_and_who_survives(self):
        sees = self.program(
            "scheduler_engine_tests",
            'case "$BERTH_MUTANT" in m1) echo "[  FAILED  ] Suite.Test (0 ms)"; exit 1;; '
            "m2) kill -9 $$;; esac",
        )
        chosen = [mutant(number, "old", "new") for number in (1, 2, 3)]
        passed, text = self.try_all(chosen, sees)
        self.assertFalse(passed)
        self.assertIn("engine/m1: noticed by scheduler_engine_tests (Suite.Test)", text)
        self.assertIn("engine/m2: noticed by scheduler_engine_tests (signal 9)", text)
        self.assertIn("engine/m3: unnoticed\n  engine/a.cc\n  - old\n  + new\n", text)
        self.assertRegex(text, r"(?m)^engine +3 +2 +0 +1$")
        self.assertTrue(text.endswith("3 changes, 2 noticed, 0 equivalent, 1 unnoticed\n"))

    def test_a_reason_must_be_true(self):
        sees = self.program("scheduler_engine_tests", '[ "$BERTH_MUTANT" != m1 ]')
        passed, text = self.try_all([mutant(2, "old", "new", "the same")], sees)
        self.assertTrue(passed)
        self.assertIn("engine/m2: equivalent", text)
        passed, text = self.try_all([mutant(1, "old", "new", "the same")], sees)
        self.assertFalse(passed)
        self.assertIn("but its reason says that nothing can notice it", text)

    def test_tests_of_the_library_come_first_and_others_follow(self):
        own = self.program("scheduler_engine_tests", "true")
        other = self.program("scheduler_queue_tests", "exit 1")
        own.seconds = 9
        passed, text = self.try_all([mutant(1, "old", "new")], other, own)
        self.assertTrue(passed)
        self.assertIn("noticed by scheduler_queue_tests (fails)", text)
        self.assertEqual(mutants.order_for(mutant(1, "a", "b"), [other, own]), [own, other])

    def test_a_program_that_does_not_end_notices(self):
        hangs = self.program("scheduler_engine_tests", "sleep 600")
        self.assertEqual(
            mutants.run(hangs, "m1", 0.1), "scheduler_engine_tests (does not end)"
        )  # fmt: skip

    def test_programs_must_pass_without_a_mutant(self):
        bad = self.program("scheduler_engine_tests", "exit 3")
        with self.assertRaisesRegex(mutants.Wrong, "without a mutant, scheduler_engine_tests"):
            mutants.measure([bad], 1)

    def test_unknown_patterns(self):
        chosen = [mutant(1, "a", "b"), mutant(2, "a", "b", source="queue/b.cc")]
        self.assertEqual(mutants.select(chosen, ["queue/*"]), chosen[1:])
        self.assertEqual(mutants.select(chosen, ["m1"]), chosen[:1])
        with self.assertRaisesRegex(mutants.Wrong, "no mutant matches x"):
            mutants.select(chosen, ["x"])

    def test_wrong_tables_end_with_code_2(self):
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors):
            self.assertEqual(mutants.main(["--check", "no-such-mutant"]), 2)
        self.assertIn("no mutant matches no-such-mutant", errors.getvalue())


if __name__ == "__main__":
    unittest.main()
