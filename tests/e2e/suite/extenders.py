"""Extenders: one that filters, scores and binds, a slow one, one that is too late, a broken one."""

import threading

from .extender_server import Extender, broken, held, keep
from .scenario import Scenario

SLOW, LATE, BROKEN = "example.com/slow", "example.com/late", "example.com/broken"


def only_for(resource, **fields):
    managed = [{"name": resource, "ignoredByScheduler": True}]
    return {"managedResources": managed, "nodeCacheCapable": True, "weight": 1} | fields


class Extenders(Scenario):
    def serve(self, **verbs):
        extender = Extender(**verbs)
        self.addCleanup(extender.close)
        return extender

    def bind(self, request):
        """Binds the pod as the extender, instead of the scheduler."""
        path = f"/api/v1/namespaces/{request['PodNamespace']}/pods/{request['PodName']}/binding"
        self.api.create(
            path,
            {"apiVersion": "v1", "kind": "Binding",
             "metadata": {"name": request["PodName"], "uid": request["PodUID"]},
             "target": {"kind": "Node", "name": request["Node"]}},
        )  # fmt: skip
        return 200, {"Error": ""}

    def test_extenders(self):
        space = self.space
        nodes = space.create_nodes([space.node(f"n{i}") for i in range(6)])
        main = self.serve(
            filter=keep(lambda name: not name.startswith(space.run) or name in nodes[:4]),
            prioritize=lambda r: (200, [{"Host": n, "Score": 10 * (n == nodes[2])}
                                        for n in r["NodeNames"]]),
            bind=self.bind,
        )  # fmt: skip
        release_slow, release_late = threading.Event(), threading.Event()
        self.addCleanup(release_slow.set)
        self.addCleanup(release_late.set)
        slow = self.serve(filter=held(release_slow, keep(lambda name: name == nodes[1])))
        late = self.serve(
            filter=held(release_late, keep(lambda name: name == nodes[1])), prioritize=broken
        )
        faulty = self.serve(filter=broken)
        scheduler = self.start_scheduler(
            verbosity=4,
            extenders=[
                {"urlPrefix": main.url, "filterVerb": "filter", "prioritizeVerb": "prioritize",
                 "bindVerb": "bind", "weight": 100, "nodeCacheCapable": True},
                only_for(SLOW, urlPrefix=slow.url, filterVerb="filter", httpTimeout="60s"),
                only_for(LATE, urlPrefix=late.url, filterVerb="filter", httpTimeout="1s",
                         prioritizeVerb="prioritize", ignorable=True),
                only_for(BROKEN, urlPrefix=faulty.url, filterVerb="filter"),
            ],
        )  # fmt: skip
        space.create_pods([space.pod(f"plain-{i}") for i in range(5)])
        self.wait_bound(5)
        for i in range(5):
            self.assertEqual(self.history.pod(f"plain-{i}").nodes, [nodes[2]], "the one it prefers")
        self.check_requests(main)
        self.assertEqual(slow.requests + late.requests + faulty.requests, [], "not their pods")
        self.say("filter, prioritize and bind were called")

        pods = [("slow", SLOW), ("late", LATE), ("broken", BROKEN)]
        space.create_pods([space.pod(name, resources={key: "1"}) for name, key in pods])
        self.wait(lambda: slow.received("filter"), "the slow extender is called")
        self.assertEqual(self.nodes_of("slow"), [], "the scheduler waits for the response")
        release_slow.set()
        self.wait(lambda: self.nodes_of("slow"), "the slow response is used")
        self.assertEqual(self.history.pod("slow").nodes, [nodes[1]])
        self.wait(lambda: self.nodes_of("late"), "an ignorable extender is ignored")
        self.assertEqual(self.history.pod("late").nodes, [nodes[2]])
        record = self.history.pod("broken")
        self.wait(lambda: record.condition("PodScheduled").get("reason"), "the condition is set")
        condition = self.history.pod("broken").condition("PodScheduled")
        self.assertEqual(condition["reason"], "SchedulerError")
        self.assertIn(f"failed filter with extender at URL {faulty.url}/filter, code 500",
                      condition["message"])  # fmt: skip
        faulty.verbs["filter"] = keep(lambda name: name == nodes[0])
        self.wait(lambda: self.nodes_of("broken"), "it works again", timeout=20)
        self.assertEqual(self.history.pod("broken").nodes, [nodes[0]])

        self.assertEqual(len(main.received("bind")), 8)
        self.assertEqual(len(space.wait_events("Scheduled", 8)), 8)
        self.assert_bound_once()
        self.assertTrue(scheduler.alive())

    def check_requests(self, extender):
        """Checks the keys of the requests."""
        request = extender.received("filter")[0]
        self.assertEqual(sorted(request), ["NodeNames", "Nodes", "Pod"])
        self.assertIsNone(request["Nodes"])
        self.assertEqual(request["Pod"]["metadata"]["namespace"], self.space.namespace)
        self.assertNotIn("kind", request["Pod"])
        self.assertEqual(len([n for n in request["NodeNames"] if n.startswith(self.space.run)]), 6)
        self.assertEqual(sorted(extender.received("prioritize")[0]), ["NodeNames", "Nodes", "Pod"])
        request = extender.received("bind")[0]
        self.assertEqual(sorted(request), ["Node", "PodName", "PodNamespace", "PodUID"])

    def test_extenders_whole_nodes(self):
        """Without nodeCacheCapable, requests and responses have whole nodes."""
        space = self.space
        nodes = space.create_nodes([space.node(f"n{i}") for i in range(3)])

        def only_last(request):
            items = [n for n in request["Nodes"]["items"] if n["metadata"]["name"] == nodes[2]]
            return 200, {"Nodes": {"items": items}, "FailedNodes": {n: "no" for n in nodes[:2]}}

        extender = self.serve(filter=only_last)
        self.start_scheduler(extenders=[{"urlPrefix": extender.url, "filterVerb": "filter"}])
        space.create_pods([space.pod("one"), space.pod("two", cpu="7950m")])
        self.wait(lambda: self.history.bound() == 1, "one of them is bound")
        self.assertEqual([r.nodes[0] for r in self.history.records() if r.nodes], [nodes[2]])
        request = extender.received("filter")[0]
        self.assertIsNone(request["NodeNames"])
        self.check_objects(request, nodes)

    def check_objects(self, request, nodes):
        """Pods and nodes in the request have all fields that the API server stores."""
        path = f"{self.space.pods}/{request['Pod']['metadata']['name']}"
        pod = self.api.get(path)
        pod["spec"].pop("nodeName", None)
        self.assertEqual(request["Pod"]["spec"], pod["spec"])
        self.assertNotIn("managedFields", request["Pod"]["metadata"])
        sent = {node["metadata"]["name"]: node for node in request["Nodes"]["items"]}
        for name in nodes:
            node = self.api.get(f"/api/v1/nodes/{name}")
            self.assertEqual(sent[name]["spec"], node["spec"])
            self.assertEqual(sent[name]["status"], node["status"])
