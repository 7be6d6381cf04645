"""A node: a machine with containerd and a kubelet."""

import json
import time

from . import host
from .machine import Machine

_CONTAINERD = """version = 2
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "{sandbox}"
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "{plugins}"
    conf_dir = "/etc/cni/net.d"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
"""


class Node(Machine):
    """Node NAME of a cluster; the images are those that its pods can use."""

    def __init__(self, name, number, plane, run_folder, images):
        self.plane, self.logs = plane, run_folder / "logs"
        self._images = images
        self._cgroup = f"{run_folder.name}/{name}"
        host.make_cgroup(self._cgroup)
        super().__init__(name, number, run_folder / name)
        self.start_node()

    @property
    def manifests(self):
        """The folder of static pods, as seen from outside of the machine."""
        return self.folder / "manifests"

    def start_node(self):
        self._configure()
        self.containerd = self.start(
            host.find("containerd"), "--config=/etc/containerd/e2e.toml",
            log=self.logs / f"{self.name}.containerd.log",
        )  # fmt: skip
        self._await_containerd()
        for image in self._images:
            self.import_image(image)
        self.start_kubelet()

    def start_kubelet(self):
        self.kubelet = self.start(
            host.find("kubelet"), "--config=/etc/kubernetes/kubelet.json",
            "--kubeconfig=/etc/kubernetes/kubelet.conf", f"--node-ip={self.address}",
            f"--hostname-override={self.name}", "-v=2",
            log=self.logs / f"{self.name}.kubelet.log",
        )  # fmt: skip

    def restart(self):
        """Boots the machine again, with the disk that it had."""
        self.boot()
        self.start_node()

    def write(self, path, content, mode=0o644):
        """Writes a file of the machine."""
        self.run(
            "sh", "-c", 'mkdir -p "$(dirname "$1")" && cat > "$1" && chmod "$2" "$1"', "write",
            path, f"{mode:o}", input=content,
        )  # fmt: skip

    def _configure(self):
        text = _CONTAINERD.format(sandbox="e2e.invalid/busybox:1", plugins=host.network_plugins())
        self.write("/etc/containerd/e2e.toml", text)
        bridge = {
            "type": "bridge", "bridge": "pods", "isGateway": True, "ipMasq": False,
            "ipam": {"type": "host-local", "ranges": [[{"subnet": self.pods}]],
                     "routes": [{"dst": "0.0.0.0/0"}]},
        }  # fmt: skip
        network = {"cniVersion": "0.4.0", "name": "e2e", "plugins": [bridge]}
        self.write("/etc/cni/net.d/10-e2e.conflist", json.dumps(network))
        self.write("/etc/kubernetes/kubelet.json", json.dumps(self._kubelet_configuration()))
        self.write("/etc/kubernetes/ca.crt", (self.plane.folder / "pki/ca.crt").read_text())
        conf = self.plane.node_kubeconfig(self.name).read_text()
        self.write("/etc/kubernetes/kubelet.conf", conf, 0o600)
        # As kubeadm leaves it: readable by root only.
        scheduler = (self.plane.folder / "scheduler.conf").read_text()
        self.write("/etc/kubernetes/scheduler.conf", scheduler, 0o600)
        self.manifests.mkdir(exist_ok=True)
        self.run("mkdir", "-p", "/etc/kubernetes/manifests")
        self.run("mount", "--bind", self.manifests, "/etc/kubernetes/manifests")
        output = self.logs / f"{self.name}.pods"  # What containers print.
        output.mkdir(exist_ok=True)
        self.run("mkdir", "-p", "/var/log/pods")
        self.run("mount", "--bind", output, "/var/log/pods")

    def _kubelet_configuration(self):
        return {
            "apiVersion": "kubelet.config.k8s.io/v1beta1",
            "kind": "KubeletConfiguration",
            "containerRuntimeEndpoint": "unix:///run/containerd/containerd.sock",
            "staticPodPath": "/etc/kubernetes/manifests",
            "authentication": {"x509": {"clientCAFile": "/etc/kubernetes/ca.crt"},
                               "webhook": {"enabled": True}, "anonymous": {"enabled": False}},
            "authorization": {"mode": "Webhook"},
            "maxPods": 250,
            # Both nodes share the disk and the memory of this machine, whatever is free there.
            "evictionHard": {"memory.available": "1Mi"},
            "imageGCHighThresholdPercent": 100,
            "localStorageCapacityIsolation": False,
            "failSwapOn": False,
            "failCgroupV1": False,
            "cgroupDriver": "cgroupfs",
            "cgroupRoot": f"/{self._cgroup}",
            "enforceNodeAllocatable": [],
            "oomScoreAdj": 0,
            "nodeStatusUpdateFrequency": "5s",
            "nodeLeaseDurationSeconds": 12,
            "kubeAPIQPS": 100, "kubeAPIBurst": 200,
            "logging": {"verbosity": 2},
        }  # fmt: skip

    def _await_containerd(self):
        deadline = time.monotonic() + 60
        while True:
            try:
                return self.ctr("version")
            except RuntimeError:
                if time.monotonic() > deadline or not self.containerd.alive():
                    raise RuntimeError(f"containerd:\n{self.containerd.tail()}") from None
                time.sleep(0.2)

    def ctr(self, *command):
        return self.run("ctr", "--namespace=k8s.io", *command)

    def import_image(self, archive):
        return self.ctr("images", "import", archive)
