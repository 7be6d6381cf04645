"""ClusterScenario: the base of all scenarios on the real cluster."""

import secrets
import sys
import threading
import time
import unittest

from suite.api import EVENTS, PODS, ApiError
from suite.history import PodHistory

from . import images
from .installations import StaticPod
from .real_cluster import wait

CLUSTER = None  # The RealCluster of the run.
FIGURES = []  # (scenario, what, figure), for the table at the end.
_began = time.monotonic()

# Ends at once when told to, and after a while when given one.
ENDS_AFTER = "trap 'sleep {0}; exit 0' TERM; sleep 2147483647 & wait"


def say(text):
    sys.stderr.write(f"[{time.monotonic() - _began:6.1f}s] {text}\n")
    sys.stderr.flush()


class ClusterScenario(unittest.TestCase):
    """Each test has a namespace and the scheduler of `mode`, and leaves a whole cluster."""

    mode = StaticPod

    @property
    def title(self):
        return self._testMethodName.removeprefix("test_")

    def say(self, text):
        say(f"{self.title}: {text}")

    def figure(self, what, value):
        text = f"{value:.1f} s" if isinstance(value, float) else str(value)
        FIGURES.append((self.title, what, text))
        self.say(f"{what}: {text}")

    def setUp(self):
        self.cluster, self.plane, self.api = CLUSTER, CLUSTER.plane, CLUSTER.api
        self.cluster.make_whole()
        self.scheduler = self.cluster.schedule_with(self.mode)
        self.namespace = f"{self.title.replace('_', '-')}-{secrets.token_hex(2)}"
        self.pods = PODS.format(self.namespace)
        self.make_namespace(self.namespace)
        self.history = PodHistory(self.api, self.namespace)
        self.addCleanup(self.history.close)

    def make_namespace(self, name, **labels):
        body = {
            "apiVersion": "v1",
            "kind": "Namespace",
            "metadata": {"name": name, "labels": labels},
        }
        self.api.create("/api/v1/namespaces", body)
        self.addCleanup(self._remove_namespace, name)
        accounts = f"/api/v1/namespaces/{name}/serviceaccounts/default"
        wait(lambda: self._exists(accounts), "the service account")

    def _remove_namespace(self, name):
        self.cluster.make_whole()
        self.api.delete(f"/api/v1/namespaces/{name}")
        wait(lambda: not self._exists(f"/api/v1/namespaces/{name}"), f"{name} is gone", 180)

    def _exists(self, path):
        try:
            return bool(self.api.get(path))
        except ApiError as error:
            if error.status == 404:
                return False
            raise

    def pod(self, name, *, cpu="10m", script=None, labels=None, grace=0, scheduler=None, **spec):
        """Returns a pod that waits to be told to end, or runs `script`."""
        container = {"name": "main", "image": images.BUSYBOX, "imagePullPolicy": "Never",
                     "resources": {"requests": {"cpu": cpu}}}  # fmt: skip
        if script:
            container["command"] = ["/bin/sh", "-c", script]
        return {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": name, "namespace": self.namespace, "labels": labels or {}},
            "spec": {
                "schedulerName": scheduler or self.scheduler.scheduler_name,
                "terminationGracePeriodSeconds": grace,
                "automountServiceAccountToken": False,
                "containers": [container],
            } | spec,
        }  # fmt: skip

    def deployment(self, name, replicas, **fields):
        labels = {"app": name}
        pod = self.pod(name, labels=labels, **fields)
        template = {"metadata": {"labels": labels}, "spec": pod["spec"]}
        spec = {"replicas": replicas, "selector": {"matchLabels": labels}, "template": template}
        return {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": name, "namespace": self.namespace},
            "spec": spec,
        }

    def create(self, *pods):
        return self.api.create_all(self.pods, pods)

    def condition(self, name, kind):
        """Returns that condition of the newest pod of that name; empty if it has none."""
        record = self.history.pod(name)
        return record.condition(kind) if record else {}

    def running(self, name):
        """Whether the newest pod of that name runs, its containers too."""
        record = self.history.pod(name)
        return record and not record.gone and record.condition("Ready").get("status") == "True"

    def wait_running(self, *names, timeout=90):
        for name in names:
            wait(lambda name=name: self.running(name), f"{name} runs", timeout)

    def node_of(self, name):
        record = self.history.pod(name)
        return record.nodes[-1] if record and record.nodes else None

    def wait(self, done, what, timeout=60, every=0.1):
        return wait(done, what, timeout, every)

    def events(self, reason=None):
        items = self.api.items(EVENTS.format(self.namespace))
        return [item for item in items if reason in (None, item.get("reason"))]

    def bound_instants(self):
        return sorted(one.bound_at for one in self.history.by_uid.values() if one.bound_at)

    def assert_bound_once(self):
        """No pod got two nodes, nor a node without having been seen to wait for one."""
        for record in self.history.by_uid.values():
            self.assertLessEqual(len(record.nodes), 1, f"{record.name} moved: {record.nodes}")
            if record.nodes and not self.history.gaps:
                self.assertTrue(record.unbound_first, f"{record.name} was never seen waiting")
        scheduled = {}
        for event in self.events("Scheduled"):
            uid = event["regarding"]["uid"]
            scheduled[uid] = scheduled.get(uid, 0) + 1
        self.assertEqual({uid: n for uid, n in scheduled.items() if n > 1}, {}, "bound twice")

    def flow(self, per_second=2.0):
        flow = Flow(self, per_second)
        self.addCleanup(flow.stop)
        return flow


class Flow:
    """Creates pods one after the other, until stopped. Each ends at once."""

    def __init__(self, scenario, per_second):
        self._scenario, self._pause = scenario, 1 / per_second
        self._ended = threading.Event()
        self.created = 0
        self.refused = 0  # While no API server was there.
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        scenario = self._scenario
        while not self._ended.wait(self._pause):
            pod = scenario.pod(f"flow-{self.created + 1:04}", cpu="1m", script="true",
                               restartPolicy="Never")  # fmt: skip
            try:
                scenario.api.create(scenario.pods, pod, patience=30)
                self.created += 1
            except (OSError, ApiError):
                self.refused += 1

    def stop(self):
        self._ended.set()
        self._thread.join()

    def finish(self, timeout=60):
        """Stops it and checks that every pod was bound, once."""
        self.stop()
        history = self._scenario.history
        wait(
            lambda: history.ever_bound() >= self.created, "every pod of the flow is bound", timeout
        )
        self._scenario.assert_bound_once()
        self._scenario.assertEqual(history.ever_bound(), self.created)

    def wait_bound_after(self, instant, timeout=90):
        """Waits until a pod is bound after the monotonic `instant`; returns how long after."""
        scenario = self._scenario

        def first():
            return [at for at in scenario.bound_instants() if at > instant]

        return wait(first, "a pod is bound", timeout)[0] - instant


def show_figures():
    for title, what, text in FIGURES:
        print(f"{title:24} {what:52} {text}")
