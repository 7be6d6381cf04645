"""Programs in roots of their own: unpacked images and bare distributions. Needs root."""

import json
import os
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

DEADLINE = 60  # Seconds, for what takes a few.
USER = "65532:65532"
# Ends the mounts with the process. An image gets a read-only root with a /tmp of its own.
ENTER = """
set -e
mount --make-rprivate /
mount --bind "$1" "$1"
if [ "$2" = image ]; then
  mount -t tmpfs tmpfs "$1/tmp"
  mount -o remount,bind,ro "$1"
else
  mount --rbind /proc "$1/proc"
  mount --rbind /dev "$1/dev"
fi
root=$1 user=$3
shift 3
exec chroot --userspec="$user" "$root" "$@"
"""


def unavailable(*tools):
    """Why no program can be started in another root here, or None."""
    if os.geteuid() != 0:
        return "starting programs in another root needs root"
    for tool in ("unshare", "chroot", *tools):
        if shutil.which(tool) is None:
            return f"{tool} is not installed"
    command = ["unshare", "--mount", "true"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return f"no mount namespaces here: {done.stderr.strip()}" if done.returncode else None


def entered(root, kind, user, command):
    """The command line that executes `command` in `root`; `kind` is image or system."""
    return ["unshare", "--mount", "--", "sh", "-c", ENTER, "enter", str(root), kind, user,
            *map(str, command)]  # fmt: skip


class Program:
    """A program that runs in a root until the test ends it."""

    def __init__(self, root, *command, kind="image"):
        self.log = tempfile.TemporaryFile(mode="w+")
        self.process = subprocess.Popen(
            entered(root, kind, USER, command), stdin=subprocess.DEVNULL, stdout=self.log,
            stderr=subprocess.STDOUT, env={"PATH": os.environ["PATH"]},
        )  # fmt: skip

    def text(self):
        self.log.seek(0)
        return self.log.read()

    def end(self):
        """Ends it, or waits until it has ended; returns exit status and output."""
        if self.process.poll() is None:
            self.process.terminate()
        status = self.process.wait(timeout=DEADLINE)
        text = self.text()
        self.log.close()
        return status, text


def unpack(path, folder):
    """Unpacks a tar archive of our own, with all that it has."""
    with tarfile.open(path) as tar:
        tar.extraction_filter = lambda member, _: member
        tar.extractall(folder, numeric_owner=True)


def unpack_image(path, folder, architecture):
    """Unpacks an image as a container runtime does; returns its root and configuration."""
    layout, root = Path(folder, "layout"), Path(folder, "root")
    unpack(path, layout)

    def blob(descriptor):
        return layout / "blobs" / descriptor["digest"].replace(":", "/")

    def read(descriptor):
        return json.loads(blob(descriptor).read_text(encoding="utf-8"))

    (top,) = json.loads((layout / "index.json").read_text(encoding="utf-8"))["manifests"]
    (image,) = (manifest for manifest in read(top)["manifests"]
                if manifest["platform"]["architecture"] == architecture)  # fmt: skip
    manifest = read(image)
    for layer in manifest["layers"]:
        unpack(blob(layer), root)
    return root, read(manifest["config"])["config"]
