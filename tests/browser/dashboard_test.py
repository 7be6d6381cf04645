#!/usr/bin/env python3
"""Walks every page of the dashboard of a live `berth up` in Chromium (web/browser/walk.ts).

    dashboard_test.py BERTH [WALK_ARGUMENTS...]

The cluster has 1,000 nodes and pending pods of many kinds: rejected by several plugins, gated,
backing off. While the browser looks, pods come and go. Screenshots are in web/build/screenshots.
Exit code 77, skipped: there is no Chromium, or the program was built without the dashboard.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77
NODES = 1000
WEB_PODS = 3000


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def pod(name, requests=None, **spec):
    container = {"name": "main", "image": "app:1"}
    if requests:
        container["resources"] = {"requests": requests}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": {"app": name}},
            "spec": {"containers": [container], **spec}}  # fmt: skip


def deployment(name, replicas, requests, **spec):
    template = pod(name, requests, **spec)
    labels = {"app": name}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name},
            "spec": {"replicas": replicas, "selector": {"matchLabels": labels},
                     "template": {"metadata": {"labels": labels},
                                  "spec": template["spec"]}}}  # fmt: skip


class Cluster:
    """A `berth up` and its API."""

    def __init__(self, berth):
        self.process = subprocess.Popen(
            [berth, "up", "--nodes", str(NODES), "--port", "0"],
            stdout=subprocess.PIPE, text=True)  # fmt: skip
        self.url = self.dashboard = ""
        while not self.dashboard:
            line = self.process.stdout.readline()
            if not line:
                sys.exit(f"berth up ended with {self.process.wait()}")
            if found := re.match(r"listening on (\S+)", line):
                self.url = found[1]
            if found := re.match(r"dashboard: (\S+)", line):
                self.dashboard = found[1]
        threading.Thread(target=self.process.stdout.read, daemon=True).start()
        self.stopped = threading.Event()

    def send(self, method, path, body=None, kind="application/json"):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self.url + path, method=method, data=data, headers={"Content-Type": kind})  # fmt: skip
        with urllib.request.urlopen(request, timeout=30) as response:
            return json.load(response)

    def create(self, thing):
        folder = "/apis/apps/v1" if thing["kind"] == "Deployment" else "/api/v1"
        kind = thing["kind"].lower() + "s"
        self.send("POST", f"{folder}/namespaces/default/{kind}", thing)

    def patch_node(self, name, patch):
        self.send("PATCH", f"/api/v1/nodes/{name}", patch, "application/merge-patch+json")

    def stop(self):
        self.stopped.set()
        self.process.terminate()
        self.process.wait(timeout=60)


def fill(cluster):
    names = [node["metadata"]["name"] for node in cluster.send("GET", "/api/v1/nodes")["items"]]
    for name in names[:20]:
        cluster.patch_node(name, {"spec": {"unschedulable": True}})
    for name in names[20:40]:
        taint = {"key": "dedicated", "value": "db", "effect": "NoSchedule"}
        cluster.patch_node(name, {"spec": {"taints": [taint]}})
    cluster.create(deployment("web", WEB_PODS, {"cpu": "250m", "memory": "256Mi"}))
    cluster.create(deployment("huge", 30, {"cpu": "90"}))
    cluster.create(deployment("nowhere", 5, {"cpu": "1"}, nodeSelector={"disk": "none"}))
    cluster.create(pod("gated", schedulingGates=[{"name": "example.com/quota"}]))
    cluster.create(pod("claims", volumes=[
        {"name": "data", "persistentVolumeClaim": {"claimName": "missing"}}]))  # fmt: skip


def wait_for(what, condition):
    for _ in range(300):
        if condition():
            return
        time.sleep(0.2)
    sys.exit(f"waited in vain for {what}")


def churn(cluster):
    """Lets pods come and go, which also wakes pods that were rejected."""
    number = 0
    while not cluster.stopped.wait(0.3):
        number += 1
        try:
            cluster.create(pod(f"guest-{number}", {"cpu": "100m"}))
            if number > 5:
                path = f"/api/v1/namespaces/default/pods/guest-{number - 5}"
                cluster.send("DELETE", path, {"gracePeriodSeconds": 0})
        except (urllib.error.URLError, OSError):
            pass


def main():
    berth, arguments = sys.argv[1], sys.argv[2:]
    if not (os.environ.get("CHROMIUM") or shutil.which("chromium")):
        skip("there is no chromium")
    if shutil.which("node") is None or not (ROOT / "web/node_modules/playwright-core").exists():
        skip("node, or the packages of web/, are not installed")
    cluster = Cluster(berth)
    try:
        browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        browser.open(cluster.dashboard, timeout=30).close()
        with browser.open(cluster.dashboard.split("?")[0], timeout=30) as response:
            if b"dashboard.js" not in response.read():
                skip("the program was built without the dashboard")
        fill(cluster)
        threading.Thread(target=churn, args=(cluster,), daemon=True).start()

        def pods(query):
            return cluster.send("GET", f"/berth/v1/pods?limit=5000&{query}")["items"]

        def web_runs():
            counts = cluster.send("GET", "/berth/v1/cluster")["counts"]
            return counts["pods"] >= WEB_PODS and not pods("group=Deployment+default%2Fweb")

        wait_for("pods on nodes", web_runs)
        wait_for("pods that were tried again", lambda: any(
            row["attempts"] > 1 for row in pods("plugin=NodeResourcesFit")))  # fmt: skip
        command = ["node", "scripts/run.mjs", "browser/walk.ts", "--url", cluster.dashboard]
        sys.exit(subprocess.run([*command, *arguments], cwd=ROOT / "web", check=False).returncode)
    finally:
        cluster.stop()


if __name__ == "__main__":
    main()
