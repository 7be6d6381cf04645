#!/usr/bin/env python3
"""Runs berth-scheduler as the chart renders it, with the permissions that the chart grants.

    tests/deploy/chart_access_test.py BERTH BERTH_SCHEDULER [KUBECTL]

`berth up` has no authorization, so a proxy before it refuses what the rendered roles do not grant.
In each mode the scheduler must do its work without a refusal, and must need what it is granted.
"""

import json
import re
import shutil
import ssl
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests" / "e2e"), str(ROOT / "tests" / "deploy")]
sys.dont_write_bytecode = True

from chart_test import configuration_of, container_of, render, render_chart  # noqa: E402
from suite.api import PODS, Api, ApiError  # noqa: E402
from suite.processes import OwnServer, Program, free_port  # noqa: E402
from suite.proxy import Gatekeeper  # noqa: E402

NAMESPACE = "schedulers"
# Not rendered, but in every cluster: what the RoleBinding in kube-system refers to.
AUTHENTICATION_READER = {
    "apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "list", "watch"],
    "resourceNames": ["extension-apiserver-authentication"],
}  # fmt: skip
# What `berth up` does not serve.
NOT_SERVED = {"ServiceMonitor", "PrometheusRule", "MutatingAdmissionPolicy",
              "MutatingAdmissionPolicyBinding"}  # fmt: skip
# Granted, and not seen here: needed only then.
RARE = {
    "create resourceclaims.resource.k8s.io": "a pod that requests devices as an extended resource",
    "delete resourceclaims.resource.k8s.io": "the same, when the pod is not bound after all",
    "update resourceclaims/binding.resource.k8s.io": "a server that authorizes the status by parts",
    "patch resourceclaims/binding.resource.k8s.io": "the same",
    "patch resourceclaims/status.resource.k8s.io": "a reservation that is given back",
    "get resourceclaims.resource.k8s.io": "a write of a claim that conflicts with another",
    "get pods": "a bind whose response is lost",
    "update pods/finalizers": "a server that protects the owners of objects",
    "update leasecandidates.coordination.k8s.io": "minutes later, or when the server asks",
    "patch podgroups/status.scheduling.k8s.io": "a group of pods",
    "patch events": "a server without events.k8s.io",
    "patch events.events.k8s.io": "an event that repeats",
}


def paired(verb):
    """A list may be a watch with initial events, so the two count as one."""
    return "list" if verb == "watch" else verb


class Grants:
    """What the rendered roles allow, as "verb resource.group" with the namespace or None."""

    def __init__(self, objects):
        self.rules = [("kube-system", AUTHENTICATION_READER)]
        for one in objects.values():
            if one["kind"] in ("ClusterRole", "Role"):
                scope = one["metadata"].get("namespace") if one["kind"] == "Role" else None
                self.rules += [(scope, rule) for rule in one["rules"]]

    def texts(self):
        return {
            f"{verb} {resource}{'.' + group if group else ''}"
            for _, rule in self.rules for group in rule["apiGroups"]
            for resource in rule["resources"] for verb in rule["verbs"]
        }  # fmt: skip

    def allow(self, verb, group, resource, namespace, name):
        return any(
            scope in (None, namespace) and group in rule["apiGroups"]
            and resource in rule["resources"] and verb in rule["verbs"]
            and (not name or name in rule.get("resourceNames", [name]))
            for scope, rule in self.rules
        )  # fmt: skip


