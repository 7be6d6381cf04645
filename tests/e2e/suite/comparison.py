"""Comparison: kube-scheduler and a shadow beside it, in one random cluster after the other."""

import collections
import dataclasses
import http.client
import json
import os
import re
import ssl
import time

from .activity import Activity, is_waiting
from .judgements import JudgementLog, Tally
from .machinery import Kubelets, VolumeControllers
from .objects import ZONE
from .processes import Scheduler, free_port
from .world_objects import every_object, remove_world

PATIENCE = 20  # Seconds in which a pod is decided, or everything is at rest.
SHADOW_LAG = 0.5  # Seconds in which the shadow has seen a decision.
# Seconds in which it has judged it. It waits if pods seem to be on their way that it has not seen.
SHADOW_PATIENCE = 8
QUIET = 0.02  # Seconds without an event after which a pod's writes are complete.


def profiles():
    """The default profile and others with other arguments, which pods choose from."""

    def profile(name, **plugins):
        arguments = [{"name": key, "args": value} for key, value in plugins.items()]
        return {"schedulerName": name, "pluginConfig": arguments}

    both = [{"name": "cpu", "weight": 2}, {"name": "example.com/gpu", "weight": 5}]
    shape = [{"utilization": 0, "score": 0}, {"utilization": 70, "score": 10},
             {"utilization": 100, "score": 3}]  # fmt: skip
    ratio = {"type": "RequestedToCapacityRatio", "resources": both,
             "requestedToCapacityRatio": {"shape": shape}}  # fmt: skip
    zones = {"maxSkew": 1, "topologyKey": ZONE, "whenUnsatisfiable": "DoNotSchedule"}
    added = {"weight": 7, "preference": {
        "matchExpressions": [{"key": "disk", "operator": "In", "values": ["ssd"]}]}}  # fmt: skip
    return [
        profile("side-default"),
        profile("side-packed", NodeResourcesFit={
            "scoringStrategy": {"type": "MostAllocated", "resources": both}}),
        profile("side-ratio", NodeResourcesFit={"scoringStrategy": ratio},
                InterPodAffinity={"hardPodAffinityWeight": 50,
                                  "ignorePreferredTermsOfExistingPods": True}),
        profile("side-spread",
                PodTopologySpread={"defaultingType": "List", "defaultConstraints": [zones]},
                NodeAffinity={"addedAffinity": {
                    "preferredDuringSchedulingIgnoredDuringExecution": [added]}}),
    ]  # fmt: skip


class QueueMetrics:
    """Says by kube-scheduler's metrics whether it has anything to do."""

    _WANTED = {
        'scheduler_pending_pods{queue="active"}': "pending",
        'scheduler_pending_pods{queue="backoff"}': "pending",
        'scheduler_goroutines{operation="binding"}': "binding",
        "scheduler_schedule_attempts_total{": "attempts",
    }
    # Metrics with many lines, which would be most of what is read.
    UNWANTED = (
        "rest_client_rate_limiter_duration_seconds", "rest_client_request_duration_seconds",
        "rest_client_request_size_bytes", "rest_client_response_size_bytes",
        "scheduler_event_handling_duration_seconds",
        "scheduler_framework_extension_point_duration_seconds",
        "scheduler_plugin_evaluation_total", "scheduler_plugin_execution_duration_seconds",
        "scheduler_queueing_hint_execution_duration_seconds",
        "scheduler_scheduling_attempt_duration_seconds", "kubernetes_feature_enabled",
    )  # fmt: skip

    def __init__(self, port):
        self._port, self._connection = port, None

    def _read(self):
        if self._connection is None:
            insecure = ssl.create_default_context()
            insecure.check_hostname, insecure.verify_mode = False, ssl.CERT_NONE
            self._connection = http.client.HTTPSConnection(
                "127.0.0.1", self._port, timeout=10, context=insecure
            )
        try:
            self._connection.request("GET", "/metrics")
            response = self._connection.getresponse()
            text = response.read().decode()
        except (OSError, http.client.HTTPException):
            self._connection.close()  # The next request connects again.
            raise
        if response.status != 200:
            raise RuntimeError(f"kube-scheduler's metrics: {response.status} {text[:200]}")
        return text

    def attempts_at_rest(self):
        """Returns the number of attempts so far, or None while pods are tried or bound."""
        values = dict.fromkeys(("pending", "binding", "attempts"), 0.0)
        try:
            text = self._read()
        except (OSError, http.client.HTTPException):
            text = self._read()  # The server closes idle connections.
        for line in text.splitlines():
            for start, name in self._WANTED.items():
                if line.startswith(start):
                    values[name] += float(line.rpartition(" ")[2])
        return None if values["pending"] or values["binding"] else values["attempts"]

    def rejections(self):
        """Returns how many pods wait that a plugin rejected, by its name."""
        result = collections.Counter()
        for line in self._read().splitlines():
            found = re.match(r'scheduler_unschedulable_pods\{plugin="([^"]+)"[^}]*\} (\S+)', line)
            if found and float(found[2]):
                result[found[1]] += int(float(found[2]))
        return result

    def reachable(self):
        try:
            return bool(self._read())
        except OSError:
            return False


