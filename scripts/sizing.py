#!/usr/bin/env python3
"""Measures the memory and processor time of berth-scheduler on clusters of some sizes.

    scripts/sizing.py [--bin DIR] [NODES:PODS...]

For each size `berth up` runs the nodes, and Deployments of 50 kinds of pods; a berth-scheduler
beside it, without a limit of requests, binds the pods. Prints the table of docs/deploy.md: the
largest resident memory of the process, and the processor time of a thousand pods.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

SIZES = ["100:1000", "1000:10000", "5000:50000", "5000:150000"]
DEPLOYMENTS = 50
# So that the last statuses of kubelets have come.
SETTLE_SECONDS = 5


class Cluster:
    """A `berth up` without scheduler."""

    def __init__(self, programs, folder, nodes):
        self.kubeconfig = folder / "kubeconfig"
        self.process = subprocess.Popen(
            [programs / "berth", "up", "--nodes", str(nodes), "--scheduler=none", "--port=0",
             "--no-leases", "--dashboard=false", "--kubeconfig", self.kubeconfig],
            stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        for line in self.process.stdout:
            if "KUBECONFIG=" in line:
                break
        text = self.kubeconfig.read_text()
        self.url = text.split("server:")[1].split()[0].strip('"')

    def post(self, path, body):
        request = urllib.request.Request(
            self.url + path, json.dumps(body).encode(), {"Content-Type": "application/json"})
        urllib.request.urlopen(request).read()

    def deploy(self, pods):
        for number in range(DEPLOYMENTS):
            labels = {"app": f"app-{number}", "tier": f"tier-{number % 5}"}
            resources = {"requests": {"cpu": f"{10 + number}m", "memory": f"{16 + number}Mi"}}
            container = {"name": "c", "image": f"image-{number % 10}", "resources": resources}
            replicas = (pods * (number + 1)) // DEPLOYMENTS - (pods * number) // DEPLOYMENTS
            self.post("/apis/apps/v1/namespaces/default/deployments", {
                "metadata": {"name": f"app-{number}"},
                "spec": {"replicas": replicas, "selector": {"matchLabels": labels},
                         "template": {"metadata": {"labels": labels},
                                      "spec": {"containers": [container]}}},
            })  # fmt: skip


def bound(log):
    """Returns how many pods the scheduler's log says are bound."""
    return log.read_bytes().count(b"Successfully bound pod to node")


def peak_mebibytes(pid):
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def processor_seconds(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(programs, nodes, pods):
    with tempfile.TemporaryDirectory(prefix="berth-sizing-") as name:
        folder = Path(name)
        cluster = Cluster(programs, folder, nodes)
        log = folder / "log"
        with open(log, "wb") as output:
            scheduler = subprocess.Popen(
                [programs / "berth-scheduler", "--kubeconfig", cluster.kubeconfig, "-v=2",
                 "--leader-elect=false", "--secure-port=0", "--kube-api-qps=-1"],
                stdout=output, stderr=output,
            )  # fmt: skip
        try:
            cluster.deploy(pods)
            while bound(log) < pods:
                if scheduler.poll() is not None or cluster.process.poll() is not None:
                    sys.exit(f"sizing.py: a program ended:\n{log.read_text()[-2000:]}")
                time.sleep(1)
            time.sleep(SETTLE_SECONDS)
            return peak_mebibytes(scheduler.pid), processor_seconds(scheduler.pid) / pods * 1000
        finally:
            for process in (scheduler, cluster.process):
                process.send_signal(signal.SIGTERM)
                process.wait()


def main():
    parser = argparse.ArgumentParser(description="Measure berth-scheduler on some sizes.")
    parser.add_argument("--bin", type=Path, default=Path("bin"), metavar="DIR",
                        help="folder of berth and berth-scheduler (default: bin)")  # fmt: skip
    parser.add_argument("sizes", nargs="*", default=SIZES, metavar="NODES:PODS",
                        help=f"default: {' '.join(SIZES)}")  # fmt: skip
    options = parser.parse_args()
    print("| nodes | pods | memory | processor time of 1,000 pods |\n| --- | --- | --- | --- |")
    for size in options.sizes:
        nodes, pods = map(int, size.split(":"))
        memory, seconds = measure(options.bin.resolve(), nodes, pods)
        print(f"| {nodes:,} | {pods:,} | {memory:,.0f} MiB | {seconds:.2f} s |", flush=True)


if __name__ == "__main__":
    main()
