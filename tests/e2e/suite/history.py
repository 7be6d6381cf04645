"""PodHistory: everything that a watch reported about the pods of a namespace."""

import http.client
import threading
import time

from .api import PODS, ApiError, Watch


class PodRecord:
    """What the watch reported about one pod, from its first state on."""

    def __init__(self, pod):
        self.name = pod["metadata"]["name"]
        self.uid = pod["metadata"]["uid"]
        self.pod = pod
        self.nodes = []  # The values of spec.nodeName, each when it changed; "" is left out.
        self.nominated = []  # The same of status.nominatedNodeName.
        self.bound_at = None  # The local monotonic time of the first node.
        self.unbound_first = not pod["spec"].get("nodeName")
        self.deleting = False
        self.gone = False

    def see(self, pod):
        self.pod = pod
        node = pod["spec"].get("nodeName")
        if node and (not self.nodes or self.nodes[-1] != node):
            self.nodes.append(node)
            self.bound_at = self.bound_at or time.monotonic()
        nominated = pod.get("status", {}).get("nominatedNodeName")
        if nominated and (not self.nominated or self.nominated[-1] != nominated):
            self.nominated.append(nominated)
        self.deleting = self.deleting or bool(pod["metadata"].get("deletionTimestamp"))

    def condition(self, kind):
        for condition in self.pod.get("status", {}).get("conditions") or []:
            if condition["type"] == kind:
                return condition
        return {}


class PodHistory:
    """Watches on a thread until close(). A watch that breaks is resumed at the last
    resourceVersion; `gaps` counts the times when that had expired."""

    def __init__(self, api, namespace, on_change=None):
        self._api = api
        self._path = PODS.format(namespace)
        self._lock = threading.RLock()
        self._on_change = on_change or (lambda record: None)
        self._closed = False
        self._watch = None
        self.by_uid = {}
        self.gaps = 0
        self._version = self._list()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _list(self):
        response = self._api.get(self._path)
        seen = {pod["metadata"]["uid"] for pod in response.get("items") or []}
        for pod in response.get("items") or []:
            self._see(pod)
        with self._lock:
            for record in self.by_uid.values():
                record.gone = record.gone or record.uid not in seen
        return response["metadata"]["resourceVersion"]

    def _see(self, pod, gone=False):
        with self._lock:
            record = self.by_uid.get(pod["metadata"]["uid"])
            if record is None:
                record = self.by_uid[pod["metadata"]["uid"]] = PodRecord(pod)
            record.see(pod)
            record.gone = record.gone or gone
        self._on_change(record)

    def _run(self):
        while not self._closed:
            try:
                self._watch = Watch(self._api, self._path, self._version)
                for kind, item in self._watch:
                    if kind == "ERROR":
                        raise ApiError("WATCH", self._path, item.get("code", 410), b"{}")
                    self._version = item["metadata"]["resourceVersion"]
                    if kind != "BOOKMARK":
                        self._see(item, gone=kind == "DELETED")
            except (OSError, http.client.HTTPException):
                time.sleep(0.1)
            except ApiError as error:
                if error.status == 410:
                    self.gaps += 1
                    self._version = self._list()
                time.sleep(0.1)

    def close(self):
        self._closed = True
        if self._watch:
            self._watch.close()

    def records(self):
        """Returns the records of pods that are not deleted."""
        with self._lock:
            return [record for record in self.by_uid.values() if not record.gone]

    def pod(self, name):
        """Returns the record of the newest pod of that name."""
        with self._lock:
            found = [record for record in self.by_uid.values() if record.name == name]
        return found[-1] if found else None

    def bound(self):
        return sum(1 for record in self.records() if record.nodes)

    def ever_bound(self):
        """Returns the number of pods that got a node, deleted ones included."""
        with self._lock:
            return sum(1 for record in self.by_uid.values() if record.nodes)

    def wait(self, done, timeout):
        """Whether `done()` became true in time."""
        deadline = time.monotonic() + timeout
        while not done():
            if time.monotonic() > deadline:
                return False
            time.sleep(0.05)
        return True

    def wait_bound(self, count, timeout):
        return self.wait(lambda: self.bound() >= count, timeout)
