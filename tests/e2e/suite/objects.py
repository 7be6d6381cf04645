"""The nodes and pods of the suite."""

RUN_LABEL = "berth.dev/e2e"
HOSTNAME = "kubernetes.io/hostname"
ZONE = "topology.kubernetes.io/zone"

# A node without a kubelet is soon said to be not ready, if anyone looks.
TOLERATIONS = [
    {"key": "node.kubernetes.io/not-ready", "operator": "Exists"},
    {"key": "node.kubernetes.io/unreachable", "operator": "Exists"},
]


def node(name, run, *, cpu="8", memory="32Gi", pods=110, labels=None, taints=None, resources=None,
         images=None, unschedulable=False):  # fmt: skip
    amounts = {"cpu": cpu, "memory": memory, "pods": str(pods), "ephemeral-storage": "100Gi"}
    amounts |= resources or {}
    spec = {}
    if taints:
        spec["taints"] = taints
    if unschedulable:
        spec["unschedulable"] = True
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {RUN_LABEL: run, HOSTNAME: name} | (labels or {})},
        "spec": spec,
        "status": {
            "capacity": amounts,
            "allocatable": amounts,
            "conditions": [{"type": "Ready", "status": "True", "reason": "E2E"}],
            "images": images or [],
        },
    }


def pod(name, space, *, cpu="100m", memory="64Mi", labels=None, selector=None, tolerations=(),
        image="registry.example/e2e:1", ports=None, resources=None, **spec):  # fmt: skip
    """`spec` has further fields of the pod's spec. The pod selects the nodes of its run only."""
    requests = {"cpu": cpu, "memory": memory} | (resources or {})
    limits = dict(resources or {})
    container = {"name": "c", "image": image, "resources": {"requests": requests}}
    if limits:
        container["resources"]["limits"] = limits
    if ports:
        container["ports"] = ports
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": labels or {}},
        "spec": {
            "schedulerName": space.scheduler_name,
            "automountServiceAccountToken": False,
            "terminationGracePeriodSeconds": 30,
            "nodeSelector": {RUN_LABEL: space.run} | (selector or {}),
            "tolerations": TOLERATIONS + list(tolerations),
            "containers": [container],
        }
        | spec,
    }


def required_affinity(*expressions):
    terms = {"nodeSelectorTerms": [{"matchExpressions": list(expressions)}]}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}


def pod_term(app, key):
    return {"labelSelector": {"matchLabels": {"app": app}}, "topologyKey": key}


def near(app, key):
    return {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [pod_term(app, key)]}}


def apart(app, key):
    terms = {"requiredDuringSchedulingIgnoredDuringExecution": [pod_term(app, key)]}
    return {"podAntiAffinity": terms}


def spread(app, key, *, skew=1, hard=True, **more):
    return {
        "maxSkew": skew,
        "topologyKey": key,
        "whenUnsatisfiable": "DoNotSchedule" if hard else "ScheduleAnyway",
        "labelSelector": {"matchLabels": {"app": app}},
    } | more
