"""Space: the objects of one scenario in the cluster, and their removal."""

import os
import secrets
import time

from . import objects
from .api import EVENTS, NODES, PODS, ApiError

STORAGE_CLASSES = "/apis/storage.k8s.io/v1/storageclasses"
PRIORITY_CLASSES = "/apis/scheduling.k8s.io/v1/priorityclasses"
CLUSTER_ROLES = "/apis/rbac.authorization.k8s.io/v1/clusterroles"
CLUSTER_ROLE_BINDINGS = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings"
PERSISTENT_VOLUMES = "/api/v1/persistentvolumes"


class Space:
    """A namespace, a scheduler name and nodes that no other scenario or user uses."""

    def __init__(self, api, title):
        self.api = api
        self.run = f"{title.replace('_', '-')[:20]}-{secrets.token_hex(3)}"
        self.namespace = f"berth-e2e-{self.run}"
        self.scheduler_name = f"berth-e2e-{self.run}"
        self.pods = PODS.format(self.namespace)
        self._cluster_wide = []
        api.create("/api/v1/namespaces", self._named(self.namespace, "v1", "Namespace"))
        # Pods are rejected without it, and the cluster may have no controller that creates it.
        account = self._named("default", "v1", "ServiceAccount")
        try:
            api.create(f"/api/v1/namespaces/{self.namespace}/serviceaccounts", account)
        except ApiError as error:
            if error.status != 409:
                raise

    def _named(self, name, version, kind):
        metadata = {"name": name, "labels": {objects.RUN_LABEL: self.run}}
        return {"apiVersion": version, "kind": kind, "metadata": metadata}

    def node(self, name, **fields):
        """Returns a node whose name begins with the run's."""
        return objects.node(f"{self.run}-{name}", self.run, **fields)

    def pod(self, name, **fields):
        return objects.pod(name, self, **fields)

    def create_nodes(self, nodes):
        self.api.create_all(NODES, nodes)
        return [node["metadata"]["name"] for node in nodes]

    def create_pods(self, pods, threads=8, patience=0.0):
        return self.api.create_all(self.pods, pods, threads, patience)

    def create_wide(self, path, version, kind, name, **fields):
        """Creates a cluster-scoped object, which is removed with the space."""
        created = self.api.create(path, self._named(name, version, kind) | fields)
        self._cluster_wide.append(f"{path}/{name}")
        return created

    def priority_class(self, title, value, **fields):
        name = f"berth-e2e-{self.run}-{title}"
        self.create_wide(
            PRIORITY_CLASSES, "scheduling.k8s.io/v1", "PriorityClass", name, value=value, **fields
        )
        return name

    def account_token(self, name, rules=None):
        """Returns the token of a new service account; None if the server issues no tokens."""
        path = f"/api/v1/namespaces/{self.namespace}/serviceaccounts"
        self.api.create(path, self._named(name, "v1", "ServiceAccount"))
        request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
        try:
            response = self.api.create(f"{path}/{name}/token", request)
        except ApiError:
            return None
        if rules is not None:
            self.grant(name, rules)
        return response.get("status", {}).get("token")

    def grant(self, account, rules):
        """Grants a service account the `rules` of a ClusterRole."""
        name = f"berth-e2e-{self.run}-{account}"
        rbac = "rbac.authorization.k8s.io"
        self.create_wide(CLUSTER_ROLES, rbac + "/v1", "ClusterRole", name, rules=rules)
        subject = {"kind": "ServiceAccount", "name": account, "namespace": self.namespace}
        self.create_wide(
            CLUSTER_ROLE_BINDINGS, rbac + "/v1", "ClusterRoleBinding", name, subjects=[subject],
            roleRef={"apiGroup": rbac, "kind": "ClusterRole", "name": name},
        )  # fmt: skip

    def events(self, reason=None):
        found = self.api.items(EVENTS.format(self.namespace))
        return [event for event in found if reason in (None, event.get("reason"))]

    def wait_events(self, reason, count, timeout=15):
        """Returns the events of that reason when there are `count`, or after the timeout."""
        deadline = time.monotonic() + timeout
        while True:
            found = self.events(reason)
            if len(found) >= count or time.monotonic() > deadline:
                return found
            time.sleep(0.3)

    def remove(self):
        """Removes everything that the server allows to remove."""
        if os.environ.get("BERTH_E2E_KEEP"):
            return
        names = [pod["metadata"]["name"] for pod in self.api.items(self.pods)]
        self.api.each(lambda name: self.api.delete_now(f"{self.pods}/{name}"), names)
        here = f"namespaces/{self.namespace}"
        collections = [
            f"/apis/policy/v1/{here}/poddisruptionbudgets",
            f"/apis/resource.k8s.io/v1/{here}/resourceclaimtemplates",
            f"/apis/resource.k8s.io/v1/{here}/resourceclaims",
            f"/api/v1/{here}/persistentvolumeclaims",
            f"/apis/coordination.k8s.io/v1/{here}/leases",
            f"/apis/events.k8s.io/v1/{here}/events",
        ]
        for path in collections:
            self.api.raw("DELETE", path)
        query = f"?labelSelector={objects.RUN_LABEL}%3D{self.run}"
        self.api.raw("DELETE", NODES + query)
        for path in [*self._cluster_wide, f"/api/v1/{here}"]:
            self.api.raw("DELETE", path)
        self._release(f"/apis/resource.k8s.io/v1/{here}/resourceclaims")
        self._release(f"/api/v1/{here}/persistentvolumeclaims")
        self._release(PERSISTENT_VOLUMES, labelSelector=f"{objects.RUN_LABEL}={self.run}")

    def _release(self, path, **query):
        """Removes finalizers, which no controller removes in a cluster without controllers."""
        for item in self.api.items(path, **query):
            try:
                name = item["metadata"]["name"]
                self.api.patch(f"{path}/{name}", {"metadata": {"finalizers": None}})
            except ApiError as error:
                if error.status not in (404, 409):
                    raise
