"""A scheduler with --shadow beside another one of the same kind."""

import re
import subprocess

from .scenario import SETTINGS, Scenario


class Shadow(Scenario):
    def test_shadow(self):
        """The shadow compares every decision, agrees with all, and writes nothing."""
        known = subprocess.run([SETTINGS.scheduler, "--help"], capture_output=True, text=True)
        if "--shadow" not in known.stdout:
            self.skipTest("this scheduler has no shadow mode")
        space = self.space
        space.create_nodes([space.node(f"n{i}", cpu=str(2 + i)) for i in range(5)])
        gate, config = self.gate()
        shadow = self.start_scheduler(config, label="shadow", flags=("--shadow",), verbosity=3)
        self.assertTrue(shadow.says("Shadow mode: judging", 30), "it does not begin")
        self.start_scheduler()
        for i in range(10):
            space.create_pods([space.pod(f"p{i}", cpu="500m")])
            self.wait_bound(i + 1)
        space.create_pods([space.pod("nowhere", cpu="1000")])
        self.wait(self.is_refused, "the last pod is refused")
        judged = r'"Shadow (agrees|differs)" pod="[^"]*/{}"'
        for name in [f"p{i}" for i in range(10)] + ["nowhere"]:
            self.assertTrue(shadow.says(judged.format(name), 10), f"{name} was not judged")
        self.assertEqual(shadow.terminate(), 0)
        summary = re.search(r"judged=(\d+) agreed=(\d+)", shadow.log())
        self.assertEqual(summary and summary.groups(), ("11", "11"), shadow.tail())
        methods = {request.method for request in gate.requests}
        self.assertEqual(methods, {"GET"}, "a shadow only looks")

    def test_shadow_of_a_burst(self):
        """Pods are created at once: the shadow agrees with decisions made with binds in flight."""
        known = subprocess.run([SETTINGS.scheduler, "--help"], capture_output=True, text=True)
        if "--shadow" not in known.stdout:
            self.skipTest("this scheduler has no shadow mode")
        space = self.space
        space.create_nodes([space.node(f"n{i}", cpu=str(8 + i)) for i in range(8)])
        shadow = self.start_scheduler(label="shadow", flags=("--shadow",), verbosity=3)
        self.assertTrue(shadow.says("Shadow mode: judging", 30), "it does not begin")
        self.start_scheduler()
        count = 120
        space.create_pods([space.pod(f"p{i}", cpu=f"{50 + i % 7 * 50}m") for i in range(count)])
        self.wait_bound(count)
        judged = re.compile(r'"Shadow [a-z ]+" pod=')
        self.wait(lambda: len(judged.findall(shadow.log())) == count, "all pods are judged")
        self.assertEqual(shadow.terminate(), 0)
        summary = re.search(r"judged=(\d+) agreed=(\d+)", shadow.log())
        self.assertEqual(summary and summary.groups(), (str(count), str(count)), shadow.tail())

    def is_refused(self):
        record = self.history.pod("nowhere")
        return record and record.condition("PodScheduled")
