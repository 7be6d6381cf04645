"""The scheduler's requests to the API server: these watches, these writes, and no others."""

import collections
import json
import re

from .scenario import Scenario
from .volumes import LocalVolumes

WATCHED = {
    "/api/v1/pods", "/api/v1/nodes", "/api/v1/namespaces", "/api/v1/persistentvolumes",
    "/api/v1/persistentvolumeclaims", "/api/v1/services", "/api/v1/replicationcontrollers",
    "/apis/apps/v1/replicasets", "/apis/apps/v1/statefulsets",
    "/apis/policy/v1/poddisruptionbudgets",
    "/apis/storage.k8s.io/v1/storageclasses", "/apis/storage.k8s.io/v1/csinodes",
    "/apis/storage.k8s.io/v1/csidrivers", "/apis/storage.k8s.io/v1/csistoragecapacities",
    "/apis/storage.k8s.io/v1/volumeattachments",
    "/apis/resource.k8s.io/v1/resourceclaims", "/apis/resource.k8s.io/v1/resourceslices",
    "/apis/resource.k8s.io/v1/deviceclasses",
}  # fmt: skip

# Kinds of requests besides watches and the lists before them: a method and a path.
OTHERS = {
    "bind": r"POST /api/v1/namespaces/[^/]+/pods/[^/]+/binding",
    "pod status": r"PATCH /api/v1/namespaces/[^/]+/pods/[^/]+/status",
    "delete a victim": r"DELETE /api/v1/namespaces/[^/]+/pods/[^/]+",
    "bind a volume": r"PUT /api/v1/persistentvolumes/[^/]+",
    # Berth reads the object once more before it writes it: it keeps only some of its fields.
    "read before writing": r"GET /api/v1/(namespaces/[^/]+/)?persistentvolume(claim)?s/[^/]+",
    "event": r"POST /apis/events\.k8s\.io/v1/namespaces/[^/]+/events",
    "event series": r"PATCH /apis/events\.k8s\.io/v1/namespaces/[^/]+/events/[^/]+",
    # Berth warns of a server that it does not serve.
    "server version": r"GET /version",
    "are there events": r"GET /apis/events\.k8s\.io/v1",
}

SELECTOR = "status.phase!=Succeeded,status.phase!=Failed"
STRATEGIC = "application/strategic-merge-patch+json"


def kind_of(request):
    line = f"{request.method} {request.path}"
    if request.method == "GET" and request.path in WATCHED:
        return "watch" if request.query.get("watch") == "true" else "list"
    for kind, pattern in OTHERS.items():
        if re.fullmatch(pattern, line):
            return kind
    return line


class ApiTraffic(Scenario):
    def test_api_traffic(self):
        space = self.space
        high = space.priority_class("high", 1000)
        volumes = LocalVolumes(space)
        self.addCleanup(volumes.stop)
        (name,) = space.create_nodes([space.node("n0", pods=4)])
        volumes.volume(0, name)
        self.api.create(volumes.claims_path, volumes.claim("claim"))
        volumes.start()
        gate, config = self.gate()
        # Bodies in JSON, so that they can be read here.
        self.start_scheduler(config, content_type="application/json")
        space.create_pods([space.pod(f"p{i}") for i in range(3)])
        space.create_pods([space.pod("claiming", volumes=LocalVolumes.of("claim"))])
        self.wait_bound(4)
        space.create_pods([space.pod("nowhere", cpu="1000")])
        space.create_pods([space.pod("high", priorityClassName=high)])
        self.wait(lambda: any(r.deleting for r in self.history.by_uid.values()), "a victim")
        (victim,) = [r for r in self.history.by_uid.values() if r.deleting]
        self.api.delete_now(f"{space.pods}/{victim.name}")
        self.wait(lambda: self.nodes_of("high"), "high is bound")
        space.wait_events("Scheduled", 5)
        space.wait_events("Preempted", 1)
        space.wait_events("FailedScheduling", 2)

        by_kind = collections.defaultdict(list)
        for request in list(gate.requests):
            by_kind[kind_of(request)].append(request)
        self.say(", ".join(f"{len(found)} {kind}" for kind, found in by_kind.items()))
        unknown = by_kind.keys() - OTHERS.keys() - {"watch", "list"}
        self.assertEqual(sorted(unknown), [], "requests that it should not make")
        self.assertLessEqual(len(by_kind["server version"]), 1)
        self.check_watches(by_kind["watch"])
        self.check_writes(by_kind, name, victim)
        for request in gate.requests:
            self.assertRegex(
                request.headers["User-Agent"],
                r"^[\w.-]+/\S+ \(\w+/\w+\) kubernetes/\w+(/scheduler)?$",
            )

    def check_watches(self, watches):
        self.assertEqual({request.path for request in watches}, WATCHED)
        for request in watches:
            self.assertEqual(request.query.get("allowWatchBookmarks"), "true", request.path)
            self.assertIn(int(request.query["timeoutSeconds"]), range(300, 600), request.path)
            wanted = SELECTOR if request.path == "/api/v1/pods" else None
            self.assertEqual(request.query.get("fieldSelector"), wanted, request.path)

    def check_writes(self, by_kind, node, victim):
        self.assertEqual(len(by_kind["bind"]), 5)
        for request in by_kind["bind"]:
            pod = self.history.pod(request.path.split("/")[-2])
            body = json.loads(request.body)
            body["metadata"].pop("creationTimestamp", None)
            target = {"kind": "Node", "name": node}
            owner = {"name": pod.name, "namespace": self.space.namespace, "uid": pod.uid}
            expected = {"kind": "Binding", "apiVersion": "v1", "metadata": owner, "target": target}
            self.assertEqual(body, expected)

        deletions = [request.path.split("/")[-1] for request in by_kind["delete a victim"]]
        self.assertEqual(deletions, [victim.name])
        (volume,) = by_kind["bind a volume"]
        body = json.loads(volume.body)
        self.assertEqual(body["spec"]["claimRef"]["name"], "claim")
        annotations = body["metadata"]["annotations"]
        self.assertEqual(annotations["pv.kubernetes.io/bound-by-controller"], "yes")

        # Each of these pods has one patch: nothing about them changes while they wait. One whose
        # volume takes a while to bind is promised its node for that time.
        patches = collections.Counter(r.path.split("/")[-2] for r in by_kind["pod status"])
        self.assertEqual(patches, {"claiming": 1, "nowhere": 1, "high": 1, victim.name: 1})
        (promise,) = [r for r in by_kind["pod status"] if "/claiming/" in r.path]
        self.assertEqual(json.loads(promise.body), {"status": {"nominatedNodeName": node}})
        for request in by_kind["pod status"]:
            self.assertEqual(request.headers["Content-Type"], STRATEGIC)
            self.assertEqual(set(json.loads(request.body)), {"status"})
