"""Random pods with every kind of constraint. Some values are more common than others, so that the
constraints of different pods meet."""

from .objects import HOSTNAME, TOLERATIONS, ZONE
from .random_cluster import (
    APPS, GPU, NAMESPACES, OWNERS, REGION, at_least_one, chance, labelled, namespace_selector,
    owner_name, pod_labels, pod_selector, some,
)  # fmt: skip
from .random_storage import claim_spec

GATE = "example.com/wait"
PRIORITIES = {
    "side-negative": -10, "side-zero": 0, "side-low": 10, "side-mid": 100, "side-high": 1000,
    "side-polite": 1000,
}  # fmt: skip
POLITE = "side-polite"  # preemptionPolicy: Never.
RUNTIMES = {
    "side-heavy": {"overhead": {"podFixed": {"cpu": "50m", "memory": "16Mi"}}},
    "side-picky": {
        "overhead": {"podFixed": {"memory": "200Mi"}},
        "scheduling": {
            "nodeSelector": {"disk": "ssd"},
            "tolerations": [{"key": "spot", "operator": "Exists"}],
        },
    },
}
TOPOLOGIES = (HOSTNAME, ZONE, ZONE, REGION, "rack")


def resources(rng):
    requests, limits = {}, {}
    if chance(rng, 65):
        requests["cpu"] = rng.choice(("0", "100m", "250m", "500m", "2", "333m"))
    if chance(rng, 55):
        requests["memory"] = rng.choice(("64Mi", "500Mi", "2Gi", "12345678"))
    if chance(rng, 6):
        requests["ephemeral-storage"] = rng.choice(("100Mi", "2Gi"))
    if chance(rng, 8):
        requests[GPU] = limits[GPU] = rng.choice(("0", "1", "2"))
    if chance(rng, 2) and "cpu" in requests:
        requests["hugepages-2Mi"] = limits["hugepages-2Mi"] = "32Mi"
    return {"requests": requests} | ({"limits": limits} if limits else {})


def container(rng, name, ports):
    """`ports` are the host ports that the pod already has."""
    images = ("web", "web:latest", "db:1", "cache:2", "reg.example:5000/tool", "none:1")
    result = {"name": name, "image": rng.choice(images), "resources": resources(rng)}
    if chance(rng, 8):
        port = (rng.choice((80, 443)), rng.choice(("TCP", "TCP", "UDP")))
        if port not in ports:
            ports.add(port)
            entry = {"containerPort": port[0], "hostPort": port[0], "protocol": port[1]}
            address = rng.choice((None, None, "10.0.0.1", "0.0.0.0"))
            result["ports"] = [entry | ({"hostIP": address} if address else {})]
    return result


def millis(text):
    return int(text[:-1]) if text.endswith("m") else int(text) * 1000


def add_containers(rng, spec):
    ports = set()
    spec["containers"] = [container(rng, f"main-{i}", ports) for i in range(rng.randint(1, 2))]
    inits = []
    while chance(rng, 20):
        inits.append(container(rng, f"init-{len(inits)}", ports))
        if chance(rng, 45):
            inits[-1]["restartPolicy"] = "Always"
    if inits:
        spec["initContainers"] = inits
    if chance(rng, 8):
        requests = {"cpu": rng.choice(("300m", "2")), "memory": rng.choice(("9Gi", "10Gi"))}
        # The server requires at least what the containers request together.
        asked = [one["resources"]["requests"] for one in spec["containers"] + inits]
        least = sum(millis(request.get("cpu", "0")) for request in asked)
        requests["cpu"] = f"{max(least, millis(requests['cpu']))}m"
        if chance(rng, 40):
            del requests[rng.choice(("cpu", "memory"))]
        spec["resources"] = {"requests": requests}
    if chance(rng, 10):
        spec["runtimeClassName"] = rng.choice(list(RUNTIMES))


