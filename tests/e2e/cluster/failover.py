"""The leader dies or loses the network, while pods arrive."""

import os
import signal
import time

from .cluster_scenario import ClusterScenario
from .installations import SecondScheduler


class Failover(ClusterScenario):
    def _leader(self):
        """Returns the node of the leader."""
        holder = self.wait(lambda: self.cluster.holder("kube-scheduler"), "a leader")
        return self.cluster.node(holder.split("_")[0])

    def _await_another(self, flow, former, begin):
        def another():
            now = self.cluster.holder("kube-scheduler")
            return now and not now.startswith(former.name + "_")

        self.wait(another, "another leader")
        self.figure("until another leads", time.monotonic() - begin)
        self.figure("until it binds a pod", flow.wait_bound_after(begin + 0.5))

    def test_failover_kill(self):
        leader = self._leader()
        flow = self.flow()
        flow.wait_bound_after(time.monotonic())
        begin = time.monotonic()
        for process in self.cluster.berth_processes(leader):
            os.kill(process, signal.SIGKILL)
        self._await_another(flow, leader, begin)
        self.wait(self.scheduler.works, "the kubelet has started the killed one again", 120)
        flow.finish()
        self.figure("pods created meanwhile, each bound once", flow.created)

    def test_failover_partition(self):
        leader = self._leader()
        flow = self.flow()
        flow.wait_bound_after(time.monotonic())
        [former] = self.cluster.berth_processes(leader)
        begin = time.monotonic()
        leader.partition()
        self.wait(
            lambda: former not in self.cluster.berth_processes(leader),
            "the leader has ended, since it cannot renew its lease", every=0.02,
        )  # fmt: skip
        ended = time.monotonic() - begin
        self.assertTrue(self.cluster.holder("kube-scheduler").startswith(leader.name + "_"))
        self.figure("until the leader ended, before another leads", ended)
        self._await_another(flow, leader, begin)
        leader.heal()
        self.wait(self.scheduler.works, "the former leader waits as a candidate", 120)
        flow.finish()
        self.figure("pods created meanwhile, each bound once", flow.created)


class SecondFailover(ClusterScenario):
    mode = SecondScheduler

    def test_failover_delete(self):
        """A pod of the second scheduler is deleted: it gives its lease away."""
        holder = self.cluster.holder("berth-scheduler")
        flow = self.flow()
        flow.wait_bound_after(time.monotonic())
        begin = time.monotonic()
        self.plane.kubectl(
            "delete", "pod", "-n", "kube-system", holder.split("_")[0], "--wait=false"
        )
        self.wait(
            lambda: self.cluster.holder("berth-scheduler") not in ("", holder), "another leader"
        )
        self.figure("until another leads", time.monotonic() - begin)
        flow.wait_bound_after(time.monotonic())
        flow.finish()
