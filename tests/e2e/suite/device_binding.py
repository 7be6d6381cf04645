"""Devices that must be attached before the pod is bound, and schedulers that end meanwhile."""

import time

from .device_objects import SLICES, device, results
from .devices import DeviceScenario

ATTACHED, FAILED = "example.com/attached", "example.com/failed"


class DeviceBinding(DeviceScenario):
    def attachable_devices(self, count):
        """Creates a node; its devices become usable when a driver says that they are attached."""
        (self.node,) = self.space.create_nodes([self.space.node("n0")])
        self.offer = [
            device(f"gpu-{i}", bindingConditions=[ATTACHED], bindingFailureConditions=[FAILED])
            for i in range(count)
        ]
        self.devices.slice("pool", self.offer, node=self.node)
        self.devices.template("one", self.devices.request())

    def report(self, claim, kind, message="by the test"):
        """Reports, as a driver, that the device of a claim is attached or that it failed."""
        (result,) = claim["status"]["allocation"]["devices"]["results"]
        condition = {
            "type": kind, "status": "True", "reason": "Test", "message": message,
            "lastTransitionTime": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        }  # fmt: skip
        status = {key: result[key] for key in ("driver", "pool", "device")}
        path = f"{self.devices.claims_path}/{claim['metadata']['name']}/status"
        self.api.patch(path, {"status": {"devices": [status | {"conditions": [condition]}]}})

    def taint(self, name):
        """Keeps a device from being allocated again, as a driver does with a broken one."""
        taint = {"key": "example.com/broken", "effect": "NoSchedule"}
        for one in self.offer:
            if one["name"] == name:
                one["taints"] = [taint]
        (found,) = [
            item for item in self.api.items(SLICES) if item["spec"]["driver"] == self.devices.driver
        ]
        path = f"{SLICES}/{found['metadata']['name']}"
        self.api.patch(path, {"spec": {"devices": self.offer}})

    def allocated(self, pod):
        """Returns the claim of a pod once it is allocated and reserved, with its device."""
        found = []

        def look():
            record = self.history.pod(pod)
            claim = record and self.devices.claim_of(record)
            reserved = claim and results(claim) and claim["status"].get("reservedFor")
            found[:] = [claim] if reserved else []
            return found

        self.wait(look, f"the claim of {pod} is allocated", 60)
        return found[0], results(found[0])[0][2]

    def test_binding_conditions(self):
        """A pod is bound when its device is attached. If that fails, it gets another device."""
        self.attachable_devices(2)
        self.start_scheduler()
        self.space.create_pods([self.devices.pod("p", template="one")])
        claim, name = self.allocated("p")
        allocation = claim["status"]["allocation"]
        self.assertEqual(name, "gpu-0")
        self.assertIn("allocationTimestamp", allocation)
        self.assertEqual(allocation["devices"]["results"][0]["bindingConditions"], [ATTACHED])
        (event,) = self.space.wait_events("BindingConditionsPending", 1)
        self.assertEqual(event["type"], "Normal")
        self.assertFalse(self.nodes_of("p"), "it must wait")
        self.taint("gpu-0")
        self.report(claim, FAILED, "no power")
        self.wait(lambda: self.device_of("p") == "gpu-1", "another device is allocated", 60)
        notes = [event["note"] for event in self.space.events("FailedScheduling")]
        name = claim["metadata"]["name"]
        expected = f'device binding failed: claim={name}, reason=Test, message="no power"'
        self.assertTrue(any(expected in note for note in notes), notes)
        claim, _ = self.allocated("p")
        self.report(claim, ATTACHED)
        self.wait(lambda: self.nodes_of("p"), "it is bound", 60)
        self.assert_holds(self.devices.claim_of(self.history.pod("p")), [self.history.pod("p")])

    def device_of(self, pod):
        """Returns the name of the device of a pod's claim, or None."""
        claim = self.devices.claim_of(self.history.pod(pod))
        return results(claim)[0][2] if claim and results(claim) else None

    def test_restart_in_prebind(self):
        """A scheduler that ends while pods wait for their devices leaves the allocations to the
        next one, which binds the pods with the same devices."""
        self.attachable_devices(3)
        scheduler = self.start_scheduler()
        pods = [f"p{i}" for i in range(3)]
        self.space.create_pods([self.devices.pod(name, template="one") for name in pods])
        before = {name: self.allocated(name)[1] for name in pods}
        self.assertEqual(sorted(before.values()), ["gpu-0", "gpu-1", "gpu-2"])
        scheduler.kill()
        attached, _ = self.allocated("p0")
        self.report(attached, ATTACHED)  # While there is no scheduler.
        self.start_scheduler(label="next")
        self.wait(lambda: self.nodes_of("p0"), "the attached one is bound", 60)
        for name in ("p1", "p2"):
            self.assertFalse(self.nodes_of(name), "its device is not attached")
            self.report(self.allocated(name)[0], ATTACHED)
        self.wait_bound(3)
        self.assertEqual({name: self.allocated(name)[1] for name in pods}, before)
        self.assertEqual(self.bound_with_claims(), 3)
        self.assert_bound_once()

    def test_restarts_with_devices(self):
        """A scheduler is killed three times while pods with claims arrive that need all devices."""
        self.nodes_with_devices(6, 10)
        self.devices.template("one", self.devices.request())
        scheduler = self.start_scheduler(label="scheduler-0", qps=100)
        self.space.create_pods([self.devices.pod(f"p{i:02}", template="one") for i in range(60)])
        for number, bound in enumerate((5, 20, 40), 1):
            self.wait_bound(bound)
            scheduler.kill()
            scheduler = self.start_scheduler(label=f"scheduler-{number}", qps=100)
        self.wait_bound(60, 120)
        self.assertEqual(self.bound_with_claims(), 60)
        self.assert_bound_once()