def tolerations(rng):
    result = list(TOLERATIONS)
    if chance(rng, 4):
        result.append({"operator": "Exists"})
    if chance(rng, 4):
        result.append({"key": "node.kubernetes.io/unschedulable", "operator": "Exists"})
    while chance(rng, 35):
        one = {"key": rng.choice(("dedicated", "spot"))}
        one["operator"] = rng.choice(("Equal", "Exists"))
        if one["operator"] != "Exists":
            one["value"] = rng.choice(("", "x", "y"))
        effect = rng.choice((None, "NoSchedule", "NoExecute", "PreferNoSchedule"))
        result.append(one | ({"effect": effect} if effect else {}))
    return result


def node_term(rng, nodes):
    kind = rng.randrange(6)
    if kind == 0:
        expressions = [{"key": ZONE, "operator": "In", "values": at_least_one(rng, "abc")}]
    elif kind == 1:
        expressions = [{"key": "disk", "operator": "NotIn", "values": [rng.choice(("ssd", "hdd"))]}]
    elif kind == 2:
        expressions = [{"key": "rack", "operator": rng.choice(("Exists", "DoesNotExist"))}]
    elif kind == 3:
        operator, value = rng.choice(("Gt", "Lt")), rng.choice(("2", "6"))
        expressions = [{"key": "generation", "operator": operator, "values": [value]}]
    elif kind == 4:
        expressions = [{"key": "disk", "operator": "In", "values": ["ssd"]},
                       {"key": "generation", "operator": "Exists"}]  # fmt: skip
    else:
        operator = rng.choice(("In", "NotIn"))
        field = {"key": "metadata.name", "operator": operator, "values": [rng.choice(nodes)]}
        return {"matchFields": [field]}
    return {"matchExpressions": expressions}


def node_affinity(rng, nodes):
    result = {}
    if chance(rng, 50):
        terms = [node_term(rng, nodes)]
        while chance(rng, 35):
            terms.append(node_term(rng, nodes))
        result["requiredDuringSchedulingIgnoredDuringExecution"] = {"nodeSelectorTerms": terms}
    preferred = []
    while chance(rng, 55):
        preferred.append({"weight": rng.randint(1, 100), "preference": node_term(rng, nodes)})
    return result | ({"preferredDuringSchedulingIgnoredDuringExecution": preferred})


def pod_term(rng):
    term = {"topologyKey": rng.choice(TOPOLOGIES)}
    if chance(rng, 97):
        term["labelSelector"] = pod_selector(rng)
        keys = {one["key"] for one in term["labelSelector"].get("matchExpressions", ())}
        if chance(rng, 15) and "version" not in keys:
            term[rng.choice(("matchLabelKeys", "mismatchLabelKeys"))] = ["version"]
    if chance(rng, 12):
        term["namespaces"] = at_least_one(rng, (*NAMESPACES, "unlisted"))
    if chance(rng, 15):
        term["namespaceSelector"] = namespace_selector(rng)
    return term


def pod_affinity(rng):
    required = [pod_term(rng)] if chance(rng, 50) else []
    if required and chance(rng, 12):
        required.append(pod_term(rng))
    preferred = []
    while chance(rng, 45):
        preferred.append({"weight": rng.randint(1, 100), "podAffinityTerm": pod_term(rng)})
    return {
        "requiredDuringSchedulingIgnoredDuringExecution": required,
        "preferredDuringSchedulingIgnoredDuringExecution": preferred,
    }


def affinity(rng, nodes):
    result = {}
    if chance(rng, 25):
        result["nodeAffinity"] = node_affinity(rng, nodes)
    if chance(rng, 14):
        result["podAffinity"] = pod_affinity(rng)
    if chance(rng, 14):
        result["podAntiAffinity"] = pod_affinity(rng)
    return result


def spread_constraints(rng):
    found = {}  # The server accepts one constraint for each key and consequence.
    while chance(rng, 35):
        key, hard = rng.choice(TOPOLOGIES), chance(rng, 50)
        one = {
            "maxSkew": rng.choice((1, 1, 2, 5)),
            "topologyKey": key,
            "whenUnsatisfiable": "DoNotSchedule" if hard else "ScheduleAnyway",
        }
        if chance(rng, 96):
            one["labelSelector"] = pod_selector(rng)
            keys = {each["key"] for each in one["labelSelector"].get("matchExpressions", ())}
            if chance(rng, 15) and "version" not in keys:
                one["matchLabelKeys"] = ["version"]
        if hard and chance(rng, 20):
            one["minDomains"] = rng.choice((1, 2, 4))
        for policy in ("nodeAffinityPolicy", "nodeTaintsPolicy"):
            if chance(rng, 20):
                one[policy] = rng.choice(("Honor", "Ignore"))
        found.setdefault((key, hard), one)
    return list(found.values())


