"""The parts of side_by_side and device_side_by_side that need no cluster."""

import random
import tempfile
import unittest

from . import random_cluster, random_devices, random_pods, random_storage
from .judgements import JudgementLog, Tally, parse

AGREES = (
    'I1116 05:09:49.385997    5107 shadow.cc:137] "Shadow agrees" pod="a/p-1" decision="placed" '
    'node="n-1" ownChoice="n-{}" inFlight={} took="348.039µs"'
)
DIFFERS = (
    'I1116 05:09:49.385997    5107 shadow.cc:147] "Shadow differs" pod="a/p-1" decision="placed" '
    'node="n-1" ownChoice="n-2" why="scores 5, 1 less than \\"n-2\\"" took="348.039µs"'
)


class JudgementsTest(unittest.TestCase):
    def test_agreement(self):
        self.assertTrue(parse(AGREES.format(1, "false")).agrees)
        self.assertFalse(parse(AGREES.format(1, "false")).is_tie)
        self.assertTrue(parse(AGREES.format(2, "false")).is_tie)
        self.assertFalse(parse(AGREES.replace("n-{}", "").format("false")).is_tie)
        self.assertTrue(parse(AGREES.format(1, "true")).in_burst)

    def test_difference(self):
        found = parse(DIFFERS)
        self.assertFalse(found.agrees or found.is_tie)
        self.assertEqual(found["why"], 'scores 5, 1 less than "n-2"')
        self.assertFalse(parse(DIFFERS.replace("differs", "does not judge")).agrees)

    def test_other_lines(self):
        self.assertIsNone(parse('I1116 05:09:49.385997 5107 x.cc:1] "Shadow mode ends" judged=3'))

    def test_log_that_grows(self):
        with tempfile.NamedTemporaryFile("w", encoding="utf-8") as file:
            log = JudgementLog(file.name)
            self.addCleanup(log.close)
            file.write(DIFFERS + "\n" + DIFFERS[:60])
            file.flush()
            self.assertEqual(len(log.read()), 1)
            file.write(DIFFERS[60:] + "\n")
            file.flush()
            self.assertEqual([one["node"] for one in log.read()], ["n-1"])

    def test_tally(self):
        tally = Tally()
        tally.add([parse(AGREES.format(2, "true")), parse(DIFFERS)])
        total = Tally()
        total.merge(tally)
        total.merge(tally)
        self.assertEqual(len(total.different), 2)
        self.assertRegex(str(total), "^4 compared, 2 agreed, 2 ties, 2 judged in bursts, ")


def objects(seed, count=400):
    """Returns a random mixture; pods last."""
    rng = random.Random(seed)
    made = [random_cluster.node(rng, "w", f"n{i}", has_images=True) for i in range(20)]
    made += [body for _, body in random_cluster.owners(rng, "w")]
    made += [random_storage.claim(rng, "w", "side-a", f"c{i}") for i in range(10)]
    made += [
        random_pods.pod(
            rng, "w", f"p{i}", "side-a", profiles=["x", "y"], nodes=["n1", "n2"], claims=["c1"]
        )
        for i in range(count)
    ]
    return made


class RandomObjectsTest(unittest.TestCase):
    def test_seed_decides(self):
        self.assertEqual(objects(7), objects(7))
        self.assertNotEqual(objects(7), objects(8))

    def test_pods_have_every_kind_of_constraint(self):
        found = set()
        for pod in objects(1, 2000):
            if pod["kind"] == "Pod":
                spec = pod["spec"]
                found |= {key for key, value in spec.items() if value}
                found |= {key for key, value in spec.get("affinity", {}).items() if value}
                found |= {"ports" for one in spec["containers"] if one.get("ports")}
        wanted = {"nodeAffinity", "podAffinity", "podAntiAffinity", "topologySpreadConstraints",
                  "tolerations", "ports", "volumes", "initContainers", "resources",
                  "runtimeClassName", "schedulingGates", "nodeSelector"}  # fmt: skip
        self.assertEqual(wanted - found, set())

    def test_pod_level_requests_cover_the_containers(self):
        for pod in objects(2, 2000):
            whole = pod["spec"].get("resources", {}).get("requests", {}).get("cpu")
            if pod["kind"] == "Pod" and whole:
                parts = pod["spec"]["containers"] + pod["spec"].get("initContainers", [])
                asked = [one["resources"]["requests"].get("cpu", "0") for one in parts]
                self.assertLessEqual(sum(map(random_pods.millis, asked)), random_pods.millis(whole))


class RandomDevicesTest(unittest.TestCase):
    def test_seed_decides(self):
        def some(seed):
            rng = random.Random(seed)
            return random_devices.pool(rng, "a", 0), random_devices.claim_spec(rng)

        self.assertEqual(some(7), some(7))
        self.assertNotEqual(some(7), some(8))

    def test_claims_have_every_kind_of_request(self):
        rng = random.Random(1)
        text = str([random_devices.claim_spec(rng) for _ in range(500)])
        for part in ("firstAvailable", "'All'", "matchAttribute", "distinctAttribute",
                     "adminAccess", "tolerations", "bandwidth", "opaque", "selectors"):  # fmt: skip
            self.assertIn(part, text)

    def test_slices_of_a_pool_have_different_devices(self):
        rng = random.Random(2)
        for kind in (random_devices.pool, random_devices.divided_pool):
            for _ in range(100):
                slices = kind(rng, "a", 0)
                names = [one["name"] for part in slices for one in part.get("devices", ())]
                self.assertEqual(len(names), len(set(names)))
                count = {part["pool"]["resourceSliceCount"] for part in slices}.pop()
                self.assertGreaterEqual(count, len(slices))
