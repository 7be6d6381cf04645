#!/usr/bin/env python3
"""Tests of check_style.py on small source trees. It is the test `style_self_test`."""

import contextlib
import io
import tempfile
import unittest
from pathlib import Path

import check_style

HEADER = "// Thing is a thing.\n#pragma once\n"

# (name, {path: contents}, the lines that must be printed)
CASES = [
    (
        "CleanTree",
        {"src/base/thing.h": HEADER, "src/base/thing.cc": '#include "base/thing.h"\n'},
        [],
    ),
    # Includes and namespaces.
    (
        "IncludeWithoutItsFolder",
        {"src/api/pod.cc": '#include "meta.h"\n'},
        ['src/api/pod.cc:1: "meta.h": write the whole path below src/'],
    ),
    ("IncludeInAComment", {"src/api/pod.cc": '// #include "meta.h"\n'}, []),
    (
        "NamespaceOfAnotherFolder",
        {"src/scheduler/queue/a.cc": "namespace berth::queue {\n}  // namespace berth::queue\n"},
        ["src/scheduler/queue/a.cc:2: namespace berth::queue: "
         "the folder's is berth::scheduler::queue"],
    ),
    (
        "PluginsInFoldersShareANamespace",
        {"src/scheduler/plugins/ports/a.cc": "}  // namespace berth::scheduler::plugins\n",
         "src/base/id.cc": "}  // namespace berth\n"},
        [],
    ),
    # Libraries: what is declared and what is included.
    (
        "IncludeThatIsNotDeclared",
        {"src/CMakeLists.txt": "berth_library(base)\nberth_library(api)\n",
         "src/api/pod.cc": '#include "base/id.h"\n'},
        ["src/api/pod.cc:1: api includes base, which it does not declare"],
    ),
    (
        "DeclarationWithoutAnInclude",
        {"src/CMakeLists.txt": "berth_library(base)\nberth_library(api USES base)\n",
         "src/api/pod.cc": "int x;\n"},
        ["src/CMakeLists.txt:2: api declares base, not included"],
    ),
    (
        "UseOfALaterLibrary",
        {"src/CMakeLists.txt": "berth_library(api USES base)\nberth_library(base)\n",
         "src/api/pod.cc": '#include "base/id.h"\n'},
        ["src/CMakeLists.txt:1: api uses base, which is declared after it"],
    ),
    (
        "BoundaryThroughOthers",
        {"src/CMakeLists.txt": "berth_library(apiserver/store)\n"
         "berth_library(runtime USES apiserver/store)\nberth_library(daemon USES runtime)\n",
         "src/runtime/a.cc": '#include "apiserver/store/store.h"\n',
         "src/daemon/a.cc": '#include "runtime/a.h"\n'},
        ["src/CMakeLists.txt:3: daemon → runtime → apiserver/store: "
         "the daemon never links the store"],
    ),
    (
        "TestsIncludeAnything",
        {"src/CMakeLists.txt": "berth_library(api)\n",
         "src/api/pod_test.cc": '#include "cmd/run.h"\n#include <thread>\n'},
        [],
    ),
    (
        "OwnHeaderIsNotFirst",
        {"src/api/pod.h": HEADER, "src/api/pod.cc": '#include <vector>\n#include "api/pod.h"\n'},
        ['src/api/pod.cc:1: the first include must be "api/pod.h"'],
    ),
    ("NoOwnHeader", {"src/cmd/berth_main.cc": "#include <vector>\n"}, []),
    # I/O, threads, time and randomness.
    (
        "EngineSideUsesThreads",
        {"src/scheduler/engine/cycle.cc": "#include <thread>\n#include <sys/socket.h>\n"},
        ["src/scheduler/engine/cycle.cc:1: <thread>: the engine side has no I/O and no threads",
         "src/scheduler/engine/cycle.cc:2: <sys/socket.h>: "
         "the engine side has no I/O and no threads"],
    ),
    ("NetUsesThreads", {"src/net/loop.cc": "#include <thread>\n"}, []),
    (
        "IostreamIsBannedEverywhere",
        {"src/cmd/run.cc": "#include <iostream>\n"},
        ["src/cmd/run.cc:1: <iostream>: use fmt"],
    ),
    (
        "ClockOutsideItsPlace",
        {"src/scheduler/config/load.cc": "auto t = std::chrono::steady_clock::now();\n"},
        ["src/scheduler/config/load.cc:1: steady_clock::now: only src/base/string_hash.cc, "
         "src/base/time.cc, src/client/, src/cmd/, src/daemon/, src/net/, "
         "src/runtime/recording_file.cc read time, randomness, environment or files"],
    ),
    (
        "EnvironmentOutsideItsPlace",
        {"src/simulation/driver.cc": 'auto home = std::getenv("HOME");\n'},
        ["src/simulation/driver.cc:1: getenv: only src/base/string_hash.cc, src/base/time.cc, "
         "src/client/, src/cmd/, src/daemon/, src/net/, src/runtime/recording_file.cc read time, "
         "randomness, environment or files"],
    ),
    (
        "ReadersMayRead",
        {"src/base/time.cc": "auto t = std::chrono::system_clock::now();\n",
         "src/cmd/run.cc": "std::ifstream in(path);\n",
         "src/net/tls.cc": "std::random_device device;\n"},
        [],
    ),
    (
        "PrintingWithoutEscapes",
        {"src/cmd/why.cc": 'fmt::print("{}", name);\nPrint("{}", name);\n',
         "src/cmd/up.cc": "std::fputs(text.c_str(), stderr);\n",
         "src/base/terminal.cc": '#include "base/terminal.h"\nstd::fputs(text, file);\n',
         "src/base/terminal.h": HEADER},
        ["src/cmd/up.cc:1: fputs: print with base/terminal.h, as strangers write names",
         "src/cmd/why.cc:1: fmt::print: print with base/terminal.h, as strangers write names"],
    ),
    ("CallsInCommentsAndStrings", {"src/api/pod.cc": '// getenv\nauto s = "getenv";\n'}, []),
    # Headers and names.
    (
        "HeaderWithoutComment",
        {"src/api/pod.h": "#pragma once\n"},
        ["src/api/pod.h:1: a header starts with a comment that says what it is"],
    ),
    (
        "HeaderWithoutPragma",
        {"src/api/pod.h": "// Pod is a pod.\n\n#include <vector>\n"},
        ["src/api/pod.h:3: #pragma once comes right after the opening comment"],
    ),
    ("EmptyHeader", {"src/api/pod.h": "// Pod is a pod.\n"}, ["src/api/pod.h:2: no #pragma once"]),
    (
        "UsingNamespace",
        {"tests/e2e/up_test.cc": "using namespace std;\n"},
        ["tests/e2e/up_test.cc:1: using namespace"],
    ),
    (
        "EmptyNames",
        {"src/api/pod.cc": "class PodManager;\nstruct StringUtils {};\nclass Managers;\n"},
        ["src/api/pod.cc:1: name says nothing: PodManager; name it after what it is",
         "src/api/pod.cc:2: name says nothing: StringUtils; name it after what it is"],
    ),
    # Text.
    (
        "Whitespace",
        {"docs/guide.md": "one \n\ttwo\nthree"},
        ["docs/guide.md:3: no newline at the end of the file",
         "docs/guide.md:1: trailing whitespace",
         "docs/guide.md:2: tab"],
    ),
    (
        "BlankLineAtTheEnd",
        {"docs/guide.md": "one\n\n"},
        ["docs/guide.md:2: blank line at the end of the file"],
    ),
    ("MakefileHasTabs", {"Makefile": "all:\n\ttrue\n"}, []),
    (
        "UnfinishedWork",
        {"CMakeLists.txt": "# TODO: more\n"},
        ["CMakeLists.txt:1: TODO: finish it, or open an issue"],
    ),
    (
        "MachinePaths",
        {"README.md": "see /home/me/berth\nfine: src/work/x, https://a.io/home/b, ./root/c\n"},
        ["README.md:1: path of one machine: /home/"],
    ),
    (
        "LongLine",
        {"src/api/pod.cc": "int " + "x" * 100 + ";\n", "scripts/long.sh": "#" * 101 + "\n"},
        ["scripts/long.sh:1: 101 columns; the limit is 100",
         "src/api/pod.cc:1: 105 columns; the limit is 100"],
    ),
    (
        "LongLiteralsAndLinksMayStickOut",
        {"src/api/pod.cc": f'auto s = "{"x" * 100}";\nauto r = R"(\n{"y" * 120}\n)";\n'
                           f"// https://example.org/{'z' * 100}\n"},
        [],
    ),
    (
        "DigitSeparatorsAreNotQuotes",
        {"src/api/pod.cc": "int a = 1'000;\nusing namespace std;\nint b = 2'000;\n"},
        ["src/api/pod.cc:2: using namespace"],
    ),
    (
        "LongFile",
        {"src/api/pod.cc": "int x;\n" * 701},
        ["src/api/pod.cc:701: 701 lines; the limit is 700: split the file"],
    ),
    (
        "OtherFilesAreLeftAlone",
        {"tests/data/pod.json": '{"path": "/home/x"} ', "build/x.cc": "\t"},
        [],
    ),
]  # fmt: skip


class CheckStyleTest(unittest.TestCase):
    def test_cases(self):
        for name, files, want in CASES:
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                for path, contents in files.items():
                    file = Path(folder, path)
                    file.parent.mkdir(parents=True, exist_ok=True)
                    file.write_text(contents, encoding="utf-8")
                output = io.StringIO()
                with contextlib.redirect_stdout(output):
                    code = check_style.main([folder])
                printed = output.getvalue().splitlines()
                if want:
                    self.assertEqual(printed[:-1], want)
                    self.assertRegex(printed[-1], rf"^{len(want)} violations?$")
                else:
                    self.assertEqual(printed, [])
                self.assertEqual(code, 1 if want else 0)


if __name__ == "__main__":
    unittest.main()
