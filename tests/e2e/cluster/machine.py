"""Machines: namespaces with processes, mounts, a network and a host name of their own."""

import os
import signal
import subprocess
import time
from pathlib import Path

from suite.processes import Program

NETWORK = "10.240.0"  # Of the machines; .1 is the control plane.
SERVICES = "10.96.0.0/16"
API_SERVICE = "10.96.0.1"  # Of the Service `kubernetes`.


def run(*command, **options):
    """Runs a command to its end; returns what it printed."""
    done = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, check=False, **options
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))}: {done.stdout}{done.stderr}".strip())
    return done.stdout


def make_hub():
    """Makes the network of the machines. There is no kube-proxy: the API server listens at the
    address of its Service."""
    Path("/proc/sys/net/ipv4/ip_forward").write_text("1")
    run("ip", "link", "set", "lo", "up")
    run("ip", "link", "add", "hub", "type", "bridge")
    run("ip", "address", "add", f"{NETWORK}.1/24", "dev", "hub")
    run("ip", "address", "add", f"{API_SERVICE}/32", "dev", "hub")
    run("ip", "link", "set", "hub", "up")


# The first process of a machine: it waits for the others that end. /etc and /var are those of this
# machine with changes of its own.
_BOOT = """
set -e
mount --make-rshared /
mount -t proc proc /proc
mount -t tmpfs tmpfs /run
mkdir -p /run/lock
for tree in etc var; do
  mkdir -p "$1/$tree" "$1/$tree.work"
  mount -t overlay overlay -o "lowerdir=/$tree,upperdir=$1/$tree,workdir=$1/$tree.work" "/$tree"
done
for state in containerd kubelet; do
  mkdir -p "$1/$state" "/var/lib/$state"
  mount --bind "$1/$state" "/var/lib/$state"
done
hostname "$2"
touch "$1/booted"
sleep infinity &
while :; do wait; done
"""


class Machine:
    """Boots when made. `number` gives it its addresses; its pods are in `pods`."""

    def __init__(self, name, number, folder):
        self.name = name
        self.address = f"{NETWORK}.{number + 1}"
        self.pods = f"10.244.{number}.0/24"
        self.folder = Path(folder)
        self._link = f"to-{name}"
        self._first = None
        self.boot()

    def boot(self):
        self.folder.mkdir(exist_ok=True)
        (self.folder / "booted").unlink(missing_ok=True)
        command = ["unshare", "--mount", "--net", "--pid", "--ipc", "--uts", "--fork"]
        command += ["--propagation=private", "--kill-child=SIGKILL"]
        command += ["bash", "-c", _BOOT, "boot", str(self.folder), self.name]
        self._unshare = Program(command, str(self.folder / "boot.log"))
        deadline = time.monotonic() + 20
        while not (self.folder / "booted").exists():
            if time.monotonic() > deadline or not self._unshare.alive():
                raise RuntimeError(f"machine {self.name} does not boot: {self._unshare.tail()}")
            time.sleep(0.05)
        self._first = children(self._unshare.process.pid)[0]
        self._connect()

    def _connect(self):
        run("ip", "link", "add", self._link, "type", "veth", "peer", "eth0", "netns", self._first)
        run("ip", "link", "set", self._link, "master", "hub", "up")
        run("ip", "route", "replace", self.pods, "via", self.address)
        for command in (
            f"ip address add {self.address}/24 dev eth0",
            "ip link set lo up",
            "ip link set eth0 up",
            f"ip route add default via {NETWORK}.1",
        ):
            self.run(*command.split())
        self.run("sh", "-c", "echo 1 > /proc/sys/net/ipv4/ip_forward")

    def enter(self, *command):
        """Returns the command that runs `command` here."""
        entry = ["nsenter", "-t", str(self._first), "-m", "-n", "-p", "-i", "-u", "--"]
        return entry + [str(word) for word in command]

    def run(self, *command, **options):
        return run(*self.enter(*command), **options)

    def start(self, *command, log, environment=None):
        return Guest(self.enter(*command), str(log), environment)

    def alive(self):
        return self._unshare.alive()

    def partition(self):
        """Cuts it off from the control plane and the other machines."""
        run("ip", "link", "set", self._link, "down")

    def heal(self):
        run("ip", "link", "set", self._link, "up")

    def power_off(self):
        """Ends everything on it at once. Its disk stays."""
        self._unshare.kill()
        for _ in range(200):
            if not Path("/proc", str(self._first)).exists():
                break
            time.sleep(0.05)
        subprocess.run(["ip", "link", "delete", self._link], capture_output=True, check=False)


class Guest(Program):
    """A program on a machine: a child of nsenter, which ends with it."""

    def __init__(self, arguments, log, environment=None):
        arguments = ["env", *(f"{k}={v}" for k, v in (environment or {}).items()), *arguments]
        super().__init__(arguments, log)

    def signal(self, number):
        for child in children(self.process.pid):
            try:
                os.kill(child, number)
            except ProcessLookupError:
                pass

    def kill(self):
        while self.alive():
            self.signal(signal.SIGKILL)
            time.sleep(0.02)
        return self.process.wait()

    def terminate(self, timeout=15):
        self.signal(signal.SIGTERM)
        return super().terminate(timeout)


def children(pid):
    """Returns the children of a process, those of all its threads."""
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found += [int(word) for word in task.read_text().split()]
        except OSError:
            pass
    return found
