#!/usr/bin/env python3
"""Installs a release on bare roots of Debian and runs it. A step of `make verify`.

    tests/package/release_test.py DIST [unittest arguments]

DIST is what `make package` wrote. Needs root, the network of apt, lintian, mmdebstrap, minisign and
qemu-user-static. With BERTH_SYSTEMS=FOLDER the bare systems stay in that folder for the next run.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from roots import DEADLINE, USER, Program, entered, unavailable, unpack, unpack_image

SOURCE = Path(__file__).resolve().parent.parent.parent
DIST = Path()
# Where bare systems are kept, each in a folder named after its release.
CACHE = Path()
DEBS = ["berth", "berth-scheduler"]
QEMU = "/usr/bin/qemu-aarch64-static"


def run(*command, **options):
    """Runs a command; its output is a part of the failure."""
    done = subprocess.run([str(word) for word in command], text=True, check=False,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, **options)  # fmt: skip
    if done.returncode != 0:
        words = " ".join(map(str, command))
        raise AssertionError(f"{words}: exit {done.returncode}\n{done.stdout}")
    return done.stdout


def artefact(pattern):
    (path,) = DIST.glob(pattern)
    return path


def architectures():
    """What the release is for."""
    return [name for name in ("amd64", "arm64") if list(DIST.glob(f"*-linux-{name}.tar.gz"))]


def system(release, folder):
    """A copy of a bare system of a release of Debian, below `folder`."""
    made = CACHE / release
    if not made.exists():
        run("mmdebstrap", "--variant=apt", release, made)
    root = folder / release
    run("cp", "-a", made, root)
    shutil.copy("/etc/resolv.conf", root / "etc/resolv.conf")
    return root


def inside(root, *command, user="0:0"):
    environment = {
        "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
        "DEBIAN_FRONTEND": "noninteractive",
        "HOME": "/tmp",
    }
    return run(*entered(root, "system", user, command), env=environment)


class ReleaseCase(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="berth-release-")
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        self.folder.chmod(0o755)

    def demo(self, root, berth, *wrapper):
        """The demo, as one whose output is no terminal: it ends with a summary."""
        printed = inside(root, *wrapper, berth, "up", "--demo", user=USER)
        self.assertRegex(printed, r"10,?000")
        return printed


class DebianPackages(ReleaseCase):
    def install(self, root, *names):
        files = []
        for name in names:
            path = artefact(f"{name}_*_amd64.deb")
            shutil.copy(path, root / "tmp")
            files.append(f"/tmp/{path.name}")
        inside(root, "apt-get", "update", "-q")
        return inside(root, "apt-get", "install", "-q", "-y", "--no-install-recommends", *files)

    def test_lintian_finds_no_errors(self):
        debs = sorted(DIST.glob("*.deb"))
        self.assertGreaterEqual(len(debs), 3)
        done = subprocess.run(["lintian", "--fail-on", "error", *debs], text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)  # fmt: skip
        print(done.stdout)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_run_on_bare_systems(self):
        for release in ("bookworm", "trixie"):
            with self.subTest(release):
                root = system(release, self.folder)
                started = time.monotonic()
                self.install(root, *DEBS)
                self.demo(root, "berth")
                seconds = time.monotonic() - started
                print(f"{release}: installed and ran the demo in {seconds:.0f} s")
                self.assertLess(seconds, 60)
                self.assertIn("kube-scheduler", inside(root, "berth-scheduler", "--help"))
                self.assertIn("why", inside(root, "kubectl-berth", "why", "--help"))
                self.assertTrue((root / "usr/lib/systemd/system/berth-scheduler.service").exists())
                inside(root, "dpkg", "--verify", *DEBS)

    def test_fail_without_a_library(self):
        root = system("bookworm", self.folder)
        self.install(root, *DEBS)
        inside(root, "dpkg", "--remove", "--force-depends", "libyaml-0-2")
        for program in DEBS:
            with self.assertRaisesRegex(AssertionError, r"exit 127\n.*libyaml-0\.so\.2"):
                inside(root, program, "--help")

    def test_are_removed_without_rest(self):
        root = system("bookworm", self.folder)
        self.install(root, *DEBS)
        inside(root, "apt-get", "purge", "-q", "-y", *DEBS)
        left = [path for folder in ("etc", "usr") for path in (root / folder).rglob("*berth*")]
        self.assertEqual(left, [])

    def test_the_library_serves_its_release_only(self):
        root = system("bookworm", self.folder)
        self.install(root, "libberth-dev")
        inside(root, "apt-get", "install", "-q", "-y", "--no-install-recommends", "cmake", "g++",
               "make")  # fmt: skip
        example = "/usr/share/doc/libberth-dev/examples/embedding"
        inside(root, "cmake", "-S", example, "-B", "/tmp/built", "-DCMAKE_BUILD_TYPE=None")
        inside(root, "cmake", "--build", "/tmp/built")
        expected = (SOURCE / "examples/embedding/expected.txt").read_text(encoding="utf-8")
        self.assertEqual(inside(root, "/tmp/built/embedding"), expected)
        other = system("trixie", self.folder)
        with self.assertRaisesRegex(AssertionError, "libfmt9"):
            self.install(other, "libberth-dev")


class Tarballs(ReleaseCase):
    def unpacked(self, root, architecture):
        path = artefact(f"berth-*-linux-{architecture}.tar.gz")
        unpack(path, root / "opt")
        return Path("/opt", path.name.removesuffix(".tar.gz"), "bin")

    def test_run_on_bare_systems(self):
        for release in ("bullseye", "bookworm", "trixie"):
            with self.subTest(release):
                root = system(release, self.folder)
                folder = self.unpacked(root, "amd64")
                self.demo(root, folder / "berth")
                self.assertIn("why", inside(root, folder / "kubectl-berth", "why", "--help"))
                self.assertIn("kube-scheduler", inside(root, folder / "berth-scheduler", "--help"))
                self.check_cluster(root, folder)

    def check_cluster(self, root, folder):
        """Names of /etc/hosts, TLS and a credential plugin, which is a program of the system."""
        with open(root / "etc/hosts", "a", encoding="utf-8") as hosts:
            hosts.write("127.0.0.1 localhost\n")
        # A module of another C library must not be loaded.
        (root / "etc/nsswitch.conf").write_text("hosts: mdns4_minimal files resolve dns\n",
                                                encoding="utf-8")  # fmt: skip
        for name, text in (("tokens", "secret,admin,1,system:masters\n"), ("plugin", PLUGIN)):
            (root / "opt" / name).write_text(text, encoding="utf-8")
        (root / "opt/plugin").chmod(0o755)
        up = Program(root, folder / "berth", "up", "--nodes=2", "--port=0", "--tls",
                     "--token-auth-file=/opt/tokens", "--kubeconfig=/tmp/kubeconfig",
                     kind="system")  # fmt: skip
        self.addCleanup(up.end)
        deadline = time.monotonic() + DEADLINE
        while not (root / "tmp/kubeconfig").exists():
            self.assertLess(time.monotonic(), deadline, up.text())
            time.sleep(0.1)
        text = (root / "tmp/kubeconfig").read_text(encoding="utf-8")
        server = re.search(r"server: https://\S+:(\d+)", text)[1]
        authority = re.search(r"certificate-authority-data: (\S+)", text)[1]
        (root / "tmp/plugin-kubeconfig").write_text(
            KUBECONFIG.format(port=server, authority=authority), encoding="utf-8")  # fmt: skip
        printed = inside(root, folder / "berth", "check", "--kubeconfig=/tmp/plugin-kubeconfig",
                         user=USER)  # fmt: skip
        self.assertRegex(printed, r"(?i)server version")

    def test_run_on_arm64(self):
        if "arm64" not in architectures():
            self.skipTest("the release is not for arm64")
        folder = self.folder / "arm64"
        unpack(artefact("berth-*-linux-arm64.tar.gz"), folder)
        (programs,) = folder.glob("*/bin")
        for program in DEBS:
            self.assertIn("Usage", run(QEMU, programs / program, "--help"))
        printed = run(QEMU, programs / "berth", "schedule", "-f", SOURCE / "examples/harbour.yaml",
                      "-f", SOURCE / "examples/pods.yaml")  # fmt: skip
        unpack(artefact("berth-*-linux-amd64.tar.gz"), self.folder)
        (native,) = self.folder.glob("berth-*/bin")
        self.assertEqual(
            printed, run(native / "berth", "schedule", "-f", SOURCE / "examples/harbour.yaml",
                         "-f", SOURCE / "examples/pods.yaml"))  # fmt: skip
        self.assertIn("10", run(QEMU, programs / "berth", "up", "--demo"))


class Images(ReleaseCase):
    def test_run_on_a_read_only_root(self):
        for architecture in architectures():
            wrapper = [QEMU] if architecture == "arm64" else []
            for name in DEBS:
                with self.subTest(f"{name} {architecture}"):
                    folder = self.folder / f"{name}-{architecture}"
                    root, config = unpack_image(
                        artefact(f"{name}-[0-9]*-image.tar"), folder, architecture)  # fmt: skip
                    self.assertEqual(config["User"], USER)
                    if wrapper:
                        shutil.copy(QEMU, root / "usr/bin")
                    status, text = self.ended(root, *wrapper, *config["Entrypoint"], "--help")
                    self.assertEqual(status, 0, text)
                    if name == "berth":
                        status, text = self.ended(
                            root, *wrapper, *config["Entrypoint"], "up", "--demo")  # fmt: skip
                        self.assertEqual(status, 0, text)

    def ended(self, root, *command):
        program = Program(root, *command)
        program.process.wait(timeout=10 * DEADLINE)
        return program.end()

    @unittest.skipIf(shutil.which("skopeo") is None, "skopeo is not installed")
    def test_other_tools_read_them(self):
        for name in DEBS:
            path = artefact(f"{name}-[0-9]*-image.tar")
            for architecture in architectures():
                printed = run("skopeo", f"--override-arch={architecture}", "inspect",
                              f"oci-archive:{path}")  # fmt: skip
                self.assertEqual(json.loads(printed)["Architecture"], architecture)


class Files(ReleaseCase):
    def test_sums_are_right_and_complete(self):
        run("sha256sum", "--quiet", "-c", "SHA256SUMS", cwd=DIST)
        listed = {line.split("  ", 1)[1] for line in
                  (DIST / "SHA256SUMS").read_text(encoding="utf-8").splitlines()}  # fmt: skip
        present = {str(path.relative_to(DIST)) for path in DIST.rglob("*") if path.is_file()}
        self.assertEqual(listed, present - {"SHA256SUMS"})

    def test_the_krew_manifest_has_the_sums_of_the_tarballs(self):
        manifest = json.loads((DIST / "krew/berth.yaml").read_text(encoding="utf-8"))
        for platform in manifest["spec"]["platforms"]:
            path = DIST / platform["uri"].rsplit("/", 1)[1]
            self.assertEqual(platform["sha256"], hashlib.sha256(path.read_bytes()).hexdigest())
            unpack(path, self.folder / path.name)
            for file in platform["files"]:
                self.assertTrue((self.folder / path.name / file["from"]).is_file())
            # krew unpacks neither links nor special files.
            odd = [p for p in self.folder.rglob("*") if not p.is_dir() and p.is_symlink()]
            self.assertEqual(odd, [])

    def test_each_artefact_has_an_sbom_of_its_bytes(self):
        for path in DIST.iterdir():
            if path.suffix not in (".deb", ".gz", ".tar", ".tgz") or "-debug." in path.name:
                continue
            document = json.loads(Path(f"{path}.spdx.json").read_text(encoding="utf-8"))
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
            self.assertEqual(document["packages"][0]["checksums"][0]["checksumValue"], digest)

    def test_can_be_signed_with_minisign(self):
        guide = (SOURCE / "docs/packaging.md").read_text(encoding="utf-8")
        (script,) = re.findall(r"```sh\n(minisign -G.*?)```", guide, re.S)
        for name in ("SHA256SUMS",):
            shutil.copy(DIST / name, self.folder)
        printed = run("sh", "-ec", script, cwd=self.folder, env={**os.environ, "HOME": self.folder})
        self.assertIn("Signature and comment signature verified", printed)

    def test_a_second_build_in_another_folder_is_equal(self):
        if run("git", "-C", SOURCE, "status", "--porcelain"):
            self.skipTest("the working tree has changes that are not committed")
        clone = self.folder / "a/clone"
        run("git", "clone", "-q", SOURCE, clone)
        # Compiled again indeed.
        run(clone / "scripts/package/build.py", "--architectures", ",".join(architectures()),
            env={**os.environ, "CCACHE_DISABLE": "1"})  # fmt: skip
        sums = [(folder / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
                for folder in (DIST, clone / "dist")]  # fmt: skip
        self.assertEqual(*sums)


class Guide(ReleaseCase):
    """The commands of docs/install.md, as they stand there."""

    def commands(self, heading):
        text = (SOURCE / "docs/install.md").read_text(encoding="utf-8")
        section = re.search(rf"^## {heading}\n(.*?)^## ", text, re.M | re.S)[1]
        script = "".join(re.findall(r"^```sh\n(.*?)^```", section, re.M | re.S))
        version = artefact("berth_*_amd64.deb").name.split("_")[1]
        # Bare systems have no sudo; the tests are root.
        return script.replace("VERSION", version).replace("sudo ", "")

    def follow(self, root, heading, *artefacts):
        for name in artefacts:
            shutil.copy(artefact(name), root / "tmp")
        return inside(root, "bash", "-ec", "cd /tmp\n" + self.commands(heading))

    def test_installs_on_any_linux(self):
        root = system("bullseye", self.folder)
        printed = self.follow(root, "Any Linux", "berth-*-linux-amd64.tar.gz")
        self.assertRegex(printed, r"10,?000")

    def test_installs_on_debian(self):
        for release in ("bookworm", "trixie"):
            with self.subTest(release):
                root = system(release, self.folder)
                inside(root, "apt-get", "update", "-q")
                # One who types the command answers yes.
                (root / "etc/apt/apt.conf.d/90yes").write_text('APT::Get::Assume-Yes "true";\n',
                                                               encoding="utf-8")  # fmt: skip
                printed = self.follow(root, "Debian", "berth_*_amd64.deb")
                self.assertRegex(printed, r"10,?000")

    def test_checks_a_download(self):
        run("bash", "-ec", self.commands("Check a download"), cwd=DIST)


PLUGIN = """#!/bin/sh
echo '{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential",'
echo '"status": {"token": "secret"}}'
"""
KUBECONFIG = """apiVersion: v1
kind: Config
current-context: test
contexts:
- name: test
  context: {{cluster: test, user: plugin}}
clusters:
- name: test
  cluster:
    server: https://localhost:{port}
    certificate-authority-data: {authority}
users:
- name: plugin
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1
      command: /opt/plugin
      interactiveMode: Never
"""


def main():
    global DIST, CACHE
    DIST = Path(sys.argv.pop(1)).resolve()
    if reason := unavailable("lintian", "mmdebstrap", "minisign", QEMU):
        sys.exit(f"release_test.py: {reason}")
    with tempfile.TemporaryDirectory(prefix="berth-systems-") as cache:
        CACHE = Path(os.environ.get("BERTH_SYSTEMS", cache))
        program = unittest.main(exit=False, verbosity=2)
    sys.exit(0 if program.result.wasSuccessful() else 1)


if __name__ == "__main__":
    main()
