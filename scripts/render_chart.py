#!/usr/bin/env python3
"""Renders a Helm chart as `helm template` does, as far as Berth's chart needs it.

    scripts/render_chart.py deploy/chart --set mode=shadow | kubectl apply -f -

The chart of the source tree has no version of its own: it gets that of CMakeLists.txt. What Helm
has and Berth's chart does not use is an error: see go_template.py for the language of templates,
chart_schema.py for values.schema.json. Subcharts, hooks and `lookup` are not supported.
"""

import argparse
import hashlib
import json
import re
import sys
from pathlib import Path

import chart_schema
from go_template import TemplateError, Templates

try:
    import yaml
except ModuleNotFoundError:
    sys.exit("render_chart.py needs PyYAML: apt-get install python3-yaml")

# What is created first, as in Helm; other kinds follow by name.
ORDER = ["NetworkPolicy", "PodDisruptionBudget", "ServiceAccount", "ConfigMap", "ClusterRole",
         "ClusterRoleBinding", "Role", "RoleBinding", "Service", "Deployment"]  # fmt: skip
# The version of the chart in the source tree.
NO_VERSION = "0.0.0"
# The server for which is rendered if the user does not say.
KUBE_VERSION = "v1.36.0"


class ChartError(Exception):
    """Says what is wrong with the chart, its values or its result."""


# --- YAML ---


class StrictLoader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
    """Refuses keys that occur twice."""

    def construct_mapping(self, node, deep=False):
        keys = [self.construct_object(key) for key, _ in node.value]
        for key in keys:
            if keys.count(key) > 1:
                raise yaml.MarkedYAMLError(
                    problem=f"{key!r} occurs twice", problem_mark=node.start_mark)  # fmt: skip
        return super().construct_mapping(node, deep)


def load_yaml(text, where):
    """Returns the documents of a text that are not empty."""
    try:
        documents = list(yaml.load_all(text, StrictLoader))
    except yaml.YAMLError as error:
        raise ChartError(f"{where}: {' '.join(str(error).split())}") from error
    return [document for document in documents if document is not None]


def with_numbers(value, convert):
    """Returns the value with each number that is not a bool converted."""
    if isinstance(value, dict):
        return {key: with_numbers(member, convert) for key, member in value.items()}
    if isinstance(value, list):
        return [with_numbers(item, convert) for item in value]
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return value
    return convert(value)


class GoStyleDumper(yaml.SafeDumper):
    """Quotes strings as Helm's toYaml does."""

    def represent_text(self, value):
        plain = self.resolve(yaml.ScalarNode, value, (True, False)) == "tag:yaml.org,2002:str"
        style = "|" if "\n" in value else None if plain else '"'
        return self.represent_scalar("tag:yaml.org,2002:str", value, style)


GoStyleDumper.add_representer(str, GoStyleDumper.represent_text)


def to_yaml(value):
    plain = with_numbers(value, lambda n: int(n) if float(n).is_integer() else n)
    text = yaml.dump(plain, Dumper=GoStyleDumper, width=1 << 20, allow_unicode=True)
    return text.removesuffix("\n").removesuffix("\n...")


# --- functions ---


def default(fallback, value=None):
    return value if value else fallback


def required(message, value=None):
    if value is None or value == "":
        raise ValueError(message)
    return value


def fail(message):
    raise ValueError(message)


def compare(operation):
    def compared(left, right):
        if type(left) is not type(right):
            raise ValueError(f"incompatible types for comparison: {left!r} and {right!r}")
        return operation(left, right)

    return compared


def quote(value):
    if not isinstance(value, str):
        raise ValueError(f"quote of {value!r}, which is not a string")
    return json.dumps(value, ensure_ascii=False)


def printf(form, *arguments):
    if re.search(r"%[^sd%]", form) or len(re.findall(r"%[sd]", form)) != len(arguments):
        raise ValueError(f"printf {form!r}: only %s and %d, one for each argument")
    for verb, argument in zip(re.findall(r"%([sd])", form), arguments):
        if type(argument) is not (str if verb == "s" else int):
            raise ValueError(f"printf {form!r}: %{verb} of {argument!r}")
    return form % arguments


