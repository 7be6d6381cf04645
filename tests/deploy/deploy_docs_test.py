#!/usr/bin/env python3
"""Runs the commands of docs/deploy.md, as far as one machine can.

    tests/deploy/deploy_docs_test.py BERTH [KUBECTL]

kubectl and render_chart.py run on a `berth up`. The values in commands of helm must render, and
files that the others name must be in the package. What its tables and links name must exist.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests" / "e2e"), str(ROOT / "tests" / "deploy")]
sys.dont_write_bytecode = True

from chart_test import CHART, package_chart, render_chart  # noqa: E402
from suite.processes import OwnServer  # noqa: E402

TEXT = (ROOT / "docs" / "deploy.md").read_text()
VERSION = "1.2.3"
# Programs that need a cluster of kubeadm or a registry: only the files that they name are checked.
ELSEWHERE = ("skopeo", "ctr", "kubeadm", "mkdir", "cp")
# What `berth up` lacks, with the output in place of an error.
NOT_THERE = {
    "logs": "no containers run",
    "kubeadm-config": "no kubeadm made it",
    "lease kube-scheduler": "nobody takes the lease",
}
# Made by `make package` beside the chart.
OTHER_FILES = {f"dist/berth-scheduler-{VERSION}-image.tar"}


def commands():
    blocks = re.findall(r"^```sh\n(.*?)^```", TEXT, re.M | re.S)
    lines = "".join(blocks).replace("\\\n", " ").splitlines()
    return [line.replace("VERSION", VERSION) for line in lines]


def helm_values(words):
    """Returns the values of "--set a=b"."""
    given = {}
    for flag, setting in zip(words, words[1:]):
        if flag == "--set":
            given = render_chart.merged(given, render_chart.parse_setting(setting))
    return given


def anchors(text):
    headings = re.findall(r"^#+ (.*)$", text, re.M)
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}


class Commands(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="berth-deploy-docs-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        subprocess.run([sys.executable, ROOT / "scripts/package_chart.py", cls.folder / "dist",
                        f"--version={VERSION}"], check=True)  # fmt: skip
        for name in ("scripts", "deploy"):
            (cls.folder / name).symlink_to(ROOT / name)

    def test_commands(self):
        if not shutil.which(KUBECTL):
            self.skipTest(f"there is no {KUBECTL}")
        server = OwnServer(BERTH, str(self.folder), command="up",
                           options=("--nodes=3", "--no-leases", "--dashboard=false"))  # fmt: skip
        self.addCleanup(server.terminate)
        counts = dict.fromkeys(("cluster", "helm", "elsewhere"), 0)
        for command in commands():
            with self.subTest(command):
                program = command.split()[0]
                for path in re.findall(r"dist/[\w./+-]+", command):
                    if path not in OTHER_FILES:
                        self.assertTrue((self.folder / path).exists(), path)
                if program == "helm":
                    counts["helm"] += 1
                    self.check_helm(command)
                elif program in ELSEWHERE:
                    counts["elsewhere"] += 1
                    # kubeadm refuses the two together.
                    self.assertFalse({"--config", "--patches"} <= set(command.split()))
                else:
                    counts["cluster"] += 1
                    self.assertIn(program, ("kubectl", "scripts/render_chart.py"))
                    self.run_on(server, command)
        self.assertGreaterEqual(min(counts.values()), 3, counts)

    def test_sizing_measures(self):
        done = subprocess.run(
            [ROOT / "scripts/sizing.py", "--bin", Path(BERTH).parent, "10:100"],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        header, rule, row = done.stdout.splitlines()
        self.assertIn(f"{header}\n{rule}\n", TEXT)
        self.assertRegex(row, r"^\| 10 \| 100 \| \d+ MiB \| [\d.]+ s \|$")

    def check_helm(self, command):
        words = shlex.split(command)
        values = helm_values(words)
        self.assertTrue(values, "sets nothing")
        chart = render_chart.Chart(CHART)
        options = render_chart.arguments().parse_args(
            [str(CHART), f"--api-versions={package_chart.POLICY}", f"--version={VERSION}"])
        before = render_chart.render(chart, options, {})
        self.assertNotEqual(render_chart.render(chart, options, values), before)

    def run_on(self, server, command):
        environment = os.environ | {
            "KUBECONFIG": server.kubeconfig_path, "HOME": str(self.folder),
            "PATH": f"{Path(shutil.which(KUBECTL)).parent}:{os.environ['PATH']}",
        }  # fmt: skip
        done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=self.folder,
                              env=environment, capture_output=True, text=True, check=False)
        if any(word in command for word in NOT_THERE):
            self.assertNotIn("unknown", done.stderr)
            return
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout, "prints nothing")


class Words(unittest.TestCase):
    def test_values_in_the_table_exist(self):
        defaults = render_chart.Chart(CHART).defaults
        [table] = re.findall(r"\| value \| default \| meaning \|\n(.*?)\n\n", TEXT, re.S)
        checked = 0
        for row in table.splitlines()[1:]:
            for name in re.findall(r"`([\w.]+)`", row.split("|")[1]):
                value = defaults
                for part in name.split("."):
                    self.assertIn(part, value, name)
                    value = value[part]
                checked += 1
        self.assertGreater(checked, 12)

    def test_links_and_files_exist(self):
        for link in re.findall(r"\]\(([^)]+)\)", TEXT):
            file, _, anchor = link.partition("#")
            text = (ROOT / "docs" / file).read_text() if file else TEXT
            if anchor:
                self.assertIn(anchor, anchors(text), link)
        for path in re.findall(r"`((?:deploy|scripts)/[\w./-]+)`", TEXT):
            self.assertTrue((ROOT / path).exists(), path)

    @unittest.skipUnless(shutil.which("promtool"), "promtool is not installed")
    def test_prometheus_accepts_the_scrape_configuration(self):
        [block] = re.findall(r"^```yaml\n(- job_name.*?)^```", TEXT, re.M | re.S)
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            # promtool wants the file of the token, and Debian's has no discovery of pods.
            block = re.sub(r"/var/run/secrets/\S+", file.name, block)
            discovery = r"kubernetes_sd_configs:\n  - role: pod\n    namespaces: .*"
            block, count = re.subn(discovery, "static_configs: [{targets: [a]}]", block)
            self.assertEqual(count, 1)
            file.write("scrape_configs:\n" + block)
            file.flush()
            done = subprocess.run(["promtool", "check", "config", file.name],
                                  capture_output=True, text=True, check=False)  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_rates_are_those_of_the_chart(self):
        text = (CHART / "templates/_configuration.tpl").read_text()
        for number in re.findall(r"default (\d+)", text):
            self.assertIn(f"| {int(number):,} |", TEXT)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    BERTH = sys.argv[1]
    KUBECTL = sys.argv[2] if len(sys.argv) > 2 else "kubectl"
    unittest.main(argv=sys.argv[:1], verbosity=2)
