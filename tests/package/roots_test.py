#!/usr/bin/env python3
"""Starts the image and the Debian packages, made from given programs, in roots with nothing else.

    tests/package/roots_test.py BERTH BERTH_SCHEDULER

The roots hold what the image has, or what the packages have and depend on. Each is seen to fail
with a library taken out. Needs root, for chroot; exits with 77 without.
"""

import json
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(SOURCE / "scripts/package"))

import artefacts  # noqa: E402
import deb  # noqa: E402
import debian_packages  # noqa: E402
import oci  # noqa: E402
import tree as trees  # noqa: E402
from roots import DEADLINE, USER, Program, unavailable, unpack_image  # noqa: E402

PROGRAMS = {}
EPOCH = 1_700_000_000


def printed(*command):
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout


def libraries(program):
    """A Tree with `program` and all that ldd says it loads."""
    files = trees.Tree()
    files.add_file(f"usr/bin/{program.name}", program, 0o755)
    for path in re.findall(r"(?:=> |^\s+)(/\S+) \(0x", printed("ldd", program), re.M):
        files.add_file(path, path, 0o755)
    return files


def image_root(program, folder):
    """Writes an image of `program` and unpacks it as a container runtime does."""
    root = oci.root(libraries(program), b"", trees.Tree())
    entrypoint = f"/usr/bin/{program.name}"
    archive = oci.write(program.name, "1.2.3", {"amd64": root}, entrypoint, {}, EPOCH)
    path = folder / "image.tar"
    path.write_bytes(archive)
    return unpack_image(path, folder, "amd64")


def with_dependencies(packages):
    """The packages, which must be installed, and all that they depend on."""
    found = set()
    todo = list(packages)
    while todo:
        package = todo.pop()
        if package not in found:
            found.add(package)
            depends = printed("dpkg-query", "-W", "-f", "${Depends}", package)
            todo += installed_names(depends)
    return found


def installed_names(depends):
    names = []
    for alternatives in filter(None, depends.split(",")):
        for alternative in alternatives.split("|"):
            name = alternative.split("(")[0].strip().removesuffix(":any")
            done = subprocess.run(["dpkg-query", "-W", name], capture_output=True, check=False)
            if done.returncode == 0:
                names.append(name)
                break
    return names


def package_root(package, folder):
    """Writes a Debian package and unpacks it with the libraries that its Depends name."""
    path = package.write(folder, "1.2.3", EPOCH, compression="none")
    root = folder / "root"
    root.mkdir()
    for name in ("lib", "lib64"):
        (root / "usr" / name).mkdir(parents=True)
        (root / name).symlink_to(f"usr/{name}")
    printed("dpkg-deb", "-x", path, root)
    for name in with_dependencies(installed_names(printed("dpkg-deb", "-f", path, "Depends"))):
        for file in printed("dpkg-query", "-L", name).split("\n"):
            # Loading needs nothing but libraries; /lib is a link in the root.
            if ".so" in file and Path(file).is_file():
                target = root / file.lstrip("/")
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(file, target)
    (root / "tmp").mkdir()
    return root


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Roots(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="berth-roots-")
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        self.folder.chmod(0o755)

    def below(self, name):
        folder = self.folder / name
        folder.mkdir(mode=0o755)
        return folder

    def start(self, *arguments):
        program = Program(*arguments)
        self.addCleanup(program.end)
        return program

    def request(self, program, url, body=None):
        """The JSON at `url`, as soon as the server is there."""
        data = None if body is None else json.dumps(body).encode()
        deadline = time.monotonic() + DEADLINE
        while True:
            try:
                request = urllib.request.Request(
                    url, data, {"Content-Type": "application/json"} if data else {})  # fmt: skip
                with urllib.request.urlopen(request, timeout=DEADLINE) as response:
                    return json.load(response)
            except urllib.error.HTTPError:
                raise
            except OSError as error:
                if program.process.poll() is not None or time.monotonic() > deadline:
                    raise AssertionError(f"{error}: {program.text()}") from error
                time.sleep(0.05)

    def schedules(self, berth_root, scheduler_root):
        """A cluster from the one root, and a scheduler from the other that binds a pod there."""
        server = f"http://127.0.0.1:{free_port()}"
        berth = self.start(
            berth_root, "/usr/bin/berth", "up", "--nodes=2", "--scheduler=none",
            f"--port={server.rsplit(':', 1)[1]}", "--kubeconfig=/tmp/kubeconfig")  # fmt: skip
        self.request(berth, f"{server}/api/v1/nodes")
        scheduler = self.start(
            scheduler_root, "/usr/bin/berth-scheduler", f"--master={server}",
            "--leader-elect=false", f"--secure-port={free_port()}")  # fmt: skip
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"},
               "spec": {"containers": [{"name": "web", "image": "nginx"}]}}  # fmt: skip
        pods = f"{server}/api/v1/namespaces/default/pods"
        self.request(berth, pods, pod)
        deadline = time.monotonic() + DEADLINE
        while "nodeName" not in self.request(berth, f"{pods}/web")["spec"]:
            if scheduler.process.poll() is not None or time.monotonic() > deadline:
                self.fail(scheduler.text())
            time.sleep(0.05)

    def fails_without(self, root, program, library):
        found = list(root.rglob(f"{library}*"))
        self.assertTrue(found)
        for path in found:
            path.unlink()
        started = Program(root, f"/usr/bin/{program}", "--help")
        started.process.wait(timeout=DEADLINE)
        status, text = started.end()
        self.assertEqual(status, 127, text)
        self.assertRegex(text, rf"{re.escape(library)}.*cannot open shared object file")


class Image(Roots):
    def test_schedules_a_pod_and_needs_all_that_it_has(self):
        roots = {}
        for name, path in PROGRAMS.items():
            roots[name], config = image_root(path, self.below(name))
            self.assertEqual(config["User"], USER)
            self.assertEqual(config["Entrypoint"], [f"/usr/bin/{name}"])
        self.schedules(*roots.values())
        for name, root in roots.items():
            self.fails_without(root, name, "libre2.so")


class Packages(Roots):
    def test_schedule_a_pod_and_need_all_that_they_depend_on(self):
        release = artefacts.Release(SOURCE, None, None, "1.2.3", EPOCH, "")
        manual = artefacts.manual_of(*PROGRAMS.values())
        shared = deb.InstalledLibraries()
        made = debian_packages.Packages(release, "amd64", PROGRAMS, manual, shared)
        roots = {
            package.name: package_root(package, self.below(package.name))
            for package in (made.berth(), made.scheduler())
        }
        self.schedules(*roots.values())
        for name, root in roots.items():
            self.fails_without(root, name, "libre2.so")


def main():
    berth, scheduler = map(Path, sys.argv[1:])
    PROGRAMS.update({"berth": berth, "berth-scheduler": scheduler})
    if reason := unavailable("dpkg-shlibdeps", "ldd"):
        print(f"skipped: {reason}")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])


if __name__ == "__main__":
    main()
