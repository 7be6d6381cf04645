"""The Debian packages berth, berth-scheduler and libberth-dev, and their debug symbols."""

import shutil
from pathlib import Path

import archive
import artefacts
import components
import deb
import tree as trees

BERTH = """\
Berth explains scheduling of Kubernetes: why a pod is pending, why it is where
it is, and which smallest changes would let it run. It schedules clusters
described in files, compares and replays decisions, and runs local clusters
that kubectl can use. It is a plugin of kubectl, as 'kubectl berth'."""
SCHEDULER = """\
A drop-in replacement for kube-scheduler: the same flags, configuration, API
requests, events, conditions and metrics. The package has a systemd unit, which
is neither enabled nor started."""
DEVELOPMENT = """\
Static libraries, headers and the CMake package 'berth', to embed the
scheduling engine, or to build a scheduler with plugins of your own. They are
built with the compiler and the libraries of Debian {release}."""

UNIT = "berth-scheduler.service"
# The unit starts on demand only; one that runs is restarted by an upgrade.
SCRIPTS = {
    "postinst": """#!/bin/sh
set -e
if [ "$1" = configure ] && [ -d /run/systemd/system ]; then
  systemctl --system daemon-reload >/dev/null || true
  if [ -n "$2" ]; then
    deb-systemd-invoke try-restart UNIT >/dev/null || true
  fi
fi
""",
    "prerm": """#!/bin/sh
set -e
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then
  deb-systemd-invoke stop UNIT >/dev/null || true
fi
""",
    "postrm": """#!/bin/sh
set -e
if [ -d /run/systemd/system ]; then
  systemctl --system daemon-reload >/dev/null || true
fi
""",
}


