"""Random nodes, namespaces, owners and budgets: the cluster that random pods are scheduled in.

All functions take a `random.Random` and return objects that an API server accepts; the same state
of the generator gives the same objects. `world` names the seed and is a label of everything.
"""

from .objects import HOSTNAME, RUN_LABEL, ZONE

REGION = "topology.kubernetes.io/region"
NAMESPACES = ("side-a", "side-b", "side-c")
APPS = ("web", "db", "cache")
# With their sizes. Nodes that report different sizes of an image, and nodes that pull or drop one
# while pods are scheduled, are left out: what counts for kube-scheduler then depends on history.
IMAGES = {"web:latest": 20, "db:1": 300, "cache:2": 800, "reg.example:5000/tool:latest": 2000}
GPU = "example.com/gpu"
FEATURES = ("RestartAllContainersOnContainerExits", "UserNamespacesHostNetworkSupport")
ALIVE = {"type": "Ready", "status": "True", "reason": "SideBySide"}
MEBIBYTE = 1 << 20


def chance(rng, percent):
    return rng.random() * 100 < percent


def some(rng, items, percent=50):
    return [item for item in items if chance(rng, percent)]


def at_least_one(rng, items):
    return some(rng, items) or [rng.choice(items)]


def labelled(world, version, kind, name, namespace=None, **fields):
    metadata = {"name": name, "labels": {RUN_LABEL: world}}
    if namespace:
        metadata["namespace"] = namespace
    return {"apiVersion": version, "kind": kind, "metadata": metadata} | fields


def node_labels(rng, world, name):
    labels = {RUN_LABEL: world}
    if chance(rng, 97):
        labels[HOSTNAME] = name
    if chance(rng, 92):
        labels[ZONE] = rng.choice("abc")
    if chance(rng, 50):
        labels[REGION] = rng.choice(("r1", "r2"))
    if chance(rng, 60):
        labels["disk"] = rng.choice(("ssd", "hdd"))
    if chance(rng, 50):
        labels["rack"] = rng.choice(("1", "2", "3", "4", ""))
    if chance(rng, 40):
        labels["generation"] = rng.choice(("1", "5", "9", "old"))
    return labels


def taints(rng):
    found = {}
    while chance(rng, 15):
        key, value = rng.choice(("dedicated", "spot")), rng.choice(("", "x", "y", "7"))
        effect = rng.choice(("NoSchedule", "NoExecute", "PreferNoSchedule", "PreferNoSchedule"))
        found[key, effect] = {"key": key, "value": value, "effect": effect}
    return list(found.values())


def amounts(rng):
    result = {
        "cpu": rng.choice(("1", "4", "8", "16", "3500m")),
        "memory": rng.choice(("2Gi", "8Gi", "16Gi", "32Gi", "7919Mi")),
        "pods": rng.choice(("4", "10", "30", "110")),
    }
    if chance(rng, 85):
        result["ephemeral-storage"] = rng.choice(("1Gi", "20Gi"))
    if chance(rng, 60):
        result[GPU] = rng.choice(("0", "1", "4", "8"))
    if chance(rng, 50):
        result["hugepages-2Mi"] = "64Mi"
    return result


def images(rng):
    return [
        {
            "names": [name, f"{name}@sha256:0123"],
            "sizeBytes": IMAGES[name] * MEBIBYTE,
        }
        for name in some(rng, IMAGES, 40)
    ]


def node(rng, world, name, has_images):
    offer = amounts(rng)
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": node_labels(rng, world, name)},
        "spec": {"taints": taints(rng), "unschedulable": chance(rng, 6)},
        "status": {
            "capacity": offer,
            "allocatable": offer,
            "conditions": [ALIVE],
            "images": images(rng) if has_images else [],
            "declaredFeatures": some(rng, FEATURES),
        },
    }


def node_change(rng, world, old):
    """Returns merge patches of the node `old`: of the object or None, of its status or None."""
    name = old["metadata"]["name"]
    kind = rng.randrange(5)
    if kind == 0:
        labels = node_labels(rng, world, name)
        gone = {key: None for key in old["metadata"]["labels"] if key not in labels}
        return {"metadata": {"labels": gone | labels}}, None
    if kind == 1:
        return {"spec": {"taints": taints(rng)}}, None
    if kind == 2:
        return {"spec": {"unschedulable": chance(rng, 20)}}, None
    if kind == 3:
        offer = amounts(rng)
        gone = {key: None for key in old["status"]["allocatable"] if key not in offer}
        return None, {"status": {"allocatable": gone | offer, "capacity": gone | offer}}
    return None, {"status": {"declaredFeatures": some(rng, FEATURES)}}