def indent(width, text):
    return "\n".join(" " * width + line for line in text.split("\n"))


def trunc(length, text):
    if length < 0:
        raise ValueError("trunc from the end is not supported")
    return text[:length]


FUNCTIONS = {
    "contains": lambda part, text: str.__contains__(text, part),
    "default": default,
    "eq": compare(lambda left, right: left == right),
    "ne": compare(lambda left, right: left != right),
    "gt": compare(lambda left, right: left > right),
    "fail": fail,
    "hasKey": lambda table, key: dict.__contains__(table, key),
    "int": int,
    "nindent": lambda width, text: "\n" + indent(width, text),
    "not": lambda value: not value,
    "printf": printf,
    "quote": quote,
    "required": required,
    "sha256sum": lambda text: hashlib.sha256(text.encode()).hexdigest(),
    "toYaml": to_yaml,
    "trimSuffix": lambda suffix, text: str.removesuffix(text, suffix),
    "trunc": trunc,
}


# --- values ---


def merged(defaults, given, null_removes=True):
    """Returns the defaults with what is given in their place."""
    result = dict(defaults)
    for name, value in given.items():
        if value is None and null_removes:
            result.pop(name, None)
        elif isinstance(value, dict) and isinstance(result.get(name), dict):
            result[name] = merged(result[name], value, null_removes)
        else:
            result[name] = value
    return result


def parse_setting(text):
    """Returns the values of "a.b=1"."""
    path, equals, value = text.partition("=")
    names = [name.replace("\\.", ".") for name in re.findall(r"(?:[^.\\]|\\.)+", path)]
    several = re.search(r"(?<!\\),", value)
    if not equals or not names or re.search(r"[\[\]{},]", path) or value.startswith("{") or several:
        raise ChartError(f"--set {text}: expected one NAME.NAME=VALUE; use --values for lists")
    value = value.replace("\\,", ",")
    constants = {"true": True, "false": False, "null": None}
    if re.fullmatch(r"-?(0|[1-9]\d*)", value):
        parsed = int(value)
    else:
        parsed = constants.get(value, value)
    for name in reversed(names):
        parsed = {name: parsed}
    return parsed


# --- charts ---


class Chart:
    """A folder with Chart.yaml, values.yaml, values.schema.json and templates/."""

    def __init__(self, folder):
        self.folder = Path(folder)
        if not (self.folder / "Chart.yaml").exists():
            raise ChartError(f"{folder}: no Chart.yaml: not a chart")
        [self.metadata] = load_yaml(self.text("Chart.yaml"), "Chart.yaml")
        [self.defaults] = load_yaml(self.text("values.yaml"), "values.yaml")
        self.schema = json.loads(self.text("values.schema.json"))
        chart_schema.check_keywords(self.schema)

    def text(self, path):
        return (self.folder / path).read_text(encoding="utf-8")

    def version(self):
        """Returns that of Chart.yaml, or of the source tree around a chart without version."""
        if self.metadata["version"] != NO_VERSION:
            return self.metadata["version"]
        project = self.folder.resolve().parent.parent / "CMakeLists.txt"
        found = project.exists() and re.search(r"project\(berth VERSION (\S+)", project.read_text())
        return found[1] if found else NO_VERSION

    def values(self, given):
        values = merged(self.defaults, given)
        found = list(chart_schema.problems(values, self.schema))
        if found:
            raise ChartError("values: " + "\nvalues: ".join(found))
        return with_numbers(values, float)

    def templates(self):
        templates = Templates(FUNCTIONS)
        paths = sorted(path for path in (self.folder / "templates").iterdir() if path.is_file())
        for path in paths:
            if path.suffix in (".yaml", ".tpl", ".txt"):
                templates.parse(path.name, path.read_text(encoding="utf-8"))
        return templates, [path.name for path in paths if path.suffix == ".yaml"]


