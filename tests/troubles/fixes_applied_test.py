#!/usr/bin/env python3
"""Makes the fixes of the troubles of troubles.yaml with kubectl, as they are printed, in a
`berth up` that has the trouble, and waits until the pods run.

    fixes_applied_test.py BERTH [--all]

The first fix of each list is made; with --all each of them. Fixes that no command makes are left
out.
"""
import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import yaml

HERE = pathlib.Path(__file__).resolve().parent
WAIT = 60  # Seconds: a controller tries again after up to 40.


class Cluster:
    """A `berth up` with the objects of a file."""

    def __init__(self, berth, folder, file):
        self.berth = berth
        self.kubeconfig = str(pathlib.Path(folder, "kubeconfig"))
        self.process = subprocess.Popen(
            [berth, "up", "--port", "0", "--nodes", "0", "-f", file,
             "--kubeconfig", self.kubeconfig],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)  # fmt: skip
        self.said = ""
        for line in self.process.stdout:
            self.said += line
            if "listening on " in line:
                return
        raise RuntimeError(f"berth up ended: {self.said}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()

    def run(self, command):
        return subprocess.run(
            command,
            shell=isinstance(command, str),
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
            env=dict(os.environ, KUBECONFIG=self.kubeconfig),
        )

    def why(self, subject):
        done = self.run([self.berth, "why", subject, "-o", "json", "--kubeconfig", self.kubeconfig])
        return json.loads(done.stdout) if done.returncode == 0 else None

    def pods(self, selector):
        done = self.run(["kubectl", "get", "pods", "-n", "default", "-o", "json"])
        pods = json.loads(done.stdout)["items"] if done.returncode == 0 else []
        return [
            pod
            for pod in pods
            if pod["metadata"]["name"].startswith(selector)
            and "deletionTimestamp" not in pod["metadata"]
        ]

    def replicas(self, subject):
        """How many pods a Deployment asks for."""
        if not subject.startswith("deployment/"):
            return 0
        path = "jsonpath={.spec.replicas}"
        return int(self.run(["kubectl", "get", subject, "-n", "default", "-o", path]).stdout or 0)

    def conditions(self, prefix):
        return [
            (pod["metadata"]["name"], pod["status"].get("phase"), pod["status"].get("conditions"))
            for pod in self.pods(prefix)
        ]


def wait_for(condition):
    end = time.monotonic() + WAIT
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.2)
    return None


def fixes_of(document):
    if document is None:
        return []
    if document.get("groups") is not None and document.get("fixes"):
        return document["fixes"]  # Of pods that were not created.
    groups = document.get("groups", [{"explanation": document}])
    for explanation in [group["explanation"] for group in groups]:
        if explanation.get("fixes", {}).get("list"):
            return explanation["fixes"]["list"]
    return []


def running(pods):
    return [pod for pod in pods if pod["status"].get("phase") == "Running"]


def is_tried(cluster, prefix):
    """Whether the scheduler has tried all pods that have no node."""
    pods = cluster.pods(prefix)
    return pods and all(
        pod["spec"].get("nodeName")
        or any(c["type"] == "PodScheduled" for c in pod["status"].get("conditions", []))
        for pod in pods
    )


def run_fix(berth, trouble, number, folder):
    """Makes the fix of that number in a new cluster. Returns the fixes, and what went wrong."""
    subject = trouble.get("workload", "subject")
    prefix = subject.split("/")[-1]
    with Cluster(berth, folder, str(pathlib.Path(folder, "objects.yaml"))) as cluster:
        wait_for(lambda: is_tried(cluster, prefix) or fixes_of(cluster.why(subject)))
        fixes = fixes_of(cluster.why(subject))
        if number >= len(fixes):
            return fixes, None
        fix = fixes[number]
        text = "; ".join(change["text"] for change in fix["changes"])
        if not all(step.get("command") for step in fix["steps"]):
            return fixes, None
        before = len(running(cluster.pods(prefix)))
        for step in fix["steps"]:
            done = cluster.run(step["command"])
            if done.returncode != 0:
                return fixes, f"{text}: {step['command']}: {done.stderr.strip()}"

        # Of a group, those that it lets run together run then; a single pod always does.
        more = fix["together"]["runs"] if "together" in fix else None

        def runs():
            pods = cluster.pods(prefix)
            wanted = max(len(pods), cluster.replicas(subject)) if more is None else before + more
            return pods and len(running(pods)) >= wanted

        if not wait_for(runs):
            return fixes, f"{text}: does not run: {cluster.conditions(prefix)}"
    return fixes, None


def first_of_each_list(fixes):
    first = {}
    for number, fix in enumerate(fixes):
        if all(step.get("command") for step in fix["steps"]):
            first.setdefault(fix["by"], number)
    return list(first.values())


def check(berth, cluster, trouble, every):
    problems, made = [], 0
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "objects.yaml").write_text(f"{cluster}---\n{trouble['objects']}")
        fixes, _ = run_fix(berth, trouble, 1 << 20, folder)
        for number in range(len(fixes)) if every else first_of_each_list(fixes):
            made += 1
            if problem := run_fix(berth, trouble, number, folder)[1]:
                problems.append(f"{trouble['name']}: {problem}")
    return problems, made


def main():
    if shutil.which("kubectl") is None:
        print("skipped: there is no kubectl")
        sys.exit(77)
    berth = str(pathlib.Path(sys.argv[1]).resolve())
    cluster = (HERE / "cluster.yaml").read_text()
    every = "--all" in sys.argv
    named = [argument for argument in sys.argv[2:] if not argument.startswith("--")]
    troubles = [
        trouble
        for trouble in yaml.safe_load((HERE / "troubles.yaml").read_text())
        if trouble.get("live", True) and (not named or trouble["name"] in named)
    ]
    problems, made = [], 0
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        results = pool.map(lambda trouble: check(berth, cluster, trouble, every), troubles)
        for more, number in results:
            problems += more
            made += number
    for problem in problems:
        print(problem)
    print(f"{len(troubles)} troubles, {made} fixes made, {len(problems)} wrong")
    sys.exit(1 if problems or made == 0 else 0)


if __name__ == "__main__":
    main()
