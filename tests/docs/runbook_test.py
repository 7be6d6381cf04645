#!/usr/bin/env python3
"""Runs the commands of docs/runbook.md, and alerts on what a scheduler in trouble serves.

    tests/docs/runbook_test.py BERTH BERTH_SCHEDULER [KUBECTL]

A `berth up` is the cluster, and a berth-scheduler runs on it.
"""

import os
import re
import shutil
import signal
import ssl
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests" / "e2e")]
sys.dont_write_bytecode = True

from suite.processes import OwnServer, Program, free_port  # noqa: E402

RUNBOOK = (ROOT / "docs/runbook.md").read_text()
RULES = ROOT / "deploy/monitoring/rules.yaml"
POD = """{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "NAME"}, "spec": {"containers":
[{"name": "c", "image": "i", "resources": {"requests": {"cpu": "CPU"}}}]}}"""


def commands():
    blocks = re.findall(r"^```sh\n(.*?)^```", RUNBOOK, re.M | re.S)
    return "".join(blocks).replace("\\\n", " ").splitlines()


class Cluster:
    """A `berth up` without a scheduler, and schedulers on it."""

    def __init__(self, folder):
        self.folder = folder
        options = ("--nodes=3", "--scheduler=none", "--dashboard=false")
        self.server = OwnServer(BERTH, str(folder), command="up", options=options)
        self.schedulers = []
        self.kubeconfig = folder / "kubeconfig"
        self.kubeconfig.symlink_to(self.server.kubeconfig_path)

    def start(self, *options):
        """Starts a scheduler and waits until it serves; returns its port."""
        port = free_port()
        self.schedulers.append(Program(
            [BERTH_SCHEDULER, "--kubeconfig", str(self.kubeconfig), f"--secure-port={port}",
             "--bind-address=127.0.0.1", "--authorization-always-allow-paths=/*", *options],
            str(self.folder / f"scheduler-{port}.log")))  # fmt: skip
        assert self.schedulers[-1].says("Handlers synced", 30), self.schedulers[-1].tail()
        return port

    def kubectl(self, *words, text=None):
        return subprocess.run([KUBECTL, "--kubeconfig", self.kubeconfig, *words], input=text,
                              capture_output=True, text=True, check=True).stdout  # fmt: skip

    def create_pod(self, name, cpu):
        self.kubectl("create", "-f", "-", text=POD.replace("NAME", name).replace("CPU", cpu))

    def stop(self):
        for scheduler in self.schedulers:
            scheduler.kill()
        self.server.terminate()


def scrape(port):
    """The samples that a scheduler serves: {series: value}."""
    context = ssl._create_unverified_context()
    with urllib.request.urlopen(f"https://127.0.0.1:{port}/metrics", context=context) as answer:
        lines = answer.read().decode().splitlines()
    return dict(line.rsplit(" ", 1) for line in lines if line and not line.startswith("#"))


def await_sample(port, series, accept):
    deadline = time.monotonic() + 30
    while not accept(float(scrape(port).get(series, 0))):
        assert time.monotonic() < deadline, f"{series} is {scrape(port).get(series)}"
        time.sleep(0.1)


