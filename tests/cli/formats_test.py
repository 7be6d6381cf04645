#!/usr/bin/env python3
"""What Berth stores outlives it: reads the recordings and data directories of every release in
tests/data/formats, and sees that those of a newer version are refused.

    formats_test.py BERTH
"""

import json
import shutil
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
import unittest
import urllib.request
from pathlib import Path

BERTH = ""
FORMATS = Path(__file__).resolve().parent.parent / "data" / "formats"
NEWER = 1000


def releases():
    found = sorted(path for path in FORMATS.iterdir() if path.is_dir())
    assert found, f"{FORMATS} has no folder of a release"
    return found


class Server:
    """berth apiserver on a data directory."""

    def __init__(self, directory):
        command = [BERTH, "apiserver", "--port", "0", "--data-dir", str(directory)]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.line = self.process.stdout.readline()
        self.url = self.line.split()[-1] if self.line else ""

    def get(self, path):
        with urllib.request.urlopen(self.url + path, timeout=30) as response:
            return json.load(response)

    def stop(self):
        self.process.terminate()
        _, error = self.process.communicate(timeout=30)
        return self.process.returncode, error


class FormatsTest(unittest.TestCase):
    def setUp(self):
        self.directory = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.directory)

    def replay(self, path):
        return subprocess.run(
            [BERTH, "replay", str(path)], capture_output=True, text=True, timeout=60
        )

    def unpack(self, release):
        data = self.directory / release.name
        with tarfile.open(release / "data-directory.tar.gz") as archive:
            archive.extractall(data)
        return data

    def test_recordings_are_replayed(self):
        for release in releases():
            ended = self.replay(release / "recording.berth")
            self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
            self.assertIn("51 events, 7 decisions", ended.stdout)
            self.assertIn("\nidentical\n", ended.stdout)

    def test_a_recording_of_a_newer_version_is_refused(self):
        bytes_ = bytearray((releases()[-1] / "recording.berth").read_bytes())
        version = int.from_bytes(bytes_[8:12], "little")
        bytes_[8:12] = NEWER.to_bytes(4, "little")
        newer = self.directory / "newer.berth"
        newer.write_bytes(bytes_)
        ended = self.replay(newer)
        self.assertEqual(ended.returncode, 2)
        self.assertEqual(
            ended.stderr,
            f"berth replay: {newer}: was written by a newer version of Berth: its format is "
            f"{NEWER}, and this version reads up to {version}\n",
        )

    def test_data_directories_are_served(self):
        for release in releases():
            server = Server(self.unpack(release))
            try:
                pods = server.get("/api/v1/namespaces/shop/pods")
                self.assertEqual(
                    [(pod["metadata"]["name"], pod["metadata"]["labels"]) for pod in pods["items"]],
                    [("web-1", {"app": "web"})],
                )
                self.assertEqual(pods["items"][0]["spec"]["containers"][0]["image"], "web:1")
                node = server.get("/api/v1/nodes/harbour-1")
                self.assertEqual(node["metadata"]["labels"]["zone"], "north")
                ship = server.get("/apis/example.com/v1/namespaces/shop/ships/anna")
                self.assertEqual(ship["spec"], {"draught": 5})
                maps = server.get("/api/v1/namespaces/shop/configmaps")
                self.assertNotIn("gone", [one["metadata"]["name"] for one in maps["items"]])
            finally:
                code, error = server.stop()
            self.assertEqual(code, 0, error)

    def test_a_data_directory_of_a_newer_version_is_refused(self):
        data = self.unpack(releases()[-1])
        database = sqlite3.connect(data / "berth.db")
        (version,) = database.execute("PRAGMA user_version").fetchone()
        database.execute(f"PRAGMA user_version = {NEWER}")
        database.commit()
        database.close()
        server = Server(data)
        code, error = server.stop()
        self.assertEqual(server.line, "")
        self.assertEqual(code, 1)
        self.assertEqual(
            error,
            f"berth apiserver: {data}/berth.db was written by a newer version of Berth: its format "
            f"is {NEWER}, and this version knows {version}\n",
        )


if __name__ == "__main__":
    BERTH = sys.argv.pop(1)
    unittest.main()
