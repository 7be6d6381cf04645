"""Pods run, in each way to install Berth."""

import time

from . import cluster_scenario
from .cluster_scenario import ClusterScenario
from .installations import KubeScheduler, SecondScheduler, Shadow, StaticPod
from .real_cluster import wait


class Rollout(ClusterScenario):
    mode = None

    def _install(self, mode, scheduler_name):
        """Installs Berth while a pod waits for it; returns the installation."""
        self.create(self.pod("first", scheduler=scheduler_name))
        begin = time.monotonic()
        installed = self.scheduler = self.cluster.schedule_with(mode)
        ready = time.monotonic() - begin
        self.wait_running("first")
        self.figure(
            "from installation to the first bound pod", self.history.pod("first").bound_at - begin
        )
        self.figure("from installation to two ready pods of Berth", ready)
        return installed

    def test_static_pod(self):
        installed = self._install(StaticPod, "default-scheduler")
        self.assertIn("berth", installed.logs("kube-scheduler-node-1", "--tail=-1").lower())
        self.assert_bound_once()

    def test_second_scheduler(self):
        installed = self._install(SecondScheduler, "berth-scheduler")
        self.create(self.pod("other", scheduler="default-scheduler"))
        self.wait_running("other")
        by = {
            event["regarding"]["name"]: event["reportingController"]
            for event in self.events("Scheduled")
        }
        self.assertEqual(by, {"first": "berth-scheduler", "other": "default-scheduler"})
        for pod in installed.pods():
            log = installed.logs(pod["metadata"]["name"], "--tail=-1")
            self.assertNotRegex(log.lower(), "forbidden|cannot (list|watch|create|patch|update)")

    def test_shadow(self):
        """It judges what kube-scheduler decides, agrees, and writes nothing."""
        self.scheduler = self.cluster.schedule_with(Shadow)
        self.create(*[self.pod(f"p{i}", scheduler="default-scheduler") for i in range(10)])
        self.wait_running(*[f"p{i}" for i in range(10)])
        pod = self.scheduler.pods()[0]["metadata"]["name"]
        deployment = self.plane.kubectl(
            "get", "pod", "-n", "kube-system", pod, "-o", "name"
        ).strip()
        time.sleep(6)  # Decisions are reported after 5 seconds.
        self.plane.kubectl("delete", "-n", "kube-system", deployment, "--wait=false")
        log = self.scheduler.logs(pod, "--tail=-1", "--follow")
        self.assertNotIn("differed=1", log)
        self.assertEqual(
            {one["reportingController"] for one in self.events("Scheduled")}, {"default-scheduler"}
        )
        totals = [line for line in log.splitlines() if "differed" in line]
        self.figure("totals of the shadow", totals[-1].split("] ")[-1] if totals else log[-300:])
        self.assertTrue(totals, log)

    def test_rollout(self):
        """A Deployment rolls out, evenly on both nodes."""
        count = cluster_scenario.CLUSTER.arguments.pods
        self.scheduler = self.cluster.schedule_with(StaticPod)
        begin = time.monotonic()
        self.plane.apply(self.deployment("web", count, cpu="1m"))
        wait(lambda: self.history.ever_bound() >= count, "every pod is bound", 120)
        self.figure(f"{count} pods, until the last was bound", max(self.bound_instants()) - begin)
        self.plane.kubectl(
            "rollout", "status", "-n", self.namespace, "deployment/web", "--timeout=600s"
        )
        self.figure(f"{count} pods, until the last ran", time.monotonic() - begin)
        self.assert_bound_once()
        nodes = [record.nodes[0] for record in self.history.records()]
        shares = {name: nodes.count(name) for name in set(nodes)}
        self.figure("pods for each node", shares)
        self.assertLessEqual(max(shares.values()) - min(shares.values()), count / 10)

    def test_kube_scheduler(self):
        """The cluster works without Berth, so that what fails with it is due to it."""
        self.scheduler = self.cluster.schedule_with(KubeScheduler)
        self.create(self.pod("first"))
        self.wait_running("first")
