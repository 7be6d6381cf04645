"""WhyComparison: what `berth why` says about pending pods, and what kube-scheduler wrote."""

import collections
import concurrent.futures
import dataclasses
import json
import subprocess
import time

from . import random_pods
from .activity import Activity, is_waiting
from .comparison import PATIENCE, QueueMetrics, profiles
from .machinery import Kubelets, VolumeControllers
from .processes import Scheduler, free_port
from .world_objects import remove_world

AT_ONCE = 50  # Pods that are created together.
MOST_PODS = 5000  # A cluster that schedules so many is too large.
PASSES = 10  # Starts of kube-scheduler until one binds nothing.
QUIET = 1.0  # Seconds without a write after which all conditions are written.
GATED = "SchedulingGates"


class PeacefulActivity(Activity):
    """Nobody has a lower priority than another who preempts."""

    def _new_pod(self):
        pod = super()._new_pod()
        polite = self._rng.random() < 0.2
        pod["spec"]["priorityClassName"] = random_pods.POLITE if polite else "side-zero"
        return pod


def condition_of(pod):
    for condition in pod["status"].get("conditions", ()):
        if condition["type"] == "PodScheduled" and condition["status"] == "False":
            return condition
    return {}


@dataclasses.dataclass
class Outcome:
    """The answers about one cluster."""

    reasons: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    plugins: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    different: list = dataclasses.field(default_factory=list)

    def __str__(self):
        reasons = ", ".join(f"{count} {name}" for name, count in self.reasons.most_common())
        plugins = ", ".join(f"{name} {count}" for name, count in self.plugins.most_common())
        return f"{reasons}: {len(self.different)} different; rejected by {plugins}"


class WhyComparison:
    """`arguments` are those of why_side_by_side."""

    def __init__(self, api, arguments, folder):
        self._api, self._arguments, self._folder = api, arguments, folder
        self._kubelets, self._controllers = Kubelets(api), VolumeControllers(api)
        self._stock = self._metrics = None

    def _start_scheduler(self):
        if self._stock:
            self._stock.terminate()
        port = free_port()
        self._stock = Scheduler(
            self._arguments.kube_scheduler, self._folder, "", self._api.config,
            label="kube-scheduler", profiles=profiles(), percentageOfNodesToScore=100, qps=5000,
            flags=(f"--secure-port={port}", "--authorization-always-allow-paths=/metrics",
                   "--disabled-metrics=" + ",".join(QueueMetrics.UNWANTED)),
        )  # fmt: skip
        self._metrics = QueueMetrics(port)
        deadline = time.monotonic() + PATIENCE
        while not self._metrics.reachable():
            if time.monotonic() > deadline or not self._stock.alive():
                raise RuntimeError("kube-scheduler does not begin:\n" + self._stock.tail())
            time.sleep(0.2)

    def run(self, seed):
        """Returns the Outcome of a seed."""
        names = [profile["schedulerName"] for profile in profiles()]
        world = PeacefulActivity(
            self._api, seed, names, self._kubelets, self._controllers,
            rest=lambda: None, burst=AT_ONCE,
        )  # fmt: skip
        try:
            self._start_scheduler()
            world.begin()
            self._fill(world)
            self._decide_again(world)
            return self._compare(world)
        finally:
            remove_world(self._api)

    def _pending(self, world):
        return [pod for pod in world.pods() if not pod["spec"].get("nodeName")]

    def _fill(self, world):
        while len(self._pending(world)) < self._arguments.pods:
            if len(world.pods()) > MOST_PODS:
                raise RuntimeError(f"the cluster schedules more than {MOST_PODS} pods")
            world.create_pods(AT_ONCE)
            self._rest(0)

    def _rest(self, attempts):
        """Waits until kube-scheduler has made so many attempts, and nothing is left to do."""
        deadline = time.monotonic() + 6 * PATIENCE
        before = None
        while time.monotonic() < deadline:
            idle = self._kubelets.idle() and self._controllers.idle()
            now = self._metrics.attempts_at_rest() if idle else None
            silent = time.monotonic() - self._kubelets.pods.changed_at > QUIET
            if now is not None and now >= attempts and now == before and silent:
                return
            before = now
            time.sleep(0.1)
        raise RuntimeError("kube-scheduler does not come to rest")

    def _decide_again(self, world):
        """Lets kube-scheduler decide about all pending pods in one state."""
        for _ in range(PASSES):
            pending = self._pending(world)
            self._start_scheduler()
            self._rest(sum(map(is_waiting, pending)))
            if len(self._pending(world)) == len(pending):
                return
        raise RuntimeError(f"pods were bound in each of {PASSES} passes")

    def _compare(self, world):
        outcome = Outcome()
        pending = self._pending(world)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            answers = list(pool.map(self._ask, pending))
        for pod, answer in zip(pending, answers, strict=True):
            self._judge(pod, answer, outcome)
        counted = self._metrics.rejections()
        if counted != outcome.plugins:
            outcome.different.append(
                f"plugins: kube-scheduler counts {dict(counted)}, berth why {dict(outcome.plugins)}"
            )
        return outcome

    def _ask(self, pod):
        meta = pod["metadata"]
        done = subprocess.run(
            [self._arguments.berth, "why", meta["name"], "-n", meta["namespace"], "--fixes=false"]
            + ["--kubeconfig", self._arguments.kubeconfig, "-o", "json"]
            + ["--config", self._folder + "/kube-scheduler.config"],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        return json.loads(done.stdout) if done.returncode == 0 else {"error": done.stderr}

    def _judge(self, pod, answer, outcome):
        condition = condition_of(pod)
        decision = answer.get("decision", {})
        name = f"{pod['metadata']['namespace']}/{pod['metadata']['name']}"
        reason = condition.get("reason", "no condition")
        outcome.reasons[reason] += 1
        if "error" in answer:
            outcome.different.append(f"{name}: {answer['error']}")
        elif reason == "SchedulingGated":
            outcome.plugins[GATED] += 1
            if answer["state"] != "Gated":
                outcome.different.append(f"{name}: gated, but berth why says {answer['state']}")
        else:
            outcome.plugins.update(decision.get("rejectedBy", ()))
            if decision.get("message") != condition.get("message"):
                outcome.different.append(
                    f"{name}: {reason}: {condition.get('message')!r}, "
                    f"berth why: {decision.get('outcome')}: {decision.get('message')!r}"
                )

    def close(self):
        if self._stock:
            self._stock.terminate()
        self._kubelets.close()
        self._controllers.close()
