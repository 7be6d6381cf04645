"""What operators do to the cluster and to Berth, and what they see of both."""

import json
import os
import signal
import time
import unittest
import urllib.error
import urllib.request

from suite.processes import Program

from . import host
from .cluster_scenario import ClusterScenario
from .installations import Replacement, SecondScheduler, manifest_folder


class Operations(ClusterScenario):
    def test_api_server_restart(self):
        """The API server is killed and comes back: Berth goes on by itself."""
        flow = self.flow()
        flow.wait_bound_after(time.monotonic())
        before = {one["metadata"]["uid"]: self._restarts(one) for one in self.scheduler.pods()}
        begin = time.monotonic()
        self.plane.api_server.kill()
        time.sleep(3)
        self.plane.start_api_server()
        self.plane.wait_ready()
        self.figure("without an API server", time.monotonic() - begin)
        back = time.monotonic()
        self.figure("from its return to the next bind", flow.wait_bound_after(back))
        time.sleep(3)
        flow.finish()
        self.figure("pods created meanwhile, each bound once", flow.created)
        self.wait(self.scheduler.works, "both pods of Berth are ready", 120)
        after = {one["metadata"]["uid"]: self._restarts(one) for one in self.scheduler.pods()}
        self.assertEqual(after, before)

    def _restarts(self, pod):
        return sum(one["restartCount"] for one in pod["status"].get("containerStatuses") or [])

    def test_kubeadm_patches(self):
        """kubeadm writes the manifest of kube-scheduler with the patches, also at an upgrade."""
        folder = manifest_folder(self.cluster) / "kubeadm-patches"
        patches = self.cluster.folder / "patches"
        patches.mkdir(exist_ok=True)
        for patch in folder.iterdir():
            text = self.scheduler.text(f"kubeadm-patches/{patch.name}")
            (patches / patch.name).write_text(text)
        config = self.plane.write_kubeadm_config(patches=patches)
        for node in self.cluster.nodes:
            for _ in ("init", "upgrade"):
                node.run(
                    host.find("kubeadm"), "init", "phase", "control-plane", "scheduler",
                    "--config", config,
                )  # fmt: skip
        written = (self.cluster.nodes[0].manifests / "kube-scheduler.yaml").read_text()
        self.assertIn(self.cluster.berth_image, written)
        self.addCleanup(self.cluster.schedule_with, None)
        self.scheduler.wait_for(self._kubeadm_pods_work, "the pods with kubeadm's flags are ready")
        self.create(self.pod("first"))
        self.wait_running("first")

    def _kubeadm_pods_work(self):
        """Whether both run with kubeadm's flags, which has none for the rate of requests."""
        commands = [one["spec"]["containers"][0]["command"] for one in self.scheduler.ready_pods()]
        plain = [one for one in commands if not any("--kube-api-qps" in flag for flag in one)]
        return len(plain) == len(self.cluster.nodes)

    def test_stuck(self):
        """A leader that hangs is no longer ready, and the other leads. When it goes on, it does not
        bind what the other has bound, and ends."""
        holder = self.wait(lambda: self.cluster.holder("kube-scheduler"), "a leader")
        node = self.cluster.node(holder.split("_")[0])
        [process] = self.cluster.berth_processes(node)
        flow = self.flow(1.0)
        flow.wait_bound_after(time.monotonic())
        begin = time.monotonic()
        os.kill(process, signal.SIGSTOP)
        self.wait(
            lambda: self.cluster.holder("kube-scheduler") not in ("", holder), "another leader"
        )
        self.figure("until another leads", time.monotonic() - begin)
        self.wait(lambda: len(self.scheduler.ready_pods()) == 1, "the readiness probe fails", 120)
        self.figure("until it was not ready", time.monotonic() - begin)
        os.kill(process, signal.SIGCONT)
        self.wait(lambda: process not in self.cluster.berth_processes(node), "it has ended")
        self.wait(self.scheduler.works, "it is ready again", 120)
        flow.finish()


class ReplacedByDeployment(ClusterScenario):
    mode = Replacement

    def test_replace_deployment(self):
        """Stands by, takes over when kube-scheduler ends, and then places its own pods."""
        self.plane.stop_scheduler()
        begin = time.monotonic()
        self.create(self.pod("first"))
        self.wait_running("first")
        self.figure("from the end of kube-scheduler to the first bind",
                    self.history.pod("first").bound_at - begin)  # fmt: skip
        standby = next(
            one["metadata"]["name"] for one in self.scheduler.pods()
            if not self.cluster.holder("kube-scheduler").startswith(one["metadata"]["name"])
        )  # fmt: skip
        self.plane.kubectl("delete", "pod", "-n", "kube-system", standby)
        self.wait(self.scheduler.works, "another one has its place", 120)