def volumes(rng, claims):
    """Returns volumes, of the given claims and others."""
    disk, read_only = rng.choice(("disk-1", "disk-2")), chance(rng, 50)
    sources = [{"persistentVolumeClaim": {"claimName": name}} for name in claims]
    if chance(rng, 8):
        sources.append(
            rng.choice(
                (
                    {"gcePersistentDisk": {"pdName": disk, "readOnly": read_only}},
                    {"awsElasticBlockStore": {"volumeID": "vol-" + disk, "readOnly": read_only}},
                    {"rbd": {"monitors": at_least_one(rng, ("m1", "m2")), "pool": "rbd",
                             "image": disk, "readOnly": read_only}},
                    {"iscsi": {"targetPortal": "10.0.0.9:3260", "iqn": f"iqn.2001-04.com.x:{disk}",
                               "lun": 0, "readOnly": read_only}},
                    {"image": {"reference": rng.choice(("web", "db:1"))}},
                    {"emptyDir": {}},
                    {"ephemeral": {"volumeClaimTemplate": {"spec": claim_spec(rng)}}},
                )
            )
        )  # fmt: skip
    return [{"name": f"volume-{i}"} | source for i, source in enumerate(sources)]


def owner(rng, labels):
    """Returns the reference to the owner that selects these labels, or one that does not."""
    kind = rng.choice((*OWNERS, "Job"))
    app = labels.get("app", rng.choice(APPS))
    version = OWNERS[kind][0] if kind in OWNERS else "batch/v1"
    name = owner_name(kind, app)
    return {"apiVersion": version, "kind": kind, "name": name, "uid": f"uid-of-{name}",
            "controller": True}  # fmt: skip


def pod(rng, world, name, namespace, *, profiles, nodes, claims=()):
    result = labelled(world, "v1", "Pod", name, namespace)
    labels = pod_labels(rng)
    result["metadata"]["labels"] |= labels
    spec = result["spec"] = {
        "schedulerName": rng.choice(profiles),
        "automountServiceAccountToken": False,
        "terminationGracePeriodSeconds": 30,
        "priorityClassName": rng.choice(list(PRIORITIES)),
        "tolerations": tolerations(rng),
    }
    add_containers(rng, spec)
    if chance(rng, 8) and "runtimeClassName" not in spec:
        spec["nodeSelector"] = {"disk": rng.choice(("ssd", "hdd"))}
    if chance(rng, 45):
        spec["affinity"] = affinity(rng, nodes)
    if chance(rng, 60):
        spec["topologySpreadConstraints"] = spread_constraints(rng)
    spec["volumes"] = volumes(rng, claims)
    if chance(rng, 35):
        result["metadata"]["ownerReferences"] = [owner(rng, labels)]
    if chance(rng, 4):
        spec["schedulingGates"] = [{"name": GATE}]
    if chance(rng, 4):
        _use_declared_feature(rng, spec)
    return result


def _use_declared_feature(rng, spec):
    """Requires a node that has declared a feature."""
    codes = {"operator": "In", "values": [42]}
    spec["containers"][0] |= {
        "restartPolicy": "Never",
        "restartPolicyRules": [{"action": "RestartAllContainers", "exitCodes": codes}],
    }


def change_of_requests(rng, old):
    """Returns a patch for the `resize` subresource of the pod `old`."""
    names = [one["name"] for one in old["spec"]["containers"]]
    requests = {"cpu": rng.choice(("50m", "400m", "1500m")), "memory": rng.choice(("32Mi", "3Gi"))}
    chosen = {key: requests[key] for key in some(rng, requests) or ["cpu"]}
    change = {"name": rng.choice(names), "resources": {"requests": chosen}}
    return {"spec": {"containers": [change]}}
