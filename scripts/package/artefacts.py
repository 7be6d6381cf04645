"""The artefacts of a release, made from the programs that CMake built."""

import hashlib
import json
import os
import re
import subprocess
import tempfile
from pathlib import Path

import archive
import components
import deb
import debian_packages
import oci
import sbom
import tree as trees

PROGRAMS = ("berth", "berth-scheduler")
TOOLS = {"amd64": "x86_64-linux-gnu-", "arm64": "aarch64-linux-gnu-"}

# kubectl finds plugins and their completion by these names. Not links: krew unpacks none.
WRAPPER = """#!/bin/sh
# {what}: for kubectl.
exec "$(dirname "$(readlink -f "$0")")/berth"{arguments} "$@"
"""
WRAPPERS = {
    "kubectl-berth": WRAPPER.format(what="The plugin `kubectl berth`", arguments=""),
    "kubectl_complete-berth": WRAPPER.format(
        what="The completion of `kubectl berth`", arguments=" __complete"),
}  # fmt: skip
SHORT_DESCRIPTION = "Explain why pods are pending or where they are"
DESCRIPTION = (
    "Explains why a pod is pending or why it is on its node, whatever schedules the cluster, and "
    "which smallest changes would let it run. Nothing is written to the cluster."
)
IMAGE_DESCRIPTIONS = {
    "berth": "Explains scheduling of Kubernetes and runs local clusters",
    "berth-scheduler": "Drop-in replacement for kube-scheduler",
}


class Release:
    """Writes the artefacts of a version into the folder `output`.

    `build` holds what archive.py unpacked and CMake built; `epoch` is the time of all files.
    """

    def __init__(self, root, build, output, version, epoch, url):
        self.root, self.build, self.output = root, build, output
        self.version, self.epoch, self.url = version, epoch, url.rstrip("/")

    def write(self, architectures, report):
        bundled = components.npm(self.root / "web")
        libraries = {a: components.Libraries(self.build, a) for a in architectures}
        report("man pages and completion")
        manual = manual_of(*(self.build / architectures[0] / "static" / p for p in PROGRAMS))
        images = {program: {} for program in PROGRAMS}
        tarballs = {}
        for architecture in architectures:
            report(f"{architecture}: tarball and Debian packages")
            stripped = {kind: self._strip(architecture, kind) for kind in ("debian", "static")}
            parts = libraries[architecture].static() + bundled
            documents = trees.Tree()
            documents.add_file("LICENSE", self.root / "LICENSE")
            documents.add("NOTICE", components.notice(parts))
            tarballs[architecture] = self._tarball(
                architecture, stripped["static"], documents, manual, parts)  # fmt: skip
            self._debug_tarball(architecture, stripped["static"])
            source = archive.Archive(self.build / "archive", architecture)
            packages = debian_packages.Packages(
                self, architecture, stripped["debian"], manual,
                deb.SharedLibraries(self.build, source, architecture))  # fmt: skip
            for path in packages.write(libraries[architecture].of_debian_package() + bundled):
                self._describe(path, packages.components(path.name))
            for program in PROGRAMS:
                images[program][architecture] = self._image_root(
                    stripped["static"][program], libraries[architecture], parts)  # fmt: skip
        for program, roots in images.items():
            report(f"image of {program}")
            everything = components.merged(
                *(libraries[a].static() for a in architectures), bundled,
                [libraries[architectures[0]].certificates()])  # fmt: skip
            labels = {
                "org.opencontainers.image.licenses": "Apache-2.0",
                "org.opencontainers.image.description": IMAGE_DESCRIPTIONS[program],
            }
            entrypoint = f"/usr/bin/{program}"
            data = oci.write(program, self.version, roots, entrypoint, labels, self.epoch)
            self._add(f"{program}-{self.version}-image.tar", data, everything)
        report("chart and manifests, krew manifest")
        subprocess.run([self.root / "scripts/package_chart.py", self.output,
                        f"--version={self.version}"], check=True)  # fmt: skip
        self._describe(self.output / f"berth-chart-{self.version}.tgz", [])
        self._krew(tarballs)

    def _add(self, name, data, parts):
        path = self.output / name
        path.write_bytes(data)
        self._describe(path, parts)

    def _describe(self, path, parts):
        """Writes the SBOM of an artefact beside it."""
        described = sbom.document(path.name, path.read_bytes(), self.version, parts, self.epoch)
        (self.output / f"{path.name}.spdx.json").write_bytes(described)

    def _strip(self, architecture, kind):
        """Splits the debug information from the programs: {program: Path of the stripped one},
        with the information as `.debug` beside it. The names of functions stay, for the stacks
        that the programs write themselves: a tenth of a package, and no memory."""
        folder = self.build / architecture / "stripped" / kind
        folder.mkdir(parents=True, exist_ok=True)
        tools = TOOLS[architecture]
        found = {}
        for program in PROGRAMS:
            built = self.build / architecture / kind / program
            found[program] = folder / program
            archive.run([f"{tools}objcopy", "--only-keep-debug", "--compress-debug-sections",
                         built, folder / f"{program}.debug"])  # fmt: skip
            archive.run([f"{tools}strip", "--strip-debug", "-R.comment", "-o", folder / program,
                         built])  # fmt: skip
            found[program].chmod(0o755)
        return found

    def _tarball(self, architecture, programs, documents, manual, parts):
        files = trees.Tree()
        for program, path in programs.items():
            files.add_file(f"bin/{program}", path, 0o755)
        for name, text in WRAPPERS.items():
            files.add(f"bin/{name}", text, 0o755)
        for path, entry in manual.entries.items():
            files.add(f"share/{path}", entry.data)
        files.add_file(
            "share/systemd/berth-scheduler.service",
            self.root / "deploy/systemd/berth-scheduler.service",
        )
        files.update(documents)
        name = f"berth-{self.version}-linux-{architecture}"
        data = trees.gz(trees.tar(files, self.epoch, prefix=name))
        self._add(f"{name}.tar.gz", data, parts)
        return hashlib.sha256(data).hexdigest()

    def _debug_tarball(self, architecture, programs):
        """Debug information of tarballs and images, for gdb's debug-file-directory."""
        files = trees.Tree()
        for path in programs.values():
            files.add_file(build_id_file(path), f"{path}.debug", 0o644)
        name = f"berth-{self.version}-linux-{architecture}-debug"
        (self.output / f"{name}.tar.gz").write_bytes(
            trees.gz(trees.tar(files, self.epoch, prefix=name), 1))  # fmt: skip

    def _image_root(self, program, libraries, parts):
        documents = trees.Tree()
        folder = f"usr/share/doc/{program.name}"
        documents.add_file(f"{folder}/LICENSE", self.root / "LICENSE")
        certificates = libraries.certificates()
        documents.add(f"{folder}/NOTICE", components.notice([*parts, certificates]))
        return oci.root(program, certificates_of(self.build / "certificates"), documents)

    def _krew(self, tarballs):
        """The manifest of the kubectl plugin, in the format of krew."""
        platforms = []
        for architecture, digest in tarballs.items():
            name = f"berth-{self.version}-linux-{architecture}"
            platforms.append({
                "selector": {"matchLabels": {"os": "linux", "arch": architecture}},
                "uri": f"{self.url}/{name}.tar.gz",
                "sha256": digest,
                "files": [{"from": f"{name}/bin/berth", "to": "."},
                          {"from": f"{name}/LICENSE", "to": "."},
                          {"from": f"{name}/NOTICE", "to": "."}],
                "bin": "berth",
            })  # fmt: skip
        manifest = {
            "apiVersion": "krew.googlecontainertools.github.com/v1alpha2",
            "kind": "Plugin",
            "metadata": {"name": "berth"},
            "spec": {
                "version": f"v{self.version}",
                "homepage": self.url,
                "shortDescription": SHORT_DESCRIPTION,
                "description": DESCRIPTION,
                "platforms": platforms,
            },
        }
        folder = self.output / "krew"
        folder.mkdir(exist_ok=True)
        # JSON is YAML.
        (folder / "berth.yaml").write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")


