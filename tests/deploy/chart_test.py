#!/usr/bin/env python3
"""Checks what deploy/chart renders, mode by mode and value by value, and the files for kubeadm."""

import copy
import json
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
sys.dont_write_bytecode = True

import package_chart  # noqa: E402
import render_chart  # noqa: E402
from go_template import TemplateError  # noqa: E402

CHART = ROOT / "deploy" / "chart"
KUBEADM = ROOT / "deploy" / "kubeadm"
GROUP = "admissionregistration.k8s.io"
NAMESPACE = "schedulers"


LOADED = render_chart.Chart(CHART)


def render(values=None, name="berth", namespace=NAMESPACE, api=(f"{GROUP}/v1",)):
    """Returns the objects by kind and name: "Deployment berth-scheduler"."""
    options = render_chart.arguments().parse_args(
        [str(CHART), f"--name={name}", f"--namespace={namespace}", "--version=1.2.3"]
        + [f"--api-versions={version}/MutatingAdmissionPolicy" for version in api]
    )
    objects = {}
    for _, _, text in render_chart.render(LOADED, options, values or {}):
        [one] = render_chart.load_yaml(text, "rendered")
        key = f"{one['kind']} {one['metadata']['name']}"
        assert key not in objects, key
        objects[key] = one
    return objects


def pod_of(objects):
    return objects["Deployment berth-scheduler"]["spec"]["template"]


def container_of(objects):
    [container] = pod_of(objects)["spec"]["containers"]
    return container


def configuration_of(objects):
    text = objects["ConfigMap berth-scheduler"]["data"]["config.yaml"]
    [configuration] = render_chart.load_yaml(text, "config.yaml")
    return configuration


def leaves(values, path=()):
    for name, value in values.items():
        if isinstance(value, dict) and value:
            yield from leaves(value, (*path, name))
        else:
            yield ".".join((*path, name))


def nested(path, value):
    for name in reversed(path.split(".")):
        value = {name: value}
    return value


ALWAYS = {"ServiceAccount", "ConfigMap", "ClusterRole", "ClusterRoleBinding", "RoleBinding",
          "Service", "Deployment"}  # fmt: skip


