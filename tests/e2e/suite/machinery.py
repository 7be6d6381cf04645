"""The kubelets and volume controllers of a cluster that has none."""

import queue
import threading
import time

from .api import NODES, ApiError
from .mirror import Mirror, key_of
from .objects import HOSTNAME, RUN_LABEL, ZONE
from .random_storage import BOUND, DRIVER, PROVISIONED, reach
from .space import PERSISTENT_VOLUMES

CLAIMS = "/api/v1/persistentvolumeclaims"
SELECTED = "volume.kubernetes.io/selected-node"
_FIRST_START = 1_600_000_000  # In the past, however many pods there are.


def tolerant(action, *arguments):
    """Does `action`, unless the object has changed or gone meanwhile."""
    try:
        return action(*arguments)
    except ApiError as error:
        if error.status not in (404, 409):
            raise
    return None


def same(one, other):
    return one["metadata"]["uid"] == other["metadata"]["uid"]


def path_of(pod):
    return f"/api/v1/namespaces/{pod['metadata']['namespace']}/pods/{pod['metadata']['name']}"


class Worker:
    """Performs actions in their order on a thread."""

    def __init__(self):
        self._queue = queue.Queue()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def do(self, action, *arguments):
        self._queue.put((action, arguments))

    def _run(self):
        while True:
            action, arguments = self._queue.get()
            try:
                if action is None:
                    return
                tolerant(action, *arguments)
            except (ApiError, OSError) as error:
                print(f"side_by_side: {error}", flush=True)
            finally:
                self._queue.task_done()

    def idle(self):
        return self._queue.unfinished_tasks == 0

    def close(self):
        self._queue.put((None, ()))


class Kubelets:
    """Start the pods that are bound. The later one starts, the later is its start time, which
    decides between victims: until then it counts as started now. No two have the same."""

    def __init__(self, api):
        self._api, self._worker = api, Worker()
        self._seconds = _FIRST_START
        self._started = set()
        self.pods = Mirror(api, "/api/v1/pods", self._see)

    def _see(self, kind, pod):
        uid = pod["metadata"]["uid"]
        if kind == "DELETED":
            self._started.discard(uid)
        elif pod["spec"].get("nodeName") and uid not in self._started:
            self._started.add(uid)
            self._worker.do(self._start, pod)

    def _start(self, pod):
        if pod["status"].get("startTime"):
            return
        self._seconds += 1
        start = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self._seconds))
        status = {"phase": "Running", "startTime": start}
        self._api.patch(path_of(pod) + "/status", {"status": status})

    def idle(self):
        return self._worker.idle()

    def close(self):
        self.pods.close()
        self._worker.close()


class VolumeControllers:
    """Bind claims to the volumes that the scheduler chose, and provision volumes for claims on the
    nodes that it chose."""

    def __init__(self, api):
        self._api, self._worker = api, Worker()
        self.claims = Mirror(api, CLAIMS, self._see_claim)
        self.volumes = Mirror(api, PERSISTENT_VOLUMES, self._see_volume)

    def _see_claim(self, kind, claim):
        selected = claim["metadata"].get("annotations", {}).get(SELECTED)
        if kind != "DELETED" and selected and claim["spec"].get("storageClassName") in PROVISIONED:
            self._worker.do(self._provision, claim, selected)

    def _see_volume(self, kind, volume):
        owner = volume["spec"].get("claimRef", {})
        if kind != "DELETED" and owner.get("uid") and volume["status"].get("phase") != "Bound":
            self._worker.do(self._bind, volume)

    def _provision(self, claim, node_name):
        now = self.claims.get(key_of(claim))
        if not now or now["spec"].get("volumeName") or not same(now, claim):
            return
        labels = self._api.get(f"{NODES}/{node_name}")["metadata"]["labels"]
        if ZONE in labels:
            affinity = reach(ZONE, labels[ZONE])
        else:
            affinity = reach(HOSTNAME, labels.get(HOSTNAME, node_name))
        self.create_for(claim, affinity)

    def create_for(self, claim, affinity=None):
        """Creates a volume for the claim, which is then bound to it."""
        meta = claim["metadata"]
        name = f"pv-{meta['name']}"
        spec = {
            "capacity": claim["spec"]["resources"]["requests"],
            "accessModes": claim["spec"]["accessModes"],
            "persistentVolumeReclaimPolicy": "Retain",
            "storageClassName": claim["spec"]["storageClassName"],
            "csi": {"driver": DRIVER, "volumeHandle": name},
            "claimRef": {"kind": "PersistentVolumeClaim", "namespace": meta["namespace"],
                         "name": meta["name"], "uid": meta["uid"]},
        }  # fmt: skip
        if affinity:
            spec["nodeAffinity"] = affinity
        metadata = {"name": name, "labels": {RUN_LABEL: meta["labels"][RUN_LABEL]}}
        body = {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": metadata, "spec": spec}
        self._api.create(PERSISTENT_VOLUMES, body)

    def wait_bound(self, claim, timeout):
        def bound():
            now = self.claims.get(key_of(claim))
            return not now or now["status"].get("phase") == "Bound"

        return self.claims.wait(bound, timeout)

    def _bind(self, volume):
        owner, name = volume["spec"]["claimRef"], volume["metadata"]["name"]
        claim = self.claims.get((owner["namespace"], owner["name"]))
        if claim and claim["spec"].get("volumeName", name) != name:
            return  # The scheduler chose another one after a failed attempt.
        path = f"/api/v1/namespaces/{owner['namespace']}/persistentvolumeclaims/{owner['name']}"
        self._api.patch(f"{PERSISTENT_VOLUMES}/{name}/status", {"status": {"phase": "Bound"}})
        change = {"metadata": {"annotations": BOUND}, "spec": {"volumeName": name}}
        self._api.patch(path, change)
        status = {"phase": "Bound", "capacity": volume["spec"]["capacity"],
                  "accessModes": volume["spec"]["accessModes"]}  # fmt: skip
        self._api.patch(path + "/status", {"status": status})

    def idle(self):
        return self._worker.idle()

    def close(self):
        self.claims.close()
        self.volumes.close()
        self._worker.close()
