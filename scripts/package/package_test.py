#!/usr/bin/env python3
"""Tests of the packaging modules, without network. It is the test `package.self_test`."""

import hashlib
import io
import json
import os
import subprocess
import tarfile
import tempfile
import unittest
import unittest.mock
from pathlib import Path

import archive
import build
import components
import deb
import oci
import sbom
import tree as trees

EPOCH = 1_700_000_000
FMT = components.Component(
    "fmt", "9.1", "MIT", "pkg:deb/debian/fmtlib@9.1?arch=source", "static",
    "License: MIT, as in /usr/share/common-licenses/Common.\n")  # fmt: skip
ZLIB = components.Component("zlib", "1.2", "Zlib", "pkg:deb/debian/zlib1g@1.2", "dynamic", "")


def sample():
    files = trees.Tree()
    files.add("usr/bin/program", "text", 0o755)
    files.add("etc/file", b"data")
    files.link("usr/bin/other", "program")
    files.folder("tmp", 0o1777)
    return files


class ArchiveTest(unittest.TestCase):
    def test_takes_the_archives_of_debian_that_the_machine_has(self):
        printed = (
            "Debian|http://one/debian|bookworm|bookworm|main\n"
            "Debian|http://one/debian|bookworm|bookworm|main\n"
            "Debian|http://two/security|bookworm-security|bookworm-security|main\n"
            "Debian|http://one/debian|trixie|trixie|main\n"
            "Somebody|https://three|stable|bookworm|main\n"
        )
        self.assertEqual(archive.configured(printed), [
            "deb http://one/debian bookworm main",
            "deb-src http://one/debian bookworm main",
            "deb http://two/security bookworm-security main",
            "deb-src http://two/security bookworm-security main",
        ])  # fmt: skip

    def test_a_failed_command_is_told_with_its_output(self):
        with self.assertRaisesRegex(archive.Unavailable, r"^sh -c echo why; exit 3:\nwhy$"):
            archive.run(["sh", "-c", "echo why; exit 3"])

    def test_development_files_point_into_their_root(self):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "usr/lib").mkdir(parents=True)
            (root / "usr/lib/libz.so").symlink_to("/lib/libz.so.1")
            script = "/* GNU ld script\n*/\nGROUP ( /usr/lib/here/libm-2.36.a /usr/lib/libv.a )\n"
            (root / "usr/lib/libm.a").write_text(script, encoding="ascii")
            archive.relocate(root)
            self.assertEqual(os.readlink(root / "usr/lib/libz.so"), "../../lib/libz.so.1")
            self.assertEqual((root / "usr/lib/libm.a").read_text(encoding="ascii"),
                             "/* GNU ld script\n*/\nGROUP ( libm-2.36.a libv.a )\n")  # fmt: skip


class TreeTest(unittest.TestCase):
    def test_tar_has_the_folders_modes_and_links(self):
        with tarfile.open(fileobj=io.BytesIO(trees.tar(sample(), EPOCH, prefix="top"))) as tar:
            found = {info.name: info for info in tar}
        self.assertEqual(list(found), sorted(found))
        self.assertEqual(set(found), {"top", "top/etc", "top/etc/file", "top/tmp", "top/usr",
                                      "top/usr/bin", "top/usr/bin/program",
                                      "top/usr/bin/other"})  # fmt: skip
        self.assertEqual(found["top/usr/bin/program"].mode, 0o755)
        self.assertEqual(found["top/tmp"].mode, 0o1777)
        self.assertEqual(found["top/usr/bin/other"].linkname, "program")
        self.assertEqual({(info.mtime, info.uid, info.uname) for info in found.values()},
                         {(EPOCH, 0, "root")})  # fmt: skip

    def test_archives_have_the_same_bytes_each_time(self):
        again = trees.Tree()
        for path, entry in reversed(sample().entries.items()):
            again.entries[path] = entry
        self.assertEqual(trees.gz(trees.tar(sample(), EPOCH)), trees.gz(trees.tar(again, EPOCH)))

    def test_writes_a_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            sample().write(folder, EPOCH)
            self.assertEqual(Path(folder, "usr/bin/other").read_text(encoding="utf-8"), "text")
            self.assertEqual(Path(folder, "tmp").stat().st_mode & 0o7777, 0o1777)
            for path in Path(folder).rglob("*"):
                self.assertEqual(path.lstat().st_mtime, EPOCH, path)


