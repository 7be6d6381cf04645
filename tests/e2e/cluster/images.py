"""Container images, written as archives that containerd imports."""

import hashlib
import io
import json
import os
import re
import subprocess
import tarfile
import time
from pathlib import Path

from . import host

BUSYBOX = "e2e.invalid/busybox:1"  # No registry has it: it is imported.
BERTH = "docker.io/library/berth-scheduler:built"  # Unless there is a package.


def _layer(files, links=(), folders=()):
    """Returns a layer with {path in the image: file}."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as archive:
        for name in folders:
            entry = tarfile.TarInfo(name)
            entry.type, entry.mode = tarfile.DIRTYPE, 0o1777
            archive.addfile(entry)
        for name, source in files.items():
            data = Path(source).read_bytes()
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(data), 0o755
            archive.addfile(entry, io.BytesIO(data))
        for name, target in links:
            entry = tarfile.TarInfo(name)
            entry.type, entry.linkname = tarfile.SYMTYPE, target
            archive.addfile(entry)
    return content.getvalue()


def _write(path, reference, layer, **config):
    """Writes a Docker archive with one layer."""
    digest = hashlib.sha256(layer).hexdigest()
    image = {
        "architecture": "amd64", "os": "linux", "config": config,
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{digest}"]},
    }  # fmt: skip
    config_data = json.dumps(image).encode()
    manifest = [{"Config": "config.json", "RepoTags": [reference], "Layers": ["layer.tar"]}]
    entries = {"config.json": config_data, "layer.tar": layer}
    entries["manifest.json"] = json.dumps(manifest).encode()
    with tarfile.open(path, "w") as archive:
        for name, data in entries.items():
            entry = tarfile.TarInfo(name)
            entry.size, entry.mtime = len(data), int(time.time())
            archive.addfile(entry, io.BytesIO(data))
    return path


def busybox(folder):
    """Returns an image with a shell. By default it waits, as a sandbox does, and ends when told."""
    tools = ["sh", "sleep", "true", "false", "wget", "cat", "httpd", "echo"]
    layer = _layer(
        {"bin/busybox": host.find("busybox")},
        links=[(f"bin/{tool}", "busybox") for tool in tools],
        folders=["tmp"],
    )
    wait = "trap 'exit 0' TERM; sleep 2147483647 & wait"
    return _write(folder / "busybox.tar", BUSYBOX, layer, Entrypoint=["/bin/sh", "-c", wait])


def scheduler(arguments, folder):
    """Returns the image of berth-scheduler: the packaged one, or else one of the built program and
    the libraries that it says it needs."""
    packaged = sorted(arguments.dist.glob("berth-scheduler-*-image.tar"))
    if packaged:
        return packaged[-1]
    program = arguments.berth / "berth-scheduler"
    needed = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    files = {"usr/bin/berth-scheduler": program}
    for path in re.findall(r"(?:=> )?(/\S+) \(0x", needed):
        files[path.lstrip("/")] = os.path.realpath(path)
    return _write(
        folder / "berth-scheduler.tar", BERTH, _layer(files, folders=["tmp"]),
        Entrypoint=["/usr/bin/berth-scheduler"], User="65532:65532",
        Env=["PATH=/usr/local/bin:/usr/bin:/bin"],
    )  # fmt: skip
