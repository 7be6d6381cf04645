"""The objects of side_by_side: what all seeds share, and the removal of everything."""

from . import random_pods
from .api import NODES
from .machinery import tolerant
from .objects import RUN_LABEL
from .random_cluster import NAMESPACES, collection, labelled
from .space import PERSISTENT_VOLUMES, PRIORITY_CLASSES, STORAGE_CLASSES

RUNTIME_CLASSES = "/apis/node.k8s.io/v1/runtimeclasses"
STORAGE = "/apis/storage.k8s.io/v1"

NAMESPACED = (
    ("v1", "pods"), ("v1", "persistentvolumeclaims"), ("v1", "services"),
    ("v1", "replicationcontrollers"), ("apps/v1", "replicasets"), ("apps/v1", "statefulsets"),
    ("policy/v1", "poddisruptionbudgets"), ("storage.k8s.io/v1", "csistoragecapacities"),
    ("events.k8s.io/v1", "events"),
)  # fmt: skip
WIDE = (
    NODES, PERSISTENT_VOLUMES, STORAGE_CLASSES, f"{STORAGE}/csinodes", f"{STORAGE}/csidrivers",
    f"{STORAGE}/volumeattachments",
)  # fmt: skip
EVERYTHING = [
    f"{'/api/v1' if version == 'v1' else '/apis/' + version}/{resource}"
    for version, resource in NAMESPACED[:-1]
] + [*WIDE, "/api/v1/namespaces", PRIORITY_CLASSES]


def every_object(api):
    """Returns everything that decisions depend on."""
    result = []
    for path in EVERYTHING:
        response = api.get(path)
        version, kind = response["apiVersion"], response["kind"].removesuffix("List")
        result += [
            {"apiVersion": version, "kind": kind} | item for item in response.get("items") or []
        ]
    return result


def begin_run(api):
    """Creates what all seeds share; removes what an earlier run left."""
    remove_all(api)
    for name in NAMESPACES:
        api.create("/api/v1/namespaces", labelled("side-by-side", "v1", "Namespace", name))
        account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default"}}
        tolerant(api.create, f"/api/v1/namespaces/{name}/serviceaccounts", account)
    for name, value in random_pods.PRIORITIES.items():
        policy = "Never" if name == random_pods.POLITE else "PreemptLowerPriority"
        body = labelled(
            "side-by-side", "scheduling.k8s.io/v1", "PriorityClass", name, value=value,
            preemptionPolicy=policy,
        )  # fmt: skip
        api.create(PRIORITY_CLASSES, body)
    for name, fields in random_pods.RUNTIMES.items():
        body = labelled("side-by-side", "node.k8s.io/v1", "RuntimeClass", name, **fields)
        api.create(RUNTIME_CLASSES, body | {"handler": "h"})


def remove_world(api):
    """Removes the objects of a seed."""
    query = f"?labelSelector={RUN_LABEL}"
    paths = [collection(version, resource, namespace) for version, resource in NAMESPACED
             for namespace in NAMESPACES]  # fmt: skip
    for path in paths:
        _delete_collection(api, path)
    for path in WIDE:
        _delete_collection(api, path + query)
    for path in [one for one in paths if "persistentvolumeclaims" in one] + [PERSISTENT_VOLUMES]:
        for item in api.items(path, labelSelector=RUN_LABEL):
            release = {"metadata": {"finalizers": None}}
            tolerant(api.patch, f"{path}/{item['metadata']['name']}", release)


def _delete_collection(api, path):
    tolerant(lambda: api.call("DELETE", path, {"gracePeriodSeconds": 0}))


def remove_all(api):
    """Removes everything, also the namespaces where no controller finishes that."""
    remove_world(api)
    query = f"?labelSelector={RUN_LABEL}"
    for path in (PRIORITY_CLASSES, RUNTIME_CLASSES):
        _delete_collection(api, path + query)
    for name in NAMESPACES:
        path = f"/api/v1/namespaces/{name}"
        if api.delete(path) is None:
            continue
        empty = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}, "spec": {}}
        tolerant(lambda: api.call("PUT", path + "/finalize", empty))  # noqa: B023
