"""Pods with device claims: allocated, reserved, bound, shared and released."""

import collections

from .device_objects import FINALIZER, Devices, device, results
from .processes import OwnServer
from .scenario import SETTINGS, Scenario, say

NO_DEVICE = "cannot allocate all claims"


class DeviceScenario(Scenario):
    """Needs the resourceclaim controller: that of the cluster, or that of a `berth up`."""

    def setUp(self):
        say(f"{self.title} begins")
        kubeconfig = SETTINGS.kubeconfig
        if SETTINGS.berth:
            server = OwnServer(
                SETTINGS.berth, SETTINGS.folder, label=f"{self.title}.up", command="up",
                options=("--scheduler=none", "--no-kubelets", "--no-leases"),
            )  # fmt: skip
            kubeconfig = self.own(server).kubeconfig
        self.use(kubeconfig)
        self.devices = Devices(self.space)
        if not self.devices.has_controller():
            self.skipTest("the cluster has no resourceclaim controller")

    def nodes_with_devices(self, nodes, devices_per_node, **fields):
        """Creates nodes n0, n1 and so on with devices gpu-0, gpu-1 and so on; returns the names."""
        names = self.space.create_nodes([self.space.node(f"n{i}") for i in range(nodes)])
        for name in names:
            offer = [device(f"gpu-{i}", **fields) for i in range(devices_per_node)]
            self.devices.slice(f"{name}-pool", offer, node=name)
        return names

    def refused(self, name):
        """Returns the reason why a pod is unschedulable, or None."""
        record = self.history.pod(name)
        condition = record.condition("PodScheduled") if record else {}
        return condition.get("message") if condition.get("status") == "False" else None

    def wait_refused(self, name, pattern, timeout=30):
        self.wait(lambda: self.refused(name), f"{name} is unschedulable", timeout)
        self.assertRegex(self.refused(name), pattern)

    def assert_holds(self, claim, pods):
        """Checks what the scheduler wrote into the claim of these pods."""
        self.assertIn(FINALIZER, claim["metadata"].get("finalizers", ()))
        expected = [{"resource": "pods", "name": pod.name, "uid": pod.uid} for pod in pods]
        found = claim["status"].get("reservedFor", [])
        self.assertEqual(
            sorted(found, key=lambda one: one["name"]),
            sorted(expected, key=lambda one: one["name"]),
            claim["metadata"]["name"],
        )
        (node,) = {pod.nodes[-1] for pod in pods}
        terms = claim["status"]["allocation"]["nodeSelector"]["nodeSelectorTerms"]
        field = {"key": "metadata.name", "operator": "In", "values": [node]}
        self.assertEqual(terms, [{"matchFields": [field]}], "the devices are on the pods' node")

    def assert_no_device_twice(self):
        used = collections.Counter()
        for claim in self.devices.claims():
            used.update((pool, name) for _, pool, name in results(claim))
        self.assertFalse([key for key, count in used.items() if count > 1], "given out twice")

    def bound_with_claims(self):
        """Checks the claims of all bound pods; returns their number."""
        bound = [record for record in self.history.records() if record.nodes]
        by_uid = {
            owner["uid"]: claim
            for claim in self.devices.claims()
            for owner in claim["metadata"].get("ownerReferences", ())
        }
        for record in bound:
            self.assert_holds(by_uid[record.uid], [record])
        self.assert_no_device_twice()
        return len(bound)


