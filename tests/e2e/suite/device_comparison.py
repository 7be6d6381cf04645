"""DeviceComparison: the same random devices and claims for two schedulers, step by step."""

import collections
import random

from . import random_devices
from .device_world import DeviceWorld
from .random_cluster import chance

MOST_PODS = 12  # Of a world. Older ones make room.


class DeviceComparison:
    """One seed. Pods are created for one node each, one at a time, so that both schedulers decide
    on the same cluster, and only one decision is right."""

    def __init__(self, api, seed, schedulers):
        self._rng = random.Random(seed)
        self._worlds = [DeviceWorld(api, name) for name in schedulers]
        self._nodes, self._slices = [], []
        self._pods = collections.OrderedDict()  # The claims of each.
        self._number = 0
        self.compared = collections.Counter()  # Decisions by kind.

    def close(self):
        for world in self._worlds:
            world.close()

    def _both(self, action, *arguments):
        return [getattr(world, action)(*arguments) for world in self._worlds]

    def begin(self):
        rng, first = self._rng, 0
        for i in range(rng.randint(1, 3)):
            self._nodes.append(f"n{i}")
            self._both("add_node", f"n{i}")
        for node in [*self._nodes, None]:
            for i in range(rng.randint(1, 2)):
                kind = random_devices.divided_pool if chance(rng, 25) else random_devices.pool
                pool = f"{node or 'net'}-{i}"
                for part, spec in enumerate(kind(rng, pool, first)):
                    name = f"{pool}-{part}"
                    self._both("add_slice", name, spec, node)
                    self._slices.append(name)
                first += 3
        self._settle()

    def _settle(self):
        self._worlds[0].settle()

    def step(self):
        """Returns None, or what differs."""
        rng = self._rng
        if chance(rng, 20):
            taints = [random_devices.SLOW] if chance(rng, 50) else []
            self._both("change_taints", rng.choice(self._slices), rng.randrange(6), taints)
        while len(self._pods) >= MOST_PODS or (self._pods and chance(rng, 25)):
            self._end(rng.choice(list(self._pods)))
        self._settle()
        self._number += 1
        name, node = f"p{self._number:04}", rng.choice(self._nodes)
        claims = self._choose_claims(name)
        if not claims:
            return None
        decisions = self._decide(name, node, claims)
        if decisions[0] != decisions[1]:
            # A watch may have been late.
            self._end(name, keep=True)
            for _ in range(10):
                self._settle()
            decisions = self._decide(name, node, claims)
        if decisions[0] != decisions[1]:
            return {"pod": name, "node": node, "decisions": decisions}
        refused = "message" in (decisions[0] or {"message": ""})
        self.compared["refused" if refused else "allocated"] += 1
        if refused:
            self._end(name)
        return None

    def _choose_claims(self, pod):
        """Returns the names of new claims and, sometimes, one of another pod."""
        rng = self._rng
        claims = []
        for i in range(rng.choice((1, 1, 1, 2))):
            claim, spec = f"{pod}-{i}", random_devices.claim_spec(rng)
            accepted = self._both("create_claim", claim, spec)
            if accepted[0] != accepted[1]:
                raise RuntimeError(f"the API server accepts {claim} in one world only")
            self.compared["claims that the API server rejects"] += not accepted[0]
            claims += [claim] if accepted[0] else []
        if self._pods and chance(rng, 20):
            claims.append(rng.choice(self._pods[rng.choice(list(self._pods))]))
        return claims

    def _decide(self, name, node, claims):
        self._pods[name] = claims
        self._both("create_pod", name, node, claims)
        return self._both("decision", name, claims)

    def _end(self, name, keep=False):
        """Ends a pod and the claims that no other pod uses; with `keep`, those stay, without an
        allocation."""
        claims = self._pods.pop(name)
        others = {claim for used in self._pods.values() for claim in used}
        shared = [claim for claim in claims if claim in others]
        unused = [claim for claim in claims if claim not in others]
        self._both("end_pod", name, unused, shared, keep)
