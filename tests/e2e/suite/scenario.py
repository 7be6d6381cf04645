"""Scenario: the base of all scenarios, with a space in the cluster and the program under test."""

import dataclasses
import socket
import sys
import time
import unittest

from .api import Api
from .history import PodHistory
from .processes import Scheduler
from .proxy import Gatekeeper
from .space import Space


@dataclasses.dataclass
class Settings:
    """The options of `run`."""

    kubeconfig: object = None
    scheduler: str = ""
    berth: str | None = None  # The program of a server of our own; None: the cluster is given.
    folder: str = ""


SETTINGS = Settings()
_began = time.monotonic()


def say(text):
    sys.stderr.write(f"[{time.monotonic() - _began:6.1f}s] {text}\n")
    sys.stderr.flush()


class Scenario(unittest.TestCase):
    """Each test has its own Space and its own result. When one fails, the last lines of the logs of
    its programs are printed."""

    alone = True  # No nodes of others may come and go meanwhile, and it needs the processors.

    def run(self, result=None):
        self._programs = []
        begin = time.monotonic()
        try:
            super().run(result)
        except KeyboardInterrupt:
            self.doCleanups()
            raise
        failed = not result.wasSuccessful()
        outcome = "FAILED" if failed else "skipped" if result.skipped else "done"
        why = f": {result.skipped[0][1]}" if result.skipped else ""
        say(f"{self.title}: {outcome} in {time.monotonic() - begin:.1f} s{why}")
        if failed:
            for program in self._programs:
                code = program.process.poll()
                title = f"--- the last lines of {program.log_path} (exit code {code}):"
                print(f"{title}\n{program.tail()}\n---", file=sys.stderr)
        return result

    @property
    def title(self):
        return self._testMethodName.removeprefix("test_")

    def setUp(self):
        say(f"{self.title} begins")
        self.use(SETTINGS.kubeconfig)

    def use(self, kubeconfig):
        """Creates the space in that cluster, and starts to watch its pods."""
        self.kubeconfig = kubeconfig
        self.api = Api(kubeconfig)
        self.space = Space(self.api, self.title)
        self.addCleanup(self.space.remove)
        self.history = PodHistory(self.api, self.space.namespace)
        self.addCleanup(self.history.close)

    def say(self, text):
        say(f"{self.title}: {text}")

    def own(self, program):
        """Ends `program` with the test, and prints the end of its log if the test fails."""
        self._programs.append(program)
        self.addCleanup(program.kill)
        return program

    def start_scheduler(self, kubeconfig=None, label="scheduler", **options):
        return self.own(
            Scheduler(
                SETTINGS.scheduler, SETTINGS.folder, self.space.scheduler_name,
                kubeconfig or self.kubeconfig, label=f"{self.title}.{label}", **options,
            )
        )  # fmt: skip

    def gate(self, refuses=lambda method, path: None):
        """Returns a Gatekeeper before the cluster, and a kubeconfig for it."""
        gate = Gatekeeper(self.api, refuses)
        self.addCleanup(gate.close)
        config = self.kubeconfig.anonymous().replace(
            server=f"http://127.0.0.1:{gate.port}", ca=None, tls_server_name=None, insecure=False
        )
        return gate, config

    def wait_bound(self, count, timeout=60):
        if not self.history.wait_bound(count, timeout):
            waiting = [record for record in self.history.records() if not record.nodes]
            shown = "".join(
                f"\n  {record.name}: {record.condition('PodScheduled').get('message')}"
                for record in waiting[:5]
            )
            self.fail(f"{self.history.bound()} of {count} pods are bound after {timeout} s{shown}")

    def wait(self, done, what, timeout=30):
        self.assertTrue(self.history.wait(done, timeout), f"not within {timeout} s: {what}")

    def nodes_of(self, name):
        """Returns the nodes that the pod of that name had so far."""
        record = self.history.pod(name)
        return record.nodes if record else []

    def assert_bound_once(self):
        """Every bound pod was first reported without a node, and had only one node."""
        for record in self.history.by_uid.values():
            self.assertLessEqual(len(record.nodes), 1, f"{record.name} moved: {record.nodes}")
            if record.nodes and not self.history.gaps:
                self.assertTrue(record.unbound_first, f"{record.name} was never seen waiting")

    def assert_event(self, event, record, **fields):
        """Checks the fields that kube-scheduler sets in every event of a pod, and `fields`."""
        name = self.space.scheduler_name
        regarding = dict(event["regarding"])
        self.assertRegex(regarding.pop("resourceVersion", ""), r"^\d+$")
        self.assertEqual(
            regarding,
            {"kind": "Pod", "namespace": self.space.namespace, "name": record.name,
             "uid": record.uid, "apiVersion": "v1"},
        )  # fmt: skip
        self.assertRegex(event["metadata"]["name"], rf"^{record.name}\.[0-9a-f]{{12,16}}$")
        self.assertEqual(event["metadata"]["namespace"], self.space.namespace)
        self.assertRegex(event["eventTime"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$")
        self.assertEqual(event["reportingController"], name)
        self.assertEqual(event["reportingInstance"], f"{name}-{socket.gethostname()}")
        self.assertNotIn("related", event)
        found = {key: event.get(key) for key in fields}
        self.assertEqual(found, fields, f"event of {record.name}")
