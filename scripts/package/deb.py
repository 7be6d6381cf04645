"""Debian packages, by dpkg-deb."""

import hashlib
import os
import tempfile
import time
from dataclasses import dataclass, field
from email.utils import formatdate
from pathlib import Path

import tree as trees
from archive import run

MAINTAINER = "Berth maintainers <maintainers@berth.invalid>"
COPYRIGHT = """\
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Berth
Comment:
 Licences of the libraries that are linked in: /usr/share/doc/{package}/NOTICE.gz.

Files: *
Copyright: {year} The authors of Berth
License: Apache-2.0

License: Apache-2.0
 The full text is in /usr/share/common-licenses/Apache-2.0.
"""
# Packages with the shared libraries that programs load.
SHARED = ["libc6", "libgcc-s1", "libstdc++6", "libnghttp2-14", "libsqlite3-0", "libssl3",
          "libyaml-0-2", "zlib1g"]  # fmt: skip


@dataclass
class Package:
    name: str
    architecture: str
    summary: str
    description: str
    tree: trees.Tree
    section: str = "admin"
    relations: dict[str, str] = field(default_factory=dict)
    scripts: dict[str, str] = field(default_factory=dict)

    def control(self, version):
        size = sum(-(-len(entry.data) // 1024) for entry in self.tree.entries.values()
                   if entry.data is not None)  # fmt: skip
        fields = {
            "Package": self.name,
            "Source": "berth",
            "Version": version,
            "Architecture": self.architecture,
            "Maintainer": MAINTAINER,
            "Installed-Size": str(size),
            **{name: value for name, value in self.relations.items() if value},
            "Section": self.section,
            "Priority": "optional",
            "Description": self.summary + "".join(
                "\n " + (line or ".") for line in self.description.strip().split("\n")),
        }  # fmt: skip
        if self.name == "berth":
            del fields["Source"]
        return "".join(f"{name}: {value}\n" for name, value in fields.items())

    def add_documents(self, version, epoch, notice):
        """Adds what each package has in /usr/share/doc."""
        folder = f"usr/share/doc/{self.name}"
        changelog = (
            f"berth ({version}) stable; urgency=medium\n\n  * Release {version}.\n\n"
            f" -- {MAINTAINER}  {formatdate(epoch)}\n"
        )
        self.tree.add(f"{folder}/changelog.gz", trees.gz(changelog.encode(), 9))
        self.tree.add(f"{folder}/copyright", COPYRIGHT.format(
            package=self.name, year=time.gmtime(epoch).tm_year))  # fmt: skip
        self.tree.add(f"{folder}/NOTICE.gz", trees.gz(notice.encode(), 9))

    def write(self, output, version, epoch, compression="xz"):
        """Writes the package into the folder `output`; returns its path."""
        path = Path(output) / f"{self.name}_{version}_{self.architecture}.deb"
        with tempfile.TemporaryDirectory(prefix="berth-deb-") as folder:
            root = Path(folder, "root")
            control = trees.Tree()
            control.add("DEBIAN/control", self.control(version))
            for name, text in self.scripts.items():
                control.add(f"DEBIAN/{name}", text, 0o755)
            sums = "".join(
                f"{hashlib.md5(entry.data).hexdigest()}  {file}\n"
                for file, entry in sorted(self.tree.entries.items()) if entry.data is not None
            )  # fmt: skip
            control.add("DEBIAN/md5sums", sums)
            control.update(self.tree)
            control.write(root, epoch)
            run(["dpkg-deb", "--root-owner-group", f"-Z{compression}", "--build", root, path],
                env={**os.environ, "SOURCE_DATE_EPOCH": str(epoch)})  # fmt: skip
        return path


class InstalledLibraries:
    """The shared libraries of this machine, as dpkg-shlibdeps reads them."""

    architecture = None
    folders = ()

    def depends(self, *programs):
        """The Depends field of a package with `programs`."""
        with tempfile.TemporaryDirectory(prefix="berth-shlibdeps-") as folder:
            control = Path(folder, "debian/control")
            control.parent.mkdir()
            control.write_text("Source: berth\n\nPackage: berth\nArchitecture: any\n",
                               encoding="utf-8")  # fmt: skip
            searched = [f"-S{path}" for path in self.folders]
            environment = dict(os.environ)
            if self.architecture:
                environment["DEB_HOST_ARCH"] = self.architecture
            printed = run(
                ["dpkg-shlibdeps", "-O", *searched, *(f"-e{Path(p).resolve()}" for p in programs)],
                cwd=folder, env=environment,
            )  # fmt: skip
        (line,) = (line for line in printed.splitlines() if line.startswith("shlibs:Depends="))
        return line.removeprefix("shlibs:Depends=")


class SharedLibraries(InstalledLibraries):
    """Those of the archive, for any architecture."""

    def __init__(self, build, archive, architecture):
        self.architecture = architecture
        folder = Path(build) / f"shared-{architecture}"
        if not folder.exists():
            debs = archive.download(SHARED)
            folder.mkdir()
            for package, path in debs.items():
                run(["dpkg-deb", "-R", path, folder / package])
        self.folders = sorted(folder.iterdir())