PATH = re.compile(
    r"(?:/api/v1|/apis/(?P<group>[^/]+)/[^/]+)"
    r"(?:/namespaces/(?P<namespace>[^/]+)(?=/))?"
    r"/(?P<resource>[^/]+)(?:/(?P<name>[^/]+)(?:/(?P<part>[^/]+))?)?"
)
VERBS = {"POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}


def attributes(method, path):
    """Returns verb, group, resource, namespace and name; None if it is no request for objects."""
    found = PATH.fullmatch(path)
    if not found:
        return None
    resource = found["resource"] + (f"/{found['part']}" if found["part"] else "")
    verb = VERBS.get(method) or ("get" if found["name"] else "list")
    name = found["name"] if not found["part"] else None
    return verb, found["group"] or "", resource, found["namespace"], name


class Access(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="berth-chart-access-")
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.server = OwnServer(
            BERTH, cls.folder, label="up", command="up",
            options=("--nodes=4", "--gpus=2", "--scheduler=none", "--no-leases",
                     "--dashboard=false"),
        )  # fmt: skip
        cls.addClassCleanup(cls.server.terminate)
        cls.api = Api(cls.server.kubeconfig)
        cls.api.create("/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})

    def gate(self, refuses):
        gate = Gatekeeper(self.api, refuses)
        self.addCleanup(gate.close)
        kubeconfig = self.server.kubeconfig.anonymous().replace(
            server=f"http://127.0.0.1:{gate.port}", ca=None, tls_server_name=None, insecure=False
        )
        return gate, kubeconfig.write(f"{self.folder}/{self.id()}.{gate.port}.kubeconfig")

    def start(self, objects, kubeconfig, label):
        """Starts the program as in the container but for addresses; returns it and its port."""
        configuration = configuration_of(objects)
        configuration["clientConnection"]["kubeconfig"] = kubeconfig
        path = f"{self.folder}/{self.id()}.{label}"
        Path(path + ".config").write_text(json.dumps(configuration))
        port = free_port()
        arguments = [argument.replace("/etc/berth/config.yaml", path + ".config")
                     for argument in container_of(objects)["args"]]  # fmt: skip
        program = Program(
            [SCHEDULER, *arguments, f"--secure-port={port}", "--bind-address=127.0.0.1",
             f"--authentication-kubeconfig={kubeconfig}",
             f"--authorization-kubeconfig={kubeconfig}"],
            path + ".log",
        )  # fmt: skip
        self.addCleanup(program.kill)
        return program, port

    def wait(self, done, what, seconds=60):
        deadline = time.monotonic() + seconds
        while not done():
            self.assertLess(time.monotonic(), deadline, what)
            time.sleep(0.1)

    def probe(self, port, path, token=None, host="127.0.0.1"):
        """Returns the status code of a request to the secure port; None without a response."""
        request = urllib.request.Request(f"https://{host}:{port}{path}")
        if token:
            request.add_header("Authorization", "Bearer " + token)
        try:
            context = ssl._create_unverified_context()
            return urllib.request.urlopen(request, context=context, timeout=10).status
        except urllib.error.HTTPError as error:
            return error.code
        except OSError:
            return None

    # --- the work ---

    def pod(self, name, scheduler, **spec):
        requests = {"cpu": spec.pop("cpu", "10m")}
        container = {"name": "c", "image": "nginx", "resources": {"requests": requests}}
        container["resources"] |= spec.pop("resources", {})
        return {
            "metadata": {"name": name},
            "spec": {"schedulerName": scheduler, "containers": [container],
                     "terminationGracePeriodSeconds": 1} | spec,
        }  # fmt: skip

    def node_of(self, name):
        try:
            return self.api.get(f"{self.pods}/{name}")["spec"].get("nodeName")
        except ApiError:
            return None

    def refused(self, name):
        conditions = self.api.get(f"{self.pods}/{name}")["status"].get("conditions", [])
        return any(one["reason"] == "Unschedulable" for one in conditions if "reason" in one)

    def node_is_selected(self):
        metadata = self.api.get(f"{self.claims}/wanted")["metadata"]
        return "volume.kubernetes.io/selected-node" in metadata.get("annotations", {})

    def prepare(self, name):
        """Makes a namespace with what pods refer to."""
        self.pods = PODS.format(name)
        self.api.create("/api/v1/namespaces", {"metadata": {"name": name}})
        account = f"/api/v1/namespaces/{name}/serviceaccounts/default"
        self.wait(lambda: self.api.raw("GET", account)[0] == 200, "the service account")
        self.api.create("/apis/scheduling.k8s.io/v1/priorityclasses",
                        {"metadata": {"name": f"{name}-high"}, "value": 1000})  # fmt: skip
        self.api.create("/apis/storage.k8s.io/v1/storageclasses",
                        {"metadata": {"name": name}, "volumeBindingMode": "WaitForFirstConsumer",
                         "provisioner": "kubernetes.io/no-provisioner"})  # fmt: skip
        node = self.api.items("/api/v1/nodes")[0]["metadata"]["name"]
        term = {"key": "kubernetes.io/hostname", "operator": "In", "values": [node]}
        resources = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"]}
        self.api.create("/api/v1/persistentvolumes", {
            "metadata": {"name": name},
            "spec": resources | {
                "storageClassName": name, "local": {"path": "/mnt"},
                "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [term]}]}},
            },
        })  # fmt: skip
        self.api.create("/apis/storage.k8s.io/v1/storageclasses", {
            "metadata": {"name": f"{name}-provisioned"}, "provisioner": "example.com/nobody",
            "volumeBindingMode": "WaitForFirstConsumer",
        })  # fmt: skip
        self.claims = f"/api/v1/namespaces/{name}/persistentvolumeclaims"
        for claim, of_class in ("data", name), ("wanted", f"{name}-provisioned"):
            self.api.create(self.claims, {
                "metadata": {"name": claim},
                "spec": {"storageClassName": of_class, "accessModes": ["ReadWriteOnce"],
                         "resources": {"requests": {"storage": "1Gi"}}},
            })  # fmt: skip
        self.api.create(f"/apis/resource.k8s.io/v1/namespaces/{name}/resourceclaimtemplates", {
            "metadata": {"name": "gpu"},
            "spec": {"spec": {"devices": {"requests": [
                {"name": "gpu", "exactly": {"deviceClassName": "gpu.example.com"}}]}}},
        })  # fmt: skip

    def work(self, scheduler, name):
        """Lets the scheduler bind, refuse, preempt, and allocate a volume and a device."""
        def create(pod, **spec):
            self.api.create(self.pods, self.pod(pod, scheduler, **spec))

        create("plain")
        create("nowhere", cpu="1000")
        for pod, claim in ("volume", "data"), ("provisioned", "wanted"):
            volume = {"name": "v", "persistentVolumeClaim": {"claimName": claim}}
            create(pod, volumes=[volume])
        create("device", resources={"claims": [{"name": "gpu"}]},
               resourceClaims=[{"name": "gpu", "resourceClaimTemplateName": "gpu"}])  # fmt: skip
        for pod in ("plain", "volume", "device"):
            self.wait(lambda pod=pod: self.node_of(pod), f"{pod} is bound")
        self.wait(lambda: self.refused("nowhere"), "the pod that fits nowhere is refused")
        self.wait(self.node_is_selected, "the claim has a node")
        node = max(self.api.items("/api/v1/nodes"),
                   key=lambda node: int(node["status"]["allocatable"]["cpu"]))  # fmt: skip
        most = f"{int(node['status']['allocatable']['cpu']) * 600}m"
        there = {"kubernetes.io/hostname": node["metadata"]["name"]}
        create("low", cpu=most, nodeSelector=there)
        self.wait(lambda: self.node_of("low"), "the pod of low priority is bound")
        create("high", cpu=most, nodeSelector=there, priorityClassName=f"{name}-high")
        self.wait(lambda: self.node_of("high"), "the pod of high priority is bound")

    def end_work(self):
        for pod in self.api.items(self.pods):
            self.api.delete_now(f"{self.pods}/{pod['metadata']['name']}")

    # --- the tests ---

    def run_mode(self, values, also=None):
        """Runs the chart with `values`, and beside it with `also`, without limits. Returns what it
        was granted, the requests that it made, and its log."""
        name = self.id().rsplit("_", 1)[1]
        objects = render(values, namespace=NAMESPACE)
        grants = Grants(objects)

        def refuses(method, path):
            wanted = attributes(method, path)
            return 403 if wanted and not grants.allow(*wanted) else None

        gate, kubeconfig = self.gate(refuses)
        scheduler, port = self.start(objects, kubeconfig, "scheduler")
        self.prepare(name)
        self.wait(lambda: self.probe(port, "/readyz") == 200, "the scheduler is ready")
        self.assertEqual(self.probe(port, "/livez"), 200)
        if also:
            other = render(also, namespace=NAMESPACE)
            self.start(other, self.server.kubeconfig_path, "other")
        [profile] = configuration_of(objects)["profiles"]
        self.work(profile["schedulerName"], name)
        # A token asks for a review of each kind. `berth up` lets every user do everything.
        self.assertEqual(self.probe(port, "/metrics", OwnServer.TOKEN), 200)
        self.assertIn(self.probe(port, "/metrics"), (401, 403))
        self.assertEqual(scheduler.terminate(), 0, scheduler.log())
        self.end_work()
        refused = {f"{r.method} {r.path}" for r in gate.requests if r.refused}
        self.assertEqual(refused, set(), "refused by the rendered roles")
        made = set()
        for request in gate.requests:
            wanted = attributes(request.method, request.path)
            if wanted:
                verb, group, resource, _, _ = wanted
                made.add(f"{verb} {resource}{'.' + group if group else ''}")
        return grants, made, scheduler.log()

    def unused(self, grants, made):
        left = {text for text in grants.texts() if text.split()[0] != "watch"}
        left = {text for text in left if text.split()[1] != "configmaps"}
        return left - made

    def test_mode_second(self):
        grants, made, _ = self.run_mode({"mode": "second"})
        self.assertLessEqual(self.unused(grants, made), set(RARE))

    def test_mode_second_with_gates(self):
        gates = {"GenericWorkload": True, "CoordinatedLeaderElection": True}
        values = {"mode": "second", "featureGates": gates}
        grants, made, _ = self.run_mode(values)
        self.assertLessEqual(self.unused(grants, made), set(RARE))
        self.assertIn("list podgroups.scheduling.k8s.io", made)
        self.assertIn("create leasecandidates.coordination.k8s.io", made)

    def test_mode_replace(self):
        grants, made, _ = self.run_mode({"mode": "replace"})
        self.assertLessEqual(self.unused(grants, made), set(RARE))
        lease = self.api.get("/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/"
                             "kube-scheduler")  # fmt: skip
        self.assertEqual(lease["spec"].get("leaseDurationSeconds"), 1, "it was released")

    def test_mode_shadow(self):
        grants, made, log = self.run_mode({"mode": "shadow"}, also={"mode": "replace"})
        self.assertEqual(self.unused(grants, made), set())
        verbs = {text.split()[0] for text in grants.texts() - {
            "create tokenreviews.authentication.k8s.io",
            "create subjectaccessreviews.authorization.k8s.io", "get configmaps"}}  # fmt: skip
        self.assertEqual(verbs, {"list", "watch"}, "a shadow only looks")
        judged, agreed = re.search(r"judged=(\d+) agreed=(\d+)", log).groups()
        self.assertGreaterEqual(int(judged), 5, log)
        self.assertEqual(judged, agreed, log)

    def test_dedicated_nodes(self):
        label = {"metadata": {"labels": {"berth.dev/scheduler": "berth"}}}
        [node, *_] = [one["metadata"]["name"] for one in self.api.items("/api/v1/nodes")]
        self.api.patch(f"/api/v1/nodes/{node}", label)
        objects = render({"dedicatedNodes": {"enabled": True}}, namespace="default")
        self.prepare("nodes")
        self.start(objects, self.server.kubeconfig_path, "scheduler")
        for number in range(5):
            self.api.create(self.pods, self.pod(f"p{number}", "berth-scheduler"))
        for number in range(5):
            self.wait(lambda n=number: self.node_of(f"p{n}"), "the pods are bound")
            self.assertEqual(self.node_of(f"p{number}"), node)
        self.end_work()

    def test_the_static_pod_is_scraped_from_elsewhere_with_another_address_only(self):
        """Its command, with a kubeconfig and a port of this machine."""
        text = (ROOT / "deploy/kubeadm/kube-scheduler.yaml").read_text()
        [pod] = render_chart.load_yaml(text, "kube-scheduler.yaml")
        _, *arguments = pod["spec"]["containers"][0]["command"]
        kubeconfig = self.server.kubeconfig_path
        arguments = [word.replace("/etc/kubernetes/scheduler.conf", kubeconfig)
                     for word in arguments]  # fmt: skip
        for address, expected in ("127.0.0.1", None), ("0.0.0.0", 200):
            port = free_port()
            words = [word.replace("=127.0.0.1", f"={address}") for word in arguments]
            log = f"{self.folder}/static-{address}.log"
            program = Program([SCHEDULER, *words, f"--secure-port={port}"], log)
            self.addCleanup(program.kill)
            self.wait(lambda p=port: self.probe(p, "/livez") == 200, "the probe of the kubelet")
            found = self.probe(port, "/metrics", OwnServer.TOKEN, host="127.0.0.2")
            self.assertEqual(found, expected, address)
            self.assertEqual(program.terminate(), 0, program.log())

    def test_berth_check_asks_for_what_is_granted(self):
        for values in ({}, {"featureGates": {"GenericWorkload": True}}, {"mode": "replace"}):
            objects = render(values, namespace=NAMESPACE)
            gate, kubeconfig = self.gate(lambda method, path: None)
            path = f"{self.folder}/check.config"
            Path(path).write_text(json.dumps(configuration_of(objects)))
            gates = [word for word in container_of(objects)["args"] if "feature-gates" in word]
            subprocess.run([BERTH, "check", "--kubeconfig", kubeconfig, "--config", path, *gates],
                           capture_output=True, check=False)  # fmt: skip
            asked = set()
            for request in gate.requests:
                if request.path.endswith("selfsubjectaccessreviews"):
                    spec = json.loads(request.body)["spec"]["resourceAttributes"]
                    part = "/" + spec["subresource"] if spec.get("subresource") else ""
                    group = "." + spec["group"] if spec.get("group") else ""
                    asked.add(f"{spec['verb']} {spec['resource']}{part}{group}")
            self.assertGreater(len(asked), 30)
            with self.subTest(values):
                self.assertEqual(asked, Grants(objects).texts())

    def test_kubectl_applies_every_object(self):
        if not shutil.which(KUBECTL):
            self.skipTest(f"there is no {KUBECTL}")
        everything = {
            "metrics": {"grafanaDashboard": {"enabled": True}}, "networkPolicy": {"enabled": True},
            "topologySpreadConstraints": [
                {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway"}],
        }  # fmt: skip
        for mode in ("second", "shadow", "replace"):
            objects = [one for one in render(everything | {"mode": mode}).values()
                       if one["kind"] not in NOT_SERVED]  # fmt: skip
            text = json.dumps({"apiVersion": "v1", "kind": "List", "items": objects})
            command = [KUBECTL, "--kubeconfig", self.server.kubeconfig_path,
                       "--cache-dir", f"{self.folder}/cache"]  # fmt: skip
            for what in (["apply", "--validate=strict", "-f", "-"], ["delete", "-f", "-"]):
                done = subprocess.run([*command, *what], input=text, capture_output=True,
                                      text=True, check=False)  # fmt: skip
                with self.subTest(f"{mode} {what[0]}"):
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertEqual(len(done.stdout.splitlines()), len(objects), done.stdout)


class Static(unittest.TestCase):
    def test_configurations_are_valid(self):
        extenders = [{"urlPrefix": "http://127.0.0.1:1", "filterVerb": "filter"}]
        for values in (
            {}, {"mode": "shadow"}, {"mode": "replace"}, {"dedicatedNodes": {"enabled": True}},
            {"clientConnection": {"qps": 5000000, "burst": 10000000}},
            {"configuration": {"percentageOfNodesToScore": 50, "parallelism": 2,
                               "extenders": extenders, "podMaxBackoffSeconds": 20}},
        ):  # fmt: skip
            text = render(values)["ConfigMap berth-scheduler"]["data"]["config.yaml"]
            done = subprocess.run([BERTH, "config", "validate", "-"], input=text,
                                  capture_output=True, text=True, check=False)  # fmt: skip
            with self.subTest(values):
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_arguments_of_the_static_pod_are_known(self):
        text = (ROOT / "deploy/kubeadm/kube-scheduler.yaml").read_text()
        [pod] = render_chart.load_yaml(text, "kube-scheduler.yaml")
        program, *arguments = pod["spec"]["containers"][0]["command"]
        self.assertEqual(program, "berth-scheduler")
        known = subprocess.run([SCHEDULER, "--help"], capture_output=True, text=True, check=True)
        for argument in arguments:
            flag = argument.split("=")[0]
            self.assertRegex(known.stdout, rf"(?m)^ +(-\w, )?{flag} ", argument)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    BERTH, SCHEDULER = sys.argv[1:3]
    KUBECTL = sys.argv[3] if len(sys.argv) > 3 else "kubectl"
    unittest.main(argv=sys.argv[:1], verbosity=2)
