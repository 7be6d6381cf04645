"""Checker: checks that a final state violates no constraint of a pod and overcommits no node.

Written from the description of the API's fields; it shares nothing with any scheduler.
"""

import collections
import re

_UNITS = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_UNITS |= {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}


def milli(quantity):
    """Returns a quantity in thousandths."""
    number, unit = re.fullmatch(r"([\d.]+)([a-zA-Z]*)", str(quantity)).groups()
    if unit == "m":
        return int(number)
    return int(round(float(number) * 1000 * _UNITS[unit]))


def requests(pod):
    total = collections.Counter()
    for container in pod["spec"]["containers"]:
        for name, quantity in container.get("resources", {}).get("requests", {}).items():
            total[name] += milli(quantity)
    total["pods"] = 1000
    return total


def matches_labels(selector, labels):
    """A LabelSelector of matchLabels and the four operators."""
    if selector is None:
        return False
    wanted = (selector.get("matchLabels") or {}).items()
    if any(labels.get(key) != value for key, value in wanted):
        return False
    return all(_expression(e, labels) for e in selector.get("matchExpressions") or [])


def _expression(expression, labels):
    key, operator = expression["key"], expression["operator"]
    value, values = labels.get(key), expression.get("values") or []
    if operator == "In":
        return value in values
    if operator == "NotIn":
        return value not in values
    if operator == "Exists":
        return key in labels
    if operator == "DoesNotExist":
        return key not in labels
    number = value is not None and re.fullmatch(r"-?\d+", value)
    if not number:
        return False
    return int(value) > int(values[0]) if operator == "Gt" else int(value) < int(values[0])


def _term(term, node):
    fields = {"metadata.name": node["metadata"]["name"]}
    expressions, of_fields = term.get("matchExpressions") or [], term.get("matchFields") or []
    if not expressions and not of_fields:
        return False
    labels = node["metadata"].get("labels", {})
    return all(_expression(e, labels) for e in expressions) and all(
        _expression(e, fields) for e in of_fields
    )


def selected(pod, node):
    """Whether nodeSelector and the required node affinity allow the node."""
    labels = node["metadata"].get("labels", {})
    if any(labels.get(k) != v for k, v in (pod["spec"].get("nodeSelector") or {}).items()):
        return False
    affinity = (pod["spec"].get("affinity") or {}).get("nodeAffinity") or {}
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution")
    return required is None or any(_term(term, node) for term in required["nodeSelectorTerms"])


def tolerates(pod, taint):
    for toleration in pod["spec"].get("tolerations") or []:
        if toleration.get("effect") and toleration["effect"] != taint["effect"]:
            continue
        if toleration.get("key") and toleration["key"] != taint["key"]:
            continue
        if toleration.get("operator") == "Exists":
            return True
        if toleration.get("value", "") == taint.get("value", ""):
            return True
    return False


def untolerated(pod, node):
    return [
        taint
        for taint in node.get("spec", {}).get("taints") or []
        if taint["effect"] in ("NoSchedule", "NoExecute") and not tolerates(pod, taint)
    ]


def host_ports(pod):
    for container in pod["spec"]["containers"]:
        for port in container.get("ports") or []:
            if port.get("hostPort"):
                ip = port.get("hostIP") or "0.0.0.0"
                yield ip, port.get("protocol") or "TCP", port["hostPort"]


def ports_conflict(one, other):
    return one[1:] == other[1:] and (one[0] == other[0] or "0.0.0.0" in (one[0], other[0]))


def _terms(pod, kind):
    affinity = (pod["spec"].get("affinity") or {}).get(kind) or {}
    return affinity.get("requiredDuringSchedulingIgnoredDuringExecution") or []