@dataclasses.dataclass
class _Seed:
    """What is known about the pods of a seed."""

    tally: Tally = dataclasses.field(default_factory=Tally)
    decided: set = dataclasses.field(default_factory=set)  # The names of pods.
    judged: set = dataclasses.field(default_factory=set)
    undecided: int = 0


class Comparison:
    """The programs of a run. `arguments` are those of side_by_side."""

    def __init__(self, api, arguments, folder):
        self._api, self._arguments, self._folder = api, arguments, folder
        self._kubelets, self._controllers = Kubelets(api), VolumeControllers(api)
        gates = [f"--feature-gates={arguments.feature_gates}"] if arguments.feature_gates else []
        port = free_port()
        common = {"profiles": profiles(), "percentageOfNodesToScore": 100, "qps": 5000}
        self._stock = Scheduler(
            arguments.kube_scheduler, folder, "", api.config, label="kube-scheduler",
            verbosity=arguments.verbosity, **common,
            flags=(
                f"--secure-port={port}", "--authorization-always-allow-paths=/metrics",
                "--disabled-metrics=" + ",".join(QueueMetrics.UNWANTED), *gates,
            ),
        )  # fmt: skip
        self._shadow = Scheduler(
            arguments.shadow, folder, "", api.config, label="shadow", verbosity=4,
            flags=("--shadow", *gates), **common,
        )  # fmt: skip
        self._metrics = QueueMetrics(port)
        if not self._shadow.says("Shadow mode: judging", PATIENCE):
            raise RuntimeError("the shadow does not begin:\n" + self._shadow.tail())
        deadline = time.monotonic() + PATIENCE
        while not self._metrics.reachable():
            if time.monotonic() > deadline or not self._stock.alive():
                raise RuntimeError("kube-scheduler does not begin:\n" + self._stock.tail())
            time.sleep(0.2)
        self._log = JudgementLog(self._shadow.log_path)
        self._seed = _Seed()

    def run(self, seed):
        """Returns the tally of a seed, and a note about what was not compared."""
        names = [profile["schedulerName"] for profile in profiles()]
        world = Activity(
            self._api, seed, names, self._kubelets, self._controllers,
            rest=self._rest, burst=self._arguments.burst,
        )  # fmt: skip
        self._seed = _Seed()
        try:
            world.begin()
            self._rest()
            for _ in range(0, self._arguments.pods, self._arguments.burst):
                self._step(world)
            self._await_judgements(world, self._seed.decided, SHADOW_PATIENCE)
        finally:
            remove_world(self._api)
        self._kubelets.pods.wait(lambda: not world.pods(), PATIENCE)
        self._rest()
        self._log.read()  # What was decided during the removal is not compared.
        unjudged = len(self._seed.decided - self._seed.judged)
        return self._seed.tally, (
            f"{world.refused} objects refused, {self._seed.undecided} pods not decided, "
            f"{unjudged} not judged"
        )

    def _step(self, world):
        for _ in range(self._arguments.burst):
            if world.wants_change():
                world.disturb()
        world.make_room()
        self._await(world, world.create_pods(self._arguments.burst))
        self._rest()
        while world.end_victims():
            self._rest()
        self._read_log(world)

    def _await(self, world, keys):
        """Waits until each of the pods is bound or found unschedulable, and judged."""
        pods = self._kubelets.pods

        def decided(key):
            pod = pods.get(key)
            return not pod or not is_waiting(pod) or pod["status"].get("conditions")

        if not pods.wait(lambda: all(map(decided, keys)), PATIENCE):
            self._seed.undecided += sum(not decided(key) for key in keys)
        names = {"/".join(key) for key in keys if decided(key)}
        self._seed.decided |= names
        # What changes before the shadow has seen the decision would be part of its judgement.
        self._await_judgements(world, names, SHADOW_LAG)

    def _await_judgements(self, world, names, patience):
        deadline = time.monotonic() + patience
        self._read_log(world)
        while not names <= self._seed.judged and time.monotonic() < deadline:
            time.sleep(0.002)
            self._read_log(world)

    def _rest(self):
        """Waits until nothing is left to decide, to bind and to start."""
        deadline = time.monotonic() + PATIENCE
        before = None
        while time.monotonic() < deadline:
            quiet = self._kubelets.idle() and self._controllers.idle()
            if quiet and not any(map(is_waiting, self._kubelets.pods.items())):
                return
            now = self._metrics.attempts_at_rest() if quiet else None
            silent = time.monotonic() - self._kubelets.pods.changed_at > QUIET
            if now is not None and now == before and silent:
                return
            before = now
            time.sleep(0.005)

    def _read_log(self, world):
        judgements = self._log.read()
        self._seed.tally.add(judgements)
        self._seed.judged |= {one["pod"] for one in judgements}
        if self._arguments.keep and not all(one.agrees for one in judgements):
            name = f"{world.world}-{len(self._seed.tally.different)}.json"
            with open(os.path.join(self._folder, name), "w", encoding="utf-8") as file:
                items = every_object(self._api)
                json.dump({"kind": "List", "apiVersion": "v1", "items": items}, file)

    def close(self):
        self._shadow.terminate()
        self._stock.terminate()
        self._kubelets.close()
        self._controllers.close()
