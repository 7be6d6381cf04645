"""kube-scheduler, Berth and kube-scheduler again, while pods arrive."""

import time

from .cluster_scenario import ClusterScenario
from .installations import KubeScheduler, StaticPod


class Handover(ClusterScenario):
    mode = None

    def test_handover(self):
        """As a migration goes: the new one waits for the lease while the old one schedules."""
        first = KubeScheduler(self.cluster)
        self.cluster.schedule_with(None)
        first.install()
        self.addCleanup(first.remove)
        self.scheduler = first
        self.wait(lambda: self.cluster.holder("kube-scheduler"), "kube-scheduler leads")
        flow = self.flow()
        flow.wait_bound_after(time.monotonic())
        berth = StaticPod(self.cluster)
        self.addCleanup(berth.remove)
        berth.stand_by()
        self._hand_over(flow, "kube-scheduler to Berth", first.remove, "node-")
        first.install()
        time.sleep(3)
        self._hand_over(flow, "Berth to kube-scheduler", berth.remove, "")
        flow.finish()
        self.figure("pods created meanwhile, each bound once", flow.created)

    def _hand_over(self, flow, what, end, holder):
        """Ends the leader, and waits until another one binds pods."""
        before = self.cluster.holder("kube-scheduler")
        begin = time.monotonic()
        end()

        def another():
            now = self.cluster.holder("kube-scheduler")
            return now and now != before and now.startswith(holder)

        self.wait(another, f"{what}: another leader")
        since = time.monotonic()
        flow.wait_bound_after(since)
        after = [at for at in self.bound_instants() if at > begin - 2]
        gaps = [later - earlier for earlier, later in zip(after, after[1:])]
        self.figure(f"{what}: longest time without a bind", max(gaps))
