"""Local volumes, and the controller that completes their bindings."""

import threading

from .api import MERGE, ApiError
from .objects import HOSTNAME
from .space import PERSISTENT_VOLUMES, STORAGE_CLASSES

_DONE = {"pv.kubernetes.io/bind-completed": "yes", "pv.kubernetes.io/bound-by-controller": "yes"}


class LocalVolumes:
    """A storage class of local volumes with volumeBindingMode WaitForFirstConsumer."""

    def __init__(self, space):
        self.space = space
        self.name = f"berth-e2e-{space.run}"
        self.claims_path = f"/api/v1/namespaces/{space.namespace}/persistentvolumeclaims"
        space.create_wide(
            STORAGE_CLASSES, "storage.k8s.io/v1", "StorageClass", self.name,
            provisioner="kubernetes.io/no-provisioner", volumeBindingMode="WaitForFirstConsumer",
        )  # fmt: skip
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._complete, daemon=True)

    def volume(self, number, node):
        name = f"{self.space.run}-{number}"
        term = {"key": HOSTNAME, "operator": "In", "values": [node]}
        spec = {
            "capacity": {"storage": "1Gi"},
            "accessModes": ["ReadWriteOnce"],
            "persistentVolumeReclaimPolicy": "Retain",
            "storageClassName": self.name,
            "local": {"path": f"/mnt/{number}"},
            "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [term]}]}},
        }
        self.space.create_wide(PERSISTENT_VOLUMES, "v1", "PersistentVolume", name, spec=spec)
        # Without a controller no volume becomes available, and only available ones are chosen.
        path = f"{PERSISTENT_VOLUMES}/{name}/status"
        self.space.api.patch(path, {"status": {"phase": "Available"}})

    def claim(self, name):
        return {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "metadata": {"name": name},
            "spec": {
                "storageClassName": self.name,
                "accessModes": ["ReadWriteOnce"],
                "resources": {"requests": {"storage": "1Gi"}},
            },
        }

    @staticmethod
    def of(claim):
        """Returns the volumes of a pod that uses `claim`."""
        return [{"name": "data", "persistentVolumeClaim": {"claimName": claim}}]

    def volumes(self):
        query = {"labelSelector": f"berth.dev/e2e={self.space.run}"}
        return self.space.api.items(PERSISTENT_VOLUMES, **query)

    def start(self):
        self._thread.start()

    def stop(self):
        self._stop.set()
        if self._thread.ident:
            self._thread.join()

    def _complete(self):
        """Completes the bindings of claims, as the cluster's own controller does; both at the same
        time do no harm."""
        done = set()
        while not self._stop.wait(0.2):
            for volume in self.volumes():
                owner = volume["spec"].get("claimRef")
                if owner and owner["uid"] not in done:
                    done.add(owner["uid"])
                    self._bind(volume, owner)

    def _bind(self, volume, owner):
        api, name = self.space.api, volume["metadata"]["name"]
        claim = f"{self.claims_path}/{owner['name']}"
        change = {"metadata": {"annotations": _DONE}, "spec": {"volumeName": name}}
        status = {"phase": "Bound", "capacity": {"storage": "1Gi"}}
        status["accessModes"] = ["ReadWriteOnce"]
        try:
            bound = {"status": {"phase": "Bound"}}
            api.call("PATCH", f"{PERSISTENT_VOLUMES}/{name}/status", bound, MERGE)
            api.call("PATCH", claim, change, MERGE)
            api.call("PATCH", claim + "/status", {"status": status}, MERGE)
        except ApiError as error:
            if error.status not in (404, 409):
                raise
