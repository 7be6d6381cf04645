"""The checker finds each fault that is added to a valid state, and none in a valid state.

    python3 -m unittest discover -s tests/e2e -t tests/e2e -p '*_test.py'
"""

import copy
import tempfile
import unittest

from .checker import Checker, milli
from .history import PodRecord
from .kubeconfig import BadKubeconfig, Kubeconfig, parse_yaml
from .metric_table import counter, faults, histogram, parse
from .objects import HOSTNAME, ZONE, apart, near, node, pod, required_affinity, spread


class _Space:
    run = "r"
    scheduler_name = "s"


def placed(name, where, **fields):
    made = pod(name, _Space, **fields)
    made["spec"]["nodeName"] = where
    return made


def nodes():
    zones = {"a": "1", "b": "1", "c": "2"}
    return [node(n, "r", cpu="2", pods=3, labels={ZONE: z, "rank": "7"}) for n, z in zones.items()]


def app(name):
    return {"labels": {"app": name}}


PORT = {"ports": [{"containerPort": 1, "hostPort": 80}]}
GATE = {"schedulingGates": [{"name": "example.com/g"}]}
TAINT = {"key": "k", "value": "v", "effect": "NoSchedule"}
RANK = required_affinity({"key": "rank", "operator": "Gt", "values": ["7"]})
SPREAD = {"topologySpreadConstraints": [spread("x", ZONE)]}

FAULTS = {  # Pods on the nodes a and b of zone 1 and c of zone 2, and what must be said of them.
    "cpu": ([placed("p", "a", cpu="2001m")], "overcommitted: 2.001 cpu of 2"),
    "sum": ([placed(f"p{i}", "a", cpu="700m") for i in range(3)], "overcommitted: 2.1 cpu"),
    "count": ([placed(f"p{i}", "a", cpu="0") for i in range(4)], "overcommitted: 4 pods of 3"),
    "device": ([placed("p", "a", resources={"example.com/d": "1"})], "1 example.com/d of 0"),
    "no such node": ([placed("p", "z")], "not there"),
    "selector": ([placed("p", "a", selector={"disk": "ssd"})], "does not allow"),
    "affinity": ([placed("p", "a", affinity=RANK)], "does not allow"),
    "ports": ([placed("p", "a", **PORT), placed("q", "a", **PORT)], "taken twice"),
    "gate": ([placed("p", "a", **GATE)], "gates"),
    "alone": ([placed("p", "a", affinity=near("x", ZONE))], "no pod of its affinity"),
    "far": (
        [placed("p", "a", affinity=near("x", ZONE)), placed("q", "c", **app("x"))],
        "no pod of its affinity",
    ),
    "too near": (
        [placed("p", "a", affinity=apart("x", ZONE)), placed("q", "b", **app("x"))],
        "too near to q",
    ),
    "skew": ([placed(f"p{i}", "ab"[i], **app("x"), **SPREAD) for i in range(2)], "skew"),
}

SOUND = {
    "empty": [],
    "full": [placed(f"p{i}", "a", cpu="500m") for i in range(3)],
    "other ports": [placed("p", "a", **PORT), placed("q", "b", **PORT)],
    "first of its kind": [placed("p", "a", affinity=near("x", ZONE), **app("x"))],
    "near": [placed("p", "a", affinity=near("x", ZONE)), placed("q", "b", **app("x"))],
    "apart": [placed("p", "a", affinity=apart("x", ZONE)), placed("q", "c", **app("x"))],
    "even": [placed(f"p{i}", "ac"[i], **app("x"), **SPREAD) for i in range(2)],
}


