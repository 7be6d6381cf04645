"""DeviceWorld: devices, claims and pods for one of two schedulers that are compared."""

import json
import time

from .api import NODES, ApiError
from .device_objects import CLAIMS, CLASSES, SLICES, VERSION
from .history import PodHistory
from .objects import HOSTNAME
from .random_devices import DRIVER
from .space import Space

PATIENCE = 30  # Seconds in which a pod is decided.
LAG = 0.1  # Seconds until every watch has reported a change.


class DeviceWorld:
    """Every object comes from the same random numbers as in the other world; only names differ."""

    def __init__(self, api, scheduler):
        self.api, self.space = api, Space(api, "devices")
        self.space.scheduler_name = scheduler
        self.driver = f"{self.space.run}.example.com"
        self._claims = CLAIMS.format(self.space.namespace)
        self._history = PodHistory(api, self.space.namespace)
        label = {"resource.kubernetes.io/admin-access": "true"}
        api.patch(f"/api/v1/namespaces/{self.space.namespace}", {"metadata": {"labels": label}})
        matching = {"cel": {"expression": f'device.driver == "{self.driver}"'}}
        self.space.create_wide(
            CLASSES, VERSION, "DeviceClass", self.driver, spec={"selectors": [matching]}
        )

    def _own(self, part):
        """Puts the names of this world into a part of an object."""
        return json.loads(json.dumps(part).replace(DRIVER, self.driver))

    def _neutral(self, value):
        """Removes the names of this world, so that results can be compared."""
        text = json.dumps(value)
        names = {self.driver: DRIVER, self.space.namespace: "NAMESPACE", self.space.run: "RUN"}
        for own, neutral in names.items():
            text = text.replace(own, neutral)
        return json.loads(text)

    def add_node(self, name):
        self.space.create_nodes([self.space.node(name)])

    def add_slice(self, name, spec, node=None):
        """On a node, or on all nodes of this world."""
        own = {"key": HOSTNAME, "operator": "In", "values": self._nodes()}
        everywhere = {"nodeSelector": {"nodeSelectorTerms": [{"matchExpressions": [own]}]}}
        where = {"nodeName": f"{self.space.run}-{node}"} if node else everywhere
        full = f"{self.space.run}-{name}"
        self.space.create_wide(SLICES, VERSION, "ResourceSlice", full, spec=self._own(spec) | where)

    def _nodes(self):
        mine = f"berth.dev/e2e={self.space.run}"
        return [node["metadata"]["name"] for node in self.api.items(NODES, labelSelector=mine)]

    def change_taints(self, name, index, taints):
        path = f"{SLICES}/{self.space.run}-{name}"
        spec = self.api.get(path)["spec"]
        devices = spec.get("devices") or []
        if devices:
            devices[index % len(devices)]["taints"] = taints
            self.api.patch(path, {"spec": {"devices": devices}})

    def create_claim(self, name, spec):
        """Returns whether the server accepts it."""
        body = {"apiVersion": VERSION, "kind": "ResourceClaim", "metadata": {"name": name}}
        try:
            self.api.create(self._claims, body | {"spec": self._own(spec)})
        except ApiError as error:
            if error.status != 422:
                raise
            return False
        return True

    def create_pod(self, name, node, claims):
        """A pod for one node: no choice between equals remains."""
        uses = [{"name": f"c{i}", "resourceClaimName": claim} for i, claim in enumerate(claims)]
        where = {HOSTNAME: f"{self.space.run}-{node}"}
        self.space.create_pods([self.space.pod(name, selector=where, resourceClaims=uses)])

    def decision(self, name, claims):
        """Waits until the pod is bound or refused; returns what was decided."""

        def refused():
            record = self._history.pod(name)
            condition = record.condition("PodScheduled") if record else {}
            return condition if condition.get("status") == "False" else None

        def bound():
            record = self._history.pod(name)
            return record and record.nodes

        if not self._history.wait(lambda: bound() or refused(), PATIENCE):
            return None
        if not bound():
            return self._neutral({key: refused().get(key) for key in ("reason", "message")})
        return {claim: self._neutral(self._allocation(claim)) for claim in claims}

    def _allocation(self, claim):
        """What is allocated, without what is random or tells the time."""
        status = self.api.get(f"{self._claims}/{claim}")["status"]
        allocation = status["allocation"]
        allocation.pop("allocationTimestamp", None)
        for one in allocation.get("devices", {}).get("results", ()):
            if "shareID" in one:
                one["shareID"] = "present"
        users = sorted(user["name"] for user in status.get("reservedFor", ()))
        return {"allocation": allocation, "users": users}

    def end_pod(self, name, unused, shared, keep):
        """Deletes a pod and its `unused` claims, as kubelet and controllers do in the end; with
        `keep`, they are only freed. The `shared` claims stay with their other pods."""
        self.api.delete_now(f"{self.space.pods}/{name}")
        for claim in shared:
            users = self.api.get(f"{self._claims}/{claim}").get("status", {}).get("reservedFor", ())
            left = [user for user in users if user["name"] != name]
            self.api.patch(f"{self._claims}/{claim}/status", {"status": {"reservedFor": left}})
        for claim in unused:
            path = f"{self._claims}/{claim}"
            self.api.patch(path + "/status", {"status": {"reservedFor": None, "allocation": None}})
            self.api.patch(path, {"metadata": {"finalizers": None}})
            if not keep:
                self.api.delete(path)

    def settle(self):
        time.sleep(LAG)

    def close(self):
        self._history.close()
        self.space.remove()