@unittest.skipUnless(shutil.which("kubectl"), "there is no kubectl")
class Runbook(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="berth-runbook-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.cluster = Cluster(self.folder)
        self.addCleanup(self.cluster.stop)

    def test_commands(self):
        port = self.cluster.start()
        self.cluster.create_pod("web", "1000")
        # No other scheduler of this machine is meant.
        programs = self.folder / "bin"
        programs.mkdir()
        (programs / "pidof").write_text(
            f"#!/bin/sh\necho {self.cluster.schedulers[0].process.pid}\n")  # fmt: skip
        (programs / "pidof").chmod(0o755)
        (programs / "berth").symlink_to(BERTH)
        environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}
        self.assertTrue(self.cluster.schedulers[0].says("acquired lease", 30))
        self.assertGreater(len(commands()), 8)
        for command in commands():
            with self.subTest(command):
                done = subprocess.run(
                    ["bash", "-ec", command.replace("10259", str(port))], cwd=self.folder,
                    env=environment, capture_output=True, text=True, check=False, timeout=120,
                )  # fmt: skip
                # `berth why` says by its exit code that a pod is pending.
                wanted = (0, 1) if command.startswith("berth why") else (0,)
                self.assertIn(done.returncode, wanted, done.stdout + done.stderr)
                if command.startswith("berth check"):
                    self.assertIn("it holds the lease and schedules", done.stdout)
        self.assertTrue(self.cluster.schedulers[0].says('thread [0-9]+ "driver"', 30))

    def alerts_on(self, samples, names):
        """The alerts among `names` that fire when these samples are scraped for two hours."""
        series = []
        for name, value in samples.items():
            brace = name.find("{")
            labels = name[brace + 1 : -1] + "," if brace >= 0 else ""
            plain = name[:brace] if brace >= 0 else name
            series.append(f"      - series: '{plain}{{{labels}job=\"scheduler\",instance=\"i\"}}'\n"
                          f"        values: '{value}x120'\n")  # fmt: skip
        tests = "".join(f"      - {{eval_time: 110m, alertname: {name}}}\n" for name in names)
        file = self.folder / "scraped.yaml"
        file.write_text(
            f"rule_files: ['{RULES}']\nevaluation_interval: 1m\ntests:\n"
            "  - interval: 1m\n    input_series:\n" + "".join(series)
            + "    alert_rule_test:\n" + tests
        )  # fmt: skip
        done = subprocess.run(["promtool", "test", "rules", file], capture_output=True, text=True,
                              check=False)  # fmt: skip
        return set(re.findall(r"alertname: (\w+), time", done.stdout + done.stderr))

    @unittest.skipUnless(shutil.which("promtool"), "there is no promtool")
    def test_alerts_fire_on_what_is_scraped(self):
        names = ["SchedulerHasNoLeader", "SchedulerPodsUnschedulable", "SchedulerRecordingFailed",
                 "SchedulerMemoryShort", "SchedulerStuck", "SchedulerFallsBehind"]  # fmt: skip
        healthy = self.cluster.start("--leader-elect=false")
        self.cluster.create_pod("web", "1")
        await_sample(healthy, 'scheduler_pending_pods{queue="active"}', lambda value: value == 0)
        samples = {**scrape(healthy), 'leader_election_master_status{name="kube-scheduler"}': "1"}
        self.assertEqual(self.alerts_on(samples, names), set())
        self.cluster.schedulers.pop().kill()

        troubled = self.cluster.start("--leader-elect=false", "--record=/dev/full",
                                      "--memory-limit=16Mi", "--stuck-after=1s")  # fmt: skip
        self.cluster.create_pod("large", "1000")
        await_sample(troubled, 'scheduler_pending_pods{queue="unschedulable"}', bool)
        await_sample(troubled, "berth_recording_failed", bool)
        fired = self.alerts_on(scrape(troubled), names)
        self.assertLessEqual({"SchedulerPodsUnschedulable", "SchedulerRecordingFailed",
                              "SchedulerMemoryShort"}, fired)  # fmt: skip
        self.cluster.schedulers.pop().kill()

        # Another scheduler holds the lease, which nobody scrapes.
        self.cluster.start()
        self.assertTrue(self.cluster.schedulers[-1].says("acquired lease", 30))
        samples = scrape(self.cluster.start())
        self.assertIn("SchedulerHasNoLeader", self.alerts_on(samples, names))


if __name__ == "__main__":
    BERTH, BERTH_SCHEDULER = (str(Path(path).resolve()) for path in sys.argv[1:3])
    KUBECTL = sys.argv[3] if len(sys.argv) > 3 else "kubectl"
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    unittest.main(argv=sys.argv[:1])