class Second(ClusterScenario):
    mode = SecondScheduler

    def test_admission_policy(self):
        """Pods of a labelled namespace get Berth; others, and those that name another, do not."""
        policy = self.scheduler.text("second-scheduler-admission.yaml")
        self.plane.kubectl("apply", "-f", "-", text=policy)
        self.addCleanup(self.plane.kubectl, "delete", "-f", "-", text=policy)
        labelled = f"{self.namespace}-labelled"
        self.make_namespace(labelled, **{"berth.dev/scheduler": "enabled"})

        def scheduler_of(name, namespace):
            pod = self.pod(name, scheduler="default-scheduler")
            pod["metadata"]["namespace"] = namespace
            return self.api.create(f"/api/v1/namespaces/{namespace}/pods", pod)["spec"][
                "schedulerName"
            ]

        attempt = iter(range(1000))
        self.wait(
            lambda: scheduler_of(f"p{next(attempt)}", labelled) == "berth-scheduler",
            "the policy has an effect", every=0.5,
        )  # fmt: skip
        self.assertEqual(scheduler_of("plain", self.namespace), "default-scheduler")
        pods = f"/api/v1/namespaces/{labelled}/pods"
        self.wait(
            lambda: all(one["spec"].get("nodeName") for one in self.api.items(pods)),
            "all are bound",
        )
        path = f"/apis/events.k8s.io/v1/namespaces/{labelled}/events"
        self.wait(
            lambda: any(one["reportingController"] == "berth-scheduler" and
                        one["reason"] == "Scheduled" for one in self.api.items(path)),
            "an event of Berth",
        )  # fmt: skip

    def test_prometheus(self):
        """A real Prometheus scrapes both pods, with a token that may read /metrics."""
        if not host.find("prometheus"):
            raise unittest.SkipTest("there is no program prometheus (Debian package prometheus)")
        self.create(*[self.pod(f"p{i}") for i in range(5)])
        self.wait_running(*[f"p{i}" for i in range(5)])
        url = self._start_prometheus(
            [f"{pod['status']['podIP']}:10259" for pod in self.scheduler.pods()]
        )

        def value(query):
            try:
                address = f"{url}/api/v1/query?query={urllib.request.quote(query)}"
                with urllib.request.urlopen(address, timeout=5) as response:
                    result = json.load(response)["data"]["result"]
            except (OSError, urllib.error.URLError):
                return None
            return float(result[0]["value"][1]) if result else None

        self.wait(lambda: value("sum(up)") == 2, "both are up")
        attempts = 'sum(scheduler_schedule_attempts_total{result="scheduled"})'
        self.wait(lambda: (value(attempts) or 0) >= 5, "the attempts are counted")
        self.figure("scheduled attempts that it read", int(value(attempts)))
        self.assertEqual(value("sum(leader_election_master_status)"), 1)
        self.assertGreater(value("count(scheduler_pod_scheduling_sli_duration_seconds_bucket)"), 0)
        self.figure("series that it read", int(value('count({job="scheduler"})')))
        self.assertIsNone(value('count(ALERTS{alertstate="firing"})'))

    def _start_prometheus(self, targets):
        """Starts it with the alert rules of deploy/; returns its address."""
        rules = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
                 "metadata": {"name": self.namespace},
                 "rules": [{"nonResourceURLs": ["/metrics"], "verbs": ["get"]}]}  # fmt: skip
        binding = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
                   "metadata": {"name": self.namespace},
                   "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole",
                               "name": self.namespace},
                   "subjects": [{"kind": "ServiceAccount", "name": "default",
                                 "namespace": self.namespace}]}  # fmt: skip
        self.plane.apply(rules, binding)
        self.addCleanup(
            self.plane.kubectl, "delete", "clusterrole,clusterrolebinding", self.namespace
        )
        token = self.plane.kubectl("create", "token", "default", "-n", self.namespace).strip()
        folder = self.cluster.folder / "prometheus"
        folder.mkdir()
        alerts = host.ROOT / "deploy/monitoring/rules.yaml"
        job = {
            "job_name": "scheduler", "scheme": "https", "scrape_interval": "1s",
            "authorization": {"credentials": token}, "tls_config": {"insecure_skip_verify": True},
            "static_configs": [{"targets": targets}],
        }  # fmt: skip
        config = {"rule_files": [str(alerts)], "global": {"evaluation_interval": "1s"},
                  "scrape_configs": [job]}  # fmt: skip
        (folder / "prometheus.yml").write_text(json.dumps(config))
        program = Program(
            [host.find("prometheus"), f"--config.file={folder}/prometheus.yml",
             f"--storage.tsdb.path={folder}/data", "--web.listen-address=127.0.0.1:9090"],
            str(self.cluster.logs / "prometheus.log"),
        )  # fmt: skip
        self.addCleanup(program.terminate)
        return "http://127.0.0.1:9090"
