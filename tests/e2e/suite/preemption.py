"""Preemption: full nodes and pods of higher priority."""

import threading

from .checker import Checker
from .history import PodHistory
from .scenario import Scenario


class Kubelet:
    """Ends terminating pods after a while, as a kubelet does."""

    def __init__(self, api, space, delay=0.5):
        self._api = api
        self._path = space.pods
        self._delay = delay
        self._seen = set()
        self._history = PodHistory(api, space.namespace, self._notice)

    def _notice(self, record):
        if record.deleting and not record.gone and record.uid not in self._seen:
            self._seen.add(record.uid)
            threading.Timer(
                self._delay, self._api.delete_now, [f"{self._path}/{record.name}"]
            ).start()

    def close(self):
        self._history.close()


class Preemption(Scenario):
    def fill(self, *, guarded):
        """Creates four nodes with two pods of low priority each, named after their node. Those on
        the nodes in `guarded` have a label that a PodDisruptionBudget selects."""
        space = self.space
        self.high = space.priority_class("high", 100000)
        low = space.priority_class("low", 10)
        names = space.create_nodes([space.node(f"n{i}", cpu="4") for i in range(4)])
        pods = [
            space.pod(
                f"low-{i}-{j}", cpu="2", priorityClassName=low,
                selector={"kubernetes.io/hostname": name},
                labels={"guarded": "yes"} if i in guarded else {"guarded": "no"},
            )
            for i, name in enumerate(names) for j in range(2)
        ]  # fmt: skip
        space.create_pods(pods)
        self.start_scheduler(verbosity=4)
        self.wait_bound(8)
        return names

    def guard(self):
        path = f"/apis/policy/v1/namespaces/{self.space.namespace}/poddisruptionbudgets"
        selector = {"matchLabels": {"guarded": "yes"}}
        self.api.create(
            path,
            {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
             "metadata": {"name": "guard"}, "spec": {"maxUnavailable": 0, "selector": selector}},
        )  # fmt: skip

    def condition_message(self, name):
        """Returns the message of the pod's PodScheduled condition."""
        record = self.history.pod(name)
        return record and record.condition("PodScheduled").get("message")

    def victims(self):
        return [record for record in self.history.by_uid.values() if record.deleting]

    def test_preemption(self):
        names = self.fill(guarded={0, 1, 3})
        self.guard()
        kubelet = Kubelet(self.api, self.space)
        self.addCleanup(kubelet.close)
        self.space.create_pods([self.space.pod("high", cpu="2", priorityClassName=self.high)])
        self.wait(lambda: self.nodes_of("high"), "it is bound")
        high = self.history.pod("high")
        self.assertEqual(high.nodes, [names[2]], "the only node without a guarded pod")
        self.assertEqual(high.nominated, [names[2]])
        (victim,) = self.victims()
        self.assertRegex(victim.name, r"^low-2-[01]$")
        self.say(f"{victim.name} freed capacity on {names[2]}")

        target = victim.condition("DisruptionTarget")
        found = {key: target.get(key) for key in ("status", "reason", "message")}
        name = self.space.scheduler_name
        self.assertEqual(
            found,
            {"status": "True", "reason": "PreemptionByScheduler",
             "message": f"{name}: preempting to accommodate a higher priority pod"},
        )  # fmt: skip
        (event,) = self.space.wait_events("Preempted", 1)
        self.assert_event(
            event, victim, type="Normal", reason="Preempted", action="Preempting",
            note=f"Preempted by pod {high.uid} on node {names[2]}",
        )  # fmt: skip
        # The message of the one failed attempt has the state of the nodes at that time.
        (failed,) = self.space.events("FailedScheduling")
        others = len(self.api.items("/api/v1/nodes")) - 4
        if not others:
            self.assertEqual(failed["note"], "0/4 nodes are available: 4 Insufficient cpu.")
        self.assert_bound_once()
        self.assertEqual(self.overcommitted(), [])

    def overcommitted(self):
        nodes, pods = self.api.items("/api/v1/nodes"), self.api.items(self.space.pods)
        return Checker(nodes, pods).violations()

    def test_preemption_many(self):
        """Four pods that need a whole node each: all pods of low priority are preempted."""
        self.fill(guarded=set())
        kubelet = Kubelet(self.api, self.space, delay=0.2)
        self.addCleanup(kubelet.close)
        whole = {"cpu": "4", "priorityClassName": self.high}
        self.space.create_pods([self.space.pod(f"high-{i}", **whole) for i in range(4)])
        self.wait(
            lambda: sum(bool(r.nodes) for r in self.history.records() if "high" in r.name) == 4,
            "four pods of high priority are bound",
        )
        self.assertEqual(len(self.victims()), 8)
        for i in range(4):
            record = self.history.pod(f"high-{i}")
            self.assertEqual(record.nominated[-1:], record.nodes)
        self.assertEqual(len(self.space.wait_events("Preempted", 8)), 8)
        self.assert_bound_once()
        self.assertEqual(self.overcommitted(), [])

    def test_preemption_never(self):
        """A pod that must not preempt stays pending, and uses capacity that becomes free."""
        self.fill(guarded=set())
        patient = self.space.priority_class("patient", 5000, preemptionPolicy="Never")
        self.space.create_pods([self.space.pod("patient", cpu="2", priorityClassName=patient)])
        self.wait(lambda: self.condition_message("patient"), "it waits")
        message = self.condition_message("patient")
        self.assertRegex(message, "preemption: not eligible due to preemptionPolicy=Never.$")
        self.assertEqual(self.victims(), [])
        self.api.delete_now(f"{self.space.pods}/low-3-0")
        self.wait(lambda: self.nodes_of("patient"), "it takes the capacity that was freed")
        self.assertEqual(self.history.pod("patient").nodes, [f"{self.space.run}-n3"])
