"""Devices by claims, from kubernetes' own test driver, one on each node."""

import time
import unittest

from . import host
from .cluster_scenario import ClusterScenario

DRIVER = "test-driver.cdi.k8s.io"
CLASSES = "/apis/resource.k8s.io/v1/deviceclasses"
CLAIMS = "/apis/resource.k8s.io/v1/namespaces/{}/resourceclaims"
TEMPLATES = "/apis/resource.k8s.io/v1/namespaces/{}/resourceclaimtemplates"
SLICES = "/apis/resource.k8s.io/v1/resourceslices"
PER_NODE = 2


class Devices(ClusterScenario):
    def setUp(self):
        if not host.find("dra-test-driver"):
            raise unittest.SkipTest("there is no dra-test-driver in BERTH_K8S_BIN")
        super().setUp()
        for node in self.cluster.nodes:
            self._start_driver(node)
        self.wait(lambda: len(self.api.items(SLICES)) == 2, "a ResourceSlice of each node")
        meta = {"name": self.namespace}
        selector = {"cel": {"expression": f'device.driver == "{DRIVER}"'}}
        body = {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": meta}
        self.api.create(CLASSES, body | {"spec": {"selectors": [selector]}})
        self.addCleanup(self.api.delete, f"{CLASSES}/{self.namespace}")

    def _start_driver(self, node):
        node.write("/etc/kubernetes/admin.conf", open(self.plane.kubeconfig_path).read(), 0o600)
        node.run("mkdir", "-p", f"/var/lib/kubelet/plugins/{DRIVER}")
        driver = node.start(
            host.find("dra-test-driver"), "--kubeconfig=/etc/kubernetes/admin.conf",
            "kubelet-plugin", f"--node-name={node.name}", f"--num-devices={PER_NODE}",
            log=node.logs / f"{node.name}.dra-driver.log",
        )  # fmt: skip
        self.addCleanup(self._remove_slices)
        self.addCleanup(driver.terminate)

    def _remove_slices(self):
        for one in self.api.items(SLICES):
            self.api.delete(f"{SLICES}/{one['metadata']['name']}")

    def _claim_spec(self):
        exactly = {"deviceClassName": self.namespace, "allocationMode": "ExactCount", "count": 1}
        return {"devices": {"requests": [{"name": "one", "exactly": exactly}]}}

    def _pod(self, name, **claim):
        pod = self.pod(name, resourceClaims=[{"name": "device", **claim}])
        pod["spec"]["containers"][0]["resources"]["claims"] = [{"name": "device"}]
        return pod

    def _claims(self):
        return self.api.items(CLAIMS.format(self.namespace))

    def test_device_claims(self):
        """Each pod gets a device of its own; one too many waits for one that is given back."""
        template = {
            "apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaimTemplate",
            "metadata": {"name": "device"}, "spec": {"spec": self._claim_spec()},
        }  # fmt: skip
        self.api.create(TEMPLATES.format(self.namespace), template)
        count = PER_NODE * len(self.cluster.nodes)
        names = [f"p{i}" for i in range(count)]
        self.create(*[self._pod(name, resourceClaimTemplateName="device") for name in names])
        self.wait_running(*names)
        chosen = []
        for claim in self._claims():
            results = claim["status"]["allocation"]["devices"]["results"]
            chosen += [(one["pool"], one["device"]) for one in results]
            [user] = claim["status"]["reservedFor"]
            self.assertEqual(self.history.pod(user["name"]).nodes, [results[0]["pool"]])
        self.assertEqual(len(set(chosen)), count, chosen)
        self.create(self._pod("late", resourceClaimTemplateName="device"))
        self.wait(lambda: "cannot allocate" in self._why_not("late"), "no device is left for it")
        begin = time.monotonic()
        self.api.delete(f"{self.pods}/p0")
        self.wait_running("late")
        given, got = self.history.pod("p0"), self.history.pod("late")
        self.assertEqual(given.nodes, got.nodes)
        self.figure("from the deletion of a pod to the bind of the next", got.bound_at - begin)
        self.assert_bound_once()

    def _why_not(self, name):
        return self.condition(name, "PodScheduled").get("message", "")

    def test_shared_device(self):
        """Pods that share a claim run on its node, and all are in its reservation."""
        claim = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim",
                 "metadata": {"name": "shared"}, "spec": self._claim_spec()}  # fmt: skip
        self.api.create(CLAIMS.format(self.namespace), claim)
        names = ["a", "b", "c"]
        self.create(*[self._pod(name, resourceClaimName="shared") for name in names])
        self.wait_running(*names)
        [claim] = self._claims()
        self.assertEqual(sorted(one["name"] for one in claim["status"]["reservedFor"]), names)
        self.assertEqual(len({self.node_of(name) for name in names}), 1)
        for name in names:
            self.api.delete(f"{self.pods}/{name}")
        self.wait(
            lambda: "allocation" not in self._claims()[0].get("status", {}), "the device is free"
        )
        self.assert_bound_once()
