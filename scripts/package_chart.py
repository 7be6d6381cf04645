#!/usr/bin/env python3
"""Writes what a release has of the Helm chart, from deploy/chart and deploy/kubeadm:

    scripts/package_chart.py DIR [--version VERSION]

DIR/berth-chart-VERSION.tgz is the chart with its version, and DIR/manifests has what it renders for
those who have no Helm, each file for one `kubectl apply -f`. Equal sources make equal files.
"""

import argparse
import gzip
import io
import re
import sys
import tarfile
from pathlib import Path

import render_chart

ROOT = Path(__file__).resolve().parent.parent
CHART = ROOT / "deploy" / "chart"
KUBEADM = ROOT / "deploy" / "kubeadm"
POLICY = "admissionregistration.k8s.io/v1/MutatingAdmissionPolicy"

# The manifests of the chart, and the arguments of render_chart.py that make them.
RENDERED = {
    "second-scheduler.yaml": ["--set=mode=second"],
    "second-scheduler-admission.yaml": [
        "--set=mode=second", "--set=admission.enabled=true", f"--api-versions={POLICY}",
        "--show-only=admission.yaml",
    ],
    "shadow.yaml": ["--set=mode=shadow"],
    "replace-deployment.yaml": ["--set=mode=replace"],
}  # fmt: skip
# Those of kubeadm, which are files for control-plane nodes.
COPIED = {
    "replace-static-pod.yaml": "kube-scheduler.yaml",
    "kubeadm-patches/kube-scheduler0+strategic.yaml": "patches/kube-scheduler0+strategic.yaml",
    "kubeadm-patches/kube-scheduler1+json.yaml": "patches/kube-scheduler1+json.yaml",
}


def manifests(version):
    """Returns the text of each file."""
    texts = {
        name: render_chart.rendered([str(CHART), f"--version={version}", *arguments])
        for name, arguments in RENDERED.items()
    }
    for name, source in COPIED.items():
        text = (KUBEADM / source).read_text(encoding="utf-8")
        image = rf"(image: berth-scheduler:){re.escape(render_chart.NO_VERSION)} #.*"
        texts[name] = re.sub(image, rf"\g<1>{version}", text)
    return texts


def files(version):
    """Yields (name, bytes) of the files of the chart; links are followed."""
    for path in sorted(CHART.rglob("*")):
        if not path.is_file():
            continue
        content = path.read_bytes()
        if path.name == "Chart.yaml":
            content = re.sub(
                rb"(?m)^# The version stands.*\n|(^version: |^appVersion: ).*",
                lambda found: found[1] + version.encode() if found[1] else b"", content,
            )  # fmt: skip
        yield path.relative_to(CHART).as_posix(), content


def archive(version):
    """Returns the chart as `helm install` takes it: a tar.gz with the folder berth/."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, content in files(version):
            entry = tarfile.TarInfo(f"berth/{name}")
            entry.size = len(content)
            entry.mode = 0o644
            tar.addfile(entry, io.BytesIO(content))
    return gzip.compress(packed.getvalue(), mtime=0)


def main():
    parser = argparse.ArgumentParser(description="Write the chart and its manifests to a folder.")
    parser.add_argument("folder", type=Path, metavar="DIR", help="the folder, made if needed")
    parser.add_argument("--version", default=render_chart.Chart(CHART).version(),
                        help="of chart and program (default: that of CMakeLists.txt)")  # fmt: skip
    options = parser.parse_args()
    if not re.fullmatch(r"\d+\.\d+\.\d+([-+][\w.+-]+)?", options.version):
        sys.exit(f"package_chart.py: --version {options.version}: not a semantic version")
    texts = manifests(options.version)
    for name, text in texts.items():
        path = options.folder / "manifests" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    name = f"berth-chart-{options.version}.tgz"
    (options.folder / name).write_bytes(archive(options.version))


if __name__ == "__main__":
    main()