def namespace_labels(rng):
    return {
        "env": rng.choice(("prod", "test", None)),
        "team": rng.choice(("red", "blue", None)),
    }


def pod_labels(rng):
    labels = {}
    if chance(rng, 85):
        labels["app"] = rng.choice(APPS)
    if chance(rng, 50):
        labels["tier"] = rng.choice(("front", "back"))
    if chance(rng, 30):
        labels["version"] = rng.choice(("v1", "v2", "v3"))
    return labels


def requirement(rng):
    kind = rng.randrange(4)
    if kind == 0:
        return {"key": "app", "operator": "In", "values": at_least_one(rng, APPS)}
    if kind == 1:
        return {"key": "tier", "operator": "NotIn", "values": [rng.choice(("front", "back"))]}
    if kind == 2:
        return {"key": "version", "operator": "Exists"}
    return {"key": rng.choice(("tier", "version")), "operator": "DoesNotExist"}


def pod_selector(rng):
    if chance(rng, 6):
        return {}
    labels = {}
    if chance(rng, 65):
        labels["app"] = rng.choice(APPS)
    if chance(rng, 20):
        labels["tier"] = rng.choice(("front", "back"))
    selector = {"matchLabels": labels} if labels else {}
    if not labels or chance(rng, 20):
        selector["matchExpressions"] = [requirement(rng)]
    return selector


def namespace_selector(rng):
    return rng.choice(
        (
            {},
            {"matchLabels": {"env": "prod"}},
            {"matchLabels": {"env": "test"}},
            {"matchExpressions": [{"key": "team", "operator": "Exists"}]},
            {"matchExpressions": [{"key": "env", "operator": "NotIn", "values": ["prod"]}]},
            {"matchExpressions": [{"key": "team", "operator": "DoesNotExist"}]},
        )
    )


# The owners of pods by kind, with their collections. Their selectors decide how kube-scheduler
# spreads pods that do not say it themselves.
OWNERS = {
    "ReplicationController": ("v1", "replicationcontrollers"),
    "ReplicaSet": ("apps/v1", "replicasets"),
    "StatefulSet": ("apps/v1", "statefulsets"),
}


def collection(version, resource, namespace):
    prefix = "/api/v1" if version == "v1" else f"/apis/{version}"
    return f"{prefix}/namespaces/{namespace}/{resource}"


def owner_name(kind, app):
    return f"{kind.lower()}-{app}"


def service(world, namespace, app):
    """Returns the collection and the service."""
    spec = {"selector": {"app": app}, "ports": [{"port": 80}]}
    body = labelled(world, "v1", "Service", f"service-{app}", namespace, spec=spec)
    return collection("v1", "services", namespace), body


def owners(rng, world):
    """Returns a service and one owner of each kind for each app, in each namespace, with the
    collection that each belongs to."""
    result = []
    for namespace in NAMESPACES:
        for app in APPS:
            if chance(rng, 60):
                result.append(service(world, namespace, app))
            for kind, (version, resource) in OWNERS.items():
                name, spec = owner_name(kind, app), _owner_spec(kind, app)
                body = labelled(world, version, kind, name, namespace, spec=spec)
                result.append((collection(version, resource, namespace), body))
    return result


def _owner_spec(kind, app):
    labels = {"app": app}
    container = {"name": "c", "image": "web:latest"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
    spec = {"replicas": 0, "template": template, "selector": {"matchLabels": labels}}
    if kind == "ReplicationController":
        spec["selector"] = labels
    if kind == "StatefulSet":
        spec["serviceName"] = "none"
    return spec


def budget(rng, world, name, namespace):
    return labelled(
        world, "policy/v1", "PodDisruptionBudget", name, namespace,
        spec={"maxUnavailable": 1, "selector": pod_selector(rng)},
    )  # fmt: skip


def budget_status(rng):
    """What the disruption controller would write."""
    allowed = rng.choice((0, 0, 1, 2))
    return {"disruptionsAllowed": allowed, "currentHealthy": 4, "desiredHealthy": 2,
            "expectedPods": 4, "observedGeneration": 1}  # fmt: skip
