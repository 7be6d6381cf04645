"""What the programs contain and need besides Berth: libraries with their versions and licences.

NOTICE and the SBOMs are made of it.
"""

import base64
import json
import re
from dataclasses import dataclass
from pathlib import Path

from archive import SOURCES, run

COMMON_LICENSES = Path("/usr/share/common-licenses")


@dataclass(frozen=True)
class Library:
    """A library of Debian: the package that it is linked from, its licence, and the package that
    has it as a shared library, unless even programs of Debian packages have it linked in."""

    name: str
    package: str
    license: str
    shared: str | None = None


LIBRARIES = [
    Library("fmt", "libfmt-dev", "MIT"),
    Library("simdjson", "libsimdjson-dev", "Apache-2.0"),
    Library("mimalloc", "libmimalloc-dev", "MIT"),
    Library("re2", "libre2-dev", "BSD-3-Clause"),
    Library("boost", "libboost1.81-dev", "BSL-1.0"),
    Library("openssl", "libssl-dev", "Apache-2.0", "libssl3"),
    Library("zlib", "zlib1g-dev", "Zlib", "zlib1g"),
    Library("sqlite", "libsqlite3-dev", "blessing", "libsqlite3-0"),
    Library("nghttp2", "libnghttp2-dev", "MIT", "libnghttp2-14"),
    Library("libyaml", "libyaml-dev", "MIT", "libyaml-0-2"),
    Library("glibc", "libc6-dev", "LGPL-2.1-or-later", "libc6"),
]
COMPILER = Library(
    "gcc-runtime", "libstdc++-12-dev", "GPL-3.0-or-later WITH GCC-exception-3.1", "libstdc++6"
)


@dataclass(frozen=True)
class Component:
    """`linked` is "static", "dynamic" or "data"; `text` its copyright and licence; `checksum` is
    (algorithm, hexadecimal digits), or None."""

    name: str
    version: str
    license: str
    purl: str
    linked: str
    text: str
    checksum: tuple[str, str] | None = None


def debian_purl(package, version, architecture):
    return f"pkg:deb/debian/{package}@{version.replace('+', '%2B')}?arch={architecture}"


class Libraries:
    """The libraries of one architecture, as archive.py unpacked them below `build`."""

    def __init__(self, build, architecture):
        self.build, self.architecture = Path(build), architecture

    def static(self):
        """What a program has in it that is linked statically."""
        return [self._static(library) for library in LIBRARIES] + [self._compiler("static")]

    def of_debian_package(self):
        """What a program of a Debian package has in it, and what it loads."""
        found = [self._static(library) for library in LIBRARIES if library.shared is None]
        for library in LIBRARIES:
            if library.shared is not None:
                version = self._version(library.package)
                purl = debian_purl(library.shared, version, self.architecture)
                found.append(Component(library.name, version, library.license, purl, "dynamic", ""))
        return found + [self._compiler("dynamic")]

    def certificates(self):
        version = self._version("ca-certificates")
        text = (self.build / "certificates/usr/share/doc/ca-certificates/copyright").read_text(
            encoding="utf-8")  # fmt: skip
        return Component("ca-certificates", version, "MPL-2.0 AND GPL-2.0-or-later",
                         debian_purl("ca-certificates", version, "all"), "data", text)  # fmt: skip

    def _version(self, package):
        (deb,) = (self.build / "archive" / self.architecture / "debs" / package).glob("*.deb")
        return run(["dpkg-deb", "-f", deb, "Version"]).strip()

    def _static(self, library):
        root = "-libc" if library.name == "glibc" else ""
        copyright_ = (self.build / f"root-{self.architecture}{root}/usr/share/doc"
                      / library.package / "copyright").read_text(encoding="utf-8")  # fmt: skip
        if library.name == "boost":
            copyright_ = boost_license(copyright_)
        version = self._version(library.package)
        if library.package in SOURCES:
            purl = debian_purl(SOURCES[library.package], version, "source")
        else:
            purl = debian_purl(library.package, version, self.architecture)
        return Component(library.name, version, library.license, purl, "static", copyright_)

    def _compiler(self, linked):
        package = COMPILER.package
        if self.architecture != run(["dpkg", "--print-architecture"]).strip():
            package += f"-{self.architecture}-cross"
        version = run(["dpkg-query", "-W", "-f", "${Version}", package]).strip()
        text = ""
        if linked == "static":
            text = Path("/usr/share/doc/gcc-12-base/copyright").read_text(encoding="utf-8")
        else:
            package = COMPILER.shared
        purl = debian_purl(package, version, self.architecture)
        return Component(COMPILER.name, version, COMPILER.license, purl, linked, text)


def boost_license(copyright_):
    """Boost's licence without the 2 MB of who wrote what, which it does not ask programs for."""
    return re.search(r"^License: BSL-1\.0\n((?: .*\n)+)", copyright_, re.M)[0]


def npm(web):
    """The npm packages that the dashboard, which the programs embed, is bundled from."""
    lock = json.loads((web / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    found = []
    for name in json.loads(run(["node", Path(__file__).parent / "bundled_packages.mjs"], cwd=web)):
        locked = lock[f"node_modules/{name}"]
        algorithm, digest = locked["integrity"].split("-", 1)
        found.append(Component(
            name, locked["version"], locked["license"], f"pkg:npm/{name}@{locked['version']}",
            "static", (web / "node_modules" / name / "LICENSE").read_text(encoding="utf-8"),
            (algorithm.upper(), base64.b64decode(digest).hex()),
        ))  # fmt: skip
    return found


def notice(components, common_licenses=COMMON_LICENSES):
    """The text of NOTICE for programs with these components linked in.

    With it are the licences in the folder `common_licenses` that it refers to.
    """
    included = [component for component in components if component.linked != "dynamic"]
    parts = [
        "Berth is licensed under the Apache License 2.0: see LICENSE. The programs contain what\n"
        "follows, unchanged and under licences of its own.\n\n"
        + "".join(f"  {c.name} {c.version}: {c.license}\n" for c in included)
    ]
    for component in included:
        parts.append(f"{component.name} {component.version}\n\n{component.text.strip()}\n")
    referred = set()
    for component in included if common_licenses else []:
        referred.update(re.findall(r"/usr/share/common-licenses/([\w.-]*\w)", component.text))
    for name in sorted(referred):
        text = (common_licenses / name).read_text(encoding="utf-8")
        parts.append(f"/usr/share/common-licenses/{name}\n\n{text.strip()}\n")
    return ("\n" + "=" * 100 + "\n").join(parts)


def merged(*lists):
    """The components of several architectures, each version once: for a common NOTICE."""
    found = {}
    for component in (component for components in lists for component in components):
        found.setdefault((component.name, component.version), component)
    return sorted(found.values(), key=lambda component: (component.name, component.version))