class ImageTest(unittest.TestCase):
    def setUp(self):
        self.data = oci.write("berth", "1.2.3", {"amd64": sample(), "arm64": sample()},
                              "/usr/bin/berth", {"label": "value"}, EPOCH)  # fmt: skip
        with tarfile.open(fileobj=io.BytesIO(self.data)) as tar:
            self.files = {i.name: tar.extractfile(i).read() for i in tar if i.isfile()}

    def blob(self, descriptor):
        data = self.files["blobs/" + descriptor["digest"].replace(":", "/")]
        self.assertEqual(len(data), descriptor["size"])
        self.assertEqual("sha256:" + hashlib.sha256(data).hexdigest(), descriptor["digest"])
        return data

    def test_has_an_image_for_each_architecture(self):
        self.assertEqual(json.loads(self.files["oci-layout"]), {"imageLayoutVersion": "1.0.0"})
        (top,) = json.loads(self.files["index.json"])["manifests"]
        self.assertEqual(top["annotations"]["org.opencontainers.image.ref.name"], "berth:1.2.3")
        index = json.loads(self.blob(top))
        platforms = [manifest["platform"]["architecture"] for manifest in index["manifests"]]
        self.assertEqual(platforms, ["amd64", "arm64"])
        for descriptor in index["manifests"]:
            manifest = json.loads(self.blob(descriptor))
            config = json.loads(self.blob(manifest["config"]))
            self.assertEqual(config["architecture"], descriptor["platform"]["architecture"])
            self.assertEqual(config["created"], "2023-11-14T22:13:20Z")
            self.assertEqual(config["config"]["User"], "65532:65532")
            self.assertEqual(config["config"]["Labels"]["label"], "value")
            (layer,) = manifest["layers"]
            unpacked = subprocess.run(["gzip", "-dc"], input=self.blob(layer), check=True,
                                      stdout=subprocess.PIPE).stdout  # fmt: skip
            self.assertEqual(config["rootfs"]["diff_ids"],
                             ["sha256:" + hashlib.sha256(unpacked).hexdigest()])  # fmt: skip

    def test_a_root_has_a_user_and_certificates(self):
        program = trees.Tree()
        program.add("usr/bin/berth", "program", 0o755)
        root = oci.root(program, b"certificates", trees.Tree())
        self.assertEqual(root.entries["etc/ssl/certs/ca-certificates.crt"].data, b"certificates")
        self.assertIn(b"berth:x:65532:65532:", root.entries["etc/passwd"].data)


class DocumentsTest(unittest.TestCase):
    def test_notice_has_the_licences_of_what_is_linked_in(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "Common").write_text("the common licence\n", encoding="utf-8")
            text = components.notice([FMT, ZLIB], Path(folder))
        self.assertIn("  fmt 9.1: MIT\n", text)
        self.assertIn("License: MIT, as in", text)
        self.assertIn("the common licence\n", text)
        self.assertNotIn("zlib", text)

    def test_boost_keeps_its_licence_only(self):
        text = "Files: a\nLicense: X\n\nLicense: BSL-1.0\n Boost\n .\n Licence\n\nLicense: X\n"
        self.assertEqual(components.boost_license(text), "License: BSL-1.0\n Boost\n .\n Licence\n")

    def test_sbom_tells_what_is_linked_how(self):
        document = json.loads(sbom.document("berth.deb", b"data", "1.2.3", [FMT, ZLIB], EPOCH))
        self.assertEqual(document["spdxVersion"], "SPDX-2.3")
        identifiers = [package["SPDXID"] for package in document["packages"]]
        self.assertEqual(len(identifiers), len(set(identifiers)))
        for identifier in identifiers:
            self.assertRegex(identifier, r"^SPDXRef-[A-Za-z0-9.-]+$")
        related = {relation["relatedSpdxElement"]: relation["relationshipType"]
                   for relation in document["relationships"]}  # fmt: skip
        self.assertEqual([related[identifier] for identifier in identifiers],
                         ["DESCRIBES", "STATIC_LINK", "DYNAMIC_LINK"])  # fmt: skip
        self.assertEqual(document["packages"][0]["checksums"][0]["checksumValue"],
                         hashlib.sha256(b"data").hexdigest())  # fmt: skip


class DebianPackageTest(unittest.TestCase):
    def test_has_its_files_control_and_documents(self):
        package = deb.Package("berth", "amd64", "summary", "First.\n\nSecond.", sample(),
                              relations={"Depends": "libc6", "Suggests": ""},
                              scripts={"postinst": "#!/bin/sh\n"})  # fmt: skip
        package.add_documents("1.2.3", EPOCH, "notice\n\nmore")
        with tempfile.TemporaryDirectory() as folder:
            path = package.write(folder, "1.2.3", EPOCH)
            again = Path(folder, "again")
            again.mkdir()
            self.assertEqual(package.write(again, "1.2.3", EPOCH).read_bytes(), path.read_bytes())
            control = archive.run(["dpkg-deb", "-f", path])
            listed = archive.run(["dpkg-deb", "-c", path])
            archive.run(["dpkg-deb", "-R", path, Path(folder, "unpacked")])
            sums = subprocess.run(["md5sum", "-c", "--quiet", "DEBIAN/md5sums"], check=False,
                                  cwd=Path(folder, "unpacked"))  # fmt: skip
        self.assertEqual(path.name, "berth_1.2.3_amd64.deb")
        self.assertIn("Depends: libc6\n", control)
        self.assertNotIn("Suggests", control)
        self.assertTrue(control.endswith("Description: summary\n First.\n .\n Second.\n"), control)
        self.assertRegex(listed, r"-rwxr-xr-x root/root .* \./usr/bin/program\n")
        self.assertIn("./usr/share/doc/berth/changelog.gz", listed)
        self.assertEqual(sums.returncode, 0)


class BuildTest(unittest.TestCase):
    def test_refuses_other_architectures(self):
        for wrong in ("amd64,mips", "", " "):
            with self.assertRaises(SystemExit), open(os.devnull, "w", encoding="utf-8") as null:
                with unittest.mock.patch("sys.stderr", null):
                    build.parse(["--architectures", wrong])
        self.assertEqual(build.parse(["--architectures", "arm64"]).architectures, ["arm64"])

    def test_sums_are_those_of_sha256sum(self):
        with tempfile.TemporaryDirectory() as folder:
            sample().write(folder, EPOCH)
            Path(folder, "usr/bin/other").unlink()
            build.write_sums(Path(folder))
            checked = archive.run(["sha256sum", "-c", "SHA256SUMS"], cwd=folder)
        self.assertEqual(checked, "etc/file: OK\nusr/bin/program: OK\n")


if __name__ == "__main__":
    unittest.main()
