#!/usr/bin/env python3
"""Tests the renderer of scripts/: the template language, values and schemas.

What is expected here is what Go, sprig and Helm make of it; they are not there to ask.
"""

import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "scripts"))
sys.dont_write_bytecode = True

import chart_schema  # noqa: E402
import render_chart  # noqa: E402
from go_template import TemplateError, Templates  # noqa: E402

DATA = {
    "Name": "web",
    "Empty": "",
    "Count": 3.0,
    "Big": 5e6,
    "On": True,
    "Off": False,
    "None": None,
    "List": ["a", "b"],
    "Map": {"z": 1.0, "a": "x"},
    "Has": {"Method": lambda name: name == "yes"},
}

RENDERED = [
    ("text only", "text only"),
    ("{{ .Name }}", "web"),
    ("a\n  {{- .Name }}\n", "aweb\n"),
    ("{{ .Name -}}\n\n b", "webb"),
    ("{{- /* a comment, with }} */ -}} x", "x"),
    ("{{ .Count }} {{ .On }} {{ 7 }} {{ \"q\\\"\" }} {{ `raw` }}", "3 true 7 q\" raw"),
    ("{{ .Map.a }}{{ $.Name }}", "xweb"),
    ("{{ if .Off }}1{{ else if .On }}2{{ else }}3{{ end }}", "2"),
    ("{{ if .Empty }}1{{ end }}{{ if .List }}2{{ end }}{{ if .None }}3{{ end }}", "2"),
    ("{{ with .Map }}{{ .a }}{{ $.Name }}{{ else }}n{{ end }}", "xweb"),
    ("{{ with .Empty }}{{ . }}{{ else }}n{{ .Name }}{{ end }}", "nweb"),
    ("{{ with $x := .Name }}{{ $x }}{{ end }}", "web"),
    ("{{ range .List }}[{{ . }}]{{ end }}", "[a][b]"),
    ("{{ range $i, $v := .List }}{{ $i }}{{ $v }}{{ end }}", "0a1b"),
    ("{{ range $k, $v := .Map }}{{ $k }}={{ $v }};{{ end }}", "a=x;z=1;"),
    ("{{ range .None }}x{{ else }}none{{ end }}", "none"),
    ("{{ $x := .Name }}{{ if .On }}{{ $x := \"y\" }}{{ $x }}{{ end }}{{ $x }}", "yweb"),
    ("{{ .Name | quote }} {{ quote .Name }}", '"web" "web"'),
    ("{{ .Empty | default \"d\" | quote }} {{ default 5 .None }}", '"d" 5'),
    ("{{ eq .Name \"web\" }}{{ ne .Name \"web\" }}{{ not .On }}", "truefalsefalse"),
    ("{{ gt (int .Count) 2 }}{{ and .On .Name }}{{ or .Empty .Name }}", "truewebweb"),
    ("{{ and .Off (fail \"never\") }}{{ or .On (fail \"never\") }}", "falsetrue"),
    ("{{ printf \"%s-%d\" .Name (int .Count) }}", "web-3"),
    ("{{ toYaml .Map }}", "a: x\nz: 1"),
    ("x:{{ toYaml .List | nindent 2 }}", "x:\n  - a\n  - b"),
    ("{{ .Big | toYaml }} {{ int .Big }}", "5000000 5000000"),
    ("{{ hasKey .Map \"a\" }}{{ hasKey .Map \"b\" }}", "truefalse"),
    ("{{ .Has.Method \"yes\" }}{{ if .Has.Method \"no\" }}x{{ end }}", "true"),
    ("{{ define \"t\" }}<{{ . }}>{{ end }}{{ include \"t\" .Name | quote }}", '"<web>"'),
    ("{{ trunc 2 .Name }}{{ trimSuffix \"b\" .Name }}{{ contains \"e\" .Name }}", "wewetrue"),
    ("{{ required \"needed\" .Name }}", "web"),
    ("{{ \"\" | sha256sum | trunc 8 }}", "e3b0c442"),
]