class CheckerTest(unittest.TestCase):
    def test_faults_are_seen(self):
        for name, (pods, text) in FAULTS.items():
            with self.subTest(name):
                self.assertIn(text, " ".join(Checker(nodes(), pods).violations()))

    def test_sound_states_are_sound(self):
        for name, pods in SOUND.items():
            with self.subTest(name):
                self.assertEqual(Checker(nodes(), pods).violations()[:5], [])

    def test_nodes_that_accept_no_pods(self):
        for change, text in ({"taints": [TAINT]}, "taint k"), ({"unschedulable": True}, "unsched"):
            hostile = nodes()
            hostile[0]["spec"] = change
            found = Checker(hostile, [placed("p", "a")]).violations()
            self.assertIn(text, " ".join(found))

    def test_volumes(self):
        term = {"key": HOSTNAME, "operator": "In", "values": ["b"]}
        required = {"nodeSelectorTerms": [{"matchExpressions": [term]}]}
        spec = {"claimRef": {"uid": "u"}, "nodeAffinity": {"required": required}}
        volume = {"metadata": {"name": "v"}, "spec": spec}
        claim = {"metadata": {"name": "c", "uid": "u"}, "spec": {"volumeName": "v"}}
        uses = {"volumes": [{"name": "d", "persistentVolumeClaim": {"claimName": "c"}}]}

        def judge(where, claim=claim, volume=volume):
            pods = [placed("p", where, **uses)]
            return " ".join(Checker(nodes(), pods, [claim], [volume]).violations())

        self.assertEqual(judge("b"), "")
        self.assertIn("on another node", judge("a"))
        self.assertIn("no volume", judge("b", claim=claim | {"spec": {}}))
        stolen = copy.deepcopy(volume)
        stolen["spec"]["claimRef"]["uid"] = "other"
        self.assertIn("another claim", judge("b", volume=stolen))

    def test_quantities(self):
        for text, value in {"1": 1000, "250m": 250, "1Ki": 1024000, "0.5": 500}.items():
            self.assertEqual(milli(text), value)


class PodRecordTest(unittest.TestCase):
    def test_a_second_node_is_remembered(self):
        waiting = pod("p", _Space) | {"metadata": {"name": "p", "uid": "u"}}
        record = PodRecord(waiting)
        for where in ("a", "a", "b", "a"):
            moved = copy.deepcopy(waiting)
            moved["spec"]["nodeName"] = where
            record.see(moved)
        self.assertTrue(record.unbound_first)
        self.assertEqual(record.nodes, ["a", "b", "a"])


class KubeconfigTest(unittest.TestCase):
    def test_yaml(self):
        text = """
        apiVersion: v1   # not looked at
        users:
        - name: "u"
          user: {}
        contexts:
          - context: {cluster: c, user: u}
            name: 'it''s'
        list: [a, b]
        current-context: it's
        """
        found = parse_yaml(text)
        self.assertEqual(found["users"], [{"name": "u", "user": {}}])
        self.assertEqual(found["contexts"][0]["context"], {"cluster": "c", "user": "u"})
        self.assertEqual(found["contexts"][0]["name"], found["current-context"])
        self.assertEqual(found["list"], ["a", "b"])
        self.assertEqual(found["apiVersion"], "v1")
        self.assertRaises(BadKubeconfig, parse_yaml, "a: 1\n  b: 2\nnonsense")

    def test_what_is_written_is_read(self):
        config = Kubeconfig("https://h:1", ca=b"ca", tls_server_name="n", token="t")
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(Kubeconfig.read(config.write(folder + "/k")), config)
        self.assertEqual((config.host, config.port, config.name_in_certificate), ("h", 1, "n"))


class MetricTableTest(unittest.TestCase):
    TEXT = (
        "# HELP h x\n# TYPE h histogram\n"
        'h_bucket{a="1",le="1"} 0\nh_bucket{a="1",le="+Inf"} 1\nh_sum{a="1"} 2\nh_count{a="1"} 1\n'
        '# TYPE c counter\nc{b="}\\" 1"} 3\n# HELP e x\n# TYPE e gauge\n'
    )

    def test_faults(self):
        found = parse(self.TEXT)
        self.assertEqual(sorted(found), ["c", "e", "h"])
        self.assertEqual(list(faults("h", histogram([1], "a"), found["h"])), [])
        self.assertEqual(len(list(faults("h", histogram([1, 2], "a"), found["h"]))), 1)
        self.assertEqual(len(list(faults("h", counter("b"), found["h"]))), 2)
        self.assertEqual(list(faults("c", counter("b"), found["c"])), ["c has no HELP"])


if __name__ == "__main__":
    unittest.main()
