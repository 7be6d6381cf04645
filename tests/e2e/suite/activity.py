"""Activity: what users, controllers and machines do in a cluster, decided by a seed."""

import random
import time

from . import random_cluster, random_pods, random_storage
from .api import NODES, STRATEGIC, ApiError
from .machinery import path_of, tolerant
from .mirror import key_of
from .random_cluster import NAMESPACES, chance, collection
from .random_storage import IMMEDIATE, LOCAL
from .space import PERSISTENT_VOLUMES, STORAGE_CLASSES
from .world_objects import STORAGE

SIZES = (3, 5, 8, 12, 20, 40)  # Nodes of a cluster.
PODS_PER_NODE = 8
# How many pods that fit nowhere may wait; older ones are deleted. A change that wakes several at
# the same time makes a small burst.
MOST_WAITING = (0, 2, 6)
WATCH_LAG = 0.05  # Seconds until every watch has reported a change, with much to spare.
POD_LAG = 0.01  # The same for pods, which have one watch, and therefore an order.


def is_waiting(pod):
    gated = pod["spec"].get("schedulingGates")
    return not pod["spec"].get("nodeName") and not gated and not is_ending(pod)


def is_ending(pod):
    return bool(pod["metadata"].get("deletionTimestamp"))


class Activity:
    """The objects of one seed. `kubelets` and `controllers` are those of the run. `rest` waits
    until the scheduler has nothing to do; without bursts it is called after each change."""

    def __init__(self, api, seed, profiles, kubelets, controllers, *, rest, burst):
        self.api, self.world, self._profiles = api, f"side-{seed}", profiles
        self._rng = random.Random(seed)
        self._most_waiting = self._rng.choice(MOST_WAITING)
        self._kubelets, self._controllers = kubelets, controllers
        self._nodes, self._claims = {}, []
        self._number = 0
        self._rest, self._burst = rest, burst
        self._began = False
        self.refused = 0  # Objects that the API server considers invalid.

    def _next(self, kind):
        self._number += 1
        return f"{self.world}-{kind}{self._number:04}"

    def _create(self, path, body):
        """Returns None if the server refuses the object."""
        try:
            return self.api.create(path, body)
        except ApiError as error:
            if error.status not in (403, 409, 422):
                raise
            self.refused += error.status != 409
            return None

    def _settle(self, lag=WATCH_LAG):
        """Lets the scheduler see and handle what was written."""
        if self._began and self._burst == 1:
            time.sleep(lag)
            self._rest()

    def pods(self):
        return self._kubelets.pods.items()

    def _end_pods(self, pods):
        """Deletes without a grace period, as a kubelet does in the end."""
        for pod in pods:
            self.api.delete_now(path_of(pod))
            self._settle(POD_LAG)

    def begin(self):
        rng = self._rng
        for namespace in NAMESPACES:
            self._label_namespace(namespace)
        for name in random_storage.CLASSES:
            self._create(STORAGE_CLASSES, random_storage.storage_class(rng, self.world, name))
        self._create(f"{STORAGE}/csidrivers", random_storage.driver(rng, self.world))
        for path, body in random_cluster.owners(rng, self.world):
            self._create(path, body)
        for _ in range(max(rng.choice(SIZES), self._burst)):
            self._add_node()
        for _ in range(6):
            self._add_volume()
            self._add_claim()
        for _ in range(3):
            self._add_capacity()
            self._add_budget()
        time.sleep(WATCH_LAG)
        for _ in range(2 * len(self._nodes)):
            self._create_placed_pod()
        self._began = True

    # --- What happens between decisions.

    def wants_change(self):
        """Whether something happens before a pod is created."""
        return chance(self._rng, 30 if self._burst == 1 else 5)

    def disturb(self):
        """Changes something that decisions depend on, at random."""
        pods = [self._change_pod] * 6 + [self._delete_pod] * 8 + [self._create_placed_pod] * 3
        others = [self._change_node] * 6 + [
            self._add_or_remove_node, self._add_volume, self._add_claim, self._bind_immediate_claim,
            self._add_budget, self._add_capacity, self._change_csi_node, self._change_driver,
            self._add_attachment, self._change_service, self._add_ephemeral_claims,
            lambda: self._label_namespace(self._rng.choice(NAMESPACES)),
        ]  # fmt: skip
        tolerant(self._rng.choice(pods + others))
        self._settle()

    def make_room(self):
        """Deletes pods where there are too many."""
        waiting = [pod for pod in self.pods() if is_waiting(pod)]
        self._end_pods(waiting[: max(0, len(waiting) - self._most_waiting)])
        excess = len(self.pods()) - PODS_PER_NODE * len(self._nodes)
        for _ in range(min(excess, self._burst)):
            tolerant(self._delete_pod)
            self._settle(POD_LAG)

    def _any_pod(self, suits=lambda pod: True):
        found = [pod for pod in self.pods() if suits(pod)]
        return self._rng.choice(found) if found else None

    def _change_pod(self):
        kind = self._rng.randrange(4)
        if kind == 0:
            pod = self._any_pod()
            if pod:
                labels = {"app": None, "tier": None, "version": None}
                labels |= random_cluster.pod_labels(self._rng)
                self.api.patch(path_of(pod), {"metadata": {"labels": labels}})
        elif kind == 1:
            pod = self._any_pod(lambda pod: pod["spec"].get("schedulingGates"))
            if pod:
                self.api.patch(path_of(pod), {"spec": {"schedulingGates": []}})
        elif kind == 2:
            pod = self._any_pod(lambda pod: pod["spec"].get("nodeName"))
            if pod:
                self._resize(pod)
        else:
            pod = self._any_pod(lambda pod: pod["spec"].get("nodeName"))
            if pod:
                self.api.patch(path_of(pod) + "/status", {"status": {"phase": "Succeeded"}})

    def _resize(self, pod):
        """Changes the requests of a running pod, and sometimes says that its kubelet has deferred
        that or considers it infeasible."""
        rng, path = self._rng, path_of(pod)
        change = random_pods.change_of_requests(rng, pod)
        verdict = rng.choice((None, "Deferred", "Infeasible"))
        container = pod["spec"]["containers"][0]
        before = container.get("resources", {})
        status = {"name": container["name"], "image": container["image"], "imageID": "",
                  "ready": True, "restartCount": 0, "resources": before,
                  "allocatedResources": before.get("requests", {})}  # fmt: skip
        try:
            self.api.patch(path + "/resize", change, STRATEGIC)
            if verdict:
                self._settle()
                condition = {"type": "PodResizePending", "status": "True", "reason": verdict}
                update = {"containerStatuses": [status], "conditions": [condition]}
                self.api.patch(path + "/status", {"status": update}, STRATEGIC)
        except ApiError as error:
            if error.status not in (403, 422):
                raise
            self.refused += 1

    def _delete_pod(self):
        pod = self._any_pod()
        if pod and (is_ending(pod) or chance(self._rng, 60)):
            self.api.delete_now(path_of(pod))
        elif pod:
            self.api.delete(path_of(pod))

    def end_victims(self):
        """Ends the pods that were preempted, as their kubelets do; returns whether there were any
        of them."""
        ending = [pod for pod in self.pods() if is_ending(pod)]
        found = [
            pod for pod in ending
            if any(one["type"] == "DisruptionTarget" for one in pod["status"].get("conditions", ()))
        ]  # fmt: skip
        self._end_pods(found)
        return bool(found)

    def _add_or_remove_node(self):
        removable = sorted(
            name for name, node in self._nodes.items() if not node["status"].get("images")
        )
        if len(self._nodes) > 3 and removable and chance(self._rng, 50):
            name = self._rng.choice(removable)
            self._end_pods([pod for pod in self.pods() if pod["spec"].get("nodeName") == name])
            self.api.delete(f"{NODES}/{name}")
            self._settle()
            self.api.delete(f"{STORAGE}/csinodes/{name}")
            del self._nodes[name]
        else:
            self._add_node()

    def _add_node(self):
        name = self._next("n")
        body = random_cluster.node(self._rng, self.world, name, has_images=not self._began)
        if chance(self._rng, 70):
            csi_node = random_storage.csi_node(self._rng, self.world, name)
            self._create(f"{STORAGE}/csinodes", csi_node)
            self._settle()
        if self._create(NODES, body) is None:
            return
        self._settle()
        # Admission adds a taint to new nodes.
        self._nodes[name] = self.api.patch(
            f"{NODES}/{name}", {"spec": {"taints": body["spec"]["taints"]}}
        )

    def _change_node(self):
        name = self._rng.choice(sorted(self._nodes))
        change, status = random_cluster.node_change(self._rng, self.world, self._nodes[name])
        if change:
            self._nodes[name] = self.api.patch(f"{NODES}/{name}", change)
        if status:
            self._nodes[name] = self.api.patch(f"{NODES}/{name}/status", status)

    def _change_csi_node(self):
        name = self._rng.choice(sorted(self._nodes))
        self.api.delete(f"{STORAGE}/csinodes/{name}")
        self._settle()
        body = random_storage.csi_node(self._rng, self.world, name)
        self._create(f"{STORAGE}/csinodes", body)

    def _change_driver(self):
        spec = random_storage.driver(self._rng, self.world)["spec"]
        self.api.patch(f"{STORAGE}/csidrivers/{random_storage.DRIVER}", {"spec": spec})

    def _add_attachment(self):
        """Attaches a volume to a node where no pod needs it, perhaps."""
        volumes = self._controllers.volumes.items()
        if volumes:
            volume, node = self._rng.choice(volumes), self._rng.choice(sorted(self._nodes))
            body = random_storage.attachment(self.world, self._next("a"), key_of(volume)[1], node)
            self._create(f"{STORAGE}/volumeattachments", body)

    def _change_service(self):
        """Deletes a service, or creates it if there is none."""
        namespace, app = self._rng.choice(NAMESPACES), self._rng.choice(random_cluster.APPS)
        path, body = random_cluster.service(self.world, namespace, app)
        if self.api.delete(f"{path}/{body['metadata']['name']}") is None:
            self._create(path, body)

    def _label_namespace(self, name):
        labels = random_cluster.namespace_labels(self._rng)
        self.api.patch(f"/api/v1/namespaces/{name}", {"metadata": {"labels": labels}})

    def _add_volume(self):
        name, kind = self._next("v"), self._rng.choice((LOCAL, LOCAL, IMMEDIATE))
        body = random_storage.volume(
            self._rng, self.world, name, self._number, sorted(self._nodes), kind
        )
        if self._create(PERSISTENT_VOLUMES, body):
            self._settle()
            status = {"status": {"phase": "Available"}}
            self.api.patch(f"{PERSISTENT_VOLUMES}/{name}/status", status)

    def _add_claim(self, namespace=None):
        namespace, name = namespace or self._rng.choice(NAMESPACES), self._next("c")
        body = random_storage.claim(self._rng, self.world, namespace, name)
        created = self._create(collection("v1", "persistentvolumeclaims", namespace), body)
        if created:
            self._claims.append(created)
            if body["spec"]["storageClassName"] != LOCAL and chance(self._rng, 60):
                self._provision(created)
            self._settle()
        return name

    def _provision(self, claim):
        """Does what a provisioner does, for a claim that has no node yet."""
        self._controllers.create_for(claim)
        self._controllers.wait_bound(claim, 5)

    def _add_ephemeral_claims(self):
        """Creates the claims of pods with ephemeral volumes, as a controller does."""
        for pod in self.pods():
            for body in random_storage.ephemeral_claims(self.world, pod):
                self._create(collection("v1", "persistentvolumeclaims", key_of(pod)[0]), body)

    def _bind_immediate_claim(self):
        claims = [
            claim for claim in self._claims
            if claim["spec"]["storageClassName"] == IMMEDIATE
            and not self._controllers.claims.get(key_of(claim))["spec"].get("volumeName")
        ]  # fmt: skip
        if claims:
            self._provision(self._rng.choice(claims))

    def _add_budget(self):
        name, namespace = self._next("b"), self._rng.choice(NAMESPACES)
        path = collection("policy/v1", "poddisruptionbudgets", namespace)
        body = random_cluster.budget(self._rng, self.world, name, namespace)
        status = random_cluster.budget_status(self._rng)
        if self._create(path, body):
            self._settle()
            self.api.patch(f"{path}/{name}/status", {"status": status})

    def _add_capacity(self):
        path = collection("storage.k8s.io/v1", "csistoragecapacities", NAMESPACES[0])
        self._create(path, random_storage.capacity(self._rng, self.world, self._next("k")))

    # --- Pods.

    def _new_pod(self):
        rng, namespace = self._rng, self._rng.choice(NAMESPACES)
        claims = []
        if chance(rng, 6):
            claims.append(self._add_claim(namespace))
        if chance(rng, 8):
            old = [one["metadata"]["name"] for one in self._claims
                   if one["metadata"]["namespace"] == namespace]  # fmt: skip
            claims += [rng.choice(old)] if old else []
        return random_pods.pod(
            rng, self.world, self._next("p"), namespace, profiles=self._profiles,
            nodes=sorted(self._nodes), claims=sorted(set(claims)),
        )  # fmt: skip

    def _create_placed_pod(self):
        """Creates a pod that somebody else has already bound, without host ports: of two pods with
        the same on one node, kube-scheduler forgets the port of both with the first that goes."""
        pod = self._new_pod()
        pod["spec"].pop("schedulingGates", None)
        for container in pod["spec"]["containers"] + pod["spec"].get("initContainers", []):
            container.pop("ports", None)
        pod["spec"]["nodeName"] = self._rng.choice(sorted(self._nodes))
        self._create_pod(pod)

    def create_pods(self, count):
        """Creates pods at the same time; returns those that wait for a decision."""
        made = [self._new_pod() for _ in range(count)]
        each = self.api.each if count > 1 else map
        created = each(self._create_pod, made)
        return [key_of(pod) for pod in created if pod and is_waiting(pod)]

    def _create_pod(self, pod):
        return self._create(path_of(pod).rpartition("/")[0], pod)