REFUSED = [
    ("{{ .Name", "1: braces"),
    ("a\n{{ nosuch .Name }}", "2: unknown function 'nosuch'"),
    ("{{ .Name.Field }}", "1: field Field of 'web'"),
    ("{{ .Missing.Field }}", "1: field Field of nothing"),
    ("{{ .Missing }}", "1: would print nothing"),
    ("{{ .None }}", "1: would print nothing"),
    ("{{ .Big }}", "1: would print 5000000.0"),
    ("{{ .List }}", "1: would print"),
    ("{{ $x }}", "1: undefined variable $x"),
    ("{{ if .On }}{{ $x := 1 }}{{ end }}{{ $x }}", "1: undefined variable $x"),
    ("\n\n{{ if .On }}", "3: the action is not closed"),
    ("{{ end }}", "1: unexpected end"),
    ("{{ if .On }}{{ else }}{{ else }}{{ end }}", "1: unexpected else"),
    ("{{ with .On }}{{ else if .Off }}{{ end }}", "1: 'else if .Off' is not supported"),
    ("{{ template \"t\" . }}", "1: unknown function 'template'"),
    ("{{ block \"t\" . }}{{ end }}", "1: "),
    ("{{ break }}", "1: unknown function 'break'"),
    ("{{ $x = 1 }}", "1: cannot read '= 1'"),
    ("{{ eq .Count 3 }}", "1: incompatible types"),
    ("{{ (.Map).a }}", "1: a field of a parenthesis"),
    ("{{ range $a, $b, $c := .List }}{{ end }}", "1: too many variables"),
    ("{{ range .Name }}{{ end }}", "1: range over 'web'"),
    ("{{ range .Empty }}{{ end }}", "1: range over ''"),
    ("{{ hasKey .Name \"w\" }}", "1: hasKey: "),
    ("{{ trunc -2 .Name }}", "1: trunc from the end"),
    ("{{ trunc 2 .None }}", "1: trunc: "),
    ("{{ if .On }}{{ define \"t\" }}{{ end }}{{ end }}", "1: define is allowed at the top"),
    ("{{ define \"t\" }}{{ end }}{{ define \"t\" }}{{ end }}", "1: 't' is defined twice"),
    ("{{ define \"t\" }}{{ include \"t\" . }}{{ end }}{{ include \"t\" . }}", "without end"),
    ("{{ include \"nosuch\" . }}", "1: no template 'nosuch'"),
    ("{{ .Name \"x\" }}", "1: arguments for something that is not a function"),
    ("{{ .Name | }}", "1: unexpected 'end'"),
    ("{{ (.Name }}", "1: expected ')'"),
    ("{{ \"\\x\" }}", "1: unknown escape"),
    ("{{ quote .Count }}", "1: quote of 3.0"),
    ("{{ printf \"%v\" .Name }}", "1: printf '%v'"),
    ("{{ required \"image needed\" .Empty }}", "1: image needed"),
    ("{{ fail \"no\" }}", "1: no"),
    ("{{ .Name }} }}", "1: braces"),
]


def render(text):
    templates = Templates(render_chart.FUNCTIONS)
    templates.parse("test", text)
    return templates.render("test", DATA)


class Language(unittest.TestCase):
    def test_renders_as_go_does(self):
        for text, expected in RENDERED:
            with self.subTest(text):
                self.assertEqual(render(text), expected)

    def test_refuses_the_rest_with_its_line(self):
        for text, message in REFUSED:
            with self.subTest(text):
                with self.assertRaises(TemplateError) as raised:
                    print(render(text))
                self.assertIn(message, str(raised.exception))


class Values(unittest.TestCase):
    def test_later_values_win(self):
        merged = render_chart.merged({"a": {"b": 1, "c": 2}, "d": [1]}, {"a": {"b": 3}, "d": []})
        self.assertEqual(merged, {"a": {"b": 3, "c": 2}, "d": []})
        self.assertEqual(render_chart.merged({"a": 1, "b": 2}, {"a": None}), {"b": 2})

    def test_settings(self):
        parse = render_chart.parse_setting
        self.assertEqual(parse("a.b=x=y"), {"a": {"b": "x=y"}})
        self.assertEqual(parse(r"a\.b=1"), {"a.b": 1})
        self.assertEqual(parse("a=true"), {"a": True})
        self.assertEqual(parse("a=007"), {"a": "007"})
        self.assertEqual(parse(r"a=x\,y"), {"a": "x,y"})
        for wrong in ("a", "=1", "a[0]=1", "a={x,y}", "a=1,b=2", "a,b=1"):
            with self.assertRaises(render_chart.ChartError, msg=wrong):
                parse(wrong)

    def test_keys_that_occur_twice_are_refused(self):
        with self.assertRaisesRegex(render_chart.ChartError, "f.yaml: 'a' occurs twice.*line 1"):
            render_chart.load_yaml("a: 1\na: 2\n", "f.yaml")


