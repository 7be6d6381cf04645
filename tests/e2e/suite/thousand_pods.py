"""A thousand pods with all kinds of constraints on a hundred nodes."""

import random

from .api import NODES
from .checker import Checker, untolerated
from .objects import HOSTNAME, RUN_LABEL, ZONE, apart, near, required_affinity, spread
from .scenario import Scenario
from .volumes import LocalVolumes

GPU = "example.com/gpu"
BATCH = {"key": "dedicated", "value": "batch", "effect": "NoSchedule"}
IMAGE = "registry.example/big:1"


def make_nodes(space):
    """A hundred nodes in three zones: every tenth for batch work, one cordoned."""
    nodes = []
    for i in range(100):
        labels = {ZONE: "zone-" + "abc"[i % 3], "rank": str(i)}
        labels["disk"] = "ssd" if i % 4 == 0 else "hdd"
        taints = []
        if i % 10 == 0:
            labels["dedicated"] = "batch"
            taints.append(BATCH)
        if i % 20 == 7:
            taints.append({"key": "old", "effect": "PreferNoSchedule"})
        big = [{"names": [IMAGE], "sizeBytes": 900_000_000}] if i % 9 == 1 else None
        nodes.append(
            space.node(
                f"{i:03}", cpu="16", memory="64Gi", labels=labels, taints=taints, images=big,
                resources={GPU: "2"} if i % 10 == 5 else None, unschedulable=i == 99,
            )  # fmt: skip
        )
    return nodes


def many(prefix, count, make):
    """Returns `count` pairs of a name and the fields that `make(number)` returns."""
    return [(f"{prefix}-{number}", make(number)) for number in range(count)]


def groups(space, high, low, volumes):
    """Returns names and fields of pods that all fit, in any order."""
    rng = random.Random(6)

    def some(**fields):
        return {"cpu": f"{rng.randrange(1, 13) * 100}m",
                "memory": f"{rng.randrange(1, 33) * 64}Mi"} | fields  # fmt: skip

    def zones(*names):
        values = [f"zone-{name}" for name in names]
        return required_affinity({"key": ZONE, "operator": "In", "values": values})

    def app(name, **fields):
        return some(labels={"app": name}, **fields)

    batch = {"key": "dedicated", "operator": "Equal", "value": "batch", "effect": "NoSchedule"}
    prefer = {
        "nodeAffinity": {
            "preferredDuringSchedulingIgnoredDuringExecution": [
                {
                    "weight": 50,
                    "preference": {
                        "matchExpressions": [{"key": "disk", "operator": "In", "values": ["ssd"]}]
                    },
                }
            ]
        }
    }
    rank = {"key": "rank", "operator": "Gt", "values": ["40"]}
    no_b = {"key": ZONE, "operator": "NotIn", "values": ["zone-b"]}
    honor = {"nodeTaintsPolicy": "Honor"}
    gate = {"schedulingGates": [{"name": "example.com/wait"}]}
    tcp, udp = {"containerPort": 80, "hostPort": 18080}, {"containerPort": 53, "hostPort": 18080}
    return [
        *many("plain", 156, lambda _: some()),
        *many("selected", 70, lambda _: some(selector={"disk": "ssd"})),
        *many("zoned", 50, lambda _: some(affinity=zones("a", "b"))),
        *many("ranked", 40, lambda _: some(affinity=required_affinity(rank, no_b))),
        *many("preferring", 40, lambda _: some(affinity=prefer)),
        *many("batch", 40, lambda _: some(tolerations=[batch], selector={"dedicated": "batch"})),
        *many("port", 80, lambda _: some(ports=[tcp])),
        *many("udp", 20, lambda _: some(ports=[udp | {"protocol": "UDP"}])),
        *many("even", 60, lambda _: app("even", topologySpreadConstraints=[spread("even", ZONE)])),
        *many(
            "wide",
            70,
            lambda _: app("wide", topologySpreadConstraints=[spread("wide", HOSTNAME, **honor)]),
        ),
        *many(
            "soft",
            50,
            lambda _: app(
                "soft", topologySpreadConstraints=[spread("soft", HOSTNAME, skew=2, hard=False)]
            ),
        ),
        *many("anchor", 1, lambda _: app("anchor", affinity=zones("c"))),
        *many("follower", 40, lambda _: some(affinity=near("anchor", ZONE))),
        *many("flock", 30, lambda _: app("flock", affinity=near("flock", ZONE))),
        *many("single", 50, lambda _: app("single", affinity=apart("single", HOSTNAME))),
        *many("rival", 3, lambda _: app("rival", affinity=apart("rival", ZONE))),
        *many("noisy", 15, lambda _: app("noisy")),
        *many("shy", 15, lambda _: app("shy", affinity=apart("noisy", HOSTNAME))),
        *many("high", 30, lambda _: some(priorityClassName=high)),
        *many("low", 20, lambda _: some(priorityClassName=low)),
        *many("gpu", 20, lambda _: some(cpu="100m", resources={GPU: "1"})),
        *many("image", 20, lambda _: some(image=IMAGE)),
        *many("claim", 20, lambda n: some(cpu="100m", volumes=volumes.of(f"claim-{n}"))),
        *many("gated", 40, lambda _: some(**gate)),
        *many("nowhere", 20, lambda number: nowhere(number, volumes)),
    ]