class DeviceClaims(DeviceScenario):
    def test_device_templates(self):
        """Each pod has a claim and a device of its own. Devices of deleted pods are used again."""
        self.nodes_with_devices(3, 2)
        self.devices.template("one", self.devices.request())
        self.start_scheduler()
        pods = [self.devices.pod(f"p{i}", template="one") for i in range(8)]
        self.space.create_pods(pods, threads=1)
        self.wait_bound(6)
        waiting = [record.name for record in self.history.records() if not record.nodes]
        for name in waiting:
            self.wait_refused(name, rf"3 {NO_DEVICE}\. still not schedulable, preemption: ")
        self.assertEqual(self.bound_with_claims(), 6)
        for name in sorted({f"p{i}" for i in range(8)} - set(waiting))[:2]:
            self.api.delete_now(f"{self.space.pods}/{name}")
        self.wait(lambda: all(map(self.nodes_of, waiting)), "freed devices are used", 60)
        self.assertEqual(self.bound_with_claims(), 6)
        self.assert_bound_once()
        self.delete_pods()
        self.wait(lambda: not self.devices.claims(), "claims of deleted pods are deleted", 60)

    def delete_pods(self):
        for record in self.history.records():
            self.api.delete_now(f"{self.space.pods}/{record.name}")

    def test_shared_claim(self):
        """Pods that share a claim are on one node. When all are gone, it is free for another."""
        names = self.nodes_with_devices(2, 1)
        self.devices.claim("shared", self.devices.request())
        self.start_scheduler()
        first = [self.devices.pod(f"p{i}", claim="shared") for i in range(3)]
        self.space.create_pods(first, threads=1)
        self.wait_bound(3)
        self.assert_holds(self.devices.get("shared"), self.history.records())
        (used,) = {node for record in self.history.records() for node in record.nodes}
        other = next(name for name in names if name != used)
        elsewhere = {"kubernetes.io/hostname": other}
        self.space.create_pods([self.devices.pod("elsewhere", claim="shared", selector=elsewhere)])
        self.wait_refused("elsewhere", "resourceclaim not available on the node")
        self.api.delete_now(f"{self.space.pods}/p0")
        self.wait(
            lambda: len(self.devices.get("shared")["status"]["reservedFor"]) == 2,
            "the reservation of a deleted pod ends", 60,
        )  # fmt: skip
        self.assertTrue(results(self.devices.get("shared")), "others still use it")
        for name in ("p1", "p2"):
            self.api.delete_now(f"{self.space.pods}/{name}")
        self.wait(lambda: self.nodes_of("elsewhere"), "the claim moves to the other node", 60)
        self.assertEqual(self.nodes_of("elsewhere"), [other])
        self.assert_holds(self.devices.get("shared"), [self.history.pod("elsewhere")])
        self.assertEqual(results(self.devices.get("shared")), [("gpu", f"{other}-pool", "gpu-0")])

    def test_missing_claim(self):
        """A pod waits for its claim, and is scheduled when that exists."""
        self.nodes_with_devices(1, 1)
        self.start_scheduler()
        self.space.create_pods([self.devices.pod("p", claim="later")])
        self.space.create_pods([self.space.pod("other")])
        self.wait(lambda: self.nodes_of("other"), "pods without claims are scheduled")
        self.assertFalse(self.nodes_of("p"))
        self.devices.claim("later", self.devices.request())
        self.wait(lambda: self.nodes_of("p"), "it is bound")
        self.assert_holds(self.devices.get("later"), [self.history.pod("p")])

    def test_extended_resource(self):
        """A pod that requests a class's extended resource gets a claim from the scheduler."""
        resource = f"{self.space.run}.example.com/gpu"
        self.devices.device_class(f"{self.space.run}-extended", extendedResourceName=resource)
        self.nodes_with_devices(1, 3)
        self.start_scheduler()
        self.space.create_pods([self.space.pod("p", resources={resource: "2"})])
        self.wait(lambda: self.nodes_of("p"), "it is bound")
        record = self.history.pod("p")
        self.space.create_pods([self.space.pod("second", resources={resource: "2"})])
        self.wait_refused("second", NO_DEVICE)
        status = record.pod["status"]["extendedResourceClaimStatus"]
        claim = self.devices.get(status["resourceClaimName"])
        self.assert_holds(claim, [record])
        self.assertEqual([name for _, _, name in results(claim)], ["gpu-0", "gpu-1"])
        requests = {request for request, _, _ in results(claim)}
        mapping = {"containerName": "c", "resourceName": resource}
        found = [dict(one) for one in status["requestMappings"]]
        self.assertEqual({one.pop("requestName") for one in found}, requests)
        self.assertEqual(found, [mapping])
        annotations = claim["metadata"]["annotations"]
        self.assertEqual(annotations["resource.kubernetes.io/extended-resource-claim"], "true")
        self.api.delete_now(f"{self.space.pods}/p")
        self.wait(lambda: self.nodes_of("second"), "freed devices are used", 60)
