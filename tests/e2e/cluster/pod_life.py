"""What happens to pods that run: preemption, eviction, resize, the end of their node."""

import json
import time

from suite.api import NODES, STRATEGIC

from .cluster_scenario import ENDS_AFTER, ClusterScenario


class PodLife(ClusterScenario):
    def _nominated(self, name):
        record = self.history.pod(name)
        return record.nominated if record else []

    def _free_cpu(self):
        """Returns the free milliseconds of CPU of each node."""
        free = {}
        for node in self.cluster.nodes:
            amount = self.api.get(f"{NODES}/{node.name}")["status"]["allocatable"]["cpu"]
            free[node.name] = int(amount[:-1]) if amount.endswith("m") else 1000 * int(amount)
        for pod in self.api.items("/api/v1/pods"):
            node = pod["spec"].get("nodeName")
            if node in free:
                for container in pod["spec"]["containers"]:
                    asked = container.get("resources", {}).get("requests", {}).get("cpu", "0m")
                    free[node] -= int(asked[:-1]) if asked.endswith("m") else 1000 * int(asked)
        return free

    def _fill(self, **fields):
        """Creates a pod for each node that takes what it has but 50m; returns their names."""
        names = []
        for node, free in self._free_cpu().items():
            selector = {"kubernetes.io/hostname": node}
            name = f"fill-{node}"
            self.create(self.pod(name, cpu=f"{free - 50}m", nodeSelector=selector, **fields))
            names.append(name)
        self.wait_running(*names)
        return names

    def test_preemption(self):
        """The victim has 6 seconds to end, and the pod gets its node."""
        path, name = "/apis/scheduling.k8s.io/v1/priorityclasses", f"{self.namespace}-high"
        body = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass"}
        self.api.create(path, body | {"metadata": {"name": name}, "value": 1000})
        self.addCleanup(self.api.delete, f"{path}/{name}")
        self._fill(grace=30, script=ENDS_AFTER.format(6))
        begin = time.monotonic()
        self.create(self.pod("urgent", cpu="500m", priorityClassName=name))
        self.wait(lambda: self._nominated("urgent"), "a nominated node")
        self.figure("until a node was nominated", time.monotonic() - begin)
        self.wait_running("urgent")
        waited = self.history.pod("urgent").bound_at - begin
        self.figure("until it was bound, with 6 s for the victim to end", waited)
        self.assertGreater(waited, 5.5)
        record = self.history.pod("urgent")
        self.assertEqual(record.nodes, record.nominated)
        victim, other = (self.history.pod(f"fill-{one.name}") for one in self.cluster.nodes)
        if victim.nodes != record.nodes:
            victim, other = other, victim
        self.assertEqual(
            victim.condition("DisruptionTarget").get("reason"), "PreemptionByScheduler"
        )
        self.assertFalse(other.deleting)
        self.assert_bound_once()

    def test_drain(self):
        """`kubectl drain` evicts within a budget; the pods go to the other node."""
        labels = {"app": "web"}
        budget = {
            "apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
            "metadata": {"name": "web", "namespace": self.namespace},
            "spec": {"minAvailable": 5, "selector": {"matchLabels": labels}},
        }  # fmt: skip
        self.plane.apply(self.deployment("web", 6), budget)
        self.plane.kubectl(
            "rollout", "status", "-n", self.namespace, "deployment/web", "--timeout=120s"
        )
        begin = time.monotonic()
        self.plane.kubectl(
            "drain", "node-1", "--pod-selector=app=web", "--timeout=180s", "--delete-emptydir-data"
        )
        self.figure("drained, one pod after the other", time.monotonic() - begin)
        self.wait(lambda: self._running_on() == {"node-2": 6}, "all six run on the other node")
        self.plane.kubectl("uncordon", "node-1")
        self.create(*[self.pod(f"after-{i}") for i in range(2)])
        self.wait(
            lambda: "node-1" in (self.node_of("after-0"), self.node_of("after-1")), "node-1 is used"
        )
        self.assert_bound_once()

    def _running_on(self):
        """Returns how many pods run on each node."""
        nodes = [one.nodes[-1] for one in self.history.records()
                 if not one.deleting and self.running(one.name)]  # fmt: skip
        return {node: nodes.count(node) for node in nodes}

    def test_resize(self):
        """A pod waits for what another gives back by a resize in place."""
        names = self._fill()
        self.create(self.pod("waits", cpu="300m"))
        self.wait(
            lambda: self.condition("waits", "PodScheduled").get("status") == "False",
            "it fits nowhere",
        )
        record = self.history.pod(names[0])
        had = record.pod["spec"]["containers"][0]["resources"]["requests"]["cpu"]
        less = f"{int(had[:-1]) - 500}m" if had.endswith("m") else f"{1000 * int(had) - 500}m"
        change = {
            "spec": {"containers": [{"name": "main", "resources": {"requests": {"cpu": less}}}]}
        }
        begin = time.monotonic()
        self.api.patch(f"{self.pods}/{names[0]}/resize", change, STRATEGIC)
        self.wait(lambda: self.node_of("waits"), "the pod that waited is bound")
        self.figure("from the resize to the bind", self.history.pod("waits").bound_at - begin)
        self.assertEqual(self.node_of("waits"), record.nodes[-1])
        self.wait_running("waits")
        statuses = self.history.pod(names[0]).pod["status"]["containerStatuses"]
        self.assertEqual([one["restartCount"] for one in statuses], [0])
        # A resize that does not fit is the kubelet's to defer, not the scheduler's.
        change["spec"]["containers"][0]["resources"]["requests"]["cpu"] = had
        self.api.patch(f"{self.pods}/{names[0]}/resize", change, STRATEGIC)
        self.wait(
            lambda: self.condition(names[0], "PodResizePending").get("reason"),
            "deferred",
        )
        self.figure("the resize back", self.condition(names[0], "PodResizePending")["reason"])

    def test_node_gone(self):
        """A machine loses power: its pods are replaced on the other one."""
        tolerations = [
            {"key": f"node.kubernetes.io/{key}", "operator": "Exists", "effect": "NoExecute",
             "tolerationSeconds": 2} for key in ("not-ready", "unreachable")
        ]  # fmt: skip
        self.plane.apply(self.deployment("web", 6, tolerations=tolerations))
        self.plane.kubectl(
            "rollout", "status", "-n", self.namespace, "deployment/web", "--timeout=120s"
        )
        lost = self.cluster.node("node-2")
        on_it = [one.name for one in self.history.records() if one.nodes == ["node-2"]]
        self.assertTrue(on_it, json.dumps([one.nodes for one in self.history.records()]))
        begin = time.monotonic()
        lost.power_off()
        self.wait(lambda: not self.cluster.ready("node-2"), "the node is not ready", 90)
        self.figure("until the node was not ready", time.monotonic() - begin)
        self.wait(
            lambda: self._running_on().get("node-1") == 6, "all six run on the other node", 120
        )
        self.figure("until all six ran on the other node", time.monotonic() - begin)
        self.assert_bound_once()
        begin = time.monotonic()
        lost.restart()
        self.wait(
            lambda: self.cluster.ready("node-2") and self.cluster.untainted("node-2"),
            "it is back",
            120,
        )
        self.figure("until the node was back", time.monotonic() - begin)
        self.create(*[self.pod(f"after-{i}") for i in range(2)])
        self.wait(
            lambda: "node-2" in (self.node_of("after-0"), self.node_of("after-1")), "it is used"
        )
