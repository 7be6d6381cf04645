"""`kubectl berth why`, through a real port-forward."""

import json

from . import images
from .cluster_scenario import ClusterScenario
from .installations import SecondScheduler, StaticPod


class Answers(ClusterScenario):
    mode = StaticPod

    def _why(self):
        """Asks about a pod that fits nowhere; the attempts come from the scheduler in its pod."""
        self.create(self.pod("giant", cpu="1000"))
        self.wait(lambda: self.condition("giant", "PodScheduled"), "an attempt")
        answer = self.cluster.berth("why", "giant", "-n", self.namespace)
        self.assertIn("2 Insufficient cpu", answer)
        self.assertIn("remembers these attempts", answer)
        self.assertIn("attempt 1", answer)
        self.assertNotIn("is not known", answer)
        document = json.loads(
            self.cluster.berth("why", "giant", "-n", self.namespace, "-o", "json")
        )
        self.assertTrue(document)

    def test_why_static_pod(self):
        self._why()

    def test_image_volume(self):
        """containerd before 2.1 mounts no images: the pod is bound, and `why` says what the kubelet
        says."""
        volume = {"name": "data", "image": {"reference": images.BUSYBOX, "pullPolicy": "Never"}}
        pod = self.pod("with-image", volumes=[volume])
        pod["spec"]["containers"][0]["volumeMounts"] = [{"name": "data", "mountPath": "/data"}]
        self.create(pod)
        self.wait(lambda: self.node_of("with-image"), "the pod is bound")

        def waiting():
            statuses = self.history.pod("with-image").pod["status"].get("containerStatuses") or [{}]
            return statuses[0].get("state", {}).get("waiting", {}).get("message")

        refusal = self.wait(waiting, "the kubelet's refusal")
        self.figure("the kubelet says", refusal[-90:])
        answer = self.cluster.berth("why", "with-image", "-n", self.namespace)
        # The message names a container that is made anew at each attempt.
        self.assertIn("Container main cannot be started: CreateContainerError: "
                      + refusal.split('"')[0], answer)


class SecondAnswers(Answers):
    mode = SecondScheduler
    test_why_static_pod = None
    test_image_volume = None

    def test_why_second_scheduler(self):
        self._why()