class Modes(unittest.TestCase):
    def test_objects_of_each_mode(self):
        for mode, more in [
            ("second", {"Role", "PodDisruptionBudget"}),
            ("replace", {"Role", "PodDisruptionBudget"}),
            ("shadow", set()),
        ]:
            with self.subTest(mode):
                objects = render({"mode": mode})
                self.assertEqual({one["kind"] for one in objects.values()}, ALWAYS | more)

    def test_second(self):
        objects = render()
        configuration = configuration_of(objects)
        self.assertEqual(configuration["clientConnection"], {"qps": 5000, "burst": 10000})
        self.assertEqual(configuration["profiles"], [{"schedulerName": "berth-scheduler"}])
        election = configuration["leaderElection"]
        self.assertEqual(election["resourceNamespace"], NAMESPACE)
        self.assertEqual(election["resourceName"], "berth-scheduler")
        self.assertNotIn("nodeSelector", pod_of(objects)["spec"])

    def test_replace_takes_the_lease_and_the_pods_of_kube_scheduler(self):
        objects = render({"mode": "replace"})
        configuration = configuration_of(objects)
        self.assertEqual(configuration["clientConnection"], {"qps": 50, "burst": 100})
        self.assertEqual(configuration["profiles"], [{"schedulerName": "default-scheduler"}])
        election = configuration["leaderElection"]
        self.assertEqual(election["resourceNamespace"], "kube-system")
        self.assertEqual(election["resourceName"], "kube-scheduler")
        role = objects["Role berth-scheduler"]
        self.assertEqual(role["metadata"]["namespace"], "kube-system")
        self.assertEqual(role["rules"][1]["resourceNames"], ["kube-scheduler"])
        pod = pod_of(objects)["spec"]
        self.assertEqual(pod["nodeSelector"], {"node-role.kubernetes.io/control-plane": ""})
        self.assertEqual(pod["tolerations"][0]["key"], "node-role.kubernetes.io/control-plane")

    def test_shadow_runs_once_and_elects_nobody(self):
        objects = render({"mode": "shadow", "replicas": 3})
        configuration = configuration_of(objects)
        self.assertEqual(configuration["leaderElection"], {"leaderElect": False})
        self.assertEqual(configuration["profiles"], [{"schedulerName": "default-scheduler"}])
        self.assertIn("--shadow", container_of(objects)["args"])
        self.assertEqual(objects["Deployment berth-scheduler"]["spec"]["replicas"], 1)
        self.assertNotIn("priorityClassName", pod_of(objects)["spec"])

    def test_pods_have_few_rights_on_their_machine(self):
        for mode in ("second", "replace", "shadow"):
            objects = render({"mode": mode})
            pod, container = pod_of(objects)["spec"], container_of(objects)
            with self.subTest(mode):
                self.assertEqual(
                    pod["securityContext"],
                    {"runAsNonRoot": True, "runAsUser": 65532, "runAsGroup": 65532,
                     "seccompProfile": {"type": "RuntimeDefault"}},
                )  # fmt: skip
                self.assertEqual(
                    container["securityContext"],
                    {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True,
                     "capabilities": {"drop": ["ALL"]}},
                )  # fmt: skip
                self.assertEqual(container["resources"]["requests"].keys(), {"cpu", "memory"})
                self.assertEqual(container["image"], "berth-scheduler:1.2.3")

    def test_replicas_keep_apart_and_survive_drains(self):
        objects = render()
        pod = pod_of(objects)
        affinity = pod["spec"]["affinity"]["podAntiAffinity"]
        [preferred] = affinity["preferredDuringSchedulingIgnoredDuringExecution"]
        budget = objects["PodDisruptionBudget berth-scheduler"]["spec"]
        self.assertEqual(budget["maxUnavailable"], 1)
        strategy = objects["Deployment berth-scheduler"]["spec"]["strategy"]["rollingUpdate"]
        self.assertEqual(strategy, {"maxSurge": 1, "maxUnavailable": 0})
        for selector in (
            preferred["podAffinityTerm"]["labelSelector"]["matchLabels"],
            budget["selector"]["matchLabels"],
            objects["Deployment berth-scheduler"]["spec"]["selector"]["matchLabels"],
            objects["Service berth-scheduler"]["spec"]["selector"],
        ):
            self.assertLessEqual(selector.items(), pod["metadata"]["labels"].items())

    def test_berth_why_finds_the_pods(self):
        labels = pod_of(render({"image": {"repository": "example.com/x"}}))["metadata"]["labels"]
        self.assertEqual(labels["app.kubernetes.io/name"], "berth-scheduler")

    def test_another_configuration_makes_new_pods(self):
        def checksum(values):
            annotations = pod_of(render(values))["metadata"]["annotations"]
            return annotations["checksum/configuration"]

        self.assertEqual(checksum({}), checksum({"replicas": 3}))
        self.assertNotEqual(checksum({}), checksum({"clientConnection": {"qps": 7}}))

    def test_names_follow_the_release(self):
        for name, expected in [("berth", "berth-scheduler"), ("berth-scheduler", "berth-scheduler"),
                               ("x" * 53, "x" * 53 + "-scheduler")]:  # fmt: skip
            self.assertIn(f"Deployment {expected}", render(name=name))