class Checker:
    """Checks the bound ones of `pods`, all of one namespace, on `nodes`."""

    def __init__(self, nodes, pods, claims=(), volumes=()):
        self.nodes = {node["metadata"]["name"]: node for node in nodes}
        self.pods = [pod for pod in pods if pod["spec"].get("nodeName")]
        self.claims = {claim["metadata"]["name"]: claim for claim in claims}
        self.volumes = {volume["metadata"]["name"]: volume for volume in volumes}
        self.found = []
        self.on_node = collections.defaultdict(list)

    def violations(self):
        for pod in self.pods:
            node = self.nodes.get(pod["spec"]["nodeName"])
            if node is None:
                self._object(pod, "is on a node that is not there")
                continue
            self.on_node[pod["spec"]["nodeName"]].append(pod)
        for name, pods in self.on_node.items():
            self._capacity(self.nodes[name], pods)
            self._ports(pods)
        for pod in self.pods:
            if pod["spec"]["nodeName"] in self.nodes:
                self._node_rules(pod, self.nodes[pod["spec"]["nodeName"]])
                self._pod_rules(pod)
                self._spreading(pod)
                self._volumes(pod, self.nodes[pod["spec"]["nodeName"]])
        return self.found

    def _object(self, pod, why):
        self.found.append(f"{pod['metadata']['name']} on {pod['spec']['nodeName']}: {why}")

    def _capacity(self, node, pods):
        used = sum((requests(pod) for pod in pods), collections.Counter())
        allocatable = {name: milli(q) for name, q in node["status"]["allocatable"].items()}
        for name, amount in used.items():
            if amount > allocatable.get(name, 0):
                self.found.append(
                    f"{node['metadata']['name']} is overcommitted: {amount / 1000:g} {name} "
                    f"of {allocatable.get(name, 0) / 1000:g}"
                )

    def _ports(self, pods):
        taken = [(port, pod) for pod in pods for port in host_ports(pod)]
        for index, (port, pod) in enumerate(taken):
            if any(ports_conflict(port, other) for other, _ in taken[:index]):
                self._object(pod, f"host port {port} is taken twice")

    def _node_rules(self, pod, node):
        if not selected(pod, node):
            self._object(pod, "selector or node affinity does not allow the node")
        if node["spec"].get("unschedulable"):
            self._object(pod, "the node is unschedulable")
        for taint in untolerated(pod, node):
            self._object(pod, f"taint {taint['key']} is not tolerated")
        if pod["spec"].get("schedulingGates"):
            self._object(pod, "it has scheduling gates")

    def _domain(self, pod, key):
        return self.nodes[pod["spec"]["nodeName"]]["metadata"]["labels"].get(key)

    def _pod_rules(self, pod):
        others = [other for other in self.pods if other is not pod]
        for term in _terms(pod, "podAffinity"):
            here = self._domain(pod, term["topologyKey"])
            alike = [o for o in others if self._matches(term, o)]
            first = not alike and self._matches(term, pod)
            if not first and not any(self._domain(o, term["topologyKey"]) == here for o in alike):
                self._object(pod, "no pod of its affinity is near")
        for term in _terms(pod, "podAntiAffinity"):
            here = self._domain(pod, term["topologyKey"])
            for other in others:
                if self._matches(term, other) and self._domain(other, term["topologyKey"]) == here:
                    self._object(pod, f"too near to {other['metadata']['name']}")

    @staticmethod
    def _matches(rule, pod):
        return matches_labels(rule.get("labelSelector"), pod["metadata"].get("labels") or {})

    def _spreading(self, pod):
        for rule in pod["spec"].get("topologySpreadConstraints") or []:
            if rule["whenUnsatisfiable"] != "DoNotSchedule":
                continue
            key = rule["topologyKey"]
            eligible = [
                node
                for node in self.nodes.values()
                if key in node["metadata"]["labels"]
                and selected(pod, node)
                and (rule.get("nodeTaintsPolicy") != "Honor" or not untolerated(pod, node))
            ]
            counts = {node["metadata"]["labels"][key]: 0 for node in eligible}
            names = {node["metadata"]["name"] for node in eligible}
            for other in self.pods:
                if other["spec"]["nodeName"] in names and self._matches(rule, other):
                    counts[self._domain(other, key)] += 1
            here = counts.get(self._domain(pod, key), 0)
            if here - min(counts.values(), default=0) > rule["maxSkew"]:
                self._object(pod, f"skew over {key}: {counts}")

    def _volumes(self, pod, node):
        for volume in pod["spec"].get("volumes") or []:
            if "persistentVolumeClaim" not in volume:
                continue
            claim = self.claims[volume["persistentVolumeClaim"]["claimName"]]
            bound = self.volumes.get(claim["spec"].get("volumeName"))
            if bound is None:
                self._object(pod, "its claim has no volume")
                continue
            owner = bound["spec"].get("claimRef") or {}
            if owner.get("uid") != claim["metadata"]["uid"]:
                self._object(pod, "its volume belongs to another claim")
            terms = bound["spec"]["nodeAffinity"]["required"]["nodeSelectorTerms"]
            if not any(_term(term, node) for term in terms):
                self._object(pod, "its volume is on another node")
