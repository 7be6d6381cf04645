"""What the suite needs of this machine, and what it leaves behind: nothing."""

import json
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent.parent
PREFIX = "berth-cluster-"
CGROUPS = Path("/sys/fs/cgroup")

# The programs of Kubernetes, and the others with their Debian packages.
KUBERNETES = [
    "kube-apiserver",
    "kube-controller-manager",
    "kube-scheduler",
    "kubelet",
    "kubectl",
    "kubeadm",
]
PROGRAMS = {
    "etcd": "etcd-server",
    "containerd": "containerd",
    "runc": "runc",
    "busybox": "busybox-static",
    "ip": "iproute2",
    "iptables": "iptables",
    "nsenter": "util-linux",
}
PLUGINS = [Path("/usr/lib/cni"), Path("/opt/cni/bin")]  # Of Debian, and of everybody else.

# Kubelets set these for the whole machine.
KERNEL_SETTINGS = [
    "vm/overcommit_memory", "vm/panic_on_oom", "kernel/panic", "kernel/panic_on_oops",
    "kernel/keys/root_maxkeys", "kernel/keys/root_maxbytes",
]  # fmt: skip


def programs_folder():
    return Path(os.environ.get("BERTH_K8S_BIN", ""))


def find(program):
    """Returns the path of a program: in the folder of Kubernetes' programs, else on PATH."""
    given = programs_folder() / program
    return str(given) if given.is_file() else shutil.which(program)


def network_plugins():
    return next((folder for folder in PLUGINS if (folder / "bridge").exists()), None)


def missing(arguments):
    """Returns why the suite cannot run here; None if it can."""
    if "BERTH_K8S_BIN" not in os.environ:
        return "BERTH_K8S_BIN does not name a folder with the programs of Kubernetes"
    for program in KUBERNETES:
        if not (programs_folder() / program).is_file():
            return f"there is no {program} in BERTH_K8S_BIN, {programs_folder()}"
    if os.geteuid() != 0:
        return "it needs root, for namespaces and containers"
    for program, package in PROGRAMS.items():
        if not find(program):
            return f"there is no program {program} (Debian package {package})"
    if not network_plugins():
        return "there is no network plugin (Debian package containernetworking-plugins)"
    for program in ("berth", "berth-scheduler"):
        if not (arguments.berth / program).is_file():
            return f"there is no {arguments.berth / program}: run make, or give --berth"
    probe = ["unshare", "--mount", "--net", "--pid", "--fork", "true"]
    if subprocess.run(probe, capture_output=True, check=False).returncode:
        return "no namespaces can be made here"
    return None


def hierarchies():
    """Returns the mounted cgroup hierarchies: one of version 2, or one for each controller."""
    if (CGROUPS / "cgroup.controllers").exists():
        return [CGROUPS]
    return [folder for folder in CGROUPS.iterdir() if folder.is_dir() and not folder.is_symlink()]


def make_cgroup(name):
    """Makes the cgroup NAME in every hierarchy, with all processors."""
    for hierarchy in hierarchies():
        folder = hierarchy
        for part in Path(name).parts:
            parent, folder = folder, folder / part
            folder.mkdir(exist_ok=True)
            for setting in ("cpuset.cpus", "cpuset.mems"):
                if (folder / setting).exists() and hierarchy != CGROUPS:
                    (folder / setting).write_text((parent / setting).read_text())


def remove_cgroup(name):
    """Removes it with those below, once their processes have ended."""
    for hierarchy in hierarchies():
        for folder, _, _ in os.walk(hierarchy / name, topdown=False):
            for _ in range(100):
                try:
                    os.rmdir(folder)
                    break
                except OSError:
                    time.sleep(0.05)


def clean(folder, keep=False):
    """Removes what a run left, whose processes and mounts ended with its namespaces."""
    remove_cgroup(folder.name)
    for name, value in json.loads((folder / "kernel-settings").read_text()).items():
        (Path("/proc/sys") / name).write_text(value)
    if keep:
        print(f"logs are in {folder / 'logs'}")
        for entry in folder.iterdir():
            if entry.is_dir() and entry.name != "logs":
                shutil.rmtree(entry, ignore_errors=True)
            elif entry.is_file():
                entry.unlink()
    else:
        shutil.rmtree(folder, ignore_errors=True)


def sweep():
    """Removes what runs left that were killed."""
    for found in Path(tempfile.gettempdir()).glob(PREFIX + "*/pid"):
        if not Path("/proc", found.read_text()).exists():
            clean(found.parent)


def new_folder():
    """Returns a folder with what `clean` needs, whoever calls it."""
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    settings = {name: (Path("/proc/sys") / name).read_text() for name in KERNEL_SETTINGS}
    (folder / "kernel-settings").write_text(json.dumps(settings))
    (folder / "pid").write_text(str(os.getpid()))
    (folder / "logs").mkdir()
    return folder