UNBOUND = "node(s) didn't find available persistent volumes to bind"
NOWHERE = [  # What the pod asks for, and why the nodes that it might have do not suit it.
    ({"cpu": "1000"}, "Insufficient cpu"),
    ({"selector": {"disk": "tape"}}, "node(s) didn't match Pod's node affinity/selector"),
    ({"resources": {GPU: "3"}}, f"Insufficient {GPU}"),
    ({"affinity": near("nobody", ZONE)}, "node(s) didn't match pod affinity rules"),
    (
        {"topologySpreadConstraints": [spread("nobody", "example.com/rack")]},
        "node(s) didn't match pod topology spread constraints (missing required label)",
    ),
    ({"volumes": LocalVolumes.of("claim-without-volume")}, UNBOUND),
]


def nowhere(number, volumes):
    del volumes
    return dict(NOWHERE[number % len(NOWHERE)][0])


def message_of(pod, reason, nodes, run):
    """Returns the message of a pod that fits nowhere, and that preemption cannot help."""
    counts = {}
    for node in nodes:
        why = reason
        if node["spec"].get("unschedulable"):
            why = "node(s) were unschedulable"
        elif untolerated(pod, node):
            why = "node(s) had untolerated taint(s)"
        elif node["metadata"].get("labels", {}).get(RUN_LABEL) != run:
            why = "node(s) didn't match Pod's node affinity/selector"
        counts[why] = counts.get(why, 0) + 1
    total = f"0/{len(nodes)} nodes are available: "
    reasons = ", ".join(sorted(f"{count} {why}" for why, count in counts.items()))
    helpless = f"{len(nodes)} Preemption is not helpful for scheduling."
    return f"{total}{reasons}. no new claims to deallocate, preemption: {total}{helpless}"


class ThousandPods(Scenario):
    def test_thousand_pods(self):
        space, history = self.space, self.history
        high = space.priority_class("high", 1000)
        low = space.priority_class("low", -10)
        volumes = LocalVolumes(space)
        self.addCleanup(volumes.stop)
        names = space.create_nodes(make_nodes(space))
        for number in range(24):
            volumes.volume(number, names[1 + number * 3])
        claims = [volumes.claim(f"claim-{n}") for n in range(20)]
        self.api.create_all(volumes.claims_path, claims)
        # It can never be bound: its volume would have to be of another class.
        lost = volumes.claim("claim-without-volume")
        lost["spec"]["resources"]["requests"]["storage"] = "1Ti"
        self.api.create(volumes.claims_path, lost)
        volumes.start()
        scheduler = self.start_scheduler()
        wanted = groups(space, high, low, volumes)
        self.assertEqual(len(wanted), 1000)
        random.Random(7).shuffle(wanted)
        space.create_pods([space.pod(name, **fields) for name, fields in wanted])
        self.say(f"{len(names)} nodes, {len(wanted)} pods created, {history.bound()} bound")

        self.wait_bound(len(wanted) - 60, timeout=90)
        gated = [record for record in history.records() if record.name.startswith("gated-")]
        self.assertEqual([record.nodes for record in gated], [[]] * 40)
        for record in gated:
            self.assertEqual(record.condition("PodScheduled")["reason"], "SchedulingGated")
        self.api.each(
            lambda record: self.api.patch(
                f"{space.pods}/{record.name}", {"spec": {"schedulingGates": None}}
            ),
            gated,
        )
        self.say(f"{history.bound()} bound, gates lifted")
        self.wait_bound(len(wanted) - 20)
        self.check_final_state(volumes)
        self.check_scheduled_events()
        self.check_nowhere()
        self.assertTrue(scheduler.alive())
        history.close()

    def check_final_state(self, volumes):
        pods = self.api.items(self.space.pods)
        checker = Checker(
            self.api.items(NODES, labelSelector=f"{RUN_LABEL}={self.space.run}"),
            pods,
            self.api.items(volumes.claims_path),
            volumes.volumes(),
        )
        self.assertEqual(checker.violations()[:5], [])
        self.assert_bound_once()
        self.assertEqual(self.history.gaps, 0)
        for pod in pods:
            if pod["spec"].get("nodeName"):
                condition = [c for c in pod["status"]["conditions"] if c["type"] == "PodScheduled"]
                self.assertEqual(condition[0]["status"], "True", pod["metadata"]["name"])

    def check_scheduled_events(self):
        bound = {record.uid: record for record in self.history.records() if record.nodes}
        events = self.space.wait_events("Scheduled", len(bound))
        self.assertEqual(len(events), len(bound), "one Scheduled event for each bound pod")
        for event in events:
            record = bound.pop(event["regarding"]["uid"])
            self.assert_event(
                event, record, type="Normal", reason="Scheduled", action="Binding",
                note=f"Successfully assigned {self.space.namespace}/{record.name} "
                f"to {record.nodes[0]}",
            )  # fmt: skip
        self.assertEqual(bound, {})
        failed = {e["regarding"]["name"] for e in self.space.events("FailedScheduling")}
        gated = [name for name in failed if name.startswith("gated-")]
        self.assertEqual(gated, [], "pods at a gate are not tried")

    def check_nowhere(self):
        nodes = self.api.items(NODES)
        events = {}
        for event in self.space.wait_events("FailedScheduling", 20):
            events.setdefault(event["regarding"]["name"], []).append(event)
        for number in range(20):
            record = self.history.pod(f"nowhere-{number}")
            reason = NOWHERE[number % len(NOWHERE)][1]
            message = message_of(record.pod, reason, nodes, self.space.run)
            condition = record.condition("PodScheduled")
            found = {key: condition.get(key) for key in ("status", "reason", "message")}
            expected = {"status": "False", "reason": "Unschedulable", "message": message}
            self.assertEqual(found, expected, record.name)
            self.assertEqual(condition.get("observedGeneration"), 1)
            self.assertIn(record.name, events)
            for event in events[record.name]:
                self.assert_event(
                    event, record, type="Warning", reason="FailedScheduling", action="Scheduling",
                    note=message,
                )  # fmt: skip
