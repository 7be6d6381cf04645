#!/usr/bin/env python3
"""Makes a fix with `berth why --fix N --apply` in a `berth up`: asks first, acts as the user of the
kubeconfig, and says with --watch whether the pod runs then.

    apply_test.py BERTH
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from fixes_applied_test import Cluster, is_tried, wait_for

OBJECTS = """
apiVersion: v1
kind: Node
metadata: {name: node-1, labels: {disktype: ssd}}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {nodeSelector: {disktype: sdd}, containers: [{name: c, image: i}]}
"""
FIX = "ask for disktype=ssd in the nodeSelector instead of disktype=sdd"


def why(cluster, answer, *arguments, path=""):
    command = [cluster.berth, "why", "deployment/web", "--fix", "1", *arguments,
               "--kubeconfig", cluster.kubeconfig]  # fmt: skip
    return subprocess.run(
        command,
        input=answer,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env=dict(os.environ, PATH=path + os.environ["PATH"]),
    )


def selector(cluster):
    path = "jsonpath={.spec.template.spec.nodeSelector.disktype}"
    return cluster.run(["kubectl", "get", "deployment/web", "-o", path]).stdout


def check(name, condition, done):
    if not condition:
        sys.exit(f"{name}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}")


def main():
    if shutil.which("kubectl") is None:
        print("skipped: there is no kubectl")
        sys.exit(77)
    berth = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as folder:
        objects = pathlib.Path(folder, "objects.yaml")
        objects.write_text(OBJECTS)
        with Cluster(berth, folder, str(objects)) as cluster:
            wait_for(lambda: is_tried(cluster, "web"))

            for answer in ("n\n", ""):
                done = why(cluster, answer, "--apply")
                refused = done.returncode == 1 and "nothing was changed" in done.stderr
                check("without consent", refused and selector(cluster) == "sdd", done)
                check("what it would do", FIX in done.stdout, done)

            # A kubectl that may do nothing: berth has no other way to change the cluster.
            tools = pathlib.Path(folder, "bin")
            tools.mkdir()
            log = pathlib.Path(folder, "log")
            fake = tools / "kubectl"
            fake.write_text(f'#!/bin/sh\necho "$@" >> {log}\necho Forbidden >&2\nexit 1\n')
            fake.chmod(0o755)
            done = why(cluster, "y\n", "--apply", "--watch", path=f"{tools}:")
            check("forbidden", done.returncode == 1 and "not done: " + FIX in done.stderr, done)
            as_user = f"--kubeconfig {cluster.kubeconfig} patch" in log.read_text()
            check("as the user", as_user, done)
            check("nothing else", selector(cluster) == "sdd", done)

            done = why(cluster, "y\n", "--apply", "--watch")
            check("applied", done.returncode == 0 and selector(cluster) == "ssd", done)
            check("watched", "2 of 2 pods run\n" in done.stdout, done)
    print("applied")


if __name__ == "__main__":
    main()