def context(chart, options, values):
    """Returns what templates see as "."."""
    version = options.version or chart.version()
    served = set(options.api_versions)
    return {
        "Values": values,
        "Chart": {"Name": chart.metadata["name"], "Version": version, "AppVersion": version},
        "Release": {"Name": options.name, "Namespace": options.namespace, "Service": "Helm"},
        "Files": {"Get": chart.text},
        "Capabilities": {
            "APIVersions": {"Has": lambda name: name in served},
            "KubeVersion": {"Version": KUBE_VERSION},
        },
    }


def documents(name, text):
    """Yields (kind, text) of each object that a template rendered."""
    for part in re.split(r"(?m)^---\s*$", text):
        found = load_yaml(part, name)
        if not found:
            continue
        kind = found[0].get("kind") if isinstance(found[0], dict) else None
        if not kind or "apiVersion" not in found[0]:
            raise ChartError(f"{name}: not an object with apiVersion and kind:\n{part.strip()}")
        yield kind, part.strip("\n")


def render(chart, options, given):
    """Returns (template, kind, text) of each object, in the order in which they are created."""
    templates, names = chart.templates()
    data = context(chart, options, chart.values(given))
    objects = []
    for name in names:
        rendered = documents(name, templates.render(name, data))
        objects += [(name, kind, text) for kind, text in rendered]
    if options.show_only:
        if missing := set(options.show_only) - {name for name, _, _ in objects}:
            raise ChartError(f"--show-only {sorted(missing)[0]}: nothing is rendered by that name")
        objects = [one for one in objects if one[0] in options.show_only]
    return sorted(objects, key=lambda o: (ORDER.index(o[1]) if o[1] in ORDER else len(ORDER), o[1]))


def to_text(chart, objects):
    """Returns one stream of (template, kind, text)."""
    source = f"---\n# Source: {chart.metadata['name']}/templates/"
    return "".join(f"{source}{template}\n{text}\n" for template, _, text in objects)


def write(chart, objects, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name in {template for template, _, _ in objects}:
        text = to_text(chart, [one for one in objects if one[0] == name])
        (folder / name).write_text(text, encoding="utf-8")


def arguments():
    parser = argparse.ArgumentParser(description="Render Berth's Helm chart without Helm.")
    parser.add_argument("chart", metavar="CHART", help="folder of the chart")
    parser.add_argument("--values", "-f", action="append", default=[], metavar="FILE",
                        help="YAML file with values; later ones override earlier ones")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE",
                        help="a value, after those of files; NAME has dots: image.tag=x")
    parser.add_argument("--name", default="berth", help="name of the release (default: berth)")
    parser.add_argument("--namespace", "-n", default="kube-system",
                        help="namespace of the release (default: kube-system)")
    parser.add_argument("--api-versions", "-a", action="append", default=[], metavar="VERSION",
                        help="what the server has, for example "
                        "admissionregistration.k8s.io/v1/MutatingAdmissionPolicy")
    parser.add_argument("--show-only", "-s", action="append", metavar="FILE",
                        help="render this file of templates/ only")
    parser.add_argument("--version", metavar="VERSION",
                        help="of chart and program (default: the chart's, else the source tree's)")
    parser.add_argument("--output", "-o", type=Path, metavar="DIR",
                        help="folder to write a file of each template to (default: all to stdout)")
    return parser


def given_values(options):
    """Returns the values of files and settings; later ones win."""
    given = {}
    for file in options.values:
        for document in load_yaml(Path(file).read_text(encoding="utf-8"), file):
            if not isinstance(document, dict):
                raise ChartError(f"{file}: not an object")
            given = merged(given, document, null_removes=False)
    for setting in options.set:
        given = merged(given, parse_setting(setting), null_removes=False)
    return given


def rendered(command_line):
    """Returns what the program prints with these arguments."""
    options = arguments().parse_args(command_line)
    chart = Chart(options.chart)
    return to_text(chart, render(chart, options, given_values(options)))


def main():
    options = arguments().parse_args()
    try:
        chart = Chart(options.chart)
        objects = render(chart, options, given_values(options))
        if options.output:
            write(chart, objects, options.output)
        else:
            sys.stdout.write(to_text(chart, objects))
    except (ChartError, TemplateError, chart_schema.UnknownKeyword, OSError) as error:
        sys.exit(f"render_chart.py: {error}")


if __name__ == "__main__":
    main()
