"""Files of an artefact before they are packed, and archives with the same bytes each time."""

import gzip
import io
import os
import tarfile
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Entry:
    """A file, or a symbolic link if `link` is set, or a folder if `data` is None as well."""

    data: bytes | None = None
    mode: int = 0o644
    link: str | None = None


class Tree:
    """Files by their path below the root; the folders above them are implied."""

    def __init__(self):
        self.entries = {}

    def add(self, path, data, mode=0o644):
        if isinstance(data, str):
            data = data.encode()
        self.entries[path.strip("/")] = Entry(data, mode)

    def add_file(self, path, source, mode=None):
        source = Path(source)
        executable = source.stat().st_mode & 0o111
        self.add(path, source.read_bytes(), mode or (0o755 if executable else 0o644))

    def add_folder(self, path, source):
        """Adds all files below the folder `source`."""
        for file in sorted(Path(source).rglob("*")):
            if file.is_symlink():
                self.link(f"{path}/{file.relative_to(source)}", os.readlink(file))
            elif file.is_file():
                self.add_file(f"{path}/{file.relative_to(source)}", file)

    def link(self, path, target):
        self.entries[path.strip("/")] = Entry(link=target, mode=0o777)

    def folder(self, path, mode=0o755):
        """Adds a folder: one that is empty, or has another mode than 0755."""
        self.entries[path.strip("/")] = Entry(mode=mode)

    def update(self, other):
        self.entries.update(other.entries)

    def walk(self):
        """(path, entry) of everything with the folders above, each after the one that holds it."""
        everything = dict(self.entries)
        for path in self.entries:
            for parent in Path(path).parents:
                if str(parent) != ".":
                    everything.setdefault(str(parent), Entry(mode=0o755))
        return sorted(everything.items())

    def write(self, folder, epoch):
        """Writes everything below `folder`, with the time `epoch`."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        everything = self.walk()
        for path, entry in everything:
            target = folder / path
            if entry.link is not None:
                target.symlink_to(entry.link)
            elif entry.data is None:
                target.mkdir(exist_ok=True)
                target.chmod(entry.mode)
            else:
                target.write_bytes(entry.data)
                target.chmod(entry.mode)
        # Folders last: what is written into them changes their times.
        for path, _ in reversed(everything):
            os.utime(folder / path, (epoch, epoch), follow_symlinks=False)
        os.utime(folder, (epoch, epoch))


def tar(tree, epoch, prefix=""):
    """The bytes of a tar archive of `tree`, owned by root, all of the time `epoch`."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
        entries = tree.walk()
        if prefix:
            entries = [("", Entry(mode=0o755)), *entries]
        for path, entry in entries:
            info = tarfile.TarInfo(f"{prefix}/{path}".strip("/"))
            info.mtime, info.mode = epoch, entry.mode
            info.uname = info.gname = "root"
            if entry.link is not None:
                info.type, info.linkname = tarfile.SYMTYPE, entry.link
                archive.addfile(info)
            elif entry.data is None:
                info.type = tarfile.DIRTYPE
                archive.addfile(info)
            else:
                info.size = len(entry.data)
                archive.addfile(info, io.BytesIO(entry.data))
    return out.getvalue()


def gz(data, level=6):
    return gzip.compress(data, level, mtime=0)
