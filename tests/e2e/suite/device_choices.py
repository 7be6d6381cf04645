"""Which devices a claim gets: every kind of request, on one node, with kube-scheduler's choice."""

from .device_objects import device, results
from .devices import NO_DEVICE, DeviceScenario

REFUSED = "refused"


def bandwidth(amount):
    return {"requests": {"bandwidth": amount}}


class DeviceChoices(DeviceScenario):
    def publish(self):
        """Creates a node with GPUs on two sockets, one of them tainted, the parts of a device that
        can be divided, and a network card that pods share."""
        (node,) = self.space.create_nodes([self.space.node("n0")])
        gpus = [
            device(
                f"gpu-{i}", attributes={"model": ("L4", "A100", "H100")[i % 3], "socket": i // 4},
                capacity={"memory": f"{(24, 40, 80)[i % 3]}Gi"},
            )
            for i in range(8)
        ]  # fmt: skip
        gpus[0]["taints"] = [{"key": "example.com/slow", "effect": "NoSchedule"}]
        self.devices.slice("a-gpus", gpus, node=node)
        counters = {"name": "whole", "counters": {"memory": {"value": "40Gi"}}}
        self.devices.slice(
            "b-parts", None, node=node, count=2, part="-counters", sharedCounters=[counters]
        )
        parts = [
            device(
                name, attributes={"model": "part"},
                consumesCounters=[{"counterSet": "whole", "counters": {"memory": {"value": size}}}],
            )
            for name, size in (("full", "40Gi"), ("half-0", "20Gi"), ("half-1", "20Gi"))
        ]  # fmt: skip
        self.devices.slice("b-parts", parts, node=node, count=2, part="-devices")
        steps = {"default": "1", "validRange": {"min": "1", "max": "10", "step": "1"}}
        card = device(
            "card", attributes={"model": "network"}, allowMultipleAllocations=True,
            capacity={"bandwidth": {"value": "10", "requestPolicy": steps}},
        )  # fmt: skip
        self.devices.slice("c-network", [card], node=node)

    def choose(self, name, *requests, **more):
        """Returns the devices of a new pod with these requests, which keeps them, or REFUSED."""
        self.devices.claim(name, *requests, **more)
        self.space.create_pods([self.devices.pod(name, claim=name)])
        self.wait(lambda: self.nodes_of(name) or self.refused(name), f"{name} is decided")
        if not self.nodes_of(name):
            self.assertRegex(self.refused(name), rf"1 {NO_DEVICE}\b")
            return REFUSED
        claim = self.devices.get(name)
        self.assert_holds(claim, [self.history.pod(name)])
        return [f"{request}: {device}" for request, _, device in results(claim)]

    def same(self, attribute, *requests):
        return {"matchAttribute": f"{self.devices.driver}/{attribute}", "requests": list(requests)}

    def test_device_choices(self):
        self.publish()
        self.start_scheduler()
        request = self.devices.request
        tolerates = [{"key": "example.com/slow", "operator": "Exists"}]
        alternatives = [
            {"name": "large", "deviceClassName": self.devices.driver, "count": 4,
             "selectors": [self.devices.selector('model == "H100"')]},
            {"name": "small", "deviceClassName": self.devices.driver, "count": 1,
             "selectors": [self.devices.selector('model == "A100"')]},
        ]  # fmt: skip
        chosen = {}
        for name, requests, more in (
            ("model", [request(model="H100")], {}),
            ("untolerated", [request(model="L4", count=3)], {}),
            ("tolerated", [request(model="L4", tolerations=tolerates)], {}),
            ("alternatives", [{"name": "gpu", "firstAvailable": alternatives}], {}),
            ("socket", [request(count=2)], {"constraints": [self.same("socket", "gpu")]}),
            ("pair", [request("one", model="A100"), request("two", model="L4")],
             {"constraints": [self.same("socket", "one", "two")]}),
            ("whole", [request(model="part")], {}),
            ("rest", [request(model="part", allocationMode="All")], {}),
            ("bandwidth", [request(model="network", capacity=bandwidth("6"))], {}),
            ("shared", [request(model="network", capacity=bandwidth("4"))], {}),
            ("excess", [request(model="network")], {}),
        ):  # fmt: skip
            chosen[name] = self.choose(name, *requests, **more)
        expected = {
            "model": ["gpu: gpu-2"],
            "untolerated": REFUSED,
            "tolerated": ["gpu: gpu-0"],
            "alternatives": ["gpu/small: gpu-1"],
            "socket": ["gpu: gpu-4", "gpu: gpu-5"],
            "pair": ["one: gpu-7", "two: gpu-6"],
            "whole": ["gpu: full"],
            "rest": REFUSED,
            "bandwidth": ["gpu: card"],
            "shared": ["gpu: card"],
            "excess": REFUSED,
        }
        self.assertEqual(chosen, expected)
        self.assertEqual(self.consumed("bandwidth"), [{"bandwidth": "6"}])
        self.assertEqual(self.consumed("shared"), [{"bandwidth": "4"}])

    def consumed(self, name):
        allocation = self.devices.get(name)["status"]["allocation"]
        return [one["consumedCapacity"] for one in allocation["devices"]["results"]]
