"""etcd, kube-apiserver, kube-controller-manager and kube-scheduler, as kubeadm configures them."""

import json
import os
import subprocess
import time

from suite.api import Api
from suite.kubeconfig import Kubeconfig
from suite.processes import Program

from . import host
from .machine import API_SERVICE, NETWORK, SERVICES, run

ADDRESS = f"{NETWORK}.1"
VERSION = "v1beta4"


class ControlPlane:
    """`folder` gets certificates and kubeconfigs, `logs` the output of the programs."""

    def __init__(self, folder, logs):
        self.folder, self.logs = folder, logs
        self.kubernetes = run(host.find("kubelet"), "--version").split()[1]
        self._make_credentials()
        self.kubeconfig_path = str(folder / "super-admin.conf")
        self._start_etcd()
        self.start_api_server()
        self.api = Api(Kubeconfig.read(self.kubeconfig_path))
        self.wait_ready()
        self._make_administrators()
        self._start_controllers()
        self.scheduler = None

    def kubeadm(self, *command, **options):
        return run(host.find("kubeadm"), *command, **options)

    def write_kubeadm_config(self, node=None, patches=None):
        """Writes the configuration for `kubeadm init phase …`; returns its path."""
        cluster = {
            "apiVersion": f"kubeadm.k8s.io/{VERSION}",
            "kind": "ClusterConfiguration",
            "kubernetesVersion": self.kubernetes,
            "certificatesDir": str(self.folder / "pki"),
            "controlPlaneEndpoint": f"{ADDRESS}:443",
            "networking": {"serviceSubnet": SERVICES},
        }
        init = {
            "apiVersion": f"kubeadm.k8s.io/{VERSION}",
            "kind": "InitConfiguration",
            "localAPIEndpoint": {"advertiseAddress": ADDRESS, "bindPort": 443},
            "nodeRegistration": {"name": node or "control-plane",
                                 "criSocket": "unix:///run/containerd/containerd.sock"},
        }  # fmt: skip
        if patches:
            init["patches"] = {"directory": str(patches)}
        path = self.folder / f"kubeadm-{node or 'cluster'}.yaml"
        path.write_text("---\n".join(json.dumps(one) + "\n" for one in (cluster, init)))
        return path

    def _make_credentials(self):
        config = self.write_kubeadm_config()
        self.folder.mkdir(exist_ok=True)
        self.kubeadm("init", "phase", "certs", "all", "--config", config)
        for name in ("admin", "super-admin", "controller-manager", "scheduler"):
            self.kubeadm(
                "init", "phase", "kubeconfig", name, "--config", config, "--kubeconfig-dir",
                self.folder,
            )  # fmt: skip

    def _make_administrators(self):
        """Grants what kubeadm grants the group of admin.conf, and the API server at kubelets."""
        self._bind("kubeadm:cluster-admins", "cluster-admin", "Group", "kubeadm:cluster-admins")
        self._bind(
            "kubeadm:apiserver-kubelet-client", "system:kubelet-api-admin", "User",
            "kube-apiserver-kubelet-client",
        )  # fmt: skip
        self.kubeconfig_path = str(self.folder / "admin.conf")

    def _bind(self, name, role, kind, subject):
        group = "rbac.authorization.k8s.io"
        body = {
            "apiVersion": f"{group}/v1", "kind": "ClusterRoleBinding", "metadata": {"name": name},
            "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": role},
            "subjects": [{"apiGroup": group, "kind": kind, "name": subject}],
        }  # fmt: skip
        self.api.create(f"/apis/{group}/v1/clusterrolebindings", body)

    def node_kubeconfig(self, node):
        """Makes the kubeconfig of a kubelet; returns its path."""
        folder = self.folder / node
        folder.mkdir(exist_ok=True)
        self.kubeadm(
            "init", "phase", "kubeconfig", "kubelet", "--config", self.write_kubeadm_config(node),
            "--kubeconfig-dir", folder,
        )  # fmt: skip
        return folder / "kubelet.conf"

    def _program(self, name, *flags):
        return Program([host.find(name), *flags], str(self.logs / f"{name}.log"))

    def _start_etcd(self):
        data = str(self.folder / "etcd")
        self.etcd = self._program("etcd", "--data-dir", data, "--unsafe-no-fsync")

    def start_api_server(self):
        pki = self.folder / "pki"
        self.api_server = self._program(
            "kube-apiserver",
            "--etcd-servers=http://127.0.0.1:2379",
            "--bind-address=0.0.0.0", "--secure-port=443", f"--advertise-address={ADDRESS}",
            f"--service-cluster-ip-range={SERVICES}",
            "--authorization-mode=Node,RBAC", "--enable-admission-plugins=NodeRestriction",
            "--allow-privileged=true",
            f"--client-ca-file={pki}/ca.crt",
            f"--tls-cert-file={pki}/apiserver.crt", f"--tls-private-key-file={pki}/apiserver.key",
            f"--kubelet-client-certificate={pki}/apiserver-kubelet-client.crt",
            f"--kubelet-client-key={pki}/apiserver-kubelet-client.key",
            "--kubelet-preferred-address-types=InternalIP",
            "--service-account-issuer=https://kubernetes.default.svc.cluster.local",
            f"--service-account-key-file={pki}/sa.pub",
            f"--service-account-signing-key-file={pki}/sa.key",
            f"--requestheader-client-ca-file={pki}/front-proxy-ca.crt",
            "--requestheader-allowed-names=front-proxy-client",
            "--requestheader-extra-headers-prefix=X-Remote-Extra-",
            "--requestheader-group-headers=X-Remote-Group",
            "--requestheader-username-headers=X-Remote-User",
            f"--proxy-client-cert-file={pki}/front-proxy-client.crt",
            f"--proxy-client-key-file={pki}/front-proxy-client.key",
        )  # fmt: skip

    def wait_ready(self, timeout=90):
        deadline = time.monotonic() + timeout
        while True:
            try:
                if self.api.raw("GET", "/readyz")[0] == 200:
                    return
            except OSError:
                pass
            if time.monotonic() > deadline or not self.api_server.alive():
                raise RuntimeError(f"kube-apiserver is not ready:\n{self.api_server.tail()}")
            time.sleep(0.1)

    def _start_controllers(self):
        config = str(self.folder / "controller-manager.conf")
        self.controllers = self._program(
            "kube-controller-manager",
            f"--kubeconfig={config}", f"--authentication-kubeconfig={config}",
            f"--authorization-kubeconfig={config}", "--leader-elect=false",
            f"--root-ca-file={self.folder}/pki/ca.crt",
            f"--service-account-private-key-file={self.folder}/pki/sa.key",
            "--use-service-account-credentials=true",
            # A node that is silent for so long is unreachable.
            "--node-monitor-grace-period=20s", "--node-monitor-period=2s",
            "--kube-api-qps=100", "--kube-api-burst=200",
        )  # fmt: skip

    def start_scheduler(self):
        """Starts kube-scheduler with kubeadm's flags."""
        config = str(self.folder / "scheduler.conf")
        self.scheduler = self._program(
            "kube-scheduler",
            f"--kubeconfig={config}", f"--authentication-kubeconfig={config}",
            f"--authorization-kubeconfig={config}", "--leader-elect=true", "-v=2",
        )  # fmt: skip
        return self.scheduler

    def stop_scheduler(self):
        if self.scheduler:
            self.scheduler.terminate()
            self.scheduler = None

    def kubectl(self, *command, text=None, environment=None):
        """Runs kubectl; returns what it printed."""
        return run(
            host.find("kubectl"), *command, input=text,
            env=os.environ | {"KUBECONFIG": self.kubeconfig_path} | (environment or {}),
        )  # fmt: skip

    def apply(self, *objects):
        items = {"apiVersion": "v1", "kind": "List", "items": list(objects)}
        return self.kubectl("apply", "-f", "-", text=json.dumps(items))