class Packages:
    """The packages of one architecture. `programs` are the stripped programs, `manual` what
    artefacts.manual_of() makes of them; `shared` is a deb.SharedLibraries."""

    def __init__(self, release, architecture, programs, manual, shared):
        self.release, self.architecture = release, architecture
        self.programs, self.manual, self.shared = programs, manual, shared

    def write(self, parts):
        """Writes all packages, with `parts` as components; returns their paths."""
        self.parts = parts
        # Debian has the texts of common licences.
        notice = components.notice(parts, common_licenses=None)
        paths = []
        for package in [self.berth(), self.scheduler(), self._development()]:
            package.add_documents(self.release.version, self.release.epoch, notice)
            paths.append(self._written(package))
        for program in self.programs:
            package = self._symbols(program)
            package.tree.link(f"usr/share/doc/{package.name}", program)
            # Debug sections are compressed already: what is quick will do.
            paths.append(self._written(package, "gzip"))
        return paths

    def components(self, name):
        """The components of the package file `name`."""
        if name.startswith("libberth-dev"):
            return [part for part in self.parts if part.linked == "static"
                    and part.name not in ("fmt", "simdjson", "mimalloc", "re2")]  # fmt: skip
        return self.parts

    def _written(self, package, compression="xz"):
        release = self.release
        return package.write(release.output, release.version, release.epoch, compression)

    def berth(self):
        root, tree = self.release.root, self._program("berth")
        tree.link("usr/bin/kubectl-berth", "berth")
        tree.link("usr/bin/kubectl_complete-berth", "berth")
        for document in sorted((root / "docs").glob("*.md")):
            tree.add_file(f"usr/share/doc/berth/{document.name}", document, 0o644)
        for example in sorted((root / "examples").rglob("*.yaml")):
            tree.add_file(
                f"usr/share/doc/berth/examples/{example.relative_to(root / 'examples')}", example)
        return deb.Package(
            "berth", self.architecture, "explains and simulates scheduling of Kubernetes", BERTH,
            tree, relations={
                "Depends": self.shared.depends(self.programs["berth"]),
                "Recommends": "ca-certificates",
                "Suggests": "berth-scheduler, kubernetes-client",
            },
        )  # fmt: skip

    def scheduler(self):
        root, tree = self.release.root, self._program("berth-scheduler")
        unit = (root / "deploy/systemd" / UNIT).read_text(encoding="utf-8")
        tree.add(f"usr/lib/systemd/system/{UNIT}", unit.replace("/usr/local/bin/", "/usr/bin/"))
        tree.add_folder("usr/share/doc/berth-scheduler/examples/monitoring",
                        root / "deploy/monitoring")  # fmt: skip
        return deb.Package(
            "berth-scheduler", self.architecture, "drop-in replacement for kube-scheduler",
            SCHEDULER, tree, relations={
                "Depends": self.shared.depends(self.programs["berth-scheduler"]),
                "Recommends": "ca-certificates",
                "Suggests": "berth",
            },
            scripts={name: text.replace("UNIT", UNIT) for name, text in SCRIPTS.items()},
        )  # fmt: skip

    def _program(self, program):
        """The tree of a package with a program, its man pages and its completion."""
        tree = trees.Tree()
        tree.add_file(f"usr/bin/{program}", self.programs[program], 0o755)
        for path, entry in self.manual.entries.items():
            name = Path(path).name
            if name.lstrip("_").startswith("berth-scheduler") != (program == "berth-scheduler"):
                continue
            path = path.replace("zsh/site-functions", "zsh/vendor-completions")
            if path.startswith("man/"):
                tree.add(f"usr/share/{path}.gz", trees.gz(entry.data, 9))
            else:
                tree.add(f"usr/share/{path}", entry.data)
        # Completion and manual go by the name of the command.
        if program == "berth":
            tree.link("usr/share/bash-completion/completions/kubectl-berth", "berth")
            tree.link("usr/share/man/man1/kubectl_complete-berth.1.gz", "kubectl-berth.1.gz")
        return tree

    def _development(self):
        staging = self.release.build / self.architecture / "development"
        shutil.rmtree(staging, ignore_errors=True)
        archive.run(["cmake", "--install", self.release.build / self.architecture,
                     "--prefix", staging / "usr", "--component", "development"])  # fmt: skip
        strip = f"{artefacts.TOOLS[self.architecture]}strip"
        for library in staging.rglob("*.a"):
            archive.run([strip, "--strip-debug", "-R.comment", "-D", library])
        tree = trees.Tree()
        tree.add_folder("", staging)
        examples = self.release.root / "examples"
        for example in ("custom-scheduler", "embedding"):
            tree.add_folder(f"usr/share/doc/libberth-dev/examples/{example}", examples / example)
        # Packages with a shared library in their name pin the release of Debian.
        pins = [name for name in archive.ROOT_PACKAGES
                if name.startswith(("libfmt", "libsimdjson", "libre2"))]  # fmt: skip
        others = ["libnghttp2-dev", "libsqlite3-dev", "libssl-dev", "libyaml-dev", "zlib1g-dev"]
        return deb.Package(
            "libberth-dev", self.architecture, "scheduling engine of Kubernetes as a library",
            DEVELOPMENT.format(release=archive.RELEASE), tree, section="libdevel",
            relations={
                "Depends": ", ".join(sorted(pins + others)),
                "Recommends": "cmake, g++ (>= 4:12)",
            },
        )  # fmt: skip

    def _symbols(self, program):
        path = self.programs[program]
        file = artefacts.build_id_file(path)
        tree = trees.Tree()
        tree.add_file(f"usr/lib/debug/{file}", f"{path}.debug", 0o644)
        identity = file.removeprefix(".build-id/").removesuffix(".debug").replace("/", "")
        return deb.Package(
            f"{program}-dbgsym", self.architecture, f"debug symbols for {program}",
            f"Line tables of {program}, for stack traces.", tree, section="debug",
            relations={
                "Depends": f"{program} (= {self.release.version})",
                "Auto-Built-Package": "debug-symbols",
                "Build-Ids": identity,
            },
        )  # fmt: skip
