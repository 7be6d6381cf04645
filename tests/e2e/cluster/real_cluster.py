"""RealCluster: a control plane and two nodes, made whole again for each scenario."""

import re
import time
from pathlib import Path

from suite.api import LEASES, NODES, ApiError

from . import host, images, installations, machine
from .control_plane import ControlPlane
from .node import Node

SYSTEM = "kube-system"
LEASE = LEASES.format(SYSTEM) + "/{}"


def wait(done, what, timeout=60, every=0.1):
    """Returns the first true result of `done()`; fails after `timeout` seconds."""
    deadline = time.monotonic() + timeout
    while True:
        result = done()
        if result:
            return result
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {timeout} s: {what}")
        time.sleep(every)


class RealCluster:
    def __init__(self, arguments, folder):
        self.arguments, self.folder, self.logs = arguments, folder, folder / "logs"
        machine.make_hub()
        (folder / "control-plane").mkdir()
        self.plane = ControlPlane(folder / "control-plane", self.logs)
        self.api = self.plane.api
        self.berth_archive = images.scheduler(arguments, folder)
        archives = [images.busybox(folder), self.berth_archive]
        self.nodes = [
            Node(f"node-{number}", number, self.plane, folder, archives) for number in (1, 2)
        ]
        self.berth_image = self._find_berth_image()
        self._mode = None
        self.make_whole()

    def _find_berth_image(self):
        names = self.nodes[0].ctr("images", "ls", "-q").split()
        return next(name for name in names if re.search(r"berth-scheduler[:@]", name))

    def node(self, name):
        return next(node for node in self.nodes if node.name == name)

    def ready(self, name):
        try:
            conditions = self.api.get(f"{NODES}/{name}")["status"].get("conditions") or []
        except ApiError as error:
            if error.status == 404:
                return False
            raise
        return any(one["type"] == "Ready" and one["status"] == "True" for one in conditions)

    def make_whole(self):
        """Starts what a scenario ended, and undoes what it did to the nodes."""
        if not self.plane.api_server.alive():
            self.plane.start_api_server()
            self.plane.wait_ready()
        for node in self.nodes:
            if not node.alive():
                node.restart()
            node.heal()
        for node in self.nodes:
            wait(lambda name=node.name: self.ready(name), f"{node.name} is ready", 120)
            spec = self.api.get(f"{NODES}/{node.name}")["spec"]
            if spec.get("unschedulable"):
                self.plane.kubectl("uncordon", node.name)
            wait(lambda name=node.name: self.untainted(name), f"{node.name} has no taints", 60)

    def untainted(self, name):
        return not self.api.get(f"{NODES}/{name}")["spec"].get("taints")

    def schedule_with(self, mode):
        """Lets `mode`, a class of installations, schedule, and nothing else; None: nobody."""
        if type(self._mode) is mode and self._mode.works():
            return self._mode
        if self._mode:
            self._mode.remove()
        self._mode = mode(self) if mode else None
        if self._mode:
            self._mode.install()
        return self._mode

    def holder(self, lease):
        """Returns the identity that holds the lease; empty if nobody does."""
        try:
            spec = self.api.get(LEASE.format(lease))["spec"]
        except ApiError as error:
            if error.status == 404:
                return ""
            raise
        return spec.get("holderIdentity") or ""

    def berth_processes(self, node=None):
        """Returns the processes of berth-scheduler in pods, of one node or of all."""
        found = []
        below = f"{self.folder.name}/{node.name}/" if node else f"{self.folder.name}/"
        for comm in Path("/proc").glob("[0-9]*/comm"):
            try:
                if comm.read_text().strip() == "berth-scheduler":
                    if below in (comm.parent / "cgroup").read_text():
                        found.append(int(comm.parent.name))
            except OSError:
                pass
        return found

    def berth(self, *command):
        """Runs `kubectl berth …`, with the program as a plugin."""
        folder = self.folder / "plugins"
        folder.mkdir(exist_ok=True)
        plugin = folder / "kubectl-berth"
        if not plugin.exists():
            plugin.symlink_to(self.arguments.berth.resolve() / "berth")
        path = f"{folder}:/usr/bin:/bin"
        return self.plane.kubectl("berth", *command, environment={"PATH": path})

    def end(self):
        for node in self.nodes:
            node.power_off()
