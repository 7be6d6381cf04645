#!/usr/bin/env python3
"""Checks the Prometheus rules and the Grafana dashboard in deploy/monitoring.

Every metric and label in them must be one that berth-scheduler serves, and promtool, where it is
installed, must accept the rules and their unit tests.
"""

import json
import re
import shutil
import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
MONITORING = ROOT / "deploy" / "monitoring"

METRIC = re.compile(r"\b(?:scheduler|rest_client|leader_election|process|berth)_[a-z_]+\b")
# A metric with its labels, as the tests of the metrics declare it, and as the sources do.
DECLARED = re.compile(r'\{\s*"([a-z_]+)",\s*"(\w+)",\s*"\w*"(?:,\s*\{([^{}]*)\})?')
OWN = re.compile(r'\.name = "(berth_[a-z_]+)".*?\}', re.DOTALL)
HISTOGRAM = re.compile(r'AddHistogram\(\s*\{\s*\.name = "(berth_[a-z_]+)"')
# One without labels.
PLAIN = re.compile(r'(?:CounterOf|GaugeOf)\(\s*registry,\s*"(berth_[a-z_]+)"')
OWN_SOURCES = ["src/daemon/daemon_metrics.cc", "src/daemon/duty_metrics.cc"]
RUNBOOK = ROOT / "docs/runbook.md"
# Labels that Prometheus adds, and "le" of histograms.
ADDED_LABELS = {"job", "instance", "le"}


def names(text):
    return set(re.findall(r'"(\w+)"', text or ""))


def served():
    """Returns the labels of each metric; those of a histogram by the names of its series."""
    labels = {}
    tests = ROOT / "src/observability/scheduling/scheduler_metrics_test.cc"
    for name, kind, keys in DECLARED.findall(tests.read_text()):
        for suffix in ["_bucket", "_sum", "_count"] if kind == "histogram" else [""]:
            labels[name + suffix] = names(keys)
    for path in OWN_SOURCES:
        source = (ROOT / path).read_text()
        for match in OWN.finditer(source):
            found = re.search(r"\.labels = \{([^}]*)\}?", match[0] + "}")
            labels[match[1]] = names(found[1] if found else "")
        for name in HISTOGRAM.findall(source):
            for suffix in ["_bucket", "_sum", "_count"]:
                labels[name + suffix] = labels[name]
        for name in PLAIN.findall(source):
            labels[name] = set()
    return labels


def always_zero():
    """The metrics that docs/scheduler.md lists as always zero; "scheduler_batch_*" is a prefix."""
    text = (ROOT / "docs/scheduler.md").read_text()
    listed = text[text.index("are always zero"):]
    return re.findall(r"`(scheduler_[a-z_]+)\*?`", listed[: listed.index("\n\n")])


def alerts():
    return re.findall(r"- alert: (\w+)", (MONITORING / "rules.yaml").read_text())


def expressions():
    """Yields (where, PromQL) of the dashboard and the rules."""
    dashboard = json.loads((MONITORING / "grafana-dashboard.json").read_text())
    for panel in dashboard["panels"]:
        for target in panel.get("targets", []):
            yield f"panel {panel['title']!r}", target["expr"]
    for rule in re.split(r"\n {6}- alert: ", (MONITORING / "rules.yaml").read_text())[1:]:
        expression = re.search(r"expr: (?:\|\n)?(.*?)\n        (?:for|labels):", rule, re.DOTALL)
        yield f"alert {rule.splitlines()[0]}", expression[1]


class Monitoring(unittest.TestCase):
    def test_metrics_and_labels_are_served(self):
        metrics = served()
        self.assertGreater(len(metrics), 50)
        checked = 0
        for where, expression in expressions():
            used = METRIC.findall(expression)
            selected = set(re.findall(r"(\w+)(?:=~|!=|!~|=)\"", expression))
            for group in re.findall(r"\bby \(([^)]*)\)", expression):
                selected |= set(re.findall(r"\w+", group))
            for metric in used:
                self.assertIn(metric, metrics, where)
                checked += 1
            known = ADDED_LABELS.union(*(metrics[metric] for metric in used))
            self.assertLessEqual(selected, known, where)
        self.assertGreater(checked, 30)

    def test_nothing_uses_what_is_always_zero(self):
        zero = always_zero()
        self.assertGreater(len(zero), 5)
        for where, expression in expressions():
            for name in zero:
                self.assertNotIn(name, expression, where)

    def test_each_alert_links_to_its_section_of_the_runbook(self):
        rules = (MONITORING / "rules.yaml").read_text()
        sections = re.findall(r"^## (\w+)$", RUNBOOK.read_text(), re.M)
        self.assertEqual(sorted(sections), sorted(alerts()))
        links = re.findall(r"runbook_url: \S+/docs/runbook\.md#(\w+)", rules)
        self.assertEqual(links, [name.lower() for name in alerts()])

    def test_each_alert_is_shown_to_fire(self):
        tested = (MONITORING / "rules_test.yaml").read_text().split("name: all is wrong")[1]
        for name in alerts():
            self.assertIn(f"alertname: {name}\n", tested)

    def test_berth_check_refers_to_sections_of_the_runbook(self):
        source = (ROOT / "src/cmd/check_scheduler.cc").read_text()
        used = re.findall(r'Section\("(\w+)"\)', source)
        self.assertGreater(len(used), 5)
        self.assertLessEqual(set(used), {name.lower() for name in alerts()})

    def test_panels_have_a_place_of_their_own(self):
        dashboard = json.loads((MONITORING / "grafana-dashboard.json").read_text())
        taken = set()
        for panel in dashboard["panels"]:
            place = panel["gridPos"]
            for x in range(place["x"], place["x"] + place["w"]):
                for y in range(place["y"], place["y"] + place["h"]):
                    self.assertNotIn((x, y), taken, panel["title"])
                    self.assertLess(x, 24, panel["title"])
                    taken.add((x, y))

    @unittest.skipUnless(shutil.which("promtool"), "promtool is not installed")
    def test_promtool_accepts_the_rules(self):
        for command in ["check", "test"]:
            file = "rules.yaml" if command == "check" else "rules_test.yaml"
            done = subprocess.run(
                ["promtool", command, "rules", file],
                cwd=MONITORING, capture_output=True, text=True, check=False,
            )  # fmt: skip
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