# For each value another one, the values with which it has an effect, and what then changes.
OTHER_VALUES = {
    "mode": ("shadow", {}, "Deployment"),
    "schedulerName": ("other", {}, "ConfigMap"),
    "image.repository": ("example.com/berth-scheduler", {}, "Deployment"),
    "image.tag": ("v9", {}, "Deployment"),
    "image.pullPolicy": ("Always", {}, "Deployment"),
    "imagePullSecrets": ([{"name": "registry"}], {}, "Deployment"),
    "replicas": (3, {}, "Deployment"),
    "clientConnection": ({"qps": 7, "burst": 9}, {}, "ConfigMap"),
    "leaderElection.leaseDuration": ("30s", {}, "ConfigMap"),
    "leaderElection.renewDeadline": ("12s", {}, "ConfigMap"),
    "leaderElection.retryPeriod": ("3s", {}, "ConfigMap"),
    "configuration": ({"parallelism": 4}, {}, "ConfigMap"),
    "featureGates": ({"GenericWorkload": True}, {}, "ClusterRole"),
    "logging.format": ("json", {}, "Deployment"),
    "logging.verbosity": (4, {}, "Deployment"),
    "extraArgs": (["--dashboard"], {}, "Deployment"),
    "resources.requests.cpu": ("1", {}, "Deployment"),
    "resources.requests.memory": ("1Gi", {}, "Deployment"),
    "priorityClassName": ("mine", {}, "Deployment"),
    "hostNetwork": (True, {"mode": "replace"}, "Deployment"),
    "nodeSelector": ({"a": "b"}, {}, "Deployment"),
    "tolerations": ([{"operator": "Exists"}], {}, "Deployment"),
    "podAntiAffinity.mode": ("required", {}, "Deployment"),
    "podAntiAffinity.topologyKey": ("zone", {}, "Deployment"),
    "affinity": ({"nodeAffinity": {}}, {}, "Deployment"),
    "topologySpreadConstraints": (
        [{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway"}],
        {}, "Deployment",
    ),
    "podDisruptionBudget.enabled": (False, {}, "PodDisruptionBudget"),
    "podDisruptionBudget.maxUnavailable": (2, {}, "PodDisruptionBudget"),
    "podLabels": ({"a": "b"}, {}, "Deployment"),
    "podAnnotations": ({"a": "b"}, {}, "Deployment"),
    "serviceAccount.create": (False, {"serviceAccount": {"name": "x"}}, "ServiceAccount"),
    "serviceAccount.name": ("other", {}, "RoleBinding"),
    "serviceAccount.annotations": ({"a": "b"}, {}, "ServiceAccount"),
    "rbac.create": (False, {}, "ClusterRole"),
    "metrics.service": (False, {}, "Service"),
    "metrics.serviceMonitor.enabled": (True, {}, "ServiceMonitor"),
    "metrics.serviceMonitor.interval": (
        "5s", {"metrics": {"serviceMonitor": {"enabled": True}}}, "ServiceMonitor"),
    "metrics.serviceMonitor.labels": (
        {"a": "b"}, {"metrics": {"serviceMonitor": {"enabled": True}}}, "ServiceMonitor"),
    "metrics.prometheusRule.enabled": (True, {}, "PrometheusRule"),
    "metrics.prometheusRule.labels": (
        {"a": "b"}, {"metrics": {"prometheusRule": {"enabled": True}}}, "PrometheusRule"),
    "metrics.grafanaDashboard.enabled": (True, {}, "ConfigMap"),
    "metrics.grafanaDashboard.labels.grafana_dashboard": (
        "yes", {"metrics": {"grafanaDashboard": {"enabled": True}}}, "ConfigMap"),
    "networkPolicy.enabled": (True, {}, "NetworkPolicy"),
    "networkPolicy.from": (
        [{"podSelector": {}}], {"networkPolicy": {"enabled": True}}, "NetworkPolicy"),
    "admission.enabled": (True, {}, "MutatingAdmissionPolicy"),
    "admission.namespaceLabel.key": (
        "k", {"admission": {"enabled": True}}, "MutatingAdmissionPolicy"),
    "admission.namespaceLabel.value": (
        "v", {"admission": {"enabled": True}}, "MutatingAdmissionPolicy"),
    "dedicatedNodes.enabled": (True, {}, "ConfigMap"),
    "dedicatedNodes.key": ("k", {"dedicatedNodes": {"enabled": True}}, "ConfigMap"),
    "dedicatedNodes.value": ("v", {"dedicatedNodes": {"enabled": True}}, "ConfigMap"),
}  # fmt: skip

CONTRADICTIONS = [
    ({"mode": "replace", "admission": {"enabled": True}}, "admission.enabled needs mode second"),
    ({"mode": "shadow", "dedicatedNodes": {"enabled": True}}, "dedicatedNodes.enabled needs mode"),
    ({"schedulerName": "default-scheduler"}, "both would bind the same pods"),
    ({"dedicatedNodes": {"enabled": True}, "configuration": {"profiles": [{"schedulerName": "x"}]}},
     "write its addedAffinity there yourself"),
    ({"hostNetwork": True}, "hostNetwork needs mode replace"),
    ({"mode": "replace", "hostNetwork": True, "replicas": 1}, "nobody else would give it one"),
    ({"mode": "replace", "podAntiAffinity": {"mode": "required"}, "replicas": 1}, "set 2"),
    ({"metrics": {"service": False, "serviceMonitor": {"enabled": True}}}, "needs metrics.service"),
    ({"serviceAccount": {"create": False}}, "serviceAccount.name is needed"),
]  # fmt: skip

WRONG = [
    ({"mode": "primary"}, "mode: 'primary' is not one of 'replace', 'second', 'shadow'"),
    ({"replica": 2}, "replica: unknown; known here: "),
    ({"replicas": "2"}, "replicas: '2' is not of type integer"),
    ({"replicas": -1}, "replicas: -1 is less than 0"),
    ({"image": {"repository": ""}}, "image.repository: is empty"),
    ({"image": {"tag": "v1@sha256:abc"}}, "image.tag: 'v1@sha256:abc' does not match"),
    ({"image": {"tags": "x"}}, "image.tags: unknown; known here: repository, tag, pullPolicy"),
    ({"clientConnection": {"qps": 0}}, "clientConnection.qps: 0 is less than 1"),
    ({"leaderElection": {"retryPeriod": "2"}}, "leaderElection.retryPeriod: '2' does not match"),
    ({"configuration": {"profile": []}}, "configuration.profile: unknown"),
    ({"configuration": {"profiles": [{}]}}, "configuration.profiles[0].schedulerName: is missing"),
    ({"featureGates": {"A": "true"}}, "featureGates.A: 'true' is not of type boolean"),
    ({"logging": {"format": "xml"}}, "logging.format: 'xml' is not one of 'text', 'json'"),
    ({"extraArgs": ["shadow"]}, "extraArgs[0]: 'shadow' does not match ^-"),
    ({"tolerations": [{"keys": "a"}]}, "tolerations[0].keys: unknown"),
    ({"topologySpreadConstraints": [{"maxSkew": 1}]}, "[0].topologyKey: is missing"),
    ({"dedicatedNodes": {"key": "a b"}}, "dedicatedNodes.key: 'a b' does not match"),
]


class Values(unittest.TestCase):
    def test_each_value_has_an_effect(self):
        defaults = render_chart.Chart(CHART).defaults
        self.assertEqual(set(OTHER_VALUES), set(leaves(defaults)))
        for path, (value, base, kind) in OTHER_VALUES.items():
            with self.subTest(path):
                before = render(base)
                after = render(render_chart.merged(base, nested(path, value)))

                def of_kind(objects, kind=kind):
                    return {k: v for k, v in objects.items() if k.startswith(f"{kind} ")}

                self.assertNotEqual(of_kind(before), of_kind(after))

    def test_the_schema_knows_the_values_of_the_file_and_no_others(self):
        chart = render_chart.Chart(CHART)

        def compare(schema, values, where):
            if "$ref" in schema:
                schema = chart.schema["definitions"][schema["$ref"].rsplit("/", 1)[1]]
            if not values or "properties" not in schema:
                return
            known = set(schema["properties"]) - {"global", "limits", "claims"}
            self.assertEqual(known, set(values), where)
            self.assertIs(schema.get("additionalProperties"), False, where)
            for name, value in values.items():
                if isinstance(value, dict):
                    compare(schema["properties"][name], value, f"{where}.{name}")

        compare(chart.schema, chart.defaults, "values")

    def test_values_that_contradict_each_other(self):
        for values, message in CONTRADICTIONS:
            with self.subTest(values):
                with self.assertRaises(TemplateError) as raised:
                    render(values)
                self.assertIn(message, str(raised.exception))

    def test_wrong_values(self):
        for values, message in WRONG:
            with self.subTest(values):
                with self.assertRaises(render_chart.ChartError) as raised:
                    render(values)
                self.assertIn(f"values: {message}" if message[0] != "[" else message,
                              str(raised.exception))  # fmt: skip

    def test_rollouts_in_place(self):
        values = {"mode": "replace", "hostNetwork": True}
        strategy = render(values)["Deployment berth-scheduler"]["spec"]["strategy"]
        self.assertEqual(strategy["rollingUpdate"], {"maxSurge": 0, "maxUnavailable": 1})

    def test_feature_gates_are_flags_and_permissions(self):
        gates = {"GenericWorkload": True, "CoordinatedLeaderElection": True, "Other": False}
        objects = render({"featureGates": gates})
        arguments = container_of(objects)["args"]
        for gate, on in gates.items():
            self.assertIn(f"--feature-gates={gate}={str(on).lower()}", arguments)
        rules = objects["ClusterRole berth-scheduler"]["rules"]
        self.assertTrue(any(rule["resources"] == ["podgroups/status"] for rule in rules))
        lease = objects["Role berth-scheduler"]["rules"]
        self.assertTrue(any(rule["resources"] == ["leasecandidates"] for rule in lease))
        rules = render()["ClusterRole berth-scheduler"]["rules"]
        self.assertFalse(any("podgroups" in rule["resources"] for rule in rules))
        profile = {"schedulerName": "x",
                   "plugins": {"multiPoint": {"enabled": [{"name": "Coscheduling"}]}}}  # fmt: skip
        rules = render({"configuration": {"profiles": [profile]}})["ClusterRole berth-scheduler"]
        self.assertTrue(any(r["apiGroups"] == ["scheduling.x-k8s.io"] for r in rules["rules"]))

    def test_the_renderer_has_no_more_functions_than_the_chart_calls(self):
        text = "".join(path.read_text() for path in (CHART / "templates").iterdir())
        called = set(re.findall(r"\w+", " ".join(re.findall(r"\{\{.*?\}\}", text, re.S))))
        self.assertEqual(set(render_chart.FUNCTIONS) - called, set())

    def test_notes_say_what_happens_next(self):
        chart = render_chart.Chart(CHART)
        for mode, text in [("second", "schedulerName: berth-scheduler"), ("shadow", "logs deploy/"),
                           ("replace", "switch\nkube-scheduler off")]:  # fmt: skip
            options = render_chart.arguments().parse_args([str(CHART), "--namespace=n"])
            templates, _ = chart.templates()
            data = render_chart.context(chart, options, chart.values({"mode": mode}))
            notes = templates.render("NOTES.txt", data)
            self.assertIn(text, notes)
            self.assertIn("--scheduler-namespace n", notes)


class Admission(unittest.TestCase):
    VALUES = {"admission": {"enabled": True}}

    def test_the_newest_version_of_the_server_is_used(self):
        for api, expected in [(["v1", "v1beta1"], "v1"), (["v1beta1"], "v1beta1")]:
            objects = render(self.VALUES, api=[f"{GROUP}/{version}" for version in api])
            for kind in ("MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding"):
                self.assertEqual(objects[f"{kind} berth-scheduler"]["apiVersion"],
                                 f"{GROUP}/{expected}")  # fmt: skip
        with self.assertRaisesRegex(TemplateError, "the server has no MutatingAdmissionPolicy"):
            render(self.VALUES, api=[])

    def test_sets_the_scheduler_of_pods_in_labelled_namespaces(self):
        objects = render(self.VALUES)
        policy = objects["MutatingAdmissionPolicy berth-scheduler"]["spec"]
        selector = policy["matchConstraints"]["namespaceSelector"]
        self.assertEqual(selector, {"matchLabels": {"berth.dev/scheduler": "enabled"}})
        [rule] = policy["matchConstraints"]["resourceRules"]
        self.assertEqual((rule["operations"], rule["resources"]), (["CREATE"], ["pods"]))
        [mutation] = policy["mutations"]
        self.assertEqual(
            mutation["jsonPatch"]["expression"],
            '[JSONPatch{op: "add", path: "/spec/schedulerName", value: "berth-scheduler" }]',
        )
        binding = objects["MutatingAdmissionPolicyBinding berth-scheduler"]["spec"]
        self.assertEqual(binding, {"policyName": "berth-scheduler"})

    def test_dedicated_nodes_are_required_and_their_taint_tolerated(self):
        objects = render(self.VALUES | {"dedicatedNodes": {"enabled": True, "value": "batch"}})
        [profile] = configuration_of(objects)["profiles"]
        [plugin] = profile["pluginConfig"]
        added = plugin["args"]["addedAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
        self.assertEqual(
            added["nodeSelectorTerms"][0]["matchExpressions"],
            [{"key": "berth.dev/scheduler", "operator": "In", "values": ["batch"]}],
        )
        policy = objects["MutatingAdmissionPolicy berth-scheduler"]["spec"]
        expression = policy["mutations"][1]["jsonPatch"]["expression"]
        toleration = (
            '{"key": "berth.dev/scheduler", "operator": "Equal", "value": "batch", '
            '"effect": "NoSchedule"}'
        )
        self.assertEqual(expression.count(toleration), 2, expression)
        for pair in ("[]", "{}", "()"):
            self.assertEqual(expression.count(pair[0]), expression.count(pair[1]))


class Monitoring(unittest.TestCase):
    VALUES = {"metrics": {name: {"enabled": True} for name in
                          ("serviceMonitor", "prometheusRule", "grafanaDashboard")}}  # fmt: skip

    def test_the_job_is_the_one_that_the_alerts_select(self):
        objects = render(self.VALUES)
        monitor = objects["ServiceMonitor berth-scheduler"]["spec"]
        service = objects["Service berth-scheduler"]
        self.assertLessEqual(monitor["selector"]["matchLabels"].items(),
                             service["metadata"]["labels"].items())  # fmt: skip
        [endpoint] = monitor["endpoints"]
        [port] = service["spec"]["ports"]
        self.assertEqual(endpoint["port"], port["name"])
        [target] = container_of(objects)["ports"]
        self.assertEqual((port["targetPort"], target["containerPort"]), (target["name"], 10259))
        job = service["metadata"]["labels"][monitor["jobLabel"]]
        rules = (ROOT / "deploy/monitoring/rules.yaml").read_text()
        self.assertEqual(set(re.findall(r'\bjob="(\w+)"', rules.split("groups:")[1])), {job})

    def test_rules_and_dashboard_are_those_of_the_folder(self):
        objects = render(self.VALUES)
        folder = ROOT / "deploy/monitoring"
        [rules] = render_chart.load_yaml((folder / "rules.yaml").read_text(), "rules.yaml")
        spec = objects["PrometheusRule berth-scheduler"]["spec"]
        self.assertEqual(spec, rules)
        dashboard = objects["ConfigMap berth-scheduler-dashboard"]["data"]["berth-scheduler.json"]
        self.assertEqual(json.loads(dashboard),
                         json.loads((folder / "grafana-dashboard.json").read_text()))  # fmt: skip
        if shutil.which("promtool"):
            with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
                json.dump(spec, file)
                file.flush()
                done = subprocess.run(["promtool", "check", "rules", file.name],
                                      capture_output=True, text=True, check=False)  # fmt: skip
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


# What kubeadm v1.36 writes for kube-scheduler, without the fields that nothing here touches.
KUBEADM_POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "kube-scheduler", "namespace": "kube-system",
                 "labels": {"component": "kube-scheduler", "tier": "control-plane"}},
    "spec": {
        "containers": [{
            "name": "kube-scheduler",
            "image": "registry.k8s.io/kube-scheduler:v1.36.4",
            "imagePullPolicy": "IfNotPresent",
            "command": ["kube-scheduler",
                        "--authentication-kubeconfig=/etc/kubernetes/scheduler.conf",
                        "--authorization-kubeconfig=/etc/kubernetes/scheduler.conf",
                        "--bind-address=127.0.0.1",
                        "--kubeconfig=/etc/kubernetes/scheduler.conf",
                        "--leader-elect=true"],
            "ports": [{"name": "probe-port", "containerPort": 10259}],
            "resources": {"requests": {"cpu": "100m"}},
        }],
        "hostNetwork": True,
        "priority": 2000001000,
        "priorityClassName": "system-node-critical",
        "securityContext": {"seccompProfile": {"type": "RuntimeDefault"}},
    },
}  # fmt: skip


def patched_by_kubeadm():
    """Returns the pod of kubeadm with the patches, applied as their names say."""
    pod = copy.deepcopy(KUBEADM_POD)
    [container] = pod["spec"]["containers"]
    [strategic] = render_chart.load_yaml(
        (KUBEADM / "patches/kube-scheduler0+strategic.yaml").read_text(), "strategic")
    assert strategic.keys() == {"spec"} and strategic["spec"].keys() == {"containers"}
    [change] = strategic["spec"]["containers"]
    assert change["name"] == container["name"]
    container |= render_chart.merged(container, change)
    [operations] = render_chart.load_yaml(
        (KUBEADM / "patches/kube-scheduler1+json.yaml").read_text(), "json")
    for operation in operations:
        *path, last = operation["path"].split("/")[1:]
        value = pod
        for name in path:
            value = value[int(name) if isinstance(value, list) else name]
        last = int(last) if isinstance(value, list) else last
        if operation["op"] == "test":
            assert value[last] == operation["value"], operation
        else:
            assert operation["op"] == "replace", operation
            value[last] = operation["value"]
    return pod


class Kubeadm(unittest.TestCase):
    def setUp(self):
        text = (KUBEADM / "kube-scheduler.yaml").read_text()
        [self.static] = render_chart.load_yaml(text, "kube-scheduler.yaml")

    def test_patches_make_the_static_pod(self):
        """The two ways to replace kube-scheduler differ only in what kubeadm may set otherwise."""
        patched, static = patched_by_kubeadm(), self.static
        [container] = static["spec"]["containers"]
        for probe in ("livenessProbe", "readinessProbe", "startupProbe"):
            self.assertEqual(container.pop(probe)["httpGet"]["host"], "127.0.0.1")
        del container["volumeMounts"], static["spec"]["volumes"]
        limits = ["--kube-api-qps=50", "--kube-api-burst=100"]  # The defaults of kube-scheduler.
        container["command"] = [word for word in container["command"] if word not in limits]
        self.assertEqual(patched, static)

    @unittest.skipUnless(shutil.which("kubectl"), "there is no kubectl")
    def test_patches_apply_as_kubernetes_applies_them(self):
        pod = json.dumps(KUBEADM_POD)
        for file in sorted((KUBEADM / "patches").iterdir()):
            kind = re.fullmatch(r"kube-scheduler\d\+(strategic|json)\.yaml", file.name)[1]
            done = subprocess.run(
                ["kubectl", "patch", "--local", "-f", "-", "-o", "json", f"--type={kind}",
                 "-p", file.read_text()],
                input=pod, capture_output=True, text=True, check=False,
            )  # fmt: skip
            self.assertEqual(done.returncode, 0, done.stderr)
            pod = done.stdout
        self.assertEqual(json.loads(pod), patched_by_kubeadm())

    def test_the_static_pod_reads_the_kubeconfig_of_root(self):
        [container] = self.static["spec"]["containers"]
        context = container["securityContext"]
        self.assertEqual(context["runAsUser"], 0)
        self.assertEqual(context["capabilities"], {"drop": ["ALL"]})
        self.assertTrue(context["readOnlyRootFilesystem"])
        self.assertEqual(self.static["spec"]["securityContext"]["seccompProfile"]["type"],
                         "RuntimeDefault")  # fmt: skip


class Package(unittest.TestCase):
    def package(self):
        folder = Path(tempfile.mkdtemp(prefix="berth-chart-"))
        self.addCleanup(shutil.rmtree, folder)
        done = subprocess.run(
            [sys.executable, ROOT / "scripts/package_chart.py", folder, "--version=1.2.3"],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))
        return {p.relative_to(folder).as_posix(): p for p in folder.rglob("*") if p.is_file()}

    def test_the_archive_is_a_chart_without_links(self):
        files = self.package()
        with tarfile.open(files["berth-chart-1.2.3.tgz"]) as tar:
            entries = {entry.name: entry for entry in tar.getmembers()}
            self.assertTrue(all(entry.isfile() for entry in entries.values()))
            text = tar.extractfile("berth/Chart.yaml").read().decode()
            rules = tar.extractfile("berth/files/rules.yaml").read().decode()
        [metadata] = render_chart.load_yaml(text, "Chart.yaml")
        self.assertEqual((metadata["version"], metadata["appVersion"]), ("1.2.3", "1.2.3"))
        self.assertEqual(rules, (ROOT / "deploy/monitoring/rules.yaml").read_text())
        expected = {f"berth/{name}" for name, _ in package_chart.files("1.2.3")}
        self.assertEqual(set(entries), expected)

    def test_two_packages_are_equal(self):
        one, two = self.package(), self.package()
        self.assertEqual({name: path.read_bytes() for name, path in one.items()},
                         {name: path.read_bytes() for name, path in two.items()})  # fmt: skip

    def test_manifests_name_the_version(self):
        files = self.package()
        manifests = {name for name in files if name.startswith("manifests/")}
        expected = {*package_chart.RENDERED, *package_chart.COPIED}
        self.assertEqual(manifests, {f"manifests/{name}" for name in expected})
        for name in manifests:
            text = files[name].read_text()
            render_chart.load_yaml(text, name)
            for image in re.findall(r"image: (.*)", text):
                self.assertEqual(image.strip('"'), "berth-scheduler:1.2.3", name)

    def test_the_source_tree_gives_the_version(self):
        found = re.search(r"project\(berth VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())
        self.assertEqual(render_chart.Chart(CHART).version(), found[1])


if __name__ == "__main__":
    unittest.main()
