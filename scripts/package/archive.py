"""Packages of the Debian archive, without installing them: through apt with a folder of its own.

apt verifies what it downloads, as it does for the machine: the archives are those that the machine
has configured, and so are the keys.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

RELEASE = "bookworm"

# Libraries that Debian has only as shared ones: they are built from its source packages, of the
# version of the headers that the programs are compiled with. {development package: source package}
SOURCES = {"libfmt-dev": "fmtlib", "libsimdjson-dev": "simdjson", "libmimalloc-dev": "mimalloc"}

# What the programs are linked with, as the archive has it today rather than as this machine was
# once installed: security fixes reach what is linked statically only so.
ROOT_PACKAGES = [
    "libboost1.81-dev", "libfmt-dev", "libmimalloc-dev", "libnghttp2-dev", "libre2-dev",
    "libsimdjson-dev", "libsqlite3-dev", "libssl-dev", "libyaml-dev", "zlib1g-dev",
    "libfmt9", "libmimalloc2.0", "libnghttp2-14", "libre2-9", "libsimdjson14", "libsqlite3-0",
    "libssl3", "libyaml-0-2", "zlib1g",
]  # fmt: skip
LIBC_PACKAGES = ["libc6-dev"]


class Unavailable(Exception):
    """The archive or a package of it cannot be had; the message says why."""


def run(command, **options):
    """Runs a command and returns its output."""
    done = subprocess.run(
        [str(word) for word in command], text=True, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options,
    )  # fmt: skip
    if done.returncode != 0:
        raise Unavailable(f"{' '.join(map(str, command))}:\n{done.stdout.strip()}")
    return done.stdout


def configured(output):
    """The lines of a sources.list for Debian's archives, from what `apt-get indextargets` prints.

    Each line of `output` is ORIGIN|SITE|RELEASE|CODENAME|COMPONENT.
    """
    lines = []
    for line in output.splitlines():
        origin, site, release, codename, component = line.split("|")
        if origin == "Debian" and codename.split("-")[0] == RELEASE:
            for kind in ("deb", "deb-src"):
                line = f"{kind} {site} {release} {component}"
                if line not in lines:
                    lines.append(line)
    return lines


def relocate(root):
    """Makes what points to / in the development files below `root` point into `root`."""
    for path in root.rglob("*"):
        if path.is_symlink() and os.readlink(path).startswith("/"):
            target = root / os.readlink(path).lstrip("/")
            path.unlink()
            path.symlink_to(os.path.relpath(target, path.parent))
        elif path.suffix == ".a" and path.read_bytes().startswith(b"/* GNU ld script"):
            # Names alone: the linker searches its folders for them.
            text = path.read_text(encoding="ascii")
            path.write_text(re.sub(r"(?<=\s)/usr/lib/(?:\S*/)?", "", text), encoding="ascii")


class Archive:
    """The packages of one architecture, as of the last update()."""

    def __init__(self, folder, architecture):
        self.folder = Path(folder, architecture).resolve()
        self.options = [
            "-o", f"APT::Architecture={architecture}", "-o", f"APT::Architectures={architecture}",
            "-o", f"Dir::Etc::SourceList={self.folder}/sources.list",
            "-o", "Dir::Etc::SourceParts=/dev/null",
            "-o", f"Dir::State::Lists={self.folder}/lists",
            "-o", f"Dir::State::Status={self.folder}/status",
            "-o", f"Dir::Cache={self.folder}",
            "-o", "APT::Sandbox::User=", "-o", "Acquire::Retries=3",
        ]  # fmt: skip

    def update(self):
        for folder in ("lists/partial", "archives/partial"):
            (self.folder / folder).mkdir(parents=True, exist_ok=True)
        (self.folder / "status").touch()
        fields = "$(ORIGIN)|$(SITE)|$(RELEASE)|$(CODENAME)|$(COMPONENT)"
        lines = configured(run(["apt-get", "indextargets", "--format", fields,
                                "Created-By: Packages"]))  # fmt: skip
        if not lines:
            raise Unavailable(f"apt has no archive of Debian {RELEASE}: run `apt-get update`; "
                              f"packages are built on Debian {RELEASE} only")  # fmt: skip
        (self.folder / "sources.list").write_text("\n".join(lines) + "\n", encoding="utf-8")
        run(["apt-get", *self.options, "update", "-q"])

    def download(self, packages):
        """Returns {package: the path of its .deb}."""
        debs = {}
        for package in packages:
            folder = self.folder / "debs" / package
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            run(["apt-get", *self.options, "download", "-q", package], cwd=folder)
            (debs[package],) = folder.glob("*.deb")
        return debs

    def unpack(self, packages, root):
        """Makes `root` hold the files of the packages and nothing else; returns their .debs."""
        debs = self.download(packages)
        shutil.rmtree(root, ignore_errors=True)
        for deb in debs.values():
            run(["dpkg-deb", "-x", deb, root])
        relocate(root)
        return debs

    def source(self, package, version, folder):
        """Unpacks a source package, with Debian's patches, as `folder`."""
        downloads = self.folder / "sources" / package
        shutil.rmtree(downloads, ignore_errors=True)
        downloads.mkdir(parents=True)
        run(["apt-get", *self.options, "source", "-q", "--only-source", f"{package}={version}"],
            cwd=downloads)  # fmt: skip
        (unpacked,) = (path for path in downloads.iterdir() if path.is_dir())
        shutil.rmtree(folder, ignore_errors=True)
        Path(folder).parent.mkdir(parents=True, exist_ok=True)
        unpacked.rename(folder)


def source_version(package):
    """The version of the source package of which the installed `package` was built."""
    return run(["dpkg-query", "-W", "-f", "${source:Version}", package])


def prepare(build, architectures, report):
    """Unpacks what the packages are built with below `build`, unless it is there already."""
    for architecture in architectures:
        wanted = build / f"{architecture}.ready"
        if wanted.exists():
            continue
        archive = Archive(build / "archive", architecture)
        report(f"{architecture}: Debian's packages")
        archive.update()
        archive.unpack(ROOT_PACKAGES, build / f"root-{architecture}")
        archive.unpack(LIBC_PACKAGES, build / f"root-{architecture}-libc")
        for package, source in SOURCES.items():
            folder = build / "sources" / source
            if not folder.exists():
                archive.source(source, source_version(package), folder)
        archive.unpack(["ca-certificates"], build / "certificates")
        wanted.touch()