class CommandLine(unittest.TestCase):
    CHART = Path(__file__).resolve().parent.parent.parent / "deploy" / "chart"

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="berth-render-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def run_with(self, *arguments, chart=CHART):
        command = [sys.executable, render_chart.__file__, chart, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def test_values_of_files_and_settings(self):
        first, second = self.folder / "1.yaml", self.folder / "2.yaml"
        first.write_text("replicas: 5\npriorityClassName: first\nextraArgs: [--dashboard]\n")
        second.write_text("replicas: 6\npriorityClassName: second\n")
        done = self.run_with("-f", first, "-f", second, "--set", "replicas=7", "--name", "x",
                             "--namespace", "n", "--version", "4.5.6")  # fmt: skip
        for text in ("replicas: 7\n", "priorityClassName: second\n", '- "--dashboard"\n',
                     "name: x-scheduler\n", "namespace: n\n", "berth-scheduler:4.5.6"):  # fmt: skip
            self.assertIn(text, done.stdout)
        kinds = re.findall(r"^kind: (\w+)", done.stdout, re.M)
        self.assertEqual(kinds[-1], "Deployment")
        self.assertLess(kinds.index("ConfigMap"), kinds.index("ClusterRole"))

    def test_output_has_a_file_for_each_template(self):
        done = self.run_with("--output", self.folder / "out", "--set", "mode=shadow")
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        names = {path.name for path in (self.folder / "out").iterdir()}
        self.assertEqual(names, {"serviceaccount.yaml", "configmap.yaml", "rbac.yaml",
                                 "service.yaml", "deployment.yaml"})  # fmt: skip
        only = self.run_with("--show-only", "service.yaml", "--set", "mode=shadow")
        self.assertEqual(only.stdout, (self.folder / "out" / "service.yaml").read_text())

    def test_errors_name_the_place(self):
        broken = self.folder / "broken.yaml"
        broken.write_text("replicas: [\n")
        listed = self.folder / "list.yaml"
        listed.write_text("- 1\n")
        for arguments, message in [
            (["--set", "mode=x"], "values: mode: 'x' is not one of"),
            (["--set", "mode"], "--set mode: expected one NAME.NAME=VALUE"),
            (["-f", broken], "broken.yaml: while parsing"),
            (["-f", listed], "list.yaml: not an object"),
            (["-f", self.folder / "none"], "none"),
            (["--show-only", "x.yaml"], "--show-only x.yaml: nothing is rendered by that name"),
            (["--set", "hostNetwork=true"], "_configuration.tpl:"),
        ]:
            with self.subTest(message):
                done = self.run_with(*arguments)
                self.assertEqual((done.returncode, done.stdout), (1, ""))
                self.assertTrue(done.stderr.startswith("render_chart.py: "), done.stderr)
                self.assertIn(message, done.stderr)
        done = self.run_with(chart=self.folder)
        self.assertIn("no Chart.yaml: not a chart", done.stderr)


class Schema(unittest.TestCase):
    def check(self, schema, value):
        chart_schema.check_keywords(schema)
        return list(chart_schema.problems(value, schema))

    def test_says_what_is_wrong_and_where(self):
        schema = {
            "type": "object",
            "additionalProperties": False,
            "required": ["mode"],
            "properties": {
                "mode": {"enum": ["a", "b"]},
                "count": {"type": "integer", "minimum": 1, "maximum": 5},
                "names": {"type": "array", "minItems": 1, "items": {"$ref": "#/definitions/name"}},
                "any": {"type": "object", "additionalProperties": {"type": ["string", "number"]}},
            },
            "definitions": {"name": {"type": "string", "pattern": "^[a-z]*$", "minLength": 1}},
        }
        good = {"mode": "a", "count": 5.0, "names": ["x"], "any": {"a": "b", "c": 1.5}}
        self.assertEqual(self.check(schema, good), [])
        for wrong, problem in [
            ({}, "mode: is missing"),
            ({"mode": "c"}, "mode: 'c' is not one of 'a', 'b'"),
            ({"mode": "a", "x": 1}, "x: unknown; known here: mode, count, names, any"),
            ({"mode": "a", "count": "1"}, "count: '1' is not of type integer"),
            ({"mode": "a", "count": 1.5}, "count: 1.5 is not of type integer"),
            ({"mode": "a", "count": True}, "count: true is not of type integer"),
            ({"mode": "a", "count": 0}, "count: 0 is less than 1"),
            ({"mode": "a", "count": 6}, "count: 6 is more than 5"),
            ({"mode": "a", "names": []}, "names: has 0 items, needs 1"),
            ({"mode": "a", "names": ["x", "Y"]}, "names[1]: 'Y' does not match ^[a-z]*$"),
            ({"mode": "a", "names": [""]}, "names[0]: is empty"),
            ({"mode": "a", "any": {"k": []}}, "any.k: a list is not of type string or number"),
            ([], "values: a list is not of type object"),
        ]:
            with self.subTest(wrong):
                self.assertEqual(self.check(schema, wrong), [problem])

    def test_an_unknown_keyword_is_an_error(self):
        schema = {"properties": {"a": {"items": {"format": "uri"}}}}
        with self.assertRaisesRegex(chart_schema.UnknownKeyword, "a: items: unknown .*'format'"):
            self.check(schema, {})


if __name__ == "__main__":
    unittest.main()