def manual_of(berth, scheduler):
    """Man pages and completion as the programs write them: a Tree of what goes below share/."""
    manual = trees.Tree()
    with tempfile.TemporaryDirectory(prefix="berth-man-") as folder:
        archive.run([berth, "man", folder])
        for page in sorted(Path(folder).iterdir()):
            manual.add_file(f"man/man{page.suffix[1:]}/{page.name}", page, 0o644)
    for program in (berth, scheduler):
        for shell, path in (
            ("bash", f"bash-completion/completions/{program.name}"),
            ("zsh", f"zsh/site-functions/_{program.name}"),
            ("fish", f"fish/vendor_completions.d/{program.name}.fish"),
        ):
            manual.add(path, archive.run([program, "completion", shell]))
    return manual


def build_id_file(program):
    """Where gdb looks for the debug information of `program`, below its debug-file-directory."""
    printed = archive.run(["readelf", "-n", program])
    digits = re.search(r"Build ID: ([0-9a-f]+)", printed)[1]
    return f".build-id/{digits[:2]}/{digits[2:]}.debug"


def certificates_of(folder):
    """The certificates of authorities in the unpacked package ca-certificates, in one file.

    Not those of this machine, which its owner may have added to.
    """
    files = sorted((folder / "usr/share/ca-certificates").rglob("*.crt"))
    return b"".join(path.read_bytes().rstrip(b"\n") + b"\n" for path in files)


def needed(program):
    """The names of the shared libraries that a program needs."""
    printed = archive.run(["readelf", "-d", program], env={**os.environ, "LC_ALL": "C"})
    return re.findall(r"\(NEEDED\).*\[(.+)\]", printed)
