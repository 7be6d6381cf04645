"""OCI images, written directly: an archive with one image for several architectures.

The format is that of the OCI image specification 1.0: an image layout in a tar archive, which
containerd, podman, buildah, skopeo and docker (25 or later) load.
"""

import hashlib
import json
from datetime import datetime, timezone

import tree as trees

INDEX = "application/vnd.oci.image.index.v1+json"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"
CONFIG = "application/vnd.oci.image.config.v1+json"
LAYER = "application/vnd.oci.image.layer.v1.tar+gzip"

# The user of the programs; it needs no entry in /etc/passwd, but tools print its name.
USER = 65532


def encode(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


class Layout:
    """The files of an image layout."""

    def __init__(self):
        self.tree = trees.Tree()
        self.tree.add("oci-layout", encode({"imageLayoutVersion": "1.0.0"}))

    def blob(self, media_type, data, **more):
        """Adds a blob; returns its descriptor."""
        digest = hashlib.sha256(data).hexdigest()
        self.tree.add(f"blobs/sha256/{digest}", data)
        return {"mediaType": media_type, "digest": f"sha256:{digest}", "size": len(data), **more}


def write(name, version, roots, entrypoint, labels, epoch):
    """The bytes of the archive.

    `roots` are the files of the image by architecture, as a Tree each.
    """
    created = datetime.fromtimestamp(epoch, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    labels = {
        "org.opencontainers.image.title": name,
        "org.opencontainers.image.version": version,
        "org.opencontainers.image.created": created,
        **labels,
    }
    layout = Layout()
    manifests = []
    for architecture, root in sorted(roots.items()):
        files = trees.tar(root, epoch)
        layer = layout.blob(LAYER, trees.gz(files))
        config = {
            "architecture": architecture,
            "os": "linux",
            "created": created,
            "config": {
                "User": f"{USER}:{USER}",
                "Entrypoint": [entrypoint],
                "WorkingDir": "/",
                "Env": ["PATH=/usr/bin:/bin"],
                "Labels": labels,
            },
            "rootfs": {
                "type": "layers",
                "diff_ids": [f"sha256:{hashlib.sha256(files).hexdigest()}"],
            },
            "history": [{"created": created, "created_by": f"berth {version}"}],
        }
        manifest = {
            "schemaVersion": 2,
            "mediaType": MANIFEST,
            "config": layout.blob(CONFIG, encode(config)),
            "layers": [layer],
            "annotations": labels,
        }
        platform = {"architecture": architecture, "os": "linux"}
        manifests.append(layout.blob(MANIFEST, encode(manifest), platform=platform))
    index = {"schemaVersion": 2, "mediaType": INDEX, "manifests": manifests, "annotations": labels}
    reference = f"{name}:{version}"
    names = {
        # What containerd calls an image whose name has no host.
        "io.containerd.image.name": f"docker.io/library/{reference}",
        "org.opencontainers.image.ref.name": reference,
    }
    top = {
        "schemaVersion": 2,
        "mediaType": INDEX,
        "manifests": [layout.blob(INDEX, encode(index), annotations=names)],
    }
    layout.tree.add("index.json", encode(top))
    return trees.tar(layout.tree, epoch)


def root(program, certificates, documents):
    """The files of an image: a program, the certificates of authorities, and `documents`.

    `program` is the path of a program that is linked statically, or a Tree with one and its
    libraries; `documents` is a Tree.
    """
    files = trees.Tree()
    if isinstance(program, trees.Tree):
        files.update(program)
    else:
        files.add_file(f"usr/bin/{program.name}", program, 0o755)
    files.update(documents)
    files.add("etc/ssl/certs/ca-certificates.crt", certificates)
    # Where the OpenSSL of Debian looks.
    files.link("usr/lib/ssl/cert.pem", "/etc/ssl/certs/ca-certificates.crt")
    files.link("usr/lib/ssl/certs", "/etc/ssl/certs")
    files.add("etc/passwd", f"root:x:0:0:root:/:/sbin/nologin\n"
                            f"berth:x:{USER}:{USER}:berth:/:/sbin/nologin\n")  # fmt: skip
    files.add("etc/group", f"root:x:0:\nberth:x:{USER}:\n")
    files.folder("tmp", 0o1777)
    return files
