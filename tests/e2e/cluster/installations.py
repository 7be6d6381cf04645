"""The ways to run a scheduler in the cluster."""

import re
import sys
import time
from pathlib import Path

from suite.api import PODS

from . import host
from .machine import run

SYSTEM_PODS = PODS.format("kube-system")


def manifest_folder(cluster):
    """Returns the folder of the manifests; renders those of deploy/ if there is no package."""
    packaged = cluster.arguments.dist / "manifests"
    if packaged.is_dir():
        return packaged
    folder = cluster.folder / "rendered"
    if not folder.exists():
        run(sys.executable, "-B", host.ROOT / "scripts/package_chart.py", folder)
    return folder / "manifests"


class KubeScheduler:
    """kube-scheduler on the control plane, as everybody has it."""

    lease, scheduler_name = "kube-scheduler", "default-scheduler"

    def __init__(self, cluster):
        self.cluster, self.plane = cluster, cluster.plane

    def works(self):
        return self.plane.scheduler and self.plane.scheduler.alive()

    def install(self):
        self.plane.start_scheduler()

    def remove(self):
        self.plane.stop_scheduler()


class Manifests:
    """Berth by manifests: those that `make package` left, or else those of deploy/."""

    def __init__(self, cluster):
        self.cluster, self.plane = cluster, cluster.plane

    def text(self, name):
        """Returns the manifest `name`, with the image that the nodes have."""
        text = (manifest_folder(self.cluster) / name).read_text()
        return re.sub(
            r"(image: \"?)berth-scheduler:[^\s\"]+", rf"\g<1>{self.cluster.berth_image}", text
        )

    def pods(self):
        """Returns the pods of Berth that the API knows."""
        return [
            pod for pod in self.cluster.api.items(SYSTEM_PODS)
            if "berth-scheduler" in pod["spec"]["containers"][0]["image"]
        ]  # fmt: skip

    def ready_pods(self):
        return [pod for pod in self.pods() if is_ready(pod)]

    def leader(self):
        """Returns the pod that holds the lease; None if nobody does, or one that is gone."""
        host_name = self.cluster.holder(self.lease).split("_")[0]
        for pod in self.pods():
            on_host = pod["spec"].get("hostNetwork") and pod["spec"].get("nodeName")
            if host_name in (pod["metadata"]["name"], on_host):
                return pod
        return None

    def wait_for(self, done, what, timeout=90):
        """Waits for the pods of Berth; says what kubelets say about them if that fails."""
        deadline = time.monotonic() + timeout
        while not done():
            if time.monotonic() > deadline:
                raise AssertionError(f"not within {timeout} s: {what}\n{self.trouble()}")
            time.sleep(0.1)

    def trouble(self):
        """Returns what kubelets say about the pods of Berth, and the pods themselves."""
        lines = []
        for pod in self.pods():
            name = pod["metadata"]["name"]
            for status in pod["status"].get("containerStatuses") or []:
                lines.append(f"{name}: {status.get('state')} {status.get('lastState')}")
            lines.append(self.logs(name))
        return "\n".join(lines)

    def logs(self, name, *flags):
        try:
            return self.plane.kubectl("logs", "-n", "kube-system", name, "--tail=20", *flags)
        except RuntimeError as error:
            return str(error)


class StaticPod(Manifests):
    """Berth in place of kube-scheduler, on both nodes, as on a control plane of kubeadm."""

    lease, scheduler_name = "kube-scheduler", "default-scheduler"

    def manifest(self):
        return self.text("replace-static-pod.yaml")

    def works(self):
        return len(self.ready_pods()) == len(self.cluster.nodes)

    def put(self, manifest=None):
        """Puts the manifest where the kubelets find it."""
        for node in self.cluster.nodes:
            (node.manifests / "kube-scheduler.yaml").write_text(manifest or self.manifest())

    def stand_by(self):
        """Installs it beside a scheduler that leads."""
        self.put()
        self.wait_for(self.works, "two static pods of Berth are ready")

    def install(self):
        self.stand_by()
        self.wait_for(self.leader, "one of them leads")

    def remove(self):
        for node in self.cluster.nodes:
            (node.manifests / "kube-scheduler.yaml").unlink(missing_ok=True)
        self.wait_for(lambda: not self.pods(), "the static pods of Berth have ended")


class SecondScheduler(Manifests):
    """Berth beside kube-scheduler, which places the two pods of Berth."""

    lease, scheduler_name = "berth-scheduler", "berth-scheduler"
    name = "second-scheduler.yaml"
    elects = True

    def manifest(self):
        return self.text(self.name)

    def works(self):
        return self.plane.scheduler and len(self.ready_pods()) >= 2

    def install(self):
        self.plane.start_scheduler()
        self.plane.kubectl("apply", "-f", "-", text=self.manifest())
        self.wait_for(self.works, "the pods of Berth are ready")
        if self.elects:
            self.wait_for(self.leader, "one of them leads")

    def remove(self):
        self.plane.kubectl("delete", "--ignore-not-found", "-f", "-", text=self.manifest())
        self.wait_for(lambda: not self.pods(), "the pods of Berth have ended")
        self.plane.stop_scheduler()


class Shadow(SecondScheduler):
    """Berth that only watches what kube-scheduler decides."""

    name = "shadow.yaml"
    elects = False

    def works(self):
        return self.plane.scheduler and self.ready_pods()


class Replacement(SecondScheduler):
    """Berth in place of kube-scheduler, as a Deployment on control-plane nodes. It stands by until
    kube-scheduler, which places its pods, is switched off."""

    lease, scheduler_name = "kube-scheduler", "default-scheduler"
    name = "replace-deployment.yaml"
    label = "node-role.kubernetes.io/control-plane"
    elects = False  # Before kube-scheduler ends.

    def works(self):
        return len(self.ready_pods()) >= 2

    def install(self):
        for node in self.cluster.nodes:
            self.plane.kubectl("label", "--overwrite", "node", node.name, f"{self.label}=")
        super().install()

    def remove(self):
        super().remove()
        for node in self.cluster.nodes:
            self.plane.kubectl("label", "node", node.name, f"{self.label}-")


def is_ready(pod):
    conditions = pod["status"].get("conditions") or []
    return any(one["type"] == "Ready" and one["status"] == "True" for one in conditions)
